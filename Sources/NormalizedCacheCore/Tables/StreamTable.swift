public import CacheModel
public import DequeModule

/// How far a store has followed one stream.
@usableFromInline struct StreamState<Payload: Sendable>: Sendable {
  @usableFromInline var id: StreamID
  /// The last event that was applied with all before it.
  @usableFromInline var cursor: StreamPosition
  /// Where the store began to follow it: what happened before, it has not heard.
  @usableFromInline var baseline: StreamPosition
  /// The highest sequence that the stream is known to have reached.
  @usableFromInline var known: UInt64
  /// Events behind a gap, by sequence.
  @usableFromInline var waiting: Deque<EventEnvelope<Payload>> = []
  @usableFromInline var gap = Gap.none

  @usableFromInline enum Gap: Sendable {
    case none
    /// Something is missing; it may be on its way until the deadline.
    case open(until: Instant)
    case reconciling(ReconcileID, attempt: Int)
    /// The reconcile failed; it is tried again then.
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

  /// Whether it has sent more than has been applied.
  @inlinable var isSuspect: Bool { known > cursor.sequence }

  @inlinable var isReconciling: Bool { if case .reconciling = gap { true } else { false } }

  @inlinable var hasWaiting: Bool { !waiting.isEmpty }

  /// Whether an event can be applied at once: nothing before it is missing, and nothing waits.
  @inlinable func isNext(_ place: EventPlace) -> Bool {
    guard case .none = gap, !hasWaiting else { return false }
    return place.sequenceBefore <= cursor.sequence
  }

  /// Whether every event up to a sequence has come by itself, and only waits for its turn.
  @inlinable func hasAtHand(through sequence: UInt64) -> Bool {
    var reached = cursor.sequence
    for envelope in waiting where reached < sequence {
      guard let place = envelope.place, place.sequenceBefore <= reached else { break }
      reached = max(reached, place.position.sequence)
    }
    return reached >= sequence
  }

  /// The stream has sent, or announced, an event.
  ///
  /// - Returns: whether nothing so late was known of.
  @inlinable mutating func hear(of sequence: UInt64) -> Bool {
    guard sequence > known else { return false }
    known = sequence
    return true
  }

  /// Everything up to a sequence has been applied, or need not be any more.
  @inlinable mutating func advance(to sequence: UInt64) {
    cursor.sequence = max(cursor.sequence, sequence)
    known = max(known, sequence)
  }

  /// Keeps an event until its turn, in order; a bounded number.
  ///
  /// Beyond the bound the event is let go: it is known to be missing, and will be asked for.
  ///
  /// - Returns: `false` where it waits already.
  @inlinable mutating func hold(_ envelope: EventEnvelope<Payload>, at sequence: UInt64) -> Bool {
    let place = waiting.firstIndex { $0.sequence >= sequence } ?? waiting.count
    if place < waiting.count, waiting[place].sequence == sequence { return false }
    guard waiting.count < StoreLimits.waitingEvents else { return true }
    waiting.insert(envelope, at: place)
    return true
  }

  /// Takes the first of the waiting events whose turn has come; `nil`: there is none, or the answer of
  /// a reconcile comes first.
  ///
  /// One that has been applied already is thrown away.
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
  /// - Returns: whether the missing events closed it by themselves.
  @inlinable mutating func closeGapIfWhole() -> Bool {
    guard !isSuspect, !isReconciling else { return false }
    var wasOpen = false
    if case .open = gap { wasOpen = true }
    gap = .none
    return wasOpen
  }

  /// Waits for what is missing, if something is and nothing is done about it.
  @inlinable mutating func openGapIfMissing(at now: Instant, window: Duration) {
    if isSuspect, case .none = gap { gap = .open(until: now.advanced(by: window)) }
  }

  /// Tries the reconcile again after a pause, each time after twice as long, up to a minute.
  @inlinable mutating func backOff(at now: Instant, attempt: Int) {
    gap = .backingOff(until: now.advanced(by: BackOff.pause(after: attempt)), attempt: attempt + 1)
  }

