import CacheModel
import NormalizedCache
import SimulatedStorage

/// A stored state that can be compared.
struct StoredImage: Sendable {
  private var entities: [StoredEntity<Note>]
  private var queries: [StoredQuery]
  private var progress: StoredProgress
  private var outbox: [MutationToken]

  init(_ state: StoredState<Note, NoteMutation> = StoredState()) {
    let state = state.inOrder
    entities = state.entities
    queries = state.queries
    progress = state.progress
    outbox = state.outbox.map(\.token)
  }

  /// The first thing that differs; `nil` where nothing does.
  ///
  /// - Parameters:
  ///   - other: what this should be.
  ///   - withUses: whether it counts when a query was read, and what only goes along with changes.
  /// - Returns: what differs, and how.
  func difference(from other: StoredImage, withUses: Bool) -> StoredDifference? {
    let (mine, its) = (comparable(withUses), other.comparable(withUses))
    func first<Element: Equatable>(_ mine: [Element], _ its: [Element]) -> StoredDifference? {
      guard mine != its else { return nil }
      let index = zip(mine, its).prefix { $0 == $1 }.count
      func name(_ elements: [Element]) -> String {
        elements.dropFirst(index).first.map { "\($0)" } ?? "nothing"
      }
      return StoredDifference(expected: name(its), found: name(mine))
    }
    return first(mine.entities, its.entities) ?? first(mine.queries, its.queries)
      ?? first([mine.progress], [its.progress]) ?? first(mine.outbox, its.outbox)
  }

  private func comparable(_ withUses: Bool) -> StoredImage {
    guard !withUses else { return self }
    var image = self
    for index in queries.indices { image.queries[index].lastReadAt = .zero }
    for index in progress.streams.indices { image.progress.streams[index].known = 0 }
    image.progress.libraries = []
    image.progress.forgotten = .none
    image.progress.holdsUnowned = false
    return image
  }
}

/// What is stored otherwise than it should be.
struct StoredDifference: Hashable, Sendable {
  var expected: String
  var found: String
}
