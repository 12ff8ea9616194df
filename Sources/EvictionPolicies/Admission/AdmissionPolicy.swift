public import CacheModel

/// Decides whether an arrival is worth what would have to go for it.
///
/// An admission composes with any eviction order: the order says who would go, the admission whether
/// the arrival is to be kept in its stead. It is asked when the cache is full, and of what nothing
/// retains: what an observer or a reference holds is kept without a question.
///
/// The caller guarantees:
/// - `didUse` tells of every use that the eviction order hears of, and of every candidate before the
///   question;
/// - the victim is in the order, and the candidate is not resident.
///
/// The conformer guarantees that every call is amortised O(1), and allocates nothing but in
/// `reserve`.
public protocol AdmissionPolicy: ~Copyable {
  /// The flat, lower-case, hyphenated name, unique among admissions.
  static var name: String { get }
  /// One sentence: what it admits.
  static var summary: String { get }
  /// Where it is defined: paper or document.
  static var source: String { get }
  /// Whether what is admitted stands on probation at first; see `Probation`.
  static var holdsOnProbation: Bool { get }

  /// What it takes from the allocator, in bytes, for so many slots; 0 by default.
  static func allocatedBytes(slots: Int, capacity: Int?) -> Int

  /// - Parameters:
  ///   - capacity: how much the cache will hold, in the unit of ``EvictionEntry/weight``; `nil`: no
  ///     limit, and no question.
  ///   - random: for policies that draw; the same source gives the same answers.
  init(capacity: Int?, random: RandomSource)

  /// Makes room for as many entities as there are slots.
  mutating func reserve(slots: Int)
  /// An entity was asked for, or written; it need not be resident.
  mutating func didUse(_ entry: EvictionEntry)
  /// Whether the candidate is to be kept, and the victim to go.
  func admits(_ candidate: EvictionEntry, over victim: EvictionEntry) -> Bool
}

extension AdmissionPolicy where Self: ~Copyable {
  public static var holdsOnProbation: Bool { false }
  public static func allocatedBytes(slots: Int, capacity: Int?) -> Int { 0 }
}

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

extension EvictionPolicyDescriptor {
  /// What joins the name of an eviction order and that of an admission: `lru+tinylfu`.
  public static let admissionSeparator: Character = "+"

  /// The same order with an admission in front of it, called `order+admission`.
  ///
  /// In a replay it runs behind a dynamic door, so it is slower than the order alone by a few
  /// nanoseconds per request.
  ///
  /// - Parameter admission: decides what the order gets to see.
  /// - Returns: `nil` where the order looks ahead, or nothing is ever evicted: there is no question
  ///   to ask. Itself where everything is admitted.
  public func admitting(by admission: AdmissionPolicyDescriptor) -> EvictionPolicyDescriptor? {
    guard admission.guardsOrders else { return self }
    guard !needsFuture, isBounded else { return nil }
    return EvictionPolicyDescriptor(order: self, admission: admission)
  }

  /// A sentence as the second half of another.
  static func continuing(_ sentence: String) -> String {
    sentence.prefix(1).lowercased() + sentence.dropFirst()
  }
}
