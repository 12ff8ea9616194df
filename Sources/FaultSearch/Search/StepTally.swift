import NormalizedCache

/// How many steps of each kind were taken, and how many of them did something.
package struct StepTally: Codable, Hashable, Sendable {
  package private(set) var taken = [Int](repeating: 0, count: StepKind.allCases.count)
  package private(set) var effective = [Int](repeating: 0, count: StepKind.allCases.count)
  package private(set) var eventsApplied = 0
  package private(set) var reconciles = 0
  package private(set) var evictions = 0
  package private(set) var notifications = 0
  /// Answers that said that nothing has changed.
  package private(set) var confirmations = 0

  package init() {}

  package var steps: Int { taken.reduce(0, +) }

  mutating func note(_ kind: StepKind, hadEffect: Bool) {
    guard let index = StepKind.allCases.firstIndex(of: kind) else { return }
    taken[index] += 1
    if hadEffect { effective[index] += 1 }
  }

  mutating func note(_ statistics: CacheStatistics, confirmations: Int) {
    self.confirmations += confirmations
    eventsApplied += statistics.eventsApplied
    reconciles += statistics.reconciles
    evictions += statistics.evictions
    notifications += statistics.notifications
  }

  package static func += (total: inout StepTally, part: StepTally) {
    for index in total.taken.indices {
      total.taken[index] += part.taken[index]
      total.effective[index] += part.effective[index]
    }
    total.eventsApplied += part.eventsApplied
    total.reconciles += part.reconciles
    total.evictions += part.evictions
    total.notifications += part.notifications
    total.confirmations += part.confirmations
  }
}
