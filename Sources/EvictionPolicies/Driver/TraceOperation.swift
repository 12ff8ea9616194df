/// What a line of a trace asks of a cache.
package enum TraceOperation: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  /// A read: served by the cache, or fetched and kept.
  case get
  /// A write by the cache's own client: the new value is kept, and is fresh.
  case set
  /// A write by somebody else: a kept copy is stale from now on.
  case update
  /// The entity is gone: a kept copy is removed, and the key is forgotten.
  case delete
}
