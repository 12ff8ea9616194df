public import CacheModel

/// Following streams: each event is applied once, in its turn.
extension CacheStore {
  /// Takes an event as it arrives.
  ///
  /// An event whose turn it is is applied; a duplicate is ignored; one that comes early waits. Events
  /// without a place are applied at once. The first place heard of is the baseline of its stream.
  @inlinable public mutating func receive(
    _ envelope: consuming EventEnvelope<Payload>, library: LibraryID? = nil, at now: Instant
  ) {
    receive(&envelope, library: library, at: now)
  }

  /// The same where the event lies: it is large, and handed on by address what it holds is moved once.
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

  /// The server says how far its stream has come, so that a lost last event is noticed: the last
  /// sequence that it told this subscription.
  ///
  /// It announces a position and polls nothing. Since it shows that the server can be reached, those
  /// observed queries are asked for that are owed an answer and have no fetch in flight: without a
  /// result, marked stale, or waiting to be tried again after a fetch that came to nothing. One that has
  /// merely expired waits until somebody reads it (``PolicyComposition/pollInterval``), and so does one
  /// that lacks rows: there was no space for them. A reconcile that came to nothing is asked for again
  /// at once, where the heartbeat names what is missing.
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

  /// Where the cache stands in a stream; `nil` before anything was heard of it.
  @inlinable public func cursor(of stream: StreamID) -> StreamPosition? {
    streams.index(of: stream).map { streams[$0].cursor }
  }

  /// Whether events of the library, or of any where it is −1, are known to be missing.
  @inlinable func isSuspect(library: Int16) -> Bool {
    streams.states.contains { stream in
      guard stream.isSuspect else { return false }
      return library < 0 || libraries.isShared(library)
        || stream.id.library == libraries[library].id
    }
  }

  /// How many streams are known to have told more than has been applied; their libraries are
  /// suspect.
  ///
  /// O(streams).
  @inlinable package var suspectStreams: Int {
    streams.states.count { $0.isSuspect }
  }

  /// Whether a stream is known to have told more than has been applied; O(streams).
  ///
  /// For oracles and tests.
  package func isSuspect(_ id: StreamID) -> Bool {
    streams.index(of: id).map { streams[$0].isSuspect } ?? false
  }

  /// Begins to follow a stream, from here on.
  ///
  /// - Parameters:
  ///   - place: the first place heard of.
  ///   - missed: how many events the epoch had told before. What the library holds, or is being told
  ///     in an answer on its way, may lack them, or those of an earlier epoch, and is marked stale.
  @inlinable mutating func noteBaseline(
    _ place: EventEnvelope<Payload>.Place, missed: UInt64
  ) {
    guard streams.index(of: place.stream) == nil, !streams.isFull else { return }
    let stream = streams.follow(
      place.stream, from: place.position, baseline: place.position,
      known: place.position.sequence)
    let library = libraries.index(of: place.stream.library)
    libraries.noteStream(of: library)
    let mayHoldData =
      libraries[library].holdsData || libraries.holdsUnowned || !fetches.isEmpty
      || !pending.isEmpty
    if missed > 0 || place.position.epoch > 1, mayHoldData {
      distrust(library: library, at: StreamPlace(stream: stream, position: place.position))
    }
  }

  /// The source restarted: what was missed cannot be known, so everything is stale.
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

  /// Applies an event whose turn it is, with those that waited for it; keeps any other.
  ///
  /// Its turn has come when the event before it, of those that this subscription is told, has been
  /// applied.
  @inlinable mutating func takeTurn(
    _ envelope: inout EventEnvelope<Payload>, _ place: EventPlace, stream index: Int
  ) {
    let position = place.position
    if planted(.gapSkipped), !streams[index].hasWaiting {
      streams[index].cursor.sequence = position.sequence - 1
    }
    if streams[index].isNext(place) {
      // The usual case, spared the way through the list.
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
