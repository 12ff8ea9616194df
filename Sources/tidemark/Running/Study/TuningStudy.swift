import Analysis
import CacheModel
import CommandLineInterface
import ResultModel
import Workloads

/// The same settings in some scenarios, and what was run of them so far.
struct TuningStudy {
  let runner: StudyRunner
  /// Of each session its settings, which bear the same labels in the same order.
  let settings: [[TunedSetting]]
  /// The number of the first seed of each session.
  let firstSeeds: [UInt64]
  /// Of each setting the first that is the same cache everywhere.
  private let representatives: [Int]
  /// Of each session and setting, seed by seed.
  private(set) var records: [[[RunRecord]]]
  /// Whose runs ended early, or cannot be relied on: their records are without figures.
  private(set) var failures: [ContestantFailure] = []

  init(runner: StudyRunner, settings: [[TunedSetting]], firstSeeds: [UInt64]) {
    precondition(settings.count == runner.sessions.count, "every session has settings")
    self.runner = runner
    self.settings = settings
    self.firstSeeds = firstSeeds
    records = settings.map { $0.map { _ in [] } }
    var first: [[ContestantCache]: Int] = [:]
    representatives = (settings.first ?? []).indices.map { index in
      let own = settings.map { $0[index].cache }
      if let known = first[own] { return known }
      first[own] = index
      return index
    }
  }

  var sessions: [Session] { runner.sessions }
  var labels: [String] { settings.first?.map(\.label) ?? [] }

  /// Of settings that are the same cache everywhere the first.
  var distinct: [Int] { representatives.indices.filter { representatives[$0] == $0 } }

  /// The setting that stands for this one among ``distinct``.
  func representative(of setting: Int) -> Int { representatives[setting] }

  /// The runs of some settings up to so many seeds that are not there yet: by scenario, by seed, by
  /// setting.
  func cells(_ wanted: [Int], seeds: Int) -> [StudyCell] {
    sessions.indices.flatMap { session in
      (0..<(sessions[session].isDrawn ? seeds : 1)).flatMap { seed in
        wanted.filter { records[session][$0].count <= seed }.map { setting in
          StudyCell(
            session: session,
            seed: sessions[session].isDrawn ? firstSeeds[session] &+ UInt64(seed) : nil,
            contestant: settings[session][setting].contestant, isChecked: seed == 0)
        }
      }
    }
  }

  /// Runs what is missing.
  mutating func run(_ wanted: [Int], seeds: Int) async throws {
    let cells = cells(wanted, seeds: seeds)
    let made = try await runner.attempt(cells)
    failures += made.failures.filter { !failures.contains($0) }
    take(cells, made.records)
  }

  /// Takes what was run, in the order of ``cells(_:seeds:)``.
  mutating func take(_ cells: [StudyCell], _ made: [RunRecord]) {
    var places: [String: Int] = [:]
    for (index, label) in labels.enumerated() where places[label] == nil { places[label] = index }
    for (cell, record) in zip(cells, made) {
      guard let place = places[cell.contestant.name] else { continue }
      records[cell.session][place].append(record)
    }
  }

  /// The settings whose memory cannot be seen, by their labels.
  private var memoryUnknown: Set<String> {
    (settings.first ?? []).map(\.contestant).memoryUnknown
  }

  // MARK: What was seen

  /// How many blocks a setting has: a seed of every scenario.
  func blocks(of setting: Int) -> Int { records.map { $0[setting].count }.min() ?? 0 }

  func sample(_ session: Int, _ setting: Int, _ figures: [Figure]) -> ObservedSample {
    let metrics = Set(figures.flatMap { $0.terms.map(\.metric) })
    return ObservedSample(
      contender: labels[setting],
      runs: records[session][setting].map { $0.rows(of: metrics) }, figures: figures)
  }

  /// The rule over all scenarios; of what is no ratio, in parts of what the reference has.
  func total(_ rule: ShipRule, reference: Int) -> ScenarioTotal {
    ScenarioTotal(
      rule, scenarios: sessions.map(\.name),
      references: sessions.indices.map { session in
        let values = sample(session, reference, [rule.objective]).complete(rule.objective) ?? []
        return values.isEmpty ? 1 : values.reduce(0, +) / Double(values.count)
      })
  }

  /// What a setting did over all scenarios, block by block.
  func sample(_ setting: Int, by total: ScenarioTotal, _ rule: ShipRule) -> ObservedSample {
    total.sample(
      labels[setting],
      sessions.indices.map { sample($0, setting, rule.requiredFigures) })
  }

  /// Runs seeds until it is decided which of some settings is best over all scenarios.
  mutating func select(
    _ rule: ShipRule, among wanted: [Int], plan: SeedPlan
  ) async throws -> ShipVerdict {
    try await run(wanted, seeds: plan.looks.first ?? 1)
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

  /// What a single scenario says, of the settings that have as many seeds as the one with most.
  func verdict(_ rule: ShipRule, of session: Int) -> ShipVerdict {
    let most = records[session].map(\.count).max() ?? 0
    let wanted = distinct.filter { records[session][$0].count == most }
    return Selection.verdict(
      by: rule, among: wanted.map { labels[$0] }, memoryUnknown: memoryUnknown,
      plan: .fixed(max(most, 1))
    ) { demand in
      wanted.filter { demand.contenders.contains(labels[$0]) }
        .map { sample(session, $0, rule.requiredFigures) }
    }
  }

  /// One row each of what was run of a scenario: of several seeds the mean.
  func means(of session: Int) -> [ResultRow] {
    labels.indices.flatMap { setting in
      let own = records[session][representative(of: setting)]
      // Of who failed on one seed the others are no mean over seeds.
      guard !own.isEmpty, !own.contains(where: \.isWithoutFigures) else { return [ResultRow]() }
      var rows = RowsOverSeeds()
      for (index, record) in own.enumerated() {
        rows.append(
          record.rows(
            scenario: sessions[session].name, policy: labels[setting],
            seed: sessions[session].isDrawn
              ? firstSeeds[session] &+ UInt64(index) : sessions[session].workload(seed: nil).seed))
      }
      return rows.means
    }
  }
}
