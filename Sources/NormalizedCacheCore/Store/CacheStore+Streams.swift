public import CacheModel

/// Following streams: each event is applied once, in order.
extension CacheStore {
  /// Receives an event.
  ///
  /// An event whose turn it is is applied; a duplicate is ignored; an early one waits. Events without a
  /// position are applied immediately. The first position received is the baseline of its stream.
  @inlinable public mutating func receive(
    _ envelope: consuming EventEnvelope<Payload>, library: LibraryID? = nil, at now: Instant
  ) {
    receive(&envelope, library: library, at: now)
  }

  /// Receives an event in place: it is large, so it is passed by reference and its contents are moved once.
  @inlinable mutating func receive(
    _ envelope: inout EventEnvelope<Payload>, library: LibraryID?, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let place = envelope.place else {
      record(&envelope, library: library.map { libraries.index(of: $0) } ?? -1, at: nil)
      return
    }
    guard let index = streams.index(of: place.stream) else {
      noteBaseline(place, missed: place.sequenceBefore)
      let library = libraries.index(of: place.stream.library)
      record(&envelope, library: library, at: streams.place(of: place))
      return
    }
    if place.position.epoch != streams[index].cursor.epoch {
      enterEpoch(of: place.position, stream: index, event: envelope)
    } else if place.position.sequence <= streams[index].cursor.sequence {
      statistics.duplicatesIgnored += 1
      if planted(.duplicateMovesCursorBack) {
        streams[index].cursor.sequence = place.position.sequence
      }
    } else {
      _ = streams[index].hear(of: place.position.sequence)
      takeTurn(&envelope, place, stream: index)
      openGapIfMissing(stream: index)
    }
  }

  /// Receives the server's last sequence number in this subscription, so that a lost last event is noticed.
  ///
  /// A heartbeat polls nothing. As a sign that the server can be reached, it requests those observed queries
  /// without a fetch in flight that have no result, are marked stale, or wait for a retry. A query that has
  /// only expired waits until it is read (``CachePolicy/pollInterval``), and so does one with missing rows:
  /// they did not fit. A failed reconcile is retried immediately if the heartbeat reveals missing events.
  @inlinable public mutating func receiveHeartbeat(
    _ place: EventEnvelope<Payload>.Place, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    if planted(.heartbeatIgnored), cursor(of: place.stream) != nil { return }
    if let index = streams.index(of: place.stream) {
      if place.position.epoch != streams[index].cursor.epoch {
        enterEpoch(of: place.position, stream: index, event: nil)
      } else {
        if streams[index].hear(of: place.position.sequence) { openGapIfMissing(stream: index) }
        if place.position.sequence > streams[index].cursor.sequence { endPause(ofStream: index) }
      }
    } else {
      noteBaseline(place, missed: place.position.sequence)
    }
    let library = libraries.index(of: place.stream.library)
    for query in queries.observed
    where queries[query].library == library && isOwed(query) {
      endPause(of: query)
    }
  }

  /// Returns the cache's position in a stream; `nil` before the first was received.
  @inlinable public func cursor(of stream: StreamID) -> StreamPosition? {
    streams.index(of: stream).map { streams[$0].cursor }
  }

  /// Returns whether events of the library are known to be missing; of any library if it is −1.
  @inlinable func isSuspect(library: Int16) -> Bool {
    streams.states.contains { stream in
      guard stream.isSuspect else { return false }
      return library < 0 || libraries.isShared(library)
        || stream.id.library == libraries[library].id
    }
  }

  /// The number of streams known to have sent more than has been applied; their libraries are suspect.
  ///
  /// O(streams).
  @inlinable package var suspectStreams: Int { streams.states.count { $0.isSuspect } }

  /// Returns whether a stream is known to have sent more than has been applied; O(streams).
  ///
  /// For reference models and tests.
  package func isSuspect(_ id: StreamID) -> Bool {
    streams.index(of: id).map { streams[$0].isSuspect } ?? false
  }

