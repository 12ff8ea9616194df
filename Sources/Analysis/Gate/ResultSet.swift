package import ResultModel

/// The rows of one run, with the data that determine comparability.
package struct ResultSet: Sendable {
  /// The version of the row schema; `nil` if there was no row to carry one.
  package var schemaVersion: Int?
  package var scenarios: [ScenarioIdentity]
  /// The figures compared by name, seed by seed.
  package var rows: [ResultRow]
  /// The digest of all exact figures of every run; none if ``rows`` contains all figures.
  package var digests: [RunDigest]
  /// The number of omitted rows of other scenarios.
  package var rowsOfOthers = 0
  /// Rows of the baseline for seeds left out because the first ones are equal, for the judgement of targets.
  package var rowsNotRun: [ResultRow] = []
  /// Whether it lacks rows of policies that failed in this run, so that no rows mean no empty baseline.
  package var lacksFailedPolicies = false

  package init(
    schemaVersion: Int? = ResultSchema.version, scenarios: [ScenarioIdentity], rows: [ResultRow],
    digests: [RunDigest] = []
  ) {
    self.schemaVersion = schemaVersion
    self.scenarios = scenarios
    self.rows = rows
    self.digests = digests
  }

  /// Returns the seeds of a scenario, in the order of the rows.
  package func seeds(of scenario: String) -> [UInt64?] {
    rows.filter { $0.scenario == scenario }.distinct(\.seed)
  }
}

/// A scenario or a recording by name, with everything that determines its results.
package struct ScenarioIdentity: Hashable, Sendable {
  /// A value with its key path, such as `network.delay`.
  package struct Field: Hashable, Sendable {
    package var path: String
    package var value: String

    package init(_ path: String, _ value: String) {
      self.path = path
      self.value = value
    }
  }

  package var scenario: String
  /// The traffic: if it differs, results are not comparable.
  package var workload: [Field]
  /// The caches: if they differ, results are compared, and show the effect.
  package var contenders: [Field]
  /// Whether there is only one stream, so that a difference is not random.
  package var isRecorded: Bool

  package init(
    scenario: String, workload: [Field], contenders: [Field] = [], isRecorded: Bool = false
  ) {
    self.scenario = scenario
    self.workload = workload
    self.contenders = contenders
    self.isRecorded = isRecorded
  }
}

package struct FieldChange: Hashable, Sendable {
  package let path: String
  /// `nil` if only the other run has the field.
  package let baseline: String?
  package let candidate: String?

  package init(path: String, baseline: String?, candidate: String?) {
    self.path = path
    self.baseline = baseline
    self.candidate = candidate
  }

  /// Returns the fields that differ, in the order of the baseline, then of the candidate.
  static func all(
    from baseline: [ScenarioIdentity.Field], to candidate: [ScenarioIdentity.Field]
  ) -> [FieldChange] {
    let before = Dictionary(baseline.map { ($0.path, $0.value) }, uniquingKeysWith: { $1 })
    let after = Dictionary(candidate.map { ($0.path, $0.value) }, uniquingKeysWith: { $1 })
    let added = candidate.map(\.path).filter { before[$0] == nil }
    return (baseline.map(\.path) + added).compactMap { path in
      before[path] == after[path]
        ? nil : FieldChange(path: path, baseline: before[path], candidate: after[path])
    }
  }
}

/// Pairs the rows of two runs by seed, and judges each figure.
struct RowComparison {
  private(set) var findings: [Finding] = []
  private(set) var equalFigures = 0
  private(set) var contenders: [ContenderIdentity] = []

  /// The rows of a figure in one run, by seed.
  private typealias Rows = [UInt64?: ResultRow]

