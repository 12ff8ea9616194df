public import CacheModel
import EvictionPolicies

/// How far a store has followed one stream.
@usableFromInline struct StreamState<Payload: Sendable> {
  @usableFromInline var id: StreamID
  /// The last event that was applied with all before it.
  @usableFromInline var cursor: StreamPosition
  /// Where the store began to follow it: what happened before, it has not heard.
  @usableFromInline var baseline: StreamPosition
  /// The highest sequence that the stream is known to have reached.
  @usableFromInline var known: UInt64
  /// Events behind a gap, by sequence.
  @usableFromInline var waiting: [EventEnvelope<Payload>] = []
  @usableFromInline var gap = Gap.none

  @usableFromInline enum Gap {
    case none
    /// Something is missing; it may be on its way until the deadline.
    case open(until: Instant)
    case reconciling(ReconcileID, attempt: Int)
    /// The reconcile failed; it is tried again then.
    case backingOff(until: Instant, attempt: Int)
  }

  @inlinable var deadline: Instant? {
    switch gap {
    case .open(let until), .backingOff(let until, _): until
    case .none, .reconciling: nil
    }
  }

  @inlinable init(id: StreamID, cursor: StreamPosition, known: UInt64) {
    self.id = id
    self.cursor = cursor
    baseline = cursor
    self.known = known
  }
}

