import ResultModel

/// Pairs the rows of two runs seed by seed, and says of each figure what became of it.
struct RowComparison {
  private(set) var findings: [Finding] = []
  private(set) var equalFigures = 0
  private(set) var contenders: [ContenderIdentity] = []

  /// A figure in one run: its rows, by seed.
  private typealias Rows = [UInt64?: ResultRow]

  /// - Parameters:
  ///   - baseline: Rows of exact metrics, each once.
  ///   - candidate: Likewise, of which some may be there twice.
  ///   - recorded: The scenarios of one stream only.
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
        // A new figure that was not measured is a hole all the same.
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
    // Observations that appear or vanish have no difference.
    let isPaired = observed.count == pairs.count
    let interval = isPaired ? PairedInterval(of: new, less: old) : nil
    var finding = Finding(
      figure: figure, kind: .changed, baseline: old.mean, candidate: new.mean,
      difference: isPaired ? zip(new, old).map { $0 - $1 }.mean : nil,
      halfWidth: interval?.halfWidth, seeds: pairs.count)
    finding.kind = Self.kind(of: finding, isRecorded: isRecorded)
    findings.append(finding)
  }

  /// A difference counts where it is told from chance, and is large enough to mean something.
  private static func kind(of finding: Finding, isRecorded: Bool) -> Finding.Kind {
    guard let difference = finding.difference, let baseline = finding.baseline else {
      return .changed
    }
    // One seed of a scenario is one draw of many; of a recording there is no other.
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

  /// Of a ratio: 0.05 points.
  private static let smallestPoints = 0.0005
  /// Of anything else: 0.5 % of what it was.
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
  /// Whether the row holds a value, or says that there was nothing to observe.
  fileprivate var isAnswer: Bool {
    value.map { $0.asDouble.isFinite } ?? (sampleCount == 0)
  }
}

extension [Double] {
  fileprivate var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}
