import Analysis
import Reporting
import ResultModel
import Workloads

/// The settings of scenarios, compared, with the Pareto front marked.
struct TuningTable {
  private enum Standing: String {
    case onFront = "yes"
    /// Equal to an earlier setting on the front, in every objective.
    case equal
    case beaten = "no"
    /// A figure is missing, or later seeds are, so it cannot be compared.
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
    var standing = Standing.unknown
    /// Whether an earlier line is the same cache.
    var isFolded: Bool
    /// Whether it has fewer seeds than others.
    var isDropped: Bool
    var rows: [ResultRow]
  }

  private struct Section {
    var name: String
    var objectives: [Objective]
    var lines: [Line]
    /// The rows of an app's own cache, from its log, which is not a setting.
    var recorded: [ResultRow]
    /// Its verdict; `nil` if the total states it.
    var sentence: String?
  }

  private let fields: [String]
  private let sections: [Section]
  private let outcome: TuningOutcome

  init(_ objectives: [Objective], _ outcome: TuningOutcome, fields: [String]) {
    self.fields = fields
    self.outcome = outcome
    let all = outcome.sections
    sections = all.map { input, study, place in
      let isLog = input.recordedTruth == .observed
      let own = isLog ? Objective.bounds(objectives) : objectives
      let rows = Dictionary(grouping: study.means(of: place), by: \.policy)
      var seen: Set<String> = []
      let lines = study.labels.indices.compactMap { index -> Line? in
        let label = study.labels[index]
        guard let rows = rows[label], seen.insert(label).inserted else { return nil }
        return Line(
          setting: study.settings[place][index],
          values: own.map { $0.value(of: label, in: rows) },
          isFolded: study.representative(of: index) != index,
          isDropped: study.isDropped(index, of: place), rows: rows)
      }
      let recorded = input.claimed(input.recorded?.outcomeRows ?? [])
      var sentence: String?
      if isLog {
        let rule = outcome.search.rule
        let ends = [false, true].map {
          study.verdict(rule.countingUnknownHits(asFresh: $0), of: place)
        }
        let recorded = RecordedVerdict(
          ifStale: ends[0], ifFresh: ends[1], scenario: input.name, rows: lines.flatMap(\.rows),
          obstacle: input.recordedReads?.obstacle)
        sentence = VerdictText.sentence(
          ScenarioVerdict(
            scenario: input.name, verdict: recorded.best.isEmpty ? nil : ends[0],
            recorded: recorded))
      } else if all.count > 1 {
        let verdict = study.verdict(outcome.search.rule, of: place)
        sentence = BestLine(verdict: verdict, trials: lines.count, left: study.left).text
      }
      return Section(
        name: input.name, objectives: own, lines: Self.weighed(lines, own), recorded: recorded,
        sentence: sentence)
    }
  }

  /// Returns the lines with their standings; of equal ones only the first is marked as on the front.
  private static func weighed(_ lines: [Line], _ objectives: [Objective]) -> [Line] {
    var lines = lines
    let complete = lines.indices.filter {
      !lines[$0].isDropped && !lines[$0].values.contains(nil)
    }
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

  func text(style: TextStyle, judgement: [String] = []) -> String {
    let head = (outcome.lines + judgement).map { style.paint($0, .strong) + "\n" }.joined()
    return (head.isEmpty ? "" : head + "\n")
      + sections.map { section in
        let hasEqual = section.lines.contains { $0.standing == .equal && !$0.isFolded }
        let folded = section.lines.filter(\.isFolded).count
        let dropped = section.lines.count { $0.isDropped && !$0.isFolded }
        return style.paint(section.name, .strong) + fixed + "\n"
          + table(section).terminal(style: style, indent: 2)
          + "  * on the Pareto front\n"
          + (dropped > 0
            ? "  \(dropped) dropped after fewer seeds, and not compared with the others\n" : "")
          + (section.sentence.map { "  → \($0)\n" } ?? "")
          + (hasEqual ? "  = equal to an earlier row that is on it, in all of these columns\n" : "")
          + (folded > 0
            ? "  \(folded) \(folded == 1 ? "setting that is" : "settings that are") the same cache as "
              + "an earlier one \(folded == 1 ? "is" : "are") left out\n" : "")
      }.joined(separator: "\n")
  }

  /// The values that all settings share.
  private var fixed: String {
    let fixed = outcome.search.study.parameters.filter(\.isFixed)
    guard fixed.count < outcome.search.study.parameters.count, !fixed.isEmpty else { return "" }
    return ", " + fixed.map { "\($0.name)=\($0.value(at: 0))" }.joined(separator: " ")
  }

  private func table(_ section: Section) -> TextTable {
    var table = TextTable(
      columns: [.init(""), .init("setting")]
        + section.objectives.map { .init($0.title, .right) })
    func append(_ mark: String, _ label: String, _ values: [MetricValue?], _ tone: Tone) {
      table.append(
        [.init(mark, tone: tone), .init(label, tone: tone)]
          + zip(values, section.objectives).map {
            .init(HumanNumber.text($0, unit: $1.metric.unit), tone: tone)
          })
    }
    for line in section.lines where !line.isFolded {
      append(
        line.standing.mark, line.setting.label, line.values,
        line.standing == .onFront ? .good : .plain)
    }
    if !section.recorded.isEmpty {
      let label = ResultRow.recordedPolicy
      append(
        "", label, section.objectives.map { $0.value(of: label, in: section.recorded) }, .plain)
    }
    return table
  }

  /// The rows with only the policy's name; ``columns`` contains the rest.
  var plainRows: [ResultRow] {
    sections.flatMap { section in
      section.lines.flatMap { line in
        line.rows.map { row in
          var row = row
          row.policy = line.setting.policy
          return row
        }
      } + section.recorded
    }
  }

  /// A column for each varied field, and whether the setting is on the front.
  var columns: AddedColumns {
    let cells = sections.flatMap { section in
      section.lines.flatMap { line in
        line.rows.map { _ in
          line.setting.values.map { $0 ?? "" } + [line.standing.rawValue]
        }
      } + section.recorded.map { _ in [] }
    }
    return AddedColumns(names: fields + ["on_front"], cells: cells)
  }
}
