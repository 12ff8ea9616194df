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
