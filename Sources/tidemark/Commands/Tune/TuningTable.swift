import Analysis
import Metrics
import Reporting

/// The settings of scenarios beside each other, with the Pareto front marked.
struct TuningTable {
  /// How a setting stands to the others of its scenario.
  private enum Standing: String {
    case onFront = "yes"
    /// To an earlier one that is on the front, in every objective.
    case equal
    case beaten = "no"
    /// It lacks a figure, so it cannot be weighed.
    case unknown = ""

    var mark: String {
      switch self {
      case .onFront: "*"
      case .equal: "="
      case .beaten, .unknown: ""
      }
    }
  }

  private struct Line {
    var setting: TunedSetting
    var values: [MetricValue?]
    var standing: Standing
  }

  private let objectives: [Objective]
  private let fields: [String]
  private let rows: [ResultRow]
  private let scenarios: [(name: String, lines: [Line])]
  private let verdicts: [ScenarioVerdict]

  /// The rows are those of the settings, and bear their labels as policies.
  init(
    objectives: [Objective], fields: [String], settings: [TunedSetting], rows: [ResultRow],
    verdicts: [ScenarioVerdict]
  ) {
    self.verdicts = verdicts
    self.objectives = objectives
    self.fields = fields
    self.rows = rows
    let known = Dictionary(settings.map { ($0.label, $0) }, uniquingKeysWith: { first, _ in first })
    scenarios = rows.distinct(\.scenario).map { scenario in
      let own = rows.filter { $0.scenario == scenario }
      let byLabel = Dictionary(grouping: own, by: \.policy)
      let lines = own.distinct(\.policy).compactMap { label in
        known[label].map { setting in
          Line(
            setting: setting,
            values: objectives.map { $0.value(of: label, in: byLabel[label] ?? []) },
            standing: .unknown)
        }
      }
      return (scenario, Self.weighed(lines, objectives))
    }
  }

  /// The lines with their standing; of equal ones the first alone is marked as on the front.
  private static func weighed(_ lines: [Line], _ objectives: [Objective]) -> [Line] {
    var lines = lines
    let complete = lines.indices.filter { !lines[$0].values.contains(nil) }
    let points = complete.map { index in lines[index].values.compactMap { $0?.asDouble } }
    let front = Set(
      ParetoFront.indices(of: points, objectives: objectives.map(\.metric.polarity)))
    var seen: Set<[Double]> = []
    for (place, index) in complete.enumerated() {
      lines[index].standing =
        !front.contains(place)
        ? .beaten : seen.insert(points[place]).inserted ? .onFront : .equal
    }
    return lines
  }

  func text(style: TextStyle) -> String {
    scenarios.map { scenario in
      let hasEqual = scenario.lines.contains { $0.standing == .equal }
      return style.paint(scenario.name, .strong) + "\n"
        + table(scenario.lines).terminal(style: style, indent: 2)
        + "  * on the Pareto front\n"
        + (verdicts.first { $0.scenario == scenario.name }.map {
          "  → " + VerdictText.sentence($0) + "\n"
        } ?? "")
        + (hasEqual ? "  = equal to an earlier row that is on it, in all of these columns\n" : "")
    }.joined(separator: "\n")
  }

  private func table(_ lines: [Line]) -> TextTable {
    var table = TextTable(
      columns: [.init(""), .init("setting")] + objectives.map { .init($0.metric.name, .right) })
    for line in lines {
      let tone: Tone = line.standing == .onFront ? .good : .plain
      table.append(
        [.init(line.standing.mark, tone: tone), .init(line.setting.label, tone: tone)]
          + zip(line.values, objectives).map {
            .init(HumanNumber.text($0, unit: $1.metric.unit), tone: tone)
          })
    }
    return table
  }

  /// The rows with the name of the policy alone, as ``columns`` has the rest.
  var plainRows: [ResultRow] {
    let policies = byRow { $0.setting.policy }
    return zip(rows, policies).map { row, policy in
      var row = row
      row.policy = policy ?? row.policy
      return row
    }
  }

  /// A column for each varied field, and whether the setting is on the front.
  var columns: AddedColumns {
    AddedColumns(
      names: fields + ["on_front"],
      cells: byRow { $0.setting.values + [$0.standing.rawValue] }.map { $0 ?? [] })
  }

  private func byRow<Value>(_ value: (Line) -> Value) -> [Value?] {
    var values: [String: [String: Value]] = [:]
    for scenario in scenarios {
      for line in scenario.lines {
        values[scenario.name, default: [:]][line.setting.label] = value(line)
      }
    }
    return rows.map { values[$0.scenario]?[$0.policy] }
  }
}