extension CacheStore {
  /// Takes an event as it arrives.
  ///
  /// An event whose turn it is is applied; a duplicate is ignored; one that comes early waits. Events
  /// without a place are applied at once. The first place heard of is the baseline of its stream.
  @inlinable public mutating func receive(
    _ envelope: consuming EventEnvelope<Payload>, library: LibraryID? = nil, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    guard let place = envelope.place else {
      apply(envelope, library: library.map { libraryIndex(of: $0) } ?? -1, at: nil)
      return
    }
    guard let index = streamIndex(of: place.stream) else {
      noteBaseline(place, missed: place.sequenceBefore)
      let library = libraryIndex(of: place.stream.library)
      apply(envelope, library: library, at: streamPlace(of: place))
      return
    }
    if place.position.epoch != streams[index].cursor.epoch {
      enterEpoch(of: place.position, stream: index, event: envelope)
    } else if place.position.sequence <= streams[index].cursor.sequence {
      statistics.duplicatesIgnored += 1
      #if PLANTED_DEFECTS
        if plantedDefect == .duplicateMovesCursorBack {
          streams[index].cursor.sequence = place.position.sequence
        }
      #endif
    } else {
      streams[index].known = max(streams[index].known, place.position.sequence)
      takeTurn(envelope, place, stream: index)
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
  /// that lacks rows: there was no space for them.
  @inlinable public mutating func receiveHeartbeat(
    _ place: EventEnvelope<Payload>.Place, at now: Instant
  ) {
    beginCommit(at: now)
    defer { endCommit() }
    #if PLANTED_DEFECTS
      if plantedDefect == .heartbeatIgnored, cursor(of: place.stream) != nil { return }
    #endif
    if let index = streamIndex(of: place.stream) {
      if place.position.epoch != streams[index].cursor.epoch {
        enterEpoch(of: place.position, stream: index, event: nil)
      } else if place.position.sequence > streams[index].known {
        streams[index].known = place.position.sequence
        openGapIfMissing(stream: index)
      }
    } else {
      noteBaseline(place, missed: place.position.sequence)
    }
    let library = libraryIndex(of: place.stream.library)
    for query in queries.observed
    where queries[query].library == library && isOwed(query) {
      queries[query].awaitsServer = false
      queries[query].isBackingOff = false
      wantingFetch.append(query)
    }
  }

  /// Where the cache stands in a stream; `nil` before anything was heard of it.
  @inlinable public func cursor(of stream: StreamID) -> StreamPosition? {
    streams.first { $0.id == stream }?.cursor
  }

  /// Whether events of the library, or of any where it is −1, are known to be missing.
  @inlinable func isSuspect(library: Int16) -> Bool {
    streams.contains { stream in
      let isConcerned =
        library < 0 || isShared(library: library)
        || stream.id.library == libraries[Int(library)].id
      return isConcerned && stream.known > stream.cursor.sequence
    }
  }

  /// How many streams are known to have told more than has been applied; their libraries are
  /// suspect.
  ///
  /// O(streams).
  @inlinable package var suspectStreams: Int {
    streams.count { $0.known > $0.cursor.sequence }
  }

  /// Which of the followed streams it is; `nil`: none.
  ///
  /// Indices instead of elements: a copy of one would count a reference to what waits in it.
  @inlinable func streamIndex(of id: StreamID) -> Int? {
    for index in streams.indices where streams[index].id == id { return index }
    return nil
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
    guard streamIndex(of: place.stream) == nil, streams.count < StoreLimits.streams else { return }
    streams.append(
      StreamState(
        id: place.stream, cursor: place.position, known: place.position.sequence))
    let library = libraryIndex(of: place.stream.library)
    libraries[Int(library)].streamCount += 1
    let mayHoldData =
      libraries[Int(library)].holdsData || holdsUnowned || !fetches.isEmpty
      || !pending.isEmpty
    if missed > 0 || place.position.epoch > 1, mayHoldData {
      distrust(
        library: library, at: StreamPlace(stream: streams.count - 1, position: place.position))
    }
  }

  /// The store's own form of a place; `nil` for a stream that it does not follow.
  @inlinable func streamPlace(of place: EventEnvelope<Payload>.Place?) -> StreamPlace? {
    guard let place, let index = streamIndex(of: place.stream) else { return nil }
    return StreamPlace(stream: index, position: place.position)
  }

  /// The source restarted: what was missed cannot be known, so everything is stale.
  @inlinable mutating func enterEpoch(
    of position: StreamPosition, stream index: Int, event: EventEnvelope<Payload>?
  ) {
    guard position.epoch > streams[index].cursor.epoch else {
      statistics.duplicatesIgnored += 1
      return
    }
    let library = libraryIndex(of: streams[index].id.library)
    streams[index].cursor = position
    streams[index].known = position.sequence
    streams[index].waiting.removeAll()
    streams[index].gap = .none
    #if PLANTED_DEFECTS
      if plantedDefect == .epochChangeIgnored { return }
    #endif
    let place = StreamPlace(stream: index, position: position)
    resynchronize(library: library, at: place)
    if let event { apply(event, library: library, at: place) }
  }

  /// Applies an event whose turn it is, with those that waited for it; keeps any other.
  ///
  /// Its turn has come when the event before it, of those that this subscription is told, has been
  /// applied.
  @inlinable mutating func takeTurn(
    _ envelope: consuming EventEnvelope<Payload>, _ place: EventPlace, stream index: Int
  ) {
    let position = place.position
    #if PLANTED_DEFECTS
      if plantedDefect == .gapSkipped, streams[index].waiting.isEmpty {
        streams[index].cursor.sequence = position.sequence - 1
      }
    #endif
    if case .none = streams[index].gap, streams[index].waiting.isEmpty,
      place.sequenceBefore <= streams[index].cursor.sequence
    {
      // The usual case, spared the way through the list.
      let library = libraryIndex(of: streams[index].id.library)
      apply(envelope, library: library, at: StreamPlace(stream: index, position: position))
      streams[index].cursor.sequence = position.sequence
      return
    }
    hold(envelope, position, stream: index)
    drain(stream: index)
  }

  /// Keeps an event until its turn, in order; a bounded number.
  @inlinable mutating func hold(
    _ envelope: EventEnvelope<Payload>, _ position: StreamPosition, stream index: Int
  ) {
    let waiting = streams[index].waiting
    let place = waiting.firstIndex { sequence(of: $0) >= position.sequence } ?? waiting.count
    if place < waiting.count, sequence(of: waiting[place]) == position.sequence {
      statistics.duplicatesIgnored += 1
      return
    }
    // Beyond the bound the event is let go: it is known to be missing, and will be asked for.
    guard waiting.count < StoreLimits.waitingEvents else { return }
    streams[index].waiting.insert(envelope, at: place)
  }

  @inlinable func sequence(of envelope: EventEnvelope<Payload>) -> UInt64 {
    envelope.place?.position.sequence ?? 0
  }

  /// Applies the waiting events whose turn has come.
  @inlinable mutating func drain(stream index: Int) {
    if case .reconciling = streams[index].gap { return }
    let library = libraryIndex(of: streams[index].id.library)
    var applied = 0
    for envelope in streams[index].waiting {
      guard let place = envelope.place, place.sequenceBefore <= streams[index].cursor.sequence
      else { break }
      applied += 1
      guard place.position.sequence > streams[index].cursor.sequence else { continue }
      apply(
        envelope, library: library, at: StreamPlace(stream: index, position: place.position))
      streams[index].cursor.sequence = place.position.sequence
    }
    streams[index].waiting.removeFirst(applied)
    if streams[index].cursor.sequence >= streams[index].known {
      if case .open = streams[index].gap { statistics.gapsHealed += 1 }
      streams[index].gap = .none
    }
  }

  @inlinable mutating func openGapIfMissing(stream index: Int) {
    #if PLANTED_DEFECTS
      if plantedDefect == .gapIgnored { return }
    #endif
    guard streams[index].known > streams[index].cursor.sequence,
      case .none = streams[index].gap
    else { return }
    streams[index].gap = .open(until: now.advanced(by: composition.reorderWindow))
  }
}
