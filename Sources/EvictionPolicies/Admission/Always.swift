import CacheModel

/// Admits everything.
///
/// The same as no admission, at no cost: no order is wrapped for it. Not if many arrivals are never used
/// again, as in a scan or a burst of events.
struct Always: AdmissionPolicy {
  static let name = "always"
  static let summary = "Admits everything."
  static let source = "demand fill"

  init(capacity: Int?, random: RandomSource) {}

  mutating func reserve(slots: Int) {}
  mutating func didUse(_ entry: EvictionEntry) {}
  func admits(_ candidate: EvictionEntry, over victim: EvictionEntry) -> Bool { true }
}
