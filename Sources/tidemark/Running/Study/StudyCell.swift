import Analysis
import CacheModel
import CommandLineInterface
import Reporting
import ResultModel
import Text
import Workloads

/// One run of a study: a cache on one seed of one workload.
struct StudyCell: Sendable {
  var input: Int
  /// `nil` for a recording.
  var seed: UInt64?
  var contender: Contender
  /// Whether it is run twice if it may not be deterministic.
  var isChecked = false

  /// Returns the key of its figures: a digest of configuration, workload and seed, and of the program's
  /// version, whose figures may differ.
  func key(workload: Fingerprint) -> String {
    var digest = workload
    digest.combine(seed.map { "seed \($0)" } ?? "recorded")
    for value in contender.cache.content {
      digest.combine("\(value.path)=\(value.text)")
    }
    return digest.text
  }
}

extension SimulationInput {
  /// The fingerprint of the traffic, the shared limits, and the program.
  var fingerprint: Fingerprint {
    var digest = Fingerprint()
    digest.combine(CommandLineMain.version)
    for field in identity.workload where field.path != "seed" {
      digest.combine("\(field.path)=\(field.value)")
    }
    for value in ScenarioContent.values(of: sharedLimits) {
      digest.combine("limits\(value.path)=\(value.text)")
    }
    return digest
  }
}

/// The figures of one run, without row names.
struct RunRecord: Hashable, Sendable {
  struct Column: Hashable, Sendable {
    var `class`: ResultClass
    var metric: Metric
    var statistic: Statistic
  }

  fileprivate struct Figure: Hashable, Sendable {
    var value: MetricValue?
    var sampleCount: Int?
  }

  /// Shared between the runs of a study.
  let columns: [Column]
  fileprivate let figures: [Figure]

  /// Whether it is empty because the run failed.
  var isWithoutFigures: Bool { figures.isEmpty }

  init(_ rows: [ResultRow]) {
    columns = rows.map { Column(class: $0.class, metric: $0.metric, statistic: $0.statistic) }
    figures = rows.map { Figure(value: $0.value, sampleCount: $0.sampleCount) }
  }

  func rows(scenario: String, policy: String, seed: UInt64?) -> [ResultRow] {
    zip(columns, figures).map {
      Self.row($0, $1, scenario: scenario, policy: policy, seed: seed)
    }
  }

  /// Returns the rows of some metrics, without names.
  func rows(of metrics: Set<Metric>) -> [ResultRow] {
    zip(columns, figures).compactMap {
      metrics.contains($0.metric) ? Self.row($0, $1, scenario: "", policy: "", seed: nil) : nil
    }
  }

  private static func row(
    _ column: Column, _ figure: Figure, scenario: String, policy: String, seed: UInt64?
  ) -> ResultRow {
    ResultRow(
      scenario: scenario, policy: policy, seed: seed, class: column.class, metric: column.metric,
      statistic: column.statistic, value: figure.value, sampleCount: figure.sampleCount)
  }
}

extension RunRecord {
  /// Returns the columns in words: class, metric and statistic of each.
  static func text(of columns: [Column]) -> String {
    columns.map { "\($0.class)/\($0.metric.name)/\($0.statistic.rawValue)" }.joined(separator: " ")
  }

  /// Parses the output of ``text(of:)``; `nil` if a word is unknown in this version.
  static func columns(_ text: String) -> [Column]? {
    let words = text.split(separator: " ")
    let columns = words.compactMap { word -> Column? in
      let parts = word.split(separator: "/")
      guard parts.count >= 3, let statistic = Statistic(rawValue: String(parts[parts.count - 1])),
        let metric = MetricRegistry.named(String(parts[parts.count - 2])),
        let name = ResultClass(text: parts.dropLast(2).joined(separator: "/"))
      else { return nil }
      return Column(class: name, metric: metric, statistic: statistic)
    }
    return columns.count == words.count && !words.isEmpty ? columns : nil
  }

  /// Returns the values, `-` for none, followed by a colon and the number of observations.
  func text() throws -> String {
    try figures.map { figure in
      let value = try figure.value.map { try MachineNumber.text($0) } ?? "-"
      return figure.sampleCount.map { "\(value):\($0)" } ?? value
    }.joined(separator: " ")
  }

  /// Parses the output of ``text()``; `nil` for anything else.
  init?(columns: [Column], text: String) {
    let words = text.split(separator: " ")
    guard words.count == columns.count else { return nil }
    var figures: [Figure] = []
    for word in words {
      let parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      let value = parts[0] == "-" ? nil : MachineNumber.value(parts[0])
      let count = parts.count > 1 ? Int(parts[1]) : nil
      guard parts.count <= 2, value != nil || parts[0] == "-", count != nil || parts.count == 1
      else { return nil }
      figures.append(Figure(value: value, sampleCount: count))
    }
    self.columns = columns
    self.figures = figures
  }
}
