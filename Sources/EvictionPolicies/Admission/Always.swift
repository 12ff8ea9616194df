import CacheModel

/// Admits everything.
///
/// Differs from having no admission in nothing, and costs nothing: no order is wrapped for it. Not
/// where much of what arrives is never used again, as in a scan or a storm of events.
struct Always: AdmissionPolicy {
  static let name = "always"
  static let summary = "Admits everything."
  static let source = "demand fill"

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) {}
  mutating func didUse(_ entry: EvictionEntry) {}
  func admits(_ candidate: EvictionEntry, over victim: EvictionEntry) -> Bool { true }
}
