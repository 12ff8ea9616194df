import CacheModel
import EvictionPolicies

/// What an admission in front of an eviction order takes, for the places of entities that there are.
///
/// Nothing where everything is admitted, or where what arrives stands on probation, which is a list of
/// the store's own.
struct AdmissionFootprint: Sendable {
  private let descriptor: AdmissionPolicyDescriptor?
  private let capacity: Int?

  init(of composition: PolicyComposition) {
    descriptor = AdmissionPolicies.named(composition.admission).flatMap { $0.mayReject ? $0 : nil }
    capacity = CapacityLimits(composition.capacity).orderCapacity
  }

  func bytes(slots: Int) -> Int {
    descriptor?.allocatedBytes(slots: slots, capacity: capacity) ?? 0
  }
}
