/// What to drop so that the rest fits: whole queries with what only they list, and entities that no
/// query lists, the one used longest ago first.
///
/// Nothing is orphaned: members go with their query, and an entity stays while any query lists it.
@usableFromInline package struct TrimPlan: Sendable {
  @usableFromInline package struct Query: Sendable {
    package var lastReadAt: Int64
    package var bytes: Int
    /// Indices of entities; repetitions as they are.
    package var members: [Int]

    @usableFromInline package init(lastReadAt: Int64, bytes: Int, members: [Int]) {
      self.lastReadAt = lastReadAt
      self.bytes = bytes
      self.members = members
    }
  }

  @usableFromInline package struct Entity: Sendable {
    package var writtenAt: Int64
    package var bytes: Int

    @usableFromInline package init(writtenAt: Int64, bytes: Int) {
      self.writtenAt = writtenAt
      self.bytes = bytes
    }
  }

  @usableFromInline package private(set) var droppedQueries: [Int] = []
  @usableFromInline package private(set) var droppedEntities: [Int] = []

  /// O(n log n).
  @usableFromInline package init(queries: [Query], entities: [Entity], fitting bytes: Int) {
    var excess =
      queries.reduce(0) { $0 + $1.bytes } + entities.reduce(0) { $0 + $1.bytes } - bytes
    var listings = [Int](repeating: 0, count: entities.count)
    for query in queries {
      for member in query.members { listings[member] += 1 }
    }
    enum Item {
      case query(Int)
      case entity(Int)
    }
    var items = queries.indices.map { (use: queries[$0].lastReadAt, item: Item.query($0)) }
    items += entities.indices.filter { listings[$0] == 0 }.map {
      (use: entities[$0].writtenAt, item: Item.entity($0))
    }
    items.sort { $0.use < $1.use }
    for (_, item) in items {
      guard excess > 0 else { return }
      switch item {
      case .entity(let index):
        droppedEntities.append(index)
        excess -= entities[index].bytes
      case .query(let index):
        droppedQueries.append(index)
        excess -= queries[index].bytes
        for member in queries[index].members {
          listings[member] -= 1
          guard listings[member] == 0 else { continue }
          droppedEntities.append(member)
          excess -= entities[member].bytes
        }
      }
    }
  }
}
