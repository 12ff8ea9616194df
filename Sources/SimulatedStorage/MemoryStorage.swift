public import CacheModel
public import NormalizedCacheCore

/// A storage without a disk, whose content persists across restarts.
///
/// The caller begins a batch, and then completes or rejects it: in between it is stalled. It is the reference
/// model of every storage that writes batches atomically.
///
/// It enforces a limit like a storage with tables: at 90% of its size, it drops the least recently used rows
/// until 50% are left.
@usableFromInline package struct MemoryStorage<Payload: Sendable, Mutation: Sendable>: Sendable {
  @usableFromInline package typealias Batch = StorageBatch<Payload, Mutation>

  @usableFromInline package struct Limit: Sendable {
    @usableFromInline package var maximumBytes: Int
    /// Returns the size of a value in bytes.
    @usableFromInline package var bytes: @Sendable (Payload) -> Int

    @inlinable package init(maximumBytes: Int, bytes: @escaping @Sendable (Payload) -> Int) {
      self.maximumBytes = maximumBytes
      self.bytes = bytes
    }
  }

  @usableFromInline let maximumBytes: Int?
  /// What a value takes, where there is a limit.
  @usableFromInline let bytes: @Sendable (Payload) -> Int
  @usableFromInline var entities: [EntityKey: StoredEntity<Payload>] = [:]
  @usableFromInline var queries: [QueryKey: StoredQuery] = [:]
  @usableFromInline var progress = StoredProgress()
  @usableFromInline var outbox: [Mutation] = []
  /// The newest version of a row that was dropped for space.
  @usableFromInline var trimmed = Version.none
  @usableFromInline package internal(set) var batch: Batch?
  /// The number of rows written since its creation.
  @usableFromInline package internal(set) var writtenRows = 0
  /// The size of all rows; 0 without a limit, since it is not counted then.
  @usableFromInline package internal(set) var usedBytes = 0

  @inlinable package init(limit: Limit? = nil) {
    maximumBytes = limit?.maximumBytes
    if let limit { bytes = limit.bytes } else { bytes = { _ in 0 } }
  }

  /// The stored state, with entities in the order of their keys, and queries in that of their methods, inputs
  /// and libraries.
  @inlinable package var contents: StoredState<Payload, Mutation> {
    let unordered = Array(entities.values)
    let order = unordered.indices.map { (key: unordered[$0].key, place: $0) }
    return StoredState(
      entities: order.sorted { $0.key < $1.key }.map { unordered[$0.place] },
      queries: queries.keys.sorted(by: Self.precedes).compactMap { queries[$0] },
      progress: progress, outbox: outbox)
  }

  @inlinable package var storedOutbox: [Mutation] { outbox }

  /// - Precondition: no batch is in progress.
  @inlinable package mutating func begin(_ batch: Batch) {
    precondition(self.batch == nil, "a second batch came while one is in flight")
    self.batch = batch
  }

  /// Completes the batch.
  @inlinable package mutating func finish() -> UInt64? {
    guard let batch else { return nil }
    self.batch = nil
    apply(batch)
    return batch.number
  }

  /// Discards the batch, as for a disk error or the end of the process.
  @inlinable package mutating func refuse() -> UInt64? {
    defer { batch = nil }
    return batch?.number
  }

  /// Removes all stored data, as with a corrupt disk.
  @inlinable package mutating func lose() {
    entities = [:]
    queries = [:]
    progress = StoredProgress()
    outbox = []
    trimmed = .none
    usedBytes = 0
  }

  @inlinable mutating func apply(_ batch: Batch) {
    if batch.replacesAll {
      entities = [:]
      queries = [:]
      trimmed = .none
      usedBytes = 0
    }
    // Taken once: to take it for each row would count references to it.
    let bytes = bytes
    progress = batch.progress
    progress.forgotten = max(progress.forgotten, trimmed)
    for key in batch.removedEntities { put(nil, at: key, bytes) }
    for entity in batch.entities { put(entity, at: entity.key, bytes) }
    for key in batch.removedQueries { put(nil, at: key) }
    for query in batch.queries {
      var stored = query
      stored.members = query.members ?? queries[query.key]?.members
      // A stored query without members was dropped, and is no longer a query.
      if stored.members != nil { put(stored, at: query.key) }
    }
    for use in batch.uses { queries[use.key]?.lastReadAt = use.lastReadAt }
    if let mutations = batch.outbox { outbox = mutations }
    if let maximumBytes,
      batch.replacesAll || usedBytes > TrimMarks.high(of: maximumBytes)
    {
      trim(to: TrimMarks.low(of: maximumBytes))
    }
    writtenRows +=
      batch.replacesAll
      ? entities.count + queries.count : batch.entities.count + batch.queries.count
  }

  /// Writes a row, or removes it; its bytes are counted where there is a limit.
  @inlinable mutating func put(
    _ entity: StoredEntity<Payload>?, at key: EntityKey, _ bytes: (Payload) -> Int
  ) {
    let former =
      if let entity { entities.updateValue(entity, forKey: key) } else {
        entities.removeValue(forKey: key)
      }
    guard maximumBytes != nil else { return }
    if let entity { usedBytes += Self.size(entity, bytes) }
    if let former { usedBytes -= Self.size(former, bytes) }
  }

  @inlinable mutating func put(_ query: StoredQuery?, at key: QueryKey) {
    let former =
      if let query { queries.updateValue(query, forKey: key) } else {
        queries.removeValue(forKey: key)
      }
    guard maximumBytes != nil else { return }
    if let query { usedBytes += size(query) }
    if let former { usedBytes -= size(former) }
  }

  @inlinable static func size(
    _ entity: StoredEntity<Payload>, _ bytes: (Payload) -> Int
  ) -> Int {
    StoredSize.ofEntity(payload: entity.payload.map(bytes) ?? 0)
  }

  @inlinable func size(_ query: StoredQuery) -> Int {
    StoredSize.ofQuery(input: query.key.input.count, members: query.members?.count ?? 0)
  }

  /// Drops what was used longest ago until the rest fits; progress and the outbox stay.
  @inlinable mutating func trim(to most: Int) {
    guard usedBytes > most else { return }
    let bytes = bytes
    let held = contents
    var places: [EntityKey: Int] = [:]
    for (index, entity) in held.entities.enumerated() { places[entity.key] = index }
    let plan = TrimPlan(
      queries: held.queries.map { query in
        TrimPlan.Query(
          lastReadAt: query.lastReadAt.nanoseconds, bytes: size(query),
          members: (query.members ?? []).compactMap { places[$0] })
      },
      entities: held.entities.map {
        TrimPlan.Entity(writtenAt: $0.writtenAt.nanoseconds, bytes: Self.size($0, bytes))
      },
      fitting: most)
    for index in plan.droppedQueries { put(nil, at: held.queries[index].key) }
    for index in plan.droppedEntities {
      let entity = held.entities[index]
      put(nil, at: entity.key, bytes)
      trimmed = max(trimmed, entity.version)
    }
    progress.forgotten = max(progress.forgotten, trimmed)
  }

  @inlinable static func precedes(_ lhs: QueryKey, _ rhs: QueryKey) -> Bool {
    if lhs.method != rhs.method { return lhs.method.rawValue < rhs.method.rawValue }
    if lhs.input != rhs.input { return lhs.input.lexicographicallyPrecedes(rhs.input) }
    return lhs.library < rhs.library
  }
}

extension StoredState {
  /// The state in the order in which a ``MemoryStorage`` returns it.
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
