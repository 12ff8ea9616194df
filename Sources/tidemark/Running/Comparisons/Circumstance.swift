import Analysis
import CacheModel
import CommandLineInterface
import Reporting
import ResultModel
import Workloads

/// A comparison under varied conditions, to check whether its verdict is robust.
struct Circumstance: Sendable {
  var label: String
  var comparison: Comparison
  /// The memory limit of all caches, in bytes, if that is varied.
  var memory: Int?
  /// Whether a verdict is needed; otherwise only figures.
  var isVerdictAsked = true

  /// The number of seeds for checking a verdict; half of them if it is clear.
  private static let seeds = 10
  /// More memory than any cache uses, in bytes.
  static let unlimited = 1 << 40
  /// The factor of the longer run, in which one in this many clients suffices.
  private static let longer = 4

  /// Returns the checks of a verdict, the most informative first; for a recording, those that are possible.
  ///
  /// Every competitor runs one seed of each, which gives the points of a curve over memory. More seeds are
  /// for those that can still win: a policy that violated a constraint or was far behind in the comparison
  /// itself, and is again in that seed, cannot.
  ///
  /// - Parameters:
  ///   - result: the result of the comparison.
  ///   - memory: the memory of `lru` at the scenario's limit, in bytes; `nil`: unknown.
  ///   - areVerdictsAsked: whether the verdict is checked under other conditions.
  ///   - areLevelsAsked: whether the curve over memory is needed too, which takes only one seed.
  /// - Returns: the comparison under each condition.
  static func all(
    for result: ComparisonResult, memory: Int?, areVerdictsAsked: Bool, areLevelsAsked: Bool
  ) -> [Circumstance] {
    let comparison = result.comparison
    let isDrawn = comparison.input.isDrawn
    let isVerdictAsked = areVerdictsAsked && !(isDrawn && comparison.plan.isWithoutIntervals)
    guard isVerdictAsked || areLevelsAsked else { return [] }
    let most = min(Self.seeds, comparison.plan.looks.last ?? 1)
    let competing = Set(comparison.ranked)
    var asked: [Circumstance] = []
    func ask(
      _ label: String, memory: Int? = nil, isVerdictAsked: Bool = isVerdictAsked,
      _ change: (inout Comparison) -> Void
    ) {
      var other = comparison
      if isDrawn {
        other.plan = SeedPlan(looks: [Self.seeds / 2].filter { $0 < most } + [most])
      }
      // The other case of a recording's unknown hits is part of its verdict.
      if comparison.input.recordedTruth != .observed { other.otherRules = [] }
      other.known = [:]
      other.timelineParts = nil
      other.seedsWithRows = 0
      other.isOptional = true
      other.contenders.removeAll { !competing.contains($0.name) }
      // A single user would be another population.
      other.probed =
        isDrawn
        ? result.verdict.map { Set($0.standings.filter(\.isHopeless).map(\.contender)) } : nil
      change(&other)
      if let memory {
        other.seedsWithRows = nil
        other.keepsRow = MemoryLevel.shows
        other.contenders = other.contenders.compactMap { contender in
          contender.cache.held(toMemory: memory).map { Contender(name: contender.name, cache: $0) }
        }
      }
      asked.append(
        Circumstance(
          label: label, comparison: other, memory: memory, isVerdictAsked: isVerdictAsked))
    }
    if let memory {
      for (label, bytes) in [
        ("half of lru's memory", memory / 2), ("as much memory as lru", memory),
        ("twice lru's memory", memory * 2),
      ] {
        // Each policy's result is a point of a curve.
        ask(label, memory: bytes) { _ in }
      }
      if areLevelsAsked {
        let followed = result.followed
        for bytes in MemoryCurve.sixteenths.map({ memory / 16 * $0 }) + [Self.unlimited] {
          ask("memory", memory: bytes, isVerdictAsked: false) { other in
            other.plan = isDrawn ? .fixed(min(Self.seeds / 2, most)) : comparison.plan
            other.contenders.removeAll { !followed.contains($0.name) }
            other.probed = nil
          }
        }
      }
    }
    guard isDrawn, isVerdictAsked else { return asked }
    ask("users who wait") { $0.input.file.scenario = $0.input.file.scenario.withWaitingUsers }
    // The most work, so the first to be omitted if time is short.
    ask("\(longer) × the duration") {
      let scenario = $0.input.file.scenario
      let clients = scenario.clients(oneIn: longer)
      // A seed with as much traffic as two or more of the scenario is worth two.
      if longer * clients.count >= 2 * scenario.clientNames.count {
        $0.plan = SeedPlan(looks: [$0.plan.common])
      }
      $0.input.clients = clients
      $0.input.file.scenario = scenario.prolonged(by: longer)
    }
    return asked
  }
}

