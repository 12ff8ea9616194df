import CacheModel
import NormalizedCache

/// A bounded buffer of operations on their way from the cache to the writer.
struct OperationBuffer: Sendable {
  /// When the writer is to come.
  enum Call: Sendable {
    /// It has been called.
    case none
    case soon
    /// At once: there may be no room left when it comes by itself.
    case now
  }

  private let capacity: Int
  private var operations = RecordedOperations()
  private var lost = 0
  private var last = Instant(nanoseconds: .min)
  /// Whether the writer has been notified that there are operations.
  private var isAnnounced = false
  /// The number of all operations that were left out.
  private(set) var lostInAll = 0

  init(capacity: Int) { self.capacity = capacity }

  /// Takes an operation, if there is room.
  ///
  /// No two have the same time, so that a simulation has them in this order.
  mutating func append(_ operation: RecordedOperation, at now: Instant) -> Call {
    guard let at = makeRoom(at: now) else { return .none }
    operations.append(operation, at: at)
    return call()
  }

  /// Takes an event of one entity, if there is room.
  mutating func append(_ row: RecordedRow, at place: EventPlace?, _ now: Instant) -> Call {
    guard let at = makeRoom(at: now) else { return .none }
    operations.append(row, at: place, at)
    return call()
  }

  /// Takes list positions, which follow the operation that they result from.
  mutating func append(_ places: [RecordedPosition]) -> Call {
    guard let at = makeRoom(at: last) else { return .none }
    operations.append(places, at: at)
    return call()
  }

  /// The time of the next operation; `nil` if there is no room for it.
  private mutating func makeRoom(at now: Instant) -> Instant? {
    guard operations.count < capacity else {
      lost += 1
      lostInAll += 1
      return nil
    }
    var at = max(now, last.advanced(byNanoseconds: 1))
    if lost > 0 {
      operations.append(lost: lost, at: at)
      lost = 0
      at = at.advanced(byNanoseconds: 1)
    }
    last = at
    return at
  }

  private mutating func call() -> Call {
    if operations.count == capacity / 4 { return .now }
    if isAnnounced { return .none }
    isAnnounced = true
    return .soon
  }

  /// Exchanges the content for an empty value that has room.
  ///
  /// The same two values are exchanged again and again, so that appending need not wait for memory.
  mutating func exchange(_ emptied: inout RecordedOperations) {
    isAnnounced = false
    swap(&emptied, &operations)
  }
}

/// A sequence of operations, in flat arrays: frequent operations are copied without counting a reference, and
/// without allocating memory.
struct RecordedOperations: Sendable {
  enum Kind: Sendable {
    case told(RecordedOperation)
    /// This many operations were left out here.
    case lost(Int)
  }

  private struct Entry {
    enum Kind: UInt8 {
      case change
      case places
      case other
      case lost
    }

    var at: Instant
    var kind: Kind
    /// The number of positions, or of operations that were left out.
    var count: Int32 = 1
  }

  private struct Change {
    var row: RecordedRow
    var place: EventPlace?
  }

  private var entries: [Entry] = []
  // Each in the order of its entries.
  private var changes: [Change] = []
  private var places: [RecordedPosition] = []
  private var others: [RecordedOperation] = []

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  mutating func append(_ row: RecordedRow, at place: EventPlace?, _ now: Instant) {
    entries.append(Entry(at: now, kind: .change))
    changes.append(Change(row: row, place: place))
  }

  mutating func append(_ places: [RecordedPosition], at now: Instant) {
    entries.append(Entry(at: now, kind: .places, count: Int32(clamping: places.count)))
    self.places += places.prefix(Int(Int32.max))
  }

  mutating func append(_ operation: RecordedOperation, at now: Instant) {
    entries.append(Entry(at: now, kind: .other))
    others.append(operation)
  }

  mutating func append(lost count: Int, at now: Instant) {
    entries.append(Entry(at: now, kind: .lost, count: Int32(clamping: count)))
  }

  /// Calls its argument with each, in order.
  func forEach(_ body: (Instant, Kind) -> Void) {
    var (change, place, other) = (0, 0, 0)
    for entry in entries {
      switch entry.kind {
      case .change:
        let told = changes[change]
        body(entry.at, .told(.event(RecordedEvent(place: told.place, kind: .changed(told.row)))))
        change += 1
      case .places:
        let end = place + Int(entry.count)
        body(entry.at, .told(.placed(Array(places[place..<end]))))
        place = end
      case .other:
        body(entry.at, .told(others[other]))
        other += 1
      case .lost: body(entry.at, .lost(Int(entry.count)))
      }
    }
  }

  /// Empties it for other operations.
  ///
  /// The memory of a burst is freed when the next one is smaller.
  mutating func removeAll() {
    let isWide = entries.capacity > 4_096 && entries.count < entries.capacity / 8
    entries.removeAll(keepingCapacity: !isWide)
    changes.removeAll(keepingCapacity: !isWide)
    places.removeAll(keepingCapacity: !isWide)
    others.removeAll(keepingCapacity: !isWide)
  }
}
