import CacheModel

/// Admits an arrival that was used more often recently than its victim.
///
/// Uses are counted in a ``FrequencySketch``, also those of entities that are not resident, so a rejected
/// entity is admitted after enough requests; of equals the resident stays. Unlike ``Probation`` it rejects
/// candidates at once; unlike ``WTinyLFU``, which compares after a small window, it rejects an entity used in
/// one burst while the burst lasts. Not for workloads that turn to something new and stay with it.
///
/// If weights differ, one victim is compared, though several may have to be evicted.
///
/// Source: Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM
/// Transactions on Storage 13(4), 2017.
struct TinyLFU: AdmissionPolicy, ~Copyable {
  static let name = "tinylfu"
  static let summary = "Admits what was used more often lately than what would go for it."
  static let source = "Einziger, Friedman and Manes, ACM Transactions on Storage 13(4), 2017"

  private var popularity = FrequencySketch()
  private let capacity: Int
  /// The uses since the sketch last requested the mean weight.
  private var uses = 0
  private var weightOfUses = 0

  init(capacity: Int?, random: RandomSource) {
    self.capacity = capacity ?? .max
    popularity.reserve(entities: min(self.capacity, FrequencySketch.firstSize))
  }

  static func allocatedBytes(slots: Int, capacity: Int?) -> Int {
    let fitting = capacity ?? .max
    return FrequencySketch.allocatedBytes(
      entities: max(min(fitting, FrequencySketch.firstSize), min(slots, fitting)))
  }

  mutating func reserve(slots: Int) { popularity.reserve(entities: min(slots, capacity)) }

  mutating func didUse(_ entry: EvictionEntry) {
    popularity.count(entry.fingerprint)
    uses += 1
    weightOfUses += Int(entry.weight)
    guard popularity.isSampleOver else { return }
    popularity.age(fitting: capacity / max(weightOfUses / uses, 1))
    uses = 0
    weightOfUses = 0
  }

  func admits(_ candidate: EvictionEntry, over victim: EvictionEntry) -> Bool {
    popularity.estimate(candidate.fingerprint) > popularity.estimate(victim.fingerprint)
  }
}