  /// Begins to follow a stream from a position.
  ///
  /// - Parameters:
  ///   - place: the first position received.
  ///   - missed: the number of earlier events of the epoch. Cached data of the library, or an answer in
  ///     flight, may lack them, or events of an earlier epoch, and is marked stale.
  @inlinable mutating func noteBaseline(_ place: EventEnvelope<Payload>.Place, missed: UInt64) {
    guard streams.index(of: place.stream) == nil, !streams.isFull else { return }
    let stream = streams.follow(
      place.stream, from: place.position, baseline: place.position,
      known: place.position.sequence)
    let library = libraries.index(of: place.stream.library)
    libraries.noteStream(of: library)
    let mayHoldData =
      libraries[library].holdsData || libraries.holdsUnowned || !fetches.isEmpty
      || !optimistic.isEmpty
    if missed > 0 || place.position.epoch > 1, mayHoldData {
      invalidate(library: library, at: StreamPlace(stream: stream, position: place.position))
    }
  }

  /// Enters a new epoch: the missed events are unknown, so everything is stale.
  @inlinable mutating func enterEpoch(
    of position: StreamPosition, stream index: Int, event: EventEnvelope<Payload>?
  ) {
    guard position.epoch > streams[index].cursor.epoch else {
      statistics.duplicatesIgnored += 1
      return
    }
    let library = libraries.index(of: streams[index].id.library)
    streams[index].enterEpoch(of: position)
    if planted(.epochChangeIgnored) { return }
    let place = StreamPlace(stream: index, position: position)
    resynchronize(library: library, at: place)
    if var event { record(&event, library: library, at: place) }
  }

  /// Applies an event whose turn it is, and the events that waited for it; stores any other.
  ///
  /// Its turn has come when the event before it in this subscription has been applied.
  @inlinable mutating func takeTurn(
    _ envelope: inout EventEnvelope<Payload>, _ place: EventPlace, stream index: Int
  ) {
    let position = place.position
    if planted(.gapSkipped), !streams[index].hasWaiting {
      streams[index].cursor.sequence = position.sequence - 1
    }
    if streams[index].isNext(place) {
      // The usual case, without the waiting list.
      let library = libraries.index(of: streams[index].id.library)
      record(&envelope, library: library, at: StreamPlace(stream: index, position: position))
      streams[index].cursor.sequence = position.sequence
      return
    }
    if !streams[index].hold(envelope, at: position.sequence) { statistics.duplicatesIgnored += 1 }
    drain(stream: index)
  }

  /// Applies the waiting events whose turn has come.
  @inlinable mutating func drain(stream index: Int) {
    if streams[index].isReconciling { return }
    let library = libraries.index(of: streams[index].id.library)
    while var envelope = streams[index].takeReady(), let position = envelope.place?.position {
      record(&envelope, library: library, at: StreamPlace(stream: index, position: position))
      streams[index].cursor.sequence = position.sequence
    }
    if streams[index].closeGapIfWhole() { statistics.gapsHealed += 1 }
  }

  @inlinable mutating func openGapIfMissing(stream index: Int) {
    if planted(.gapIgnored) { return }
    streams[index].openGapIfMissing(at: now, window: composition.reorderWindow)
  }
}

/// Requesting missed events, once a gap has stayed open for too long.
extension CacheStore {
  @inlinable mutating func closeOverdueGap(inStream index: Int) {
    switch streams[index].gap {
    case .open(let until) where until <= now:
      statistics.gapsDetected += 1
      beginReconcile(stream: index, attempt: 0)
    case .backingOff(let until, let attempt) where until <= now:
      beginReconcile(stream: index, attempt: attempt)
    default:
      break
    }
  }

  /// Ends the pause before a reconcile is retried, since the server can be reached.
  @inlinable mutating func endPause(ofStream index: Int, isFirst: Bool = false) {
    guard case .backingOff(_, let attempt) = streams[index].gap else { return }
    if planted(.reconcileWaitsOutItsPause) { return }
    beginReconcile(stream: index, attempt: isFirst ? 0 : attempt)
  }