  /// - Parameters:
  ///   - baseline: rows of exact metrics, without duplicates.
  ///   - candidate: rows of exact metrics, possibly with duplicates.
  ///   - recorded: the scenarios with one stream only.
  init(baseline: [ResultRow], candidate: [ResultRow], recorded: Set<String>) {
    var twice: Set<FigureIdentity> = []
    // Looked up, never iterated.
    var before: [FigureIdentity: Rows] = [:]
    var after: [FigureIdentity: Rows] = [:]
    for row in baseline { before[row.figure, default: [:]][row.seed] = row }
    var holes: Set<FigureIdentity> = []
    for row in candidate {
      if !row.isAnswer { holes.insert(row.figure) }
      let earlier = after[row.figure, default: [:]].updateValue(row, forKey: row.seed)
      if earlier != nil { twice.insert(row.figure) }
    }
    var seedsByScenario: [String: [UInt64?]] = [:]
    for scenario in baseline.distinct(\.scenario) {
      seedsByScenario[scenario] = baseline.filter { $0.scenario == scenario }.distinct(\.seed)
    }
    let ran = Set(candidate.map { ContenderIdentity($0) })
    var removed: Set<ContenderIdentity> = []
    for figure in baseline.distinct(\.figure) {
      let contender = ContenderIdentity(figure)
      guard ran.contains(contender) else {
        if removed.insert(contender).inserted { note(figure, .removed) }
        continue
      }
      guard !twice.contains(figure) else { continue }
      compare(
        figure, before[figure] ?? [:], after[figure] ?? [:],
        seeds: seedsByScenario[figure.scenario] ?? [],
        isRecorded: recorded.contains(figure.scenario))
    }
    contenders = baseline.distinct { ContenderIdentity($0) }.filter(ran.contains)
    let known = Set(baseline.map { ContenderIdentity($0) })
    var added: Set<ContenderIdentity> = []
    for figure in candidate.distinct(\.figure) {
      let contender = ContenderIdentity(figure)
      if twice.contains(figure) {
        note(figure, .invalid)
      } else if before[figure] == nil {
        // A new figure without a value is still a gap.
        if holes.contains(figure) {
          note(figure, .missing)
        } else if known.contains(contender) || added.insert(contender).inserted {
          note(figure, known.contains(contender) ? .added : .addedContender)
        }
      }
    }
  }

  private mutating func note(_ figure: FigureIdentity, _ kind: Finding.Kind) {
    findings.append(Finding(figure: figure, kind: kind))
  }

  private mutating func compare(
    _ figure: FigureIdentity, _ before: Rows, _ after: Rows, seeds: [UInt64?], isRecorded: Bool
  ) {
    let own = seeds.filter { before[$0] != nil }
    let pairs = own.compactMap { seed -> (ResultRow, ResultRow)? in
      guard let old = before[seed], let new = after[seed] else { return nil }
      return (old, new)
    }
    guard pairs.count == own.count, pairs.allSatisfy({ $0.isAnswer && $1.isAnswer }) else {
      findings.append(
        Finding(
          figure: figure, kind: .missing,
          baseline: own.compactMap { before[$0]?.value?.asDouble }.mean))
      return
    }
    guard pairs.contains(where: { $0.value != $1.value }) else {
      equalFigures += 1
      return
    }
    let observed = pairs.compactMap { before, after in
      before.value.flatMap { old in after.value.map { (old.asDouble, $0.asDouble) } }
    }
    let (old, new) = (observed.map(\.0), observed.map(\.1))
    // Observations that appear or disappear have no difference.
    let isPaired = observed.count == pairs.count
    let interval = isPaired ? PairedInterval(of: new, less: old) : nil
    var finding = Finding(
      figure: figure, kind: .changed, baseline: old.mean, candidate: new.mean,
      difference: isPaired ? zip(new, old).map { $0 - $1 }.mean : nil,
      halfWidth: interval?.halfWidth, seeds: pairs.count)
    let leavesZero =
      figure.metric.mustBeZero && old.allSatisfy { $0 == 0 } && new.contains { $0 > 0 }
    finding.kind = leavesZero ? .worse : Self.kind(of: finding, isRecorded: isRecorded)
    findings.append(finding)
  }

  /// Returns the kind of a difference: significant and large enough, or not.
  private static func kind(of finding: Finding, isRecorded: Bool) -> Finding.Kind {
    guard let difference = finding.difference, let baseline = finding.baseline else {
      return .changed
    }
    // One seed of a scenario is one sample of many; a recording has no other.
    let halfWidth = finding.halfWidth ?? (isRecorded ? 0 : .infinity)
    let unit = finding.figure.metric.unit
    let floor = unit == .ratio ? smallestPoints : smallestShare * abs(baseline)
    guard abs(difference) > halfWidth, abs(difference) >= floor else { return .changed }
    switch finding.figure.metric.polarity {
    case .higherIsBetter: return difference > 0 ? .better : .worse
    case .lowerIsBetter: return difference > 0 ? .worse : .better
    case .neutral: return .changed
    }
  }

  /// The threshold for a ratio: 0.05 points.
  private static let smallestPoints = 0.0005
  /// The threshold for anything else: 0.5 % of the baseline.
  private static let smallestShare = 0.005
}

extension ContenderIdentity {
  fileprivate init(_ row: ResultRow) {
    self.init(scenario: row.scenario, policy: row.policy)
  }

  fileprivate init(_ figure: FigureIdentity) {
    self.init(scenario: figure.scenario, policy: figure.policy)
  }
}

