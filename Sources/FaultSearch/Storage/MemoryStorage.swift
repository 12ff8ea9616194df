import CacheModel
package import NormalizedCache

/// A storage without a disk: what it was given survives a restart.
///
/// A batch is begun, then written whole or refused, whenever the caller likes: between the two it
/// stalls. The oracle for every storage that writes a batch whole or not at all.
package struct MemoryStorage<Payload: Sendable, Mutation: Sendable>: Sendable {
  package typealias Batch = StorageBatch<Payload, Mutation>

  private var entities: [EntityKey: StoredEntity<Payload>] = [:]
  private var queries: [QueryKey: StoredQuery] = [:]
  private var progress = StoredProgress()
  private var outbox: [Mutation] = []
  /// The batch that is being written.
  package private(set) var batch: Batch?
  /// Rows written since it was made.
  package private(set) var writtenRows = 0

  package init() {}

  /// Everything that is stored, entities in the order of their keys, queries in that of their
  /// methods, inputs and libraries.
  package var contents: StoredState<Payload, Mutation> {
    StoredState(
      entities: entities.keys.sorted().compactMap { entities[$0] },
      queries: queries.keys.sorted(by: Self.precedes).compactMap { queries[$0] },
      progress: progress, outbox: outbox)
  }

  /// - Precondition: no batch is being written.
  package mutating func begin(_ batch: Batch) {
    precondition(self.batch == nil, "a second batch came while one is in flight")
    self.batch = batch
  }

  /// Writes the batch.
  ///
  /// - Returns: its number; `nil` where none is being written.
  package mutating func finish() -> UInt64? {
    guard let batch else { return nil }
    self.batch = nil
    apply(batch)
    return batch.number
  }

  /// Writes nothing of the batch: the disk refuses it, or the process ends.
  ///
  /// - Returns: its number; `nil` where none is being written.
  package mutating func refuse() -> UInt64? {
    defer { batch = nil }
    return batch?.number
  }

  private mutating func apply(_ batch: Batch) {
    if batch.replacesAll {
      entities = [:]
      queries = [:]
    }
    progress = batch.progress
    for key in batch.removedEntities { entities[key] = nil }
    for entity in batch.entities { entities[entity.key] = entity }
    for key in batch.removedQueries { queries[key] = nil }
    for query in batch.queries {
      var stored = query
      stored.members = query.members ?? queries[query.key]?.members
      // What is stored without members was dropped, and is no query any longer.
      if stored.members != nil { queries[query.key] = stored }
    }
    for use in batch.uses { queries[use.key]?.lastReadAt = use.lastReadAt }
    if let mutations = batch.outbox { outbox = mutations }
    writtenRows += batch.entities.count + batch.queries.count
  }

  private static func precedes(_ lhs: QueryKey, _ rhs: QueryKey) -> Bool {
    if lhs.method != rhs.method { return lhs.method.rawValue < rhs.method.rawValue }
    if lhs.input != rhs.input { return lhs.input.lexicographicallyPrecedes(rhs.input) }
    return lhs.library < rhs.library
  }
}

extension StoredState {
  /// The same as a ``MemoryStorage`` would give it back.
  package var inOrder: StoredState {
    var batch = StorageBatch<Payload, Mutation>(number: 1, replacesAll: true)
    batch.entities = entities
    batch.queries = queries
    batch.progress = progress
    batch.outbox = outbox
    var storage = MemoryStorage<Payload, Mutation>()
    storage.begin(batch)
    _ = storage.finish()
    return storage.contents
  }
}
