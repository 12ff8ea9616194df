import EvictionPolicies

extension CacheStore {
  /// What the eviction order and the admission filter take, by what is known of their kind, in bytes; O(1).
  package var orderBytes: Int {
    OrderFootprint(named: composition.evictionOrder).bytes(slots: counts.slots)
      + AdmissionFootprint(of: composition).bytes(slots: counts.slots)
  }
}
