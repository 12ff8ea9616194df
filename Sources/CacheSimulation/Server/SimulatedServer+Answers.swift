import CacheModel
import Workloads

/// What the server would answer to a query, kept until a commit touches it.
struct Answer: Sendable {
  var rows: [Handle] = []
  /// Whether more objects match than the limit lets through.
  var hasMore = false
  /// The bytes of the rows as compact JSON.
  var bytes = 0
  /// How far the history of its section had been followed; `nil` where it was never computed.
  var followed: Int?
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
    guard let section = sections[query] else { return Answer() }
    follow(section)
    if answers[query].followed != followed[section] {
      compute(query, workload.queries[query], section: section)
    }
    return answers[query]
  }

  /// A state as it is sent in the answer to a query.
  func row(_ revision: UInt32, of query: Int) -> VersionedEntity<Handle> {
    var entity = entity(revision)
    if seen.areSummaries(query) { entity.payload = entity.payload.summary }
    return entity
  }

  /// Whether the answer is still the one that was given at a place.
  mutating func hasAnswer(_ query: Int, since place: StreamPosition) -> Bool {
    let answer = answer(query)
    return answer.followed != nil && answer.since <= place
  }

  /// Takes what an app recorded for an answer of the server.
  ///
  /// It counts as whole, even where it is as long as its limit: until the next read is recorded it is
  /// not known what would move into a window, and a cache that asked for it would be told the same again.
  mutating func record(_ rows: [Handle], of query: Int) {
    answers[query].rows = rows
    answers[query].bytes = rows.reduce(0) { bytes, row in
      bytes
        + (seen.areSummaries(query)
          ? seen.bytes(ofSummary: row.revision) : Int(catalog.revisions[Int(row.revision)].bytes))
    }
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
    let areSummaries = seen.areSummaries(query)
    let range = order.range(of: spec, inSection: section)
    var next = isCurrent.next(from: range.lowerBound, below: range.upperBound)
    while let entry = next {
      guard rows.count < limit else {
        hasMore = true
        break
      }
      let row = order.entries[entry].row
      rows.append(row)
      let whole = order.entries[entry].bytes
      bytes += areSummaries ? seen.bytes(ofSummary: row.revision) : Int(whole)
      next = isCurrent.next(from: entry + 1, below: range.upperBound)
    }
    let isSame = former.followed != nil && former.hasMore == hasMore && former.rows == rows
    answers[query] = Answer(
      rows: rows, hasMore: hasMore, bytes: bytes, followed: followed[section],
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
