import Analysis
import CommandLineInterface
import ResultModel
import Workloads

/// The same settings in some scenarios, and their runs so far.
struct TuningStudy {
  let runner: StudyRunner
  /// The settings of each input, with the same labels in the same order.
  let settings: [[TunedSetting]]
  let firstSeeds: [UInt64]
  /// For each setting, the first one that is the same cache everywhere.
  private let representatives: [Int]
  /// The records by input, setting and seed.
  private(set) var records: [[[RunRecord]]]
  /// The contenders whose runs ended early, or are not reproducible: their records have no figures.
  private(set) var failures: [ContenderFailure] = []

  init(runner: StudyRunner, settings: [[TunedSetting]], firstSeeds: [UInt64]) {
    precondition(settings.count == runner.inputs.count, "every input has settings")
    self.runner = runner
    self.settings = settings
    self.firstSeeds = firstSeeds
    records = settings.map { $0.map { _ in [] } }
    var first: [[ContenderCache]: Int] = [:]
    representatives = (settings.first ?? []).indices.map { index in
      let own = settings.map { $0[index].cache }
      if let known = first[own] { return known }
      first[own] = index
      return index
    }
  }

  var inputs: [SimulationInput] { runner.inputs }
  var labels: [String] { settings.first?.map(\.label) ?? [] }

  /// The settings, without later ones that are the same cache everywhere.
  var distinct: [Int] { representatives.indices.filter { representatives[$0] == $0 } }

  /// Returns the setting in ``distinct`` that equals this one.
  func representative(of setting: Int) -> Int { representatives[setting] }

  /// Returns the missing runs of some settings up to this many seeds: by scenario, seed, setting.
  func cells(_ wanted: [Int], seeds: Int) -> [StudyCell] {
    inputs.indices.flatMap { input in
      inputs[input].seeds(seeds, from: firstSeeds[input]).enumerated().flatMap { place, seed in
        wanted.filter { records[input][$0].count <= place }.map { setting in
          StudyCell(
            input: input, seed: seed, contender: settings[input][setting].contender,
            isChecked: place == 0)
        }
      }
    }
  }

  mutating func run(_ wanted: [Int], seeds: Int) async throws {
    let cells = cells(wanted, seeds: seeds)
    let made = try await runner.attempt(cells)
    failures += made.failures.filter { !failures.contains($0) }
    take(cells, made.records)
  }

  /// Adds the runs, in the order of ``cells(_:seeds:)``.
  mutating func take(_ cells: [StudyCell], _ made: [RunRecord]) {
    var places: [String: Int] = [:]
    for (index, label) in labels.enumerated() where places[label] == nil { places[label] = index }
    for (cell, record) in zip(cells, made) {
      guard let place = places[cell.contender.name] else { continue }
      records[cell.input][place].append(record)
    }
  }

  private var memoryUnknown: Set<String> {
    (settings.first ?? []).map(\.contender).memoryUnknown
  }

  /// Returns whether a setting was dropped before the last seed that others had in a scenario.
  func isDropped(_ setting: Int, of input: Int) -> Bool {
    let own = records[input][representative(of: setting)]
    return !own.isEmpty && !own.contains(where: \.isWithoutFigures)
      && own.count < records[input].map(\.count).max() ?? 0
  }

  /// The number of settings never dropped; `nil` if none was.
  var left: Int? {
    let left = distinct.filter { setting in
      !inputs.indices.contains { isDropped(setting, of: $0) }
    }
    return left.count < distinct.count ? left.count : nil
  }

  // MARK: Samples

  func sample(_ input: Int, _ setting: Int, _ figures: [Figure]) -> ObservedSample {
    let metrics = Set(figures.flatMap { $0.terms.map(\.metric) })
    return ObservedSample(
      contender: labels[setting],
      runs: records[input][setting].map { $0.rows(of: metrics) }, figures: figures)
  }

  /// Returns the goal over all scenarios; figures other than ratios are relative to the reference.
  func total(_ rule: Goal, reference: Int) -> ScenarioTotal {
    ScenarioTotal(rule, scenarios: inputs.map(\.name)) { input, figure in
      let values = sample(input, reference, [figure]).complete(figure) ?? []
      return values.isEmpty ? 1 : values.reduce(0, +) / Double(values.count)
    }
  }

