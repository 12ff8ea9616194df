import CacheModel
package import NormalizedCache

/// A storage without a disk: what it was given survives a restart, and it fails as it is told.
///
/// A batch is begun, then written whole, refused, or cut short by a crash, whenever the caller likes:
/// between the two it stalls. The oracle for every storage that writes a batch whole or not at all.
package struct MemoryStorage<Payload: Sendable, Mutation: Sendable>: Sendable {
  package typealias Batch = StorageBatch<Payload, Mutation>

  private var entities: [EntityKey: StoredEntity<Payload>] = [:]
  private var queries: [QueryKey: StoredQuery] = [:]
  private var progress = StoredProgress()
  private var outbox: [Mutation] = []
  /// The batch that is being written.
  package private(set) var batch: Batch?
  /// Rows beyond which it is full; `nil`: never.
  package var maximumRows: Int?
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

  /// Ends the batch.
  ///
  /// - Returns: its number and, unless it was written whole, why nothing of it was.
  package mutating func finish() -> (number: UInt64, error: StorageError?)? {
    guard let batch else { return nil }
    self.batch = nil
    var written = self
    written.apply(batch, rows: .max)
    if let maximumRows, written.entities.count + written.queries.count > maximumRows {
      return (batch.number, .full("the memory storage"))
    }
    self = written
    return (batch.number, nil)
  }

  /// Refuses the batch.
  ///
  /// - Returns: its number.
  package mutating func refuse() -> UInt64? {
    defer { batch = nil }
    return batch?.number
  }

  /// The process ends while a batch may be on its way.
  ///
  /// - Parameter isCommitted: whether it had been written whole when the process ended, though nobody
  ///   was told.
  package mutating func crash(isCommitted: Bool) {
    if isCommitted { _ = finish() }
    batch = nil
  }

  /// A crash in a storage that has no transactions: the first rows of the batch are there, the others
  /// are not.
  ///
  /// For planted defects only.
  package mutating func tear(afterRows rows: Int) {
    guard let batch else { return }
    apply(batch, rows: rows)
    self.batch = nil
  }

  private mutating func apply(_ batch: Batch, rows: Int) {
    var rows = rows
    func isLeft() -> Bool {
      rows -= 1
      return rows >= 0
    }
    if batch.replacesAll {
      entities = [:]
      queries = [:]
    }
    progress = batch.progress
    for key in batch.removedEntities where isLeft() { entities[key] = nil }
    for entity in batch.entities where isLeft() {
      entities[entity.key] = entity
      writtenRows += 1
    }
    for key in batch.removedQueries where isLeft() { queries[key] = nil }
    for query in batch.queries where isLeft() {
      var stored = query
      stored.members = query.members ?? queries[query.key]?.members
      // What is stored without members was dropped, and is no query any longer.
      if stored.members != nil { queries[query.key] = stored }
      writtenRows += 1
    }
    for use in batch.uses where isLeft() { queries[use.key]?.lastReadAt = use.lastReadAt }
    if let mutations = batch.outbox, isLeft() { outbox = mutations }
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
