import Analysis
package import ResultModel

/// A folder of results, as a report reads it: what is `nil` was not written.
package struct SavedResults: Sendable {
  /// As the user named it.
  package var folder: String
  package var run: SavedRun?
  package var verdicts: SavedVerdicts?
  /// `results.csv`: exact, seed by seed and over seeds.
  package var rows: [ResultRow]
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
  private let seedsByScenario: [String: [UInt64]]

  init(_ rows: [ResultRow]) {
    var table: [Place: ResultRow] = [:]
    var policyLists: [String: [String]] = [:]
    var seedLists: [String: [UInt64]] = [:]
    for row in rows + Self.missingMeans(rows) {
      let place = Place(
        scenario: row.scenario, policy: row.policy, metric: row.metric,
        statistic: row.statistic, class: row.class)
      // Over seeds is better than any one.
      if table[place] == nil || row.seed == nil { table[place] = row }
      if policyLists[row.scenario]?.last != row.policy,
        policyLists[row.scenario]?.contains(row.policy) != true
      {
        policyLists[row.scenario, default: []].append(row.policy)
      }
      if let seed = row.seed, seedLists[row.scenario]?.last != seed,
        seedLists[row.scenario]?.contains(seed) != true
      {
        seedLists[row.scenario, default: []].append(seed)
      }
    }
    byPlace = table
    policiesByScenario = policyLists
    seedsByScenario = seedLists
  }

  /// The means over seeds, of a folder that has the rows of single seeds alone, as a baseline does.
  private static func missingMeans(_ rows: [ResultRow]) -> [ResultRow] {
    guard !rows.contains(where: { $0.seed == nil }) else { return [] }
    struct Owner: Hashable {
      var scenario: String
      var policy: String
    }
    let groups = Dictionary(grouping: rows) { Owner(scenario: $0.scenario, policy: $0.policy) }
    return rows.distinct { Owner(scenario: $0.scenario, policy: $0.policy) }.flatMap { owner in
      let own = groups[owner] ?? []
      let bySeed = Dictionary(grouping: own, by: \.seed)
      let seeds = own.distinct(\.seed)
      var all = RowsOverSeeds()
      let count = seeds.first.flatMap { bySeed[$0]?.count }
      for seed in seeds {
        // Rows of a file that somebody cut are not put together.
        guard let part = bySeed[seed], part.count == count else { return [ResultRow]() }
        all.append(part)
      }
      return all.seedCount > 1 ? all.means : []
    }
  }

  /// In the order of the rows.
  func policies(of scenario: String) -> [String] {
    (policiesByScenario[scenario] ?? []).filter { !$0.isEmpty }
  }

  func seeds(of scenario: String) -> [UInt64] { seedsByScenario[scenario] ?? [] }

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
