import CacheModel
import Workloads

/// What the server would answer to a query, kept until a commit touches it.
struct Answer: Sendable {
  var rows: [Handle] = []
  /// Whether more objects match than the limit lets through.
  var hasMore = false
  /// The bytes of the rows as compact JSON.
  var bytes = 0
  /// How many changes of its section it shows; `nil` where it was never computed.
  var changes: Int?
  /// A place in the stream since which the answer has been this one.
  ///
  /// Found when it is asked for: the true place may be earlier, but not beyond one at which another
  /// answer was given.
  var since = StreamPosition(epoch: 0, sequence: 0)
}

extension SimulatedServer {
  /// Brings the answer of a query up to date, and returns it.
  mutating func answer(_ query: Int) -> Answer {
    if workload.truth == .observed { return answers[query] }
    let spec = workload.queries[query]
    guard let section = order.section(of: spec) else { return Answer() }
    if answers[query].changes != changes[section] { compute(query, spec, section: section) }
    return answers[query]
  }

  /// Whether the answer is still the one that was given at a place.
  mutating func hasAnswer(_ query: Int, since place: StreamPosition) -> Bool {
    let answer = answer(query)
    return answer.changes != nil && answer.since <= place
  }

  /// Takes what an app recorded for an answer of the server.
  ///
  /// It counts as whole, even where it is as long as its limit: until the next read is recorded nobody
  /// knows what would move into a window, and a cache that asked for it would be told the same again.
  mutating func record(_ rows: [Handle], of query: Int) {
    answers[query].rows = rows
    answers[query].bytes = rows.reduce(0) { $0 + Int(catalog.revisions[Int($1.revision)].bytes) }
  }

  /// Lists what is current of a query's entries, in their order, up to the limit.
  private mutating func compute(_ query: Int, _ spec: QuerySpec, section: Int) {
    let limit = Int(spec.limit)
    // Kept only where it is asked for, so that elsewhere its rows are overwritten in place.
    let former = workload.saysNotModified ? answers[query] : Answer()
    var rows: [Handle] = []
    swap(&rows, &answers[query].rows)
    rows.removeAll(keepingCapacity: true)
    var bytes = 0
    var hasMore = false
    let range = order.range(of: spec, inSection: section)
    var next = isCurrent.next(from: range.lowerBound, below: range.upperBound)
    while let entry = next {
      guard rows.count < limit else {
        hasMore = true
        break
      }
      rows.append(order.entries[entry].row)
      bytes += Int(order.entries[entry].bytes)
      next = isCurrent.next(from: entry + 1, below: range.upperBound)
    }
    let isSame = former.changes != nil && former.hasMore == hasMore && former.rows == rows
    answers[query] = Answer(
      rows: rows, hasMore: hasMore, bytes: bytes, changes: changes[section],
      since: isSame ? former.since : position)
  }
}

/// One bit for each entry of a ``StateOrder``.
struct EntryBits: Sendable {
  private var words: [UInt64]

  init(count: Int) {
    words = [UInt64](repeating: 0, count: (count + 63) / 64)
  }

  mutating func set(_ entry: Int, to isSet: Bool) {
    let bit: UInt64 = 1 << UInt64(entry & 63)
    if isSet { words[entry >> 6] |= bit } else { words[entry >> 6] &= ~bit }
  }

  /// The first entry at or after one, and before another, whose bit is set.
  func next(from first: Int, below end: Int) -> Int? {
    guard first < end else { return nil }
    var index = first >> 6
    var word = words[index] & (.max << UInt64(first & 63))
    while word == 0 {
      index += 1
      guard index << 6 < end else { return nil }
      word = words[index]
    }
    let entry = index << 6 + word.trailingZeroBitCount
    return entry < end ? entry : nil
  }
}
