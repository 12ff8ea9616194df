import CacheModel
import FaultSearch
import Foundation
import NormalizedCache

/// Searches a range of seeds on all cores, up to the first that fails.
///
/// Seeds are taken in order, and what runs when one fails is waited for: the failure that is reported
/// is that of the lowest seed, on any number of cores.
struct SeedSearch: Sendable {
  /// The failing case of the lowest seed.
  var failure: (faultCase: FaultCase, divergence: Divergence)?
  var tally = StepTally()
  var seeds = 0
  var seconds = 0.0

  /// How many seeds one task takes at a time.
  private static let share: UInt64 = 64

  static func run(
    _ seeds: Range<UInt64>, steps: Int,
    progress: @escaping @Sendable (_ finished: Int) -> Void
  ) async -> SeedSearch {
    let clock = ContinuousCacheClock()
    let start = clock.now
    var search = SeedSearch()
    await withTaskGroup(of: Part.self) { group in
      var next = seeds.lowerBound
      func begin() {
        guard next < seeds.upperBound, search.failure == nil else { return }
        let part = next..<min(next + share, seeds.upperBound)
        next = part.upperBound
        group.addTask { Part.run(part, steps: steps) }
      }
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { begin() }
      while let part = await group.next() {
        search.add(part)
        progress(search.seeds)
        begin()
      }
    }
    search.seconds = start.duration(to: clock.now) / .seconds(1)
    return search
  }

  private mutating func add(_ part: Part) {
    tally += part.tally
    seeds += part.seeds
    guard let outcome = part.failure, let divergence = outcome.divergence else { return }
    if let failure, failure.faultCase.seed < outcome.faultCase.seed { return }
    failure = (outcome.faultCase, divergence)
  }

  /// What one task found.
  private struct Part: Sendable {
    var tally = StepTally()
    var seeds = 0
    var failure: SearchOutcome?

    static func run(_ seeds: Range<UInt64>, steps: Int) -> Part {
      var part = Part()
      for seed in seeds where part.failure == nil {
        let outcome = FaultSearch.search(seed: seed, steps: steps)
        part.tally += outcome.tally
        part.seeds += 1
        if outcome.divergence != nil { part.failure = outcome }
      }
      return part
    }
  }
}
