import Analysis
import CacheModel
import CacheSimulation
import CommandLineInterface
import ResultModel
import Workloads

/// A comparison under other circumstances, to see whether its verdict stands there.
struct Circumstance: Sendable {
  var label: String
  var comparison: Comparison
  /// What all caches may take, in bytes, where that is what is different.
  var memory: Int?

  /// So many seeds answer whether a verdict stands elsewhere.
  private static let seeds = 10
  /// The longer run that a verdict has to stand.
  private static let longer = 4
  /// So many seeds make the points of a curve that every report has.
  private static let seedsOfCurves = 2
  /// Of whom every report has a curve over memory, beside the one that is named.
  private static let policiesOfCurves = ["lru", "refcount", "ttl", "spacedrive"]

  /// What is asked of every verdict that was drawn from several seeds.
  ///
  /// - Parameters:
  ///   - comparison: the question.
  ///   - memory: what `lru` takes at the scenario's limit, in bytes; `nil`: not known.
  /// - Returns: the same question under each circumstance.
  static func all(for comparison: Comparison, memory: Int?) -> [Circumstance] {
    guard !comparison.plan.isWithoutIntervals, comparison.input.isDrawn else { return [] }
    var asked: [Circumstance] = []
    func ask(_ label: String, memory: Int? = nil, _ change: (inout Comparison) -> Void) {
      var other = comparison
      other.plan = .fixed(min(seeds, comparison.plan.looks.last ?? seeds))
      other.otherRules = []
      other.seedsWithRows = 0
      other.contenders.removeAll { PolicyEntry.bounds.contains($0.name) }
      change(&other)
      asked.append(Circumstance(label: label, comparison: other, memory: memory))
    }
    ask("users who wait") { $0.input.file.scenario = $0.input.file.scenario.withWaitingUsers }
    if let memory {
      for (label, bytes) in [
        ("half of lru's memory", memory / 2), ("lru's memory", memory),
        ("twice lru's memory", memory * 2),
      ] {
        ask(label, memory: bytes) { other in
          // What each does there is a point of a curve.
          other.seedsWithRows = nil
          other.contenders = other.contenders.compactMap { contender in
            contender.cache.held(toMemory: bytes).map {
              Contender(name: contender.name, cache: $0)
            }
          }
        }
      }
    }
    // The most work, so the first to be left where time is short.
    ask("\(longer) × the duration") {
      $0.input.file.scenario = $0.input.file.scenario.prolonged(by: longer)
    }
    return asked
  }

  /// The same with the fewest policies and seeds that make a curve; `nil` where memory is not what is
  /// different.
  func asPointOfCurve(with named: String?) -> Circumstance? {
    guard memory != nil else { return nil }
    var point = self
    point.comparison.plan = .fixed(Self.seedsOfCurves)
    point.comparison.contenders.removeAll {
      !Self.policiesOfCurves.contains($0.name) && $0.name != named
    }
    return point.comparison.contenders.isEmpty ? nil : point
  }
}

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
