public import CacheModel
public import DequeModule

@usableFromInline struct StreamState<Payload: Sendable>: Sendable {
  @usableFromInline var id: StreamID
  /// The last event that was applied together with all before it.
  @usableFromInline var cursor: StreamPosition
  /// The position at which the store began to follow the stream: earlier events were not received.
  @usableFromInline var baseline: StreamPosition
  /// The highest sequence number known of the stream.
  @usableFromInline var known: UInt64
  /// Events waiting behind a gap, by sequence.
  @usableFromInline var waiting: Deque<EventEnvelope<Payload>> = []
  @usableFromInline var gap = Gap.none

  @usableFromInline enum Gap: Sendable {
    case none
    /// An event is missing; it may still arrive until the deadline.
    case open(until: Instant)
    case reconciling(ReconcileID, attempt: Int)
    /// The reconcile failed; it is retried at this time.
    case backingOff(until: Instant, attempt: Int)
  }

  @inlinable init(id: StreamID, cursor: StreamPosition, known: UInt64) {
    self.id = id
    self.cursor = cursor
    baseline = cursor
    self.known = known
  }

  @inlinable var deadline: Instant? {
    switch gap {
    case .open(let until), .backingOff(let until, _): until
    case .none, .reconciling: nil
    }
  }

  /// Whether the stream has sent more than has been applied.
  @inlinable var isSuspect: Bool { known > cursor.sequence }

  @inlinable var isReconciling: Bool { if case .reconciling = gap { true } else { false } }

  @inlinable var hasWaiting: Bool { !waiting.isEmpty }

  /// Returns whether an event can be applied at once: nothing before it is missing, and nothing waits.
  @inlinable func isNext(_ place: EventPlace) -> Bool {
    guard case .none = gap, !hasWaiting else { return false }
    return place.sequenceBefore <= cursor.sequence
  }

  /// Returns whether every event up to a sequence has arrived, and only waits for its turn.
  @inlinable func hasAtHand(through sequence: UInt64) -> Bool {
    var reached = cursor.sequence
    for envelope in waiting where reached < sequence {
      guard let place = envelope.place, place.sequenceBefore <= reached else { break }
      reached = max(reached, place.position.sequence)
    }
    return reached >= sequence
  }

  /// Notes that the stream has sent, or announced, an event.
  ///
  /// - Returns: whether this is the highest sequence so far.
  @inlinable mutating func hear(of sequence: UInt64) -> Bool {
    guard sequence > known else { return false }
    known = sequence
    return true
  }

  /// Notes that everything up to a sequence has been applied, or is no longer needed.
  @inlinable mutating func advance(to sequence: UInt64) {
    cursor.sequence = max(cursor.sequence, sequence)
    known = max(known, sequence)
  }

  /// Stores an event until its turn, in order; the number is limited.
  ///
  /// Beyond the limit the event is dropped: it counts as missing, and will be requested.
  ///
  /// - Returns: `false` if it is already waiting.
  @inlinable mutating func hold(_ envelope: EventEnvelope<Payload>, at sequence: UInt64) -> Bool {
    let place = waiting.firstIndex { $0.sequence >= sequence } ?? waiting.count
    if place < waiting.count, waiting[place].sequence == sequence { return false }
    guard waiting.count < StoreLimits.waitingEvents else { return true }
    waiting.insert(envelope, at: place)
    return true
  }

  /// Removes and returns the first waiting event whose turn has come; `nil`: there is none, or a reconcile is
  /// in flight.
  ///
  /// Events that have already been applied are discarded.
  @inlinable mutating func takeReady() -> EventEnvelope<Payload>? {
    if isReconciling { return nil }
    while let first = waiting.first, let place = first.place,
      place.sequenceBefore <= cursor.sequence
    {
      waiting.removeFirst()
      if place.position.sequence > cursor.sequence { return first }
    }
    return nil
  }

  /// Notes that a gap has closed, if it has.
  ///
  /// - Returns: whether the missing events themselves closed it.
  @inlinable mutating func closeGapIfWhole() -> Bool {
    guard !isSuspect, !isReconciling else { return false }
    var wasOpen = false
    if case .open = gap { wasOpen = true }
    gap = .none
    return wasOpen
  }

  /// Opens a gap, if events are missing and none is open.
  @inlinable mutating func openGapIfMissing(at now: Instant, window: Duration) {
    if isSuspect, case .none = gap { gap = .open(until: now.advanced(by: window)) }
  }

