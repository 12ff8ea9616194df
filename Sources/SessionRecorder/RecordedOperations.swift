import CacheModel
import NormalizedCache

/// A sequence of operations, in flat arrays: what is frequent is copied without counting a reference, and
/// without asking for memory.
struct RecordedOperations: Sendable {
  enum Kind: Sendable {
    case told(RecordedOperation)
    /// So many were left out here.
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
    /// How many places, or operations that were left out.
    var count: Int32 = 1
  }

  /// An event of one entity.
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

  /// Empties it, for others.
  ///
  /// What a burst took is given back when the next one is smaller.
  mutating func removeAll() {
    let isWide = entries.capacity > 4_096 && entries.count < entries.capacity / 8
    entries.removeAll(keepingCapacity: !isWide)
    changes.removeAll(keepingCapacity: !isWide)
    places.removeAll(keepingCapacity: !isWide)
    others.removeAll(keepingCapacity: !isWide)
  }
}
