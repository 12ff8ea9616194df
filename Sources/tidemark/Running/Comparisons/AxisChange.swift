import Analysis
import CacheModel
import CacheSimulation
import CommandLineInterface
import ResultModel
import Workloads

/// One choice at a time instead of `lru`'s own, to see what each is worth.
struct AxisChange: Sendable {
  var label: String
  var change: @Sendable (inout CachePolicy) -> Void = { _ in }
  /// Whether it is the server that does otherwise.
  var isNotModified = false

  /// Seeds behind each difference; they are paired, so few tell much.
  private static let seeds = 4

  static let all: [AxisChange] = [
    AxisChange(label: "sieve") { $0.evictionOrder = "sieve" },
    timeToLive("60 s", .seconds(60)),
    timeToLive("300 s", .seconds(300)),
    timeToLive("1 h", .seconds(3_600)),
    AxisChange(label: "observed") { $0.retention = .observed },
    AxisChange(label: "cached") { $0.retention = .cached },
    AxisChange(label: "tinylfu") { $0.admission = "tinylfu" },
    AxisChange(label: "update-only") { $0.eventAdmission = .updateOnly },
    AxisChange(label: "not-modified", isNotModified: true),
  ]

  private static func timeToLive(_ text: String, _ duration: Duration) -> AxisChange {
    AxisChange(label: "ttl \(text)") {
      $0.freshness.timeToLive = duration
      $0.freshness.perMethod = [:]
    }
  }

  /// Measures every change in every input that is drawn.
  ///
  /// - Parameters:
  ///   - inputs: what happens.
  ///   - firstSeeds: of each input.
  ///   - isOutOfTime: whether nothing more should be begun.
  ///   - progress: is told how far it has come.
  /// - Returns: input by input, in the order of ``all``; without those for which there was no time.
  /// - Throws: what a simulation throws.
  static func effects(
    on inputs: [SimulationInput], firstSeeds: [UInt64],
    isOutOfTime: @escaping @Sendable () -> Bool, progress: ProgressLine
  ) async throws -> [AxisEffect] {
    var comparisons: [Comparison] = []
    for (input, seed) in zip(inputs, firstSeeds) where input.isDrawn {
      comparisons += try questions(of: input, firstSeed: seed)
    }
    let answers = try await ComparisonRunner.run(
      comparisons, isOutOfTime: isOutOfTime, isOptional: true,
      report: { progress.report("one axis at a time, \($0.runs) of \($0.runsWanted) runs") })
    return stride(from: 0, to: answers.count, by: 2).flatMap { index -> [AxisEffect] in
      let (usual, confirming) = (answers[index], answers[index + 1])
      let scenario = usual.comparison.input.name
      guard let base = values(of: "lru", in: usual) else { return [] }
      return all.map { change in
        let values =
          change.isNotModified
          ? values(of: "lru", in: confirming) : values(of: change.label, in: usual)
        return AxisEffect(
          scenario: scenario, change: change.label,
          difference: values.flatMap { PairedInterval(of: $0, less: base) })
      }
    }
  }

  /// An input with all changes of the cache, and `lru` alone with the change of the server.
  private static func questions(of input: SimulationInput, firstSeed: UInt64) throws -> [Comparison]
  {
    let lru = try input.file.contenders(["lru"])
    var question = input.comparison(of: lru, seed: firstSeed, seeds: .fixed(seeds))
    question.otherRules = []
    var confirming = question
    confirming.input.file.scenario.server.notModified = true
    question.contenders += all.filter { !$0.isNotModified }.compactMap { change in
      guard var composition = lru[0].cache.composition else { return nil }
      change.change(&composition)
      return Contender(name: change.label, cache: .composed(composition))
    }
    return [question, confirming]
  }

  /// The share of fresh reads in each seed; `nil` where it did not run.
  private static func values(of policy: String, in result: ComparisonResult) -> [Double]? {
    let rows = result.eachSeed.filter {
      $0.policy == policy && $0.metric == .freshHitRatio && $0.class == "all"
    }
    let values = rows.compactMap { $0.value?.asDouble }
    return values.count == seeds ? values : nil
  }
}
