/// What the tables of a store take from the allocator, by part, in bytes.
///
/// Not in it: the memory that values point to, which is the app's, and the eviction order's, which
/// only the order knows.
package struct StoreFootprint: Hashable, Sendable {
  /// Finding a slot by its key.
  package var key = 0
  /// What is known of an entity beside its value, its key included.
  package var slot = 0
  /// The places of the values, as wide as the value is declared; what it points to is not in it.
  package var valuePlaces = 0
  /// Which queries list an entity.
  package var reverseIndex = 0
  /// The queries: their state, their keys, their lists, and finding them.
  package var queryIndex = 0
  /// The changes that a storage does not have.
  package var persistence = 0
  /// What is remembered of what has left.
  package var history = 0

  package init() {}

  package var total: Int {
    key + slot + valuePlaces + reverseIndex + queryIndex + persistence + history
  }
}