  /// The source restarted.
  @inlinable mutating func enterEpoch(of position: StreamPosition) {
    cursor = position
    known = position.sequence
    waiting.removeAll()
    gap = .none
  }
}

extension EventEnvelope {
  /// Where it stands in its stream; 0 where it has no place.
  @inlinable var sequence: UInt64 { place?.position.sequence ?? 0 }

  /// Moves out its contents: a copy counts references to all that it holds.
  @inlinable @inline(__always) mutating func takeEvent() -> CacheEvent<Payload> {
    withUnsafeMutablePointer(to: &event) {
      let event = $0.move()
      $0.initialize(to: .infrastructure)
      return event
    }
  }
}

/// The streams that a store follows; each has an index, which stays.
@usableFromInline struct StreamTable<Payload: Sendable>: Sendable {
  @usableFromInline var states: [StreamState<Payload>] = []

  @inlinable init() {}

  @inlinable var indices: Range<Int> { states.indices }
  @inlinable var isFull: Bool { states.count >= StoreLimits.streams }

  @inlinable subscript(index: Int) -> StreamState<Payload> {
    _read { yield states[index] }
    _modify { yield &states[index] }
  }

  /// Where each stream stands, by index.
  @inlinable var cursors: [StreamPosition] { states.map(\.cursor) }

  /// Which of the followed streams it is; `nil`: none.
  ///
  /// Indices instead of elements: a copy of one would count a reference to what waits in it.
  @inlinable func index(of id: StreamID) -> Int? {
    for index in states.indices where states[index].id == id { return index }
    return nil
  }

  /// The stream of whose gap a reconcile asks, and how often it has been tried before.
  @inlinable func index(of id: ReconcileID) -> (index: Int, attempt: Int)? {
    for index in states.indices {
      if case .reconciling(id, let attempt) = states[index].gap { return (index, attempt) }
    }
    return nil
  }

  /// The store's own form of a place; `nil` for a stream that it does not follow.
  @inlinable func place(of place: EventPlace?) -> StreamPlace? {
    guard let place, let index = index(of: place.stream) else { return nil }
    return StreamPlace(stream: index, position: place.position)
  }

  @inlinable func eventPlace(of place: StreamPlace) -> EventPlace {
    EventPlace(stream: states[place.stream].id, position: place.position)
  }

  /// Begins to follow a stream, from a position on.
  @inlinable mutating func follow(
    _ id: StreamID, from cursor: StreamPosition, baseline: StreamPosition, known: UInt64
  ) -> Int {
    var state = StreamState<Payload>(id: id, cursor: cursor, known: known)
    state.baseline = baseline
    states.append(state)
    return states.count - 1
  }

  /// How far a stream had been followed at some time; where it was not yet, its baseline.
  @inlinable func followed(_ stream: Int, asOf cursors: [StreamPosition]) -> StreamPosition {
    stream < cursors.count ? cursors[stream] : states[stream].baseline
  }

  /// When the first gap has been open for too long; O(streams).
  @inlinable var deadline: Instant? {
    var next: Instant?
    for index in states.indices {
      if let gap = states[index].deadline { next = min(next ?? gap, gap) }
    }
    return next
  }

  /// Whether a stream has moved since; O(streams).
  @inlinable func hasMoved(since cursors: [StreamPosition]) -> Bool {
    cursors.count != states.count
      || states.indices.contains { states[$0].cursor != cursors[$0] }
  }
}

/// A place in one of the store's streams.
///
/// Places compare within one stream only; two streams of a library say nothing of each other.
@usableFromInline struct StreamPlace: Hashable, Sendable {
  /// The store's index of the stream.
  @usableFromInline var stream: Int
  @usableFromInline var position: StreamPosition

  @inlinable init(stream: Int, position: StreamPosition) {
    self.stream = stream
    self.position = position
  }

  /// Whether what was read here shows what happened there.
  @inlinable func shows(_ other: StreamPlace) -> Bool {
    stream == other.stream && position >= other.position
  }
}
