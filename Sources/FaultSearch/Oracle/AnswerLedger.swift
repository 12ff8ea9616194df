import CacheModel
import NormalizedCache

/// When each query was last invalidated, and last answered: what a hit is judged by.
///
/// Calls of the store are the clock; an answer is as old as the fetch that asked for it.
struct AnswerLedger: Sendable {
  struct Entry: Sendable {
    var invalidated = 0
    /// The latest beginning of a fetch that was answered.
    var asked = -1
    /// When an answer last came.
    var answered: Instant?
  }

  /// Every query that may be asked.
  private let queries: [QueryKey]
  /// By the query's place among them.
  private var entries: [Entry]

  init(_ queries: [QueryKey]) {
    self.queries = queries
    entries = [Entry](repeating: Entry(), count: queries.count)
  }

  func entry(_ key: QueryKey) -> Entry {
    queries.firstIndex(of: key).map { entries[$0] } ?? Entry()
  }

  mutating func invalidate(at call: Int, where matches: (QueryKey) -> Bool) {
    for (index, key) in queries.enumerated() where matches(key) {
      entries[index].invalidated = call
    }
  }

  /// Tells instants by a clock that shows so much less.
  mutating func rebase(by duration: Duration) {
    for index in entries.indices {
      entries[index].answered = entries[index].answered?.advanced(by: .zero - duration)
    }
  }

  mutating func answer(_ key: QueryKey, asked call: Int, at now: Instant) {
    guard let index = queries.firstIndex(of: key) else { return }
    entries[index].asked = max(entries[index].asked, call)
    entries[index].answered = now
  }
}