  /// Schedules the reconcile again after a pause, doubled each time, up to a minute.
  @inlinable mutating func backOff(at now: Instant, attempt: Int) {
    gap = .backingOff(until: now.advanced(by: BackOff.pause(after: attempt)), attempt: attempt + 1)
  }

  /// Enters a new epoch, since the source has restarted.
  @inlinable mutating func enterEpoch(of position: StreamPosition) {
    cursor = position
    known = position.sequence
    waiting.removeAll()
    gap = .none
  }
}

extension EventEnvelope {
  /// The sequence number in its stream; 0 without a position.
  @inlinable var sequence: UInt64 { place?.position.sequence ?? 0 }

  /// Moves the contents out: a copy would count references to everything in them.
  @inlinable @inline(__always) mutating func takeEvent() -> CacheEvent<Payload> {
    withUnsafeMutablePointer(to: &event) {
      let event = $0.move()
      $0.initialize(to: .infrastructure)
      return event
    }
  }
}

/// The streams that a store follows; each has a permanent index.
@usableFromInline struct StreamTable<Payload: Sendable>: Sendable {
  @usableFromInline var states: [StreamState<Payload>] = []

  @inlinable init() {}

  @inlinable var indices: Range<Int> { states.indices }
  @inlinable var isFull: Bool { states.count >= StoreLimits.streams }

  @inlinable subscript(index: Int) -> StreamState<Payload> {
    _read { yield states[index] }
    _modify { yield &states[index] }
  }

  /// The cursor of each stream, by index.
  @inlinable var cursors: [StreamPosition] { states.map(\.cursor) }

  /// Returns the index of a followed stream; `nil`: it is not followed.
  ///
  /// An index instead of an element: a copy would count a reference to its waiting events.
  @inlinable func index(of id: StreamID) -> Int? {
    for index in states.indices where states[index].id == id { return index }
    return nil
  }

  /// Returns the stream of a reconcile, and the number of earlier attempts.
  @inlinable func index(of id: ReconcileID) -> (index: Int, attempt: Int)? {
    for index in states.indices {
      if case .reconciling(id, let attempt) = states[index].gap { return (index, attempt) }
    }
    return nil
  }

  /// Returns the store's form of a position; `nil` for a stream that is not followed.
  @inlinable func place(of place: EventPlace?) -> StreamPlace? {
    guard let place, let index = index(of: place.stream) else { return nil }
    return StreamPlace(stream: index, position: place.position)
  }

  @inlinable func eventPlace(of place: StreamPlace) -> EventPlace {
    EventPlace(stream: states[place.stream].id, position: place.position)
  }

  @inlinable mutating func follow(
    _ id: StreamID, from cursor: StreamPosition, baseline: StreamPosition, known: UInt64
  ) -> Int {
    var state = StreamState<Payload>(id: id, cursor: cursor, known: known)
    state.baseline = baseline
    states.append(state)
    return states.count - 1
  }

  /// Returns the cursor of a stream at an earlier time; its baseline if it was not followed yet.
  @inlinable func followed(_ stream: Int, asOf cursors: [StreamPosition]) -> StreamPosition {
    stream < cursors.count ? cursors[stream] : states[stream].baseline
  }

  /// The earliest deadline of an open gap; O(streams).
  @inlinable var deadline: Instant? {
    var next: Instant?
    for index in states.indices {
      if let gap = states[index].deadline { next = min(next ?? gap, gap) }
    }
    return next
  }

  /// Returns whether a stream has advanced since; O(streams).
  @inlinable func hasMoved(since cursors: [StreamPosition]) -> Bool {
    cursors.count != states.count
      || states.indices.contains { states[$0].cursor != cursors[$0] }
  }
}

/// A position in one of the store's streams.
///
/// Positions are comparable within one stream only; two streams of a library are independent.
@usableFromInline struct StreamPlace: Hashable, Sendable {
  /// The store's index of the stream.
  @usableFromInline var stream: Int
  @usableFromInline var position: StreamPosition

  @inlinable init(stream: Int, position: StreamPosition) {
    self.stream = stream
    self.position = position
  }

  /// Returns whether a result read at this position includes a change at the other.
  @inlinable func shows(_ other: StreamPlace) -> Bool {
    stream == other.stream && position >= other.position
  }
}
