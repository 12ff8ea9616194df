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

  /// The settings of one scenario.
  private struct Section {
    var name: String
    var objectives: [Objective]
    var lines: [Line]
    /// What the log of an app says of its own cache, which is no setting; `nil` where it says nothing.
    var recorded: [MetricValue?]?
  }

  private let fields: [String]
  private let rows: [ResultRow]
  private let sections: [Section]
  private let verdicts: [ScenarioVerdict]

  /// - Parameters:
  ///   - objectives: of each scenario, by its name.
  ///   - fields: those that are varied.
  ///   - settings: all of them.
  ///   - rows: of the settings, whose labels they bear as policies, and of what logs say of themselves.
  ///   - verdicts: one for each scenario.
  init(
    objectives: (String) -> [Objective], fields: [String], settings: [TunedSetting],
    rows: [ResultRow], verdicts: [ScenarioVerdict]
  ) {
    self.verdicts = verdicts
    self.fields = fields
    self.rows = rows
    let known = Dictionary(settings.map { ($0.label, $0) }, uniquingKeysWith: { first, _ in first })
    sections = rows.distinct(\.scenario).map { scenario in
      let objectives = objectives(scenario)
      let own = rows.filter { $0.scenario == scenario }
      let byLabel = Dictionary(grouping: own, by: \.policy)
      func values(_ label: String) -> [MetricValue?]? {
        byLabel[label].map { rows in objectives.map { $0.value(of: label, in: rows) } }
      }
      let lines = own.distinct(\.policy).compactMap { label in
        known[label].map { Line(setting: $0, values: values(label) ?? [], standing: .unknown) }
      }
      return Section(
        name: scenario, objectives: objectives, lines: Self.weighed(lines, objectives),
        recorded: values(ResultRow.recordedPolicy))
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
    sections.map { section in
      let hasEqual = section.lines.contains { $0.standing == .equal }
      return style.paint(section.name, .strong) + "\n"
        + table(section).terminal(style: style, indent: 2)
        + "  * on the Pareto front\n"
        + (verdicts.first { $0.scenario == section.name }.map {
          "  → " + VerdictText.sentence($0) + "\n"
        } ?? "")
        + (hasEqual ? "  = equal to an earlier row that is on it, in all of these columns\n" : "")
    }.joined(separator: "\n")
  }

  private func table(_ section: Section) -> TextTable {
    var table = TextTable(
      columns: [.init(""), .init("setting")]
        + section.objectives.map { .init($0.metric.name, .right) })
    func append(_ mark: String, _ label: String, _ values: [MetricValue?], _ tone: Tone) {
      table.append(
        [.init(mark, tone: tone), .init(label, tone: tone)]
          + zip(values, section.objectives).map {
            .init(HumanNumber.text($0, unit: $1.metric.unit), tone: tone)
          })
    }
    for line in section.lines {
      append(
        line.standing.mark, line.setting.label, line.values,
        line.standing == .onFront ? .good : .plain)
    }
    if let recorded = section.recorded { append("", ResultRow.recordedPolicy, recorded, .plain) }
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
    for section in sections {
      for line in section.lines {
        values[section.name, default: [:]][line.setting.label] = value(line)
      }
    }
    return rows.map { values[$0.scenario]?[$0.policy] }
  }
}