  /// Returns a setting's sample over all scenarios, block by block.
  func sample(_ setting: Int, by total: ScenarioTotal, _ rule: Goal) -> ObservedSample {
    total.sample(
      labels[setting],
      inputs.indices.map { sample($0, setting, rule.observedFigures) })
  }

  /// Runs seeds until the best of some settings over all scenarios is decided.
  mutating func select(
    _ rule: Goal, among wanted: [Int], plan: SeedPlan
  ) async throws -> ShipVerdict {
    try await run(wanted, seeds: plan.common)
    let whole = wanted.first { place in
      records.allSatisfy { !$0[place].contains(where: \.isWithoutFigures) }
    }
    let total = total(rule, reference: whole ?? wanted.first ?? 0)
    var selection = Selection(
      rule: total.rule, contenders: wanted.map { labels[$0] }, memoryUnknown: memoryUnknown,
      plan: plan)
    while let demand = selection.demand {
      let left = wanted.filter { demand.contenders.contains(labels[$0]) }
      try await run(left, seeds: demand.seeds.upperBound)
      selection.record(
        left.map { sample($0, by: total, rule)[demand.seeds] })
    }
    guard let verdict = selection.verdict else { preconditionFailure("it demands no more") }
    return verdict
  }

  /// Returns the verdict of a single scenario, for the settings with the maximum number of seeds.
  func verdict(_ rule: Goal, of input: Int) -> ShipVerdict {
    let most = records[input].map(\.count).max() ?? 0
    let wanted = distinct.filter { records[input][$0].count == most }
    return Selection.verdict(
      by: rule, among: wanted.map { labels[$0] }, memoryUnknown: memoryUnknown,
      plan: inputs[input].plan(.fixed(max(most, 1)))
    ) { demand in
      wanted.filter { demand.contenders.contains(labels[$0]) }
        .map { sample(input, $0, rule.observedFigures) }
    }
  }

  /// Returns one row each for a scenario's runs; for several seeds, the mean.
  func means(of input: Int) -> [ResultRow] {
    labels.indices.flatMap { setting in
      let own = records[input][representative(of: setting)]
      // If a setting failed on one seed, its other seeds have no valid mean.
      guard !own.isEmpty, !own.contains(where: \.isWithoutFigures) else { return [ResultRow]() }
      var rows = RowsOverSeeds()
      let seeds = inputs[input].seeds(own.count, from: firstSeeds[input])
      for (seed, record) in zip(seeds, own) {
        rows.append(
          record.rows(
            scenario: inputs[input].name, policy: labels[setting],
            seed: seed ?? inputs[input].workload(seed: nil).seed))
      }
      return inputs[input].claimed(rows.means)
    }
  }

  /// Ranks settings by their means: those that meet the constraints by the objective, then the others by
  /// their violation.
  func scores(of settings: [Int], by rule: Goal) -> [Double?] {
    // Settings that are the same cache are tried once, so a policy may have none of its own.
    guard let first = settings.first else { return [] }
    let total = self.total(rule, reference: first)
    let ranked = settings.map { setting -> (excess: Double, value: Double)? in
      let sample = sample(setting, by: total, rule)
      guard let value = sample.mean(total.rule.objective) else { return nil }
      let excess = total.rule.constraints.reduce(0.0) { sum, constraint in
        guard let mean = sample.mean(constraint.figure) else { return .infinity }
        return sum + max(0, constraint.excess(of: mean)) / max(constraint.limit.magnitude, 1e-9)
      }
      return (excess, total.rule.direction == .maximise ? value : -value)
    }
    let order = ranked.indices.filter { ranked[$0] != nil }.sorted {
      guard let one = ranked[$0], let other = ranked[$1] else { return false }
      return one.excess != other.excess ? one.excess < other.excess : one.value > other.value
    }
    var scores = [Double?](repeating: nil, count: settings.count)
    for (rank, index) in order.enumerated() { scores[index] = -Double(rank) }
    return scores
  }
}

extension ObservedSample {
  /// Returns the mean of a figure that every seed has.
  fileprivate func mean(_ figure: Figure) -> Double? {
    guard let values = complete(figure), !values.isEmpty else { return nil }
    return values.reduce(0, +) / Double(values.count)
  }
}
