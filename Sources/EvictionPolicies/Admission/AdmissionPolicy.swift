public import CacheModel

/// Decides whether an arrival is worth its victim.
///
/// An admission composes with any eviction order: the order names the victim, the admission decides whether
/// to keep the arrival instead. It is asked when the cache is full, and only for entities that nothing
/// retains.
///
/// The caller guarantees:
/// - `didUse` receives every use that the eviction order receives, and every candidate before the question;
/// - the victim is in the order, and the candidate is not resident.
///
/// The conformer guarantees that every call is amortised O(1), and that only `reserve` allocates.
public protocol AdmissionPolicy: ~Copyable {
  /// The flat, lower-case, hyphenated name, unique among admissions.
  static var name: String { get }
  /// One sentence that says what it admits.
  static var summary: String { get }
  /// The paper or document that defines it.
  static var source: String { get }
  /// Whether admitted entities are on probation first; see `Probation`.
  static var holdsOnProbation: Bool { get }

  /// Returns its heap memory in bytes, for a number of slots; 0 by default.
  static func allocatedBytes(slots: Int, capacity: Int?) -> Int

  /// - Parameters:
  ///   - capacity: the cache's capacity in the unit of ``EvictionEntry/weight``; `nil`: no limit, and no
  ///     question.
  ///   - random: for policies that use random numbers; the same source gives the same answers.
  init(capacity: Int?, random: RandomSource)

  /// Reserves space for as many entities as there are slots.
  mutating func reserve(slots: Int)
  /// Notes that an entity was requested or written; it need not be resident.
  mutating func didUse(_ entry: EvictionEntry)
  /// Returns whether to keep the candidate and evict the victim.
  func admits(_ candidate: EvictionEntry, over victim: EvictionEntry) -> Bool
}

extension AdmissionPolicy where Self: ~Copyable {
  public static var holdsOnProbation: Bool { false }
  public static func allocatedBytes(slots: Int, capacity: Int?) -> Int { 0 }
}

/// A registered admission: its name, and how to combine it with an eviction order.
public struct AdmissionPolicyDescriptor: Sendable {
  public let name: String
  public let summary: String
  public let source: String
  /// Whether admitted entities are on probation first, which a cache with its own lists handles itself.
  public let holdsOnProbation: Bool

  private let guardOrder:
    @Sendable (_ order: any EvictionOrder, _ capacity: Int?, _ random: RandomSource)
      -> any EvictionOrder

  /// The heap memory of the admission itself, for a number of slots and an order of this capacity.
  private let ownBytes: @Sendable (_ slots: Int, _ capacity: Int?) -> Int

  init<Admission: AdmissionPolicy & ~Copyable & SendableMetatype>(_ admission: Admission.Type) {
    name = Admission.name
    summary = Admission.summary
    source = Admission.source
    holdsOnProbation = Admission.holdsOnProbation
    ownBytes = { Admission.allocatedBytes(slots: $0, capacity: $1) }
    guardOrder = { AdmittedOrder<Admission>(guarding: $0, capacity: $1, random: $2) }
  }

  /// Whether it ever rejects or delays an arrival.
  public var guardsOrders: Bool { name != Always.name }

  /// Whether it may reject an arrival.
  public var mayReject: Bool { guardsOrders && !holdsOnProbation }

  /// The additional heap memory of a guarded order, in bytes.
  package func allocatedBytes(slots: Int, capacity: Int?) -> Int {
    guardsOrders
      ? AdmittedOrder<Always>.entryBytes(slots: slots) + ownBytes(slots, capacity) : 0
  }

  /// Wraps an empty order with the admission.
  ///
  /// - Parameters:
  ///   - order: names victims.
  ///   - capacity: the cache's capacity in the unit of ``EvictionEntry/weight``.
  ///   - random: for admissions that use random numbers.
  /// - Returns: the wrapped order; the order itself, if everything is admitted.
  public func guarding(
    _ order: any EvictionOrder, capacity: Int?, random: RandomSource
  ) -> any EvictionOrder {
    guardsOrders ? guardOrder(order, capacity, random) : order
  }
}

/// The registry of admissions.
///
/// Adding one takes one file and one line here.
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
  /// Separates the names of an eviction order and an admission: `lru+tinylfu`.
  public static let admissionSeparator: Character = "+"

  /// Returns the order with an admission, called `order+admission`.
  ///
  /// In a replay it uses dynamic calls, so it is slower than the order alone by a few nanoseconds per
  /// request.
  ///
  /// - Parameter admission: decides which arrivals enter the order.
  /// - Returns: `nil` if the order looks ahead, or never evicts: nothing needs a decision. The order itself,
  ///   if everything is admitted.
  public func admitting(by admission: AdmissionPolicyDescriptor) -> EvictionPolicyDescriptor? {
    guard admission.guardsOrders else { return self }
    guard !needsFuture, isBounded else { return nil }
    return EvictionPolicyDescriptor(order: self, admission: admission)
  }

  /// Returns a sentence as the second half of another.
  static func continuing(_ sentence: String) -> String {
    sentence.prefix(1).lowercased() + sentence.dropFirst()
  }
}
