public import CacheModel

/// What changed in a cache since the batch before, taken between two commits: written whole or not
/// at all.
///
/// Removals come before writes: an entity may be in both. `Payload` and `Mutation` are the app's typed
/// values in a store, and bytes in a ``CacheStorage``.
public struct StorageBatch<Payload: Sendable, Mutation: Sendable>: Sendable {
  /// Counts the batches of one store, from 1.
  public var number: UInt64
  /// The version of the app's schema in which values are encoded; 0 before they are.
  public var schemaVersion = 0
  /// Whether everything that is stored and not in the batch goes.
  public var replacesAll: Bool
  public var removedEntities: [EntityKey] = []
  /// One for each entity, however often it was written.
  public var entities: [StoredEntity<Payload>] = []
  public var removedQueries: [QueryKey] = []
  public var queries: [StoredQuery] = []
  public var uses: [StoredUse] = []
  public var progress = StoredProgress()
  /// The mutations that wait for the server, in order; `nil` where they are as they were.
  public var outbox: [Mutation]?

  @inlinable public init(number: UInt64, replacesAll: Bool) {
    self.number = number
    self.replacesAll = replacesAll
  }
}

/// Everything that a storage holds.
public struct StoredState<Payload: Sendable, Mutation: Sendable>: Sendable {
  /// The version of the app's schema in which values are, or were, encoded.
  public var schemaVersion = 0
  /// In any order, each once.
  public var entities: [StoredEntity<Payload>]
  /// In any order, each once, each with its members.
  public var queries: [StoredQuery]
  public var progress: StoredProgress
  /// In the order in which they were made.
  public var outbox: [Mutation]

  @inlinable public init(
    entities: [StoredEntity<Payload>] = [], queries: [StoredQuery] = [],
    progress: StoredProgress = StoredProgress(), outbox: [Mutation] = []
  ) {
    self.entities = entities
    self.queries = queries
    self.progress = progress
    self.outbox = outbox
  }
}

extension StoredState: Equatable where Payload: Equatable, Mutation: Equatable {}
