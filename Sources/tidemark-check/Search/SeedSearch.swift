import CacheModel
import CommandLineInterface
import FaultSearch
import Foundation
import NormalizedCacheCore

struct SeedFinding: Sendable {
  var seed: UInt64
  var divergence: Divergence

  /// Whether its process had to be replaced.
  var endsProcess: Bool { [.survives, .endsInTime].contains(divergence.promise) }
}

/// Searches a range of seeds on all cores, each share of them in a separate process, up to the first that
/// violates a property.
///
/// A seed that crashes its process, or takes too long, is a finding; the search continues after it. Seeds are
/// processed in order, and running ones complete after a failure: so the lowest failing seeds are reported,
/// on any number of cores.
struct SeedSearch: Sendable {
  /// The findings in order of seeds, up to the first violation without a crash.
  var findings: [SeedFinding] = []
  var tally = StepTally()
  var seeds = 0
  var seconds = 0.0

  /// The number of seeds for one process: starting a process costs as much as some seeds.
  private static let shares = 64...1_024
  /// The maximum number of seeds that crash their processes: each takes up to the time limit, and a process.
  private static let findingLimit = 10

  static func run(
    _ seeds: Range<UInt64>, steps: Int, by process: SearchProcess,
    progress: @escaping @Sendable (_ finished: Int) -> Void
  ) async throws -> SeedSearch {
    let clock = ContinuousClock()
    let start = clock.now
    var search = SeedSearch()
    try await withThrowingTaskGroup(of: SeedSearch.self) { group in
      let share = UInt64(min(max(seeds.count / 16, shares.lowerBound), shares.upperBound))
      var next = seeds.lowerBound
      func begin() {
        guard next < seeds.upperBound, !search.isOver else { return }
        let part = next..<min(next + share, seeds.upperBound)
        next = part.upperBound
        group.addTask { try await .share(part, steps: steps, by: process) }
      }
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { begin() }
      while let part = try await group.next() {
        search.add(part)
        progress(search.seeds)
        begin()
      }
    }
    search.findings.sort { $0.seed < $1.seed }
    if let first = search.findings.firstIndex(where: { !$0.endsProcess }) {
      search.findings.removeSubrange((first + 1)...)
    }
    search.findings = Array(search.findings.prefix(findingLimit))
    search.seconds = start.duration(to: clock.now) / .seconds(1)
    return search
  }

  private var isOver: Bool {
    findings.count >= Self.findingLimit || findings.contains { !$0.endsProcess }
  }

  private mutating func add(_ part: SeedSearch) {
    tally += part.tally
    seeds += part.seeds
    findings += part.findings
  }

  /// Searches one task's share: with a process, and another for the rest after a crash.
  private static func share(
    _ seeds: Range<UInt64>, steps: Int, by process: SearchProcess
  ) async throws -> SeedSearch {
    var part = SeedSearch()
    var rest = seeds
    while !rest.isEmpty, !part.isOver {
      let transcript = try await process.run(
        .search,
        [
          "--first-seed", "\(rest.lowerBound)", "--seeds", "\(rest.count)", "--steps", "\(steps)",
        ])
      part.add(transcript)
      guard transcript.death != nil, let seed = transcript.seed else { break }
      rest = (seed + 1)..<rest.upperBound
    }
    return part
  }

  private mutating func add(_ transcript: SearchProcess.Transcript) {
    for case .done(let tally, _) in transcript.words {
      self.tally += tally
      seeds += 1
    }
    if transcript.death != nil { seeds += 1 }
    if let seed = transcript.seed, let divergence = transcript.death ?? transcript.divergence {
      findings.append(SeedFinding(seed: seed, divergence: divergence))
    }
  }
}
