package import Analysis
package import ResultModel
package import Text

/// A folder of results, as a report reads it; `nil` parts were not written.
package struct SavedResults: Sendable {
  /// The path as the user wrote it.
  package var folder: String
  package var run: SavedRun?
  package var verdicts: SavedVerdicts?
  /// `results.csv`: exact figures over the seeds.
  package var rows: [ResultRow]
  /// `seeds.csv`: the same figures by seed.
  package var seeds: [ResultRow]?
  /// `latency.csv` and `memory.csv`: figures of one machine.
  package var latency: [ResultRow]?
  package var memory: [ResultRow]?
  package var levels: [MemoryLevel]?
  package var timeline: [TimelineLine]?
  /// `reads.csv`: every read of the first seed under two policies.
  package var reads: [ReadLine]?
  package var experiments = SavedExperiments()

  package init(folder: String, rows: [ResultRow]) {
    self.folder = folder
    self.rows = rows
  }

  package var scenarios: [String] { rows.distinct(\.scenario) }

  /// Returns the part about some scenarios, with the real-time measurements.
  package func restricted(to names: [String]) -> SavedResults {
    var part = self
    part.rows = rows.filter { names.contains($0.scenario) }
    part.seeds = seeds?.filter { names.contains($0.scenario) }
    part.levels = levels?.filter { names.contains($0.row.scenario) }
    part.timeline = timeline?.filter { names.contains($0.scenario) }
    part.reads = reads?.filter { names.contains($0.scenario) }
    part.verdicts?.scenarios.removeAll { !names.contains($0.scenario) }
    return part
  }
}

/// When, where and with which program a folder was created: from its `manifest.json`.
package struct SavedRun: Hashable, Sendable, Decodable {
  package var schemaVersion: Int
  package var programVersion: String
  package var command: [String]
  package var startedAt: String
  package var elapsedSeconds: Double
  package var host: [String: String]
  package var toolchain: [String: String]
  package var scenarios: [Workload]

  /// The traffic of a scenario: results of different workloads are not comparable.
  package struct Workload: Hashable, Sendable, Decodable {
    package var scenario: String
    package var workload: [String: String]
  }

  /// Creates the displayed part of a manifest that is being written.
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

/// The figures of a folder by identity: one row each, over seeds if there were several.
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
  private let classesByScenario: [String: [ResultClass]]

  /// The sample behind the rows of a scenario.
  enum Seeds: Hashable, Sendable {
    case one(UInt64)
    case several(Int)
  }

  /// - Parameter rows: one of each kind; for several seeds, the mean.
  init(_ rows: [ResultRow]) {
    var table: [Place: ResultRow] = [:]
    var policyLists: [String: [String]] = [:]
    var seeds: [String: Seeds] = [:]
    var classes: [String: [ResultClass]] = [:]
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
        if !Self.crossings.contains(row.class), classes[row.scenario]?.contains(row.class) != true {
          classes[row.scenario, default: []].append(row.class)
        }
      }
    }
    byPlace = table
    policiesByScenario = policyLists
    seedsByScenario = seeds
    classesByScenario = classes
  }

  func policies(of scenario: String) -> [String] {
    (policiesByScenario[scenario] ?? []).filter { !$0.isEmpty }
  }

  func seeds(of scenario: String) -> Seeds? { seedsByScenario[scenario] }

  /// Classes of reads across queries.
  private static let crossings: Set<ResultClass> = [
    .all, .total, "first", "redraw", "worst-client",
  ]

  func classes(of scenario: String) -> [ResultClass] { classesByScenario[scenario] ?? [] }

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

  /// Returns the fetched and pushed bytes; `nil` if one is missing.
  func received(_ scenario: String, _ policy: String) -> Double? {
    guard let fetched = value(scenario, policy, .bytesFetched),
      let pushed = value(scenario, policy, .bytesPushed)
    else { return nil }
    return fetched + pushed
  }
}

/// Additional experiments of a run, as far as its folder has them.
package struct SavedExperiments: Sendable {
  /// `sensitivity.csv`: results with one varied field of the workload at a time.
  package var sensitivity: [SensitivityPoint] = []
  /// `verdict.json` of a gate: the comparison with another build.
  package var measurements: [SavedMeasurement] = []

  package init() {}
}

/// The result of a policy at one value of a workload's field.
package struct SensitivityPoint: Hashable, Sendable {
  /// The field, as in `network.loss`.
  package let field: String
  /// The value, as in a scenario.
  package let value: String
  package let row: ResultRow

  /// Reads the output of `tidemark sensitivity --format csv`.
  ///
  /// A row with values of several fields is from a Latin hypercube, and not a point of a curve.
  package static func read(_ bytes: [UInt8]) throws(CSVError) -> [SensitivityPoint] {
    let contents = try TidyTable.read(bytes, added: nil)
    return zip(contents.rows, contents.added).compactMap { row, cells in
      let own = zip(contents.addedColumns, cells).filter { !$0.1.isEmpty }
      guard own.count == 1 else { return nil }
      return SensitivityPoint(field: own[0].0, value: own[0].1, row: row)
    }
  }
}

/// A gate's finding on a counted or timed figure.
package struct SavedMeasurement: Hashable, Sendable, Decodable {
  package var outcome: String
  package var `class`: String
  package var metric: String
  package var rounds: Int
  /// As shares of the baseline's.
  package var change: Double?
  package var changeLow: Double?
  package var changeHigh: Double?
}

/// One figure of a policy with a memory limit: a point of a curve.
package struct MemoryLevel: Hashable, Sendable {
  /// The memory limit of the whole cache, in bytes.
  package let limit: Int
  package let row: ResultRow

  package init(limit: Int, row: ResultRow) {
    self.limit = limit
    self.row = row
  }

  /// The additional column after those of the tidy form.
  private static let column = "memory_limit_bytes"

  /// Returns whether a row is of a figure drawn against memory.
  package static func shows(_ row: ResultRow) -> Bool {
    switch (row.metric, row.statistic, row.class) {
    case (.freshHitRatio, .value, .all), (.freshHitRatio, .upper, .all),
      (.staleReadShare, .value, .all), (.readWait, .mean, .all),
      (.bytesFetched, .value, .total), (.bytesPushed, .value, .total),
      (.predictedBytes, .peak, .total):
      true
    default: false
    }
  }

  /// Returns `memory-levels.csv`: the tidy form with the limit of each row.
  package static func csv(_ levels: [MemoryLevel]) throws(ExportError) -> [UInt8] {
    try TidyTable.csv(
      levels.map(\.row),
      added: AddedColumns(names: [column], cells: levels.map { [String($0.limit)] }))
  }

  /// Reads the output of ``csv(_:)``.
  package static func read(_ bytes: [UInt8]) throws(CSVError) -> [MemoryLevel] {
    let contents = try TidyTable.read(bytes, added: [column])
    var levels: [MemoryLevel] = []
    for (index, row) in contents.rows.enumerated() {
      guard let limit = Int(contents.added[index][0]), limit >= 0 else {
        throw CSVError(
          line: index + 2,
          cause: .cell(
            column: column, text: contents.added[index][0], expected: "a number of bytes"))
      }
      levels.append(MemoryLevel(limit: limit, row: row))
    }
    return levels
  }
}
