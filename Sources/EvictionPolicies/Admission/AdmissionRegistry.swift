public import CacheModel

/// An admission as the rest of the house sees it: what to call it and how to put it in front of an
/// eviction order.
public struct AdmissionPolicyDescriptor: Sendable {
  public let name: String
  public let summary: String
  public let source: String
  /// Whether what is admitted stands on probation at first, which a cache with lists of its own
  /// sees to itself.
  public let holdsOnProbation: Bool

  private let guardOrder:
    @Sendable (_ order: any EvictionOrder, _ capacity: Int?, _ random: RandomSource)
      -> any EvictionOrder

  /// What the admission itself takes for so many slots, in front of an order of this capacity.
  private let ownBytes: @Sendable (_ slots: Int, _ capacity: Int?) -> Int

  init<Admission: AdmissionPolicy & ~Copyable & SendableMetatype>(_ admission: Admission.Type) {
    name = Admission.name
    summary = Admission.summary
    source = Admission.source
    holdsOnProbation = Admission.holdsOnProbation
    ownBytes = { Admission.allocatedBytes(slots: $0, capacity: $1) }
    guardOrder = { AdmittedOrder<Admission>(guarding: $0, capacity: $1, random: $2) }
  }

  /// Whether it ever turns anything away or aside.
  public var guardsOrders: Bool { name != Always.name }

  /// Whether it may turn an arrival away altogether.
  public var mayReject: Bool { guardsOrders && !holdsOnProbation }

  /// What an order that it guards takes more than one that it does not.
  ///
  /// - Parameters:
  ///   - slots: how many the cache has grown to, one at a time.
  ///   - capacity: how much the cache will hold, in the unit of ``EvictionEntry/weight``.
  /// - Returns: bytes.
  package func allocatedBytes(slots: Int, capacity: Int?) -> Int {
    guardsOrders
      ? AdmittedOrder<Always>.entryBytes(slots: slots) + ownBytes(slots, capacity) : 0
  }

  /// Puts the admission in front of an order that is empty yet.
  ///
  /// - Parameters:
  ///   - order: says who would go.
  ///   - capacity: how much the cache will hold, in the unit of ``EvictionEntry/weight``.
  ///   - random: for admissions that draw.
  /// - Returns: the order to use in its stead; itself, where everything is admitted.
  public func guarding(
    _ order: any EvictionOrder, capacity: Int?, random: RandomSource
  ) -> any EvictionOrder {
    guardsOrders ? guardOrder(order, capacity, random) : order
  }
}

/// Every admission.
///
/// Adding one is one file and one line here.
public enum AdmissionPolicies {
  public static let all: [AdmissionPolicyDescriptor] = [
    AdmissionPolicyDescriptor(Always.self),
    AdmissionPolicyDescriptor(TinyLFU.self),
    AdmissionPolicyDescriptor(Probation.self),
  ]

  public static func named(_ name: String) -> AdmissionPolicyDescriptor? {
    all.first { $0.name == name }
  }
}