  @inlinable mutating func beginReconcile(stream index: Int, attempt: Int) {
    let form: ReconcileForm
    switch composition.gapResponse {
    case .replay: form = .events
    case .selectiveInvalidation: form = .outline
    case .fullInvalidation:
      let library = libraries.index(of: streams[index].id.library)
      let position = StreamPosition(
        epoch: streams[index].cursor.epoch, sequence: streams[index].known)
      resynchronize(library: library, at: StreamPlace(stream: index, position: position))
      finishReconcile(stream: index, through: position)
      return
    }
    let id = ReconcileID(number: fetches.nextNumber())
    statistics.reconciles += 1
    streams[index].gap = .reconciling(id, attempt: attempt)
    actions.append(
      .reconcile(id, stream: streams[index].id, after: streams[index].cursor, form: form))
  }

  /// Returns whether this reconcile is in flight; O(streams).
  ///
  /// For reference models and tests.
  package func awaits(_ id: ReconcileID) -> Bool { streams.index(of: id) != nil }

  package var isReconciling: Bool { streams.states.contains { $0.isReconciling } }

  /// Applies the server's answer to a reconcile.
  ///
  /// An unknown reconcile is ignored.
  @inlinable public mutating func completeReconcile(
    _ id: ReconcileID, with response: ReconcileResponse<Payload>, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let (index, attempt) = streams.index(of: id) else { return }
    guard response.reached.epoch >= streams[index].cursor.epoch else {
      // A server that lags knows nothing of this epoch yet.
      return streams[index].backOff(at: self.now, attempt: attempt)
    }
    let before = streams[index].cursor.sequence
    let library = libraries.index(of: streams[index].id.library)
    switch response {
    case .events(let events, let through):
      guard through.epoch == streams[index].cursor.epoch else {
        enterEpoch(of: through, stream: index, event: nil)
        return
      }
      let last = events.last?.sequence ?? through.sequence
      if streams[index].hasAtHand(through: last) { statistics.redundantReconciles += 1 }
      for var envelope in events {
        guard let position = envelope.place?.position,
          position.sequence > streams[index].cursor.sequence
        else { continue }
        record(&envelope, library: library, at: StreamPlace(stream: index, position: position))
        streams[index].cursor.sequence = position.sequence
      }
      finishReconcile(
        stream: index, through: through, withoutProgress: through.sequence > before ? nil : attempt)
    case .outline(let tags, let through):
      guard through.epoch == streams[index].cursor.epoch else {
        enterEpoch(of: through, stream: index, event: nil)
        return
      }
      if streams[index].hasAtHand(through: through.sequence) {
        statistics.redundantReconciles += 1
      }
      let place = StreamPlace(stream: index, position: through)
      for tag in tags { markStale(matching: tag, since: place) }
      finishReconcile(
        stream: index, through: through, withoutProgress: through.sequence > before ? nil : attempt)
    case .tooOld(let position):
      if position.epoch != streams[index].cursor.epoch {
        enterEpoch(of: position, stream: index, event: nil)
      } else {
        if planted(.tooOldIgnored) {
          return finishReconcile(stream: index, through: position)
        }
        resynchronize(library: library, at: StreamPlace(stream: index, position: position))
        finishReconcile(stream: index, through: position)
      }
    }
  }

  /// Schedules a failed reconcile again, with doubled pauses up to a minute, and immediately when the server can
  /// be reached: ``setOnline(_:at:)``, or a heartbeat that names the gap.
  @inlinable public mutating func failReconcile(_ id: ReconcileID, at now: Instant) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let (index, attempt) = streams.index(of: id) else { return }
    streams[index].backOff(at: self.now, attempt: attempt)
  }

  /// Continues from the position that a reconcile has reached.
  ///
  /// An answer without events, though more are known to exist, counts as a failure: an immediate retry would
  /// get the same.
  @inlinable mutating func finishReconcile(
    stream index: Int, through position: StreamPosition, withoutProgress attempt: Int? = nil
  ) {
    streams[index].gap = .none
    streams[index].advance(to: position.sequence)
    drain(stream: index)
    if let attempt, streams[index].isSuspect {
      streams[index].backOff(at: now, attempt: attempt)
    } else {
      openGapIfMissing(stream: index)
    }
  }
}
