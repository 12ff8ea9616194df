import Analysis
package import ResultModel

/// A folder of results, as a report reads it: what is `nil` was not written.
package struct SavedResults: Sendable {
  /// As the user named it.
  package var folder: String
  package var run: SavedRun?
  package var verdicts: SavedVerdicts?
  /// `results.csv`: exact, over the seeds.
  package var rows: [ResultRow]
  /// `seeds.csv`: the same seed by seed.
  package var seeds: [ResultRow]?
  /// `latency.csv` and `memory.csv`: of one machine.
  package var latency: [ResultRow]?
  package var memory: [ResultRow]?
  package var levels: [MemoryLevel]?
  package var timeline: [TimelineLine]?
  package var experiments = SavedExperiments()

  package init(folder: String, rows: [ResultRow]) {
    self.folder = folder
    self.rows = rows
  }

  /// The scenarios, in the order of the rows.
  package var scenarios: [String] { rows.distinct(\.scenario) }

  /// The part that concerns some scenarios, and what was measured in real time.
  package func restricted(to names: [String]) -> SavedResults {
    var part = self
    part.rows = rows.filter { names.contains($0.scenario) }
    part.seeds = seeds?.filter { names.contains($0.scenario) }
    part.levels = levels?.filter { names.contains($0.row.scenario) }
    part.timeline = timeline?.filter { names.contains($0.scenario) }
    part.verdicts?.scenarios.removeAll { !names.contains($0.scenario) }
    return part
  }
}

/// When, where and by what a folder was made: from its `manifest.json`.
package struct SavedRun: Hashable, Sendable, Decodable {
  package var schemaVersion: Int
  package var programVersion: String
  package var command: [String]
  package var startedAt: String
  package var elapsedSeconds: Double
  package var host: [String: String]
  package var toolchain: [String: String]
  package var scenarios: [Workload]

  /// What happens in a scenario: results of two that differ are not comparable.
  package struct Workload: Hashable, Sendable, Decodable {
    package var scenario: String
    package var workload: [String: String]
  }

  /// What is shown of a manifest that is being written.
  package init(_ manifest: Manifest) {
    func table(_ facts: [Manifest.Fact]) -> [String: String] {
      Dictionary(facts.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
    schemaVersion = manifest.schemaVersion
    programVersion = manifest.programVersion
    command = manifest.command
    startedAt = manifest.startedAt
    elapsedSeconds = manifest.elapsedSeconds
    host = table(manifest.host)
    toolchain = table(manifest.toolchain)
    scenarios = manifest.scenarios.map { identity in
      Workload(
        scenario: identity.scenario,
        workload: Dictionary(
          identity.workload.map { ($0.path, $0.value) }, uniquingKeysWith: { first, _ in first }))
    }
  }
}

/// The figures of a folder by what they are of: one row each, over seeds where there were several.
struct SavedFigures: Sendable {
  private struct Place: Hashable {
    var scenario: String
    var policy: String
    var metric: Metric
    var statistic: Statistic
    var `class`: ResultClass
  }

  // Looked up, never iterated.
  private let byPlace: [Place: ResultRow]
  private let policiesByScenario: [String: [String]]
  private let seedsByScenario: [String: Seeds]

  /// What stands behind the rows of a scenario.
  enum Seeds: Hashable, Sendable {
    case one(UInt64)
    case several(Int)
  }

  /// - Parameter rows: one of each kind: of several seeds the mean.
  init(_ rows: [ResultRow]) {
    var table: [Place: ResultRow] = [:]
    var policyLists: [String: [String]] = [:]
    var seeds: [String: Seeds] = [:]
    for row in rows {
      let place = Place(
        scenario: row.scenario, policy: row.policy, metric: row.metric,
        statistic: row.statistic, class: row.class)
      table[place] = table[place] ?? row
      if policyLists[row.scenario]?.last != row.policy,
        policyLists[row.scenario]?.contains(row.policy) != true
      {
        policyLists[row.scenario, default: []].append(row.policy)
      }
      if row.metric == .reads {
        let own = row.seed.map(Seeds.one) ?? row.sampleCount.map(Seeds.several)
        seeds[row.scenario] = seeds[row.scenario] ?? own
      }
    }
    byPlace = table
    policiesByScenario = policyLists
    seedsByScenario = seeds
  }

  /// In the order of the rows.
  func policies(of scenario: String) -> [String] {
    (policiesByScenario[scenario] ?? []).filter { !$0.isEmpty }
  }

  func seeds(of scenario: String) -> Seeds? { seedsByScenario[scenario] }

  func row(
    _ scenario: String, _ policy: String, _ metric: Metric, _ statistic: Statistic = .value,
    _ class: ResultClass? = nil
  ) -> ResultRow? {
    byPlace[
      Place(
        scenario: scenario, policy: policy, metric: metric, statistic: statistic,
        class: `class` ?? (metric.isOfReads ? .all : .total))]
  }

  func value(
    _ scenario: String, _ policy: String, _ metric: Metric, _ statistic: Statistic = .value,
    _ class: ResultClass? = nil
  ) -> Double? {
    row(scenario, policy, metric, statistic, `class`)?.value?.asDouble
  }

  /// Bytes of both ways that they come; `nil` where one is missing.
  func received(_ scenario: String, _ policy: String) -> Double? {
    guard let fetched = value(scenario, policy, .bytesFetched),
      let pushed = value(scenario, policy, .bytesPushed)
    else { return nil }
    return fetched + pushed
  }
}