extension Standing {
  /// Whether it violated a constraint, or was far behind.
  fileprivate var isHopeless: Bool {
    switch fate {
    case .infeasible: true
    case .behind:
      comparison.map { $0.behind.low > $0.zone && $0.behind.mean > 2 * $0.zone } ?? false
    case .left, .withoutFigures: false
    }
  }
}

/// Changes of one choice at a time compared with `lru`, to measure the effect of each.
struct AxisChange: Sendable {
  var label: String
  var change: @Sendable (inout CachePolicy) -> Void = { _ in }
  /// Whether the server's behaviour is changed.
  var isNotModified = false

  /// The number of seeds for each difference; they are paired, so few suffice.
  private static let seeds = 4

  static let all: [AxisChange] = [
    AxisChange(label: "order sieve") { $0.evictionOrder = "sieve" },
    timeToLive("60 s", .seconds(60)),
    timeToLive("300 s", .seconds(300)),
    timeToLive("1 h", .seconds(3_600)),
    AxisChange(label: "retention observed") { $0.retention = .observed },
    AxisChange(label: "retention cached") { $0.retention = .cached },
    AxisChange(label: "admission tinylfu") { $0.admission = "tinylfu" },
    AxisChange(label: "events update-only") { $0.eventAdmission = .updateOnly },
    AxisChange(label: "server not-modified", isNotModified: true),
  ]

  private static func timeToLive(_ text: String, _ duration: Duration) -> AxisChange {
    AxisChange(label: "ttl \(text)") {
      $0.freshness.timeToLive = duration
      $0.freshness.perMethod = [:]
    }
  }

  /// Measures every change for every input with enough seeds, or users with known freshness.
  ///
  /// - Parameters:
  ///   - results: the results of the comparisons, whose runs of `lru` are reused.
  ///   - isOutOfTime: whether no further run should begin.
  ///   - progress: receives the progress.
  /// - Returns: the effects by input, in the order of ``all``, without those omitted for lack of time; and
  ///   the work.
  /// - Throws: the error of a simulation.
  static func effects(
    after results: [ComparisonResult], isOutOfTime: @escaping @Sendable () -> Bool,
    progress: ProgressLine
  ) async throws -> (effects: [AxisEffect], answers: [ComparisonResult]) {
    let comparisons = try results.filter { result in
      let input = result.comparison.input
      return input.recordedTruth != .observed && input.recorded?.users.count ?? .max >= seeds
    }.flatMap(questions)
    let answers = try await ComparisonRunner.run(
      comparisons, isOutOfTime: isOutOfTime,
      report: { progress.report("one axis at a time, \($0.text)") })
    let effects = stride(from: 0, to: answers.count, by: 2).flatMap { index -> [AxisEffect] in
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
    return (effects, answers)
  }

  /// Returns an input with all changes of the cache, and `lru` alone with the change of the server.
  private static func questions(after result: ComparisonResult) throws -> [Comparison] {
    let input = result.comparison.input
    let lru = try input.file.contenders(["lru"])
    var question = input.comparison(
      of: lru, seed: result.comparison.firstSeed, seeds: .fixed(seeds))
    question.otherRules = []
    question.isOptional = true
    question.keepsRow = { $0.metric == .freshHitRatio && $0.class == "all" }
    var confirming = question
    if var known = result.runs(of: "lru"), known.seedCount >= seeds {
      known.work = SimulatedWork()
      question.known["lru"] = known
    }
    confirming.input = input.confirmingWhatIsUnchanged
    question.contenders += all.filter { !$0.isNotModified }.compactMap { change in
      guard var composition = lru[0].cache.composition else { return nil }
      change.change(&composition)
      return Contender(name: change.label, cache: .composed(composition))
    }
    return [question, confirming]
  }

  /// The share of fresh hits in each seed; `nil` where it did not run.
  private static func values(of policy: String, in result: ComparisonResult) -> [Double]? {
    let rows = result.eachSeed.filter {
      $0.policy == policy && $0.metric == .freshHitRatio && $0.class == "all"
    }
    // All recorded users, or this number of seeds.
    let wanted = result.comparison.input.recorded?.users.count ?? seeds
    let values = rows.prefix(wanted).compactMap { $0.value?.asDouble }
    return values.count == wanted ? values : nil
  }
}
