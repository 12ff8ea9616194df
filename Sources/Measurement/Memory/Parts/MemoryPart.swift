/// What an entity in a cache costs memory for.
package enum MemoryPart: String, CaseIterable, Sendable {
  /// The value, as it stands in a plain array: found by filling one.
  case payload
  /// What its place in the cache's column takes beyond that in the array: counted by the column; less
  /// than nothing where the array's one large piece is rounded up further.
  case payloadPlace = "payload-place"
  /// The key, and finding the entity by it: counted by the tables.
  case key
  /// What the cache knows beside it (version, time, library, references): counted by the tables.
  case slot
  /// The links of the eviction order: found by exchanging it for one that keeps nothing.
  case policy
  /// Which queries list it: counted by the table.
  case reverseIndex = "reverse-index"
  /// Its place in the lists of queries: found by listing it, less the reverse index.
  case queryIndex = "query-index"
  /// What a storage has to be told: found by switching persistence on.
  case persistence
}