extension ResultRow {
  /// Whether the row has a value, or says that there was nothing to observe.
  fileprivate var isAnswer: Bool {
    value.map { $0.asDouble.isFinite } ?? (sampleCount == 0)
  }
}

extension [Double] {
  fileprivate var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}

/// Compares counts of two builds: bytes, allocations, instructions.
///
/// The same build repeats its counts within a tenth of a percent, with the same compiler and libraries.
package enum CountComparison {
  /// The tolerated change, as a share.
  package static let tolerance = 0.001

  /// Returns a finding for each figure of the baseline; figures of only the candidate are new, and give none.
  package static func findings(
    baseline: [ResultRow], candidate: [ResultRow]
  ) -> [MeasuredFinding] {
    var after: [FigureIdentity: ResultRow] = [:]
    for row in candidate { after[row.figure] = row }
    return baseline.map { row in
      let figure = row.figure
      guard let old = value(row), let new = after[figure].flatMap(value) else {
        return MeasuredFinding(
          figure: figure, outcome: .error, baseline: value(row), reason: "it was not measured")
      }
      return MeasuredFinding(
        figure: figure, outcome: outcome(figure.metric.polarity, from: old, to: new),
        baseline: old, candidate: new, change: old == 0 ? nil : (new - old) / abs(old))
    }
  }

  private static func value(_ row: ResultRow) -> Double? {
    row.value.map(\.asDouble).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func outcome(
    _ polarity: Polarity, from old: Double, to new: Double
  ) -> MeasuredFinding.Outcome {
    guard abs(new - old) > tolerance * abs(old) else { return .same }
    let isMore = new > old
    switch polarity {
    case .lowerIsBetter: return isMore ? .worse : .better
    case .higherIsBetter: return isMore ? .better : .worse
    case .neutral: return .same
    }
  }
}

/// A target in this run compared with the same target in the baseline.
///
/// A gate answers one question: did it get worse? A design may ask for more than any policy reaches;
/// were every missed target a failure, the gate would always fail and no one would look at it. So a
/// target that the baseline missed too, by as much or more, is reported and does not fail. A baseline excuses only
/// what was asked of it: a stricter limit is another question, and a looser one is none that it was spared.
package struct TargetComparison: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable, CaseIterable {
    case met
    /// Missed now, and the baseline met it, missed it by less, was not asked, or cannot say: fails.
    case missed
    /// Missed now and in the baseline: does not fail.
    case stillMissed
    /// There is no value to judge, or the machine's noise prevents a decision: never a pass, whatever the
    /// baseline.
    case undecided
  }

  package let judgement: TargetJudgement
  /// Its result in the baseline; `nil` if the baseline lacks the target.
  package let baseline: TargetJudgement?

  package var outcome: Outcome {
    switch judgement.outcome {
    case .met: .met
    case .missed: baseline?.outcome == .missed && !isMissedByMore ? .stillMissed : .missed
    case .inconclusive, .missing: .undecided
    }
  }

  /// Whether it is missed by more than the baseline missed it.
  package var isMissedByMore: Bool {
    guard judgement.outcome == .missed, let baseline, baseline.outcome == .missed,
      let measured = judgement.measured, let before = baseline.measured
    else { return false }
    return judgement.target.isWorse(measured, than: before)
  }

  /// Judges targets over the rows of a run and of its baseline, in the order of the targets and of
  /// their policies.
  ///
  /// - Parameters:
  ///   - targets: What is asked now.
  ///   - candidate: The rows of this run.
  ///   - baseline: The exact rows of the baseline. Times of another run, maybe of another machine, must not be
  ///     among them: they excuse nothing.
  ///   - scenarios: Those of the baseline, with what was asked of it.
  /// - Returns: One comparison for each policy that a target binds.
  static func all(
    _ targets: [Target], candidate: [ResultRow], baseline: [ResultRow],
    of scenarios: [ScenarioIdentity]
  ) -> [TargetComparison] {
    let now = TargetJudge(rows: candidate).judge(targets)
    // Both are judged in the same order.
    return zip(now, TargetJudge(rows: baseline).judge(targets)).map { now, before in
      TargetComparison(
        judgement: now,
        baseline: scenarios.contains { $0.asks(now.target, of: now.policy) } ? before : nil)
    }
  }
}

extension ScenarioIdentity {
  /// Whether as much was asked of a policy, or more.
  fileprivate func asks(_ target: Target, of policy: String) -> Bool {
    guard scenario == target.scenario else { return false }
    let paths = [target.path(of: policy), target.path(of: nil)]
    return contenders.filter { paths.contains($0.path) }
      .flatMap { $0.value.split(separator: " ").compactMap { Double($0) } }
      .contains(where: target.isMet)
  }
}
