import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// What the simulations of a question say.
struct Answer: Sendable {
  let question: Question
  /// Of each row, column and figure, seed by seed.
  let values: [[[[Double]]]]
  /// Whether a cache went over its limit, by row and column: it wins nothing then.
  let isOver: [[Bool]]
  /// Where the ranking changes, in words; of a question of that form.
  let flips: String?

  private var figure: Figure { question.figures[0] }
  private var isMaximised: Bool { figure.terms[0].metric.polarity == .higherIsBetter }

  /// The figure that decides, seed by seed.
  private func deciding(_ row: Int, _ column: Int) -> [Double] { values[row][column][0] }

  /// The mean lead of one over another, in the better direction, with its interval.
  private func lead(_ values: [Double], over others: [Double]) -> MeanInterval? {
    isMaximised
      ? PairedInterval(of: values, less: others) : PairedInterval(of: others, less: values)
  }

  private func best(_ candidates: [[Double]]) -> Int {
    let sums = candidates.map { $0.reduce(0, +) }
    return sums.indices.reduce(0) { best, index in
      (isMaximised ? sums[index] > sums[best] : sums[index] < sums[best]) ? index : best
    }
  }

  /// A difference that is no news: half a point, or a fiftieth of the best.
  private func zone(beside best: [Double]) -> Double {
    figure.unit == .ratio ? 0.005 : 0.02 * abs(best.reduce(0, +) / Double(best.count))
  }

  private var zoneText: String { figure.unit == .ratio ? "half a point" : "2 %" }

  // MARK: The answer in words

  var sentence: String {
    switch question.form {
    case .enough: enough
    case .best: bestRow
    case .ranking: ranking
    case .change: change
    case .effects: effects
    case .flip: flips ?? ranking
    }
  }

  /// What each column changes beside the first: over all rows, and in how many beyond doubt.
  private var effects: String {
    question.columns.indices.dropFirst().map { column in
      let leads = question.rows.indices.map { row in
        (MeanInterval(of: deciding(row, column), less: deciding(row, 0)), deciding(row, 0))
      }
      let means = leads.compactMap { $0.0?.mean }
      let apart = leads.count { lead, base in
        guard let lead else { return false }
        return abs(lead.mean) > lead.halfWidth && abs(lead.mean) >= zone(beside: base)
      }
      let range = [means.min(), means.max()].compactMap { $0 }.map(HumanNumber.points)
      return
        "\(question.columns[column].name): \(range.joined(separator: " to ")) points, told apart in "
        + "\(apart) of \(question.rows.count) scenarios"
    }.joined(separator: "; ")
  }

  private var change: String {
    question.contenders.flatMap { column in
      let first = deciding(0, column)
      return question.rows.indices.dropFirst().map { row in
        let ratios = zip(deciding(row, column), first).map { $0 / $1 - 1 }
        let change = MeanInterval(of: ratios)
        let size = change.map {
          HumanNumber.interval(abs($0.mean), $0.halfWidth, unit: .ratio)
            + ($0.mean < 0 ? " less" : " more")
        }
        return "\(question.rows[row].name): \(size ?? "one seed")"
      }
    }.joined(separator: "; ") + " than with \(question.rows[0].name)"
  }

  private var enough: String {
    question.contenders.map { column in
      let candidates = question.rows.indices.map { deciding($0, column) }
      let best = best(candidates)
      let zone = zone(beside: candidates[best])
      // Enough is what no better row beats by more than the zone, as far as the interval tells.
      let first = candidates.firstIndex { values in
        (lead(candidates[best], over: values)?.high ?? .infinity) <= zone
      }
      let name = question.contenders.count > 1 ? "\(question.columns[column].name): " : ""
      let most = "\(question.rows[best].name) is best, \(figureText(candidates[best]))"
      guard let first, first != best else {
        return "\(name)\(most); nothing before it comes within \(zoneText) of that"
      }
      return
        "\(name)\(question.rows[first].name) is enough: \(figureText(candidates[first])); \(most)"
    }.joined(separator: ". ")
  }

  private var bestRow: String {
    question.contenders.map { column in
      let candidates = question.rows.indices.map { deciding($0, column) }
      let first = best(candidates)
      var others = Array(candidates.indices)
      others.remove(at: first)
      let name = question.contenders.count > 1 ? "\(question.columns[column].name): " : ""
      let head = "\(name)\(question.rows[first].name), \(figureText(candidates[first]))"
      guard !others.isEmpty else { return head }
      let second = others[best(others.map { candidates[$0] })]
      return head + ", "
        + margin(candidates[first], over: candidates[second], question.rows[second].name)
    }.joined(separator: ". ")
  }

  private var ranking: String {
    question.rows.indices.map { row in
      let columns = question.contenders.filter { !isOver[row][$0] }
      guard !columns.isEmpty else { return "\(question.rows[row].name): all are over the limit" }
      let candidates = columns.map { deciding(row, $0) }
      let first = best(candidates)
      var others = Array(candidates.indices)
      others.remove(at: first)
      let head = "\(question.rows[row].name): \(question.columns[columns[first]].name)"
      guard !others.isEmpty else { return head }
      let second = others[best(others.map { candidates[$0] })]
      return head + ", "
        + margin(
          candidates[first], over: candidates[second], question.columns[columns[second]].name)
    }.joined(separator: "; ")
  }

  /// As in `4.5 ± 0.2 points ahead of probation`, or that they are not told apart.
  private func margin(_ one: [Double], over other: [Double], _ name: String) -> String {
    guard let lead = lead(one, over: other) else { return "one seed, beside \(name)" }
    if one == other { return "the same as \(name)" }
    if lead.low <= 0 { return "not told from \(name)" }
    if lead.mean < zone(beside: one) { return "not \(zoneText) ahead of \(name)" }
    let text =
      figure.unit == .ratio
      ? "\(HumanNumber.points(lead.mean)) ± \(HumanNumber.points(lead.halfWidth)) points"
      : HumanNumber.interval(lead.mean, lead.halfWidth, unit: figure.unit)
    return "\(text) ahead of \(name)"
  }

  private func figureText(_ values: [Double]) -> String { Self.text(values, figure) }

  private static func text(_ values: [Double], _ figure: Figure) -> String {
    guard let interval = MeanInterval(of: values) else {
      return HumanNumber.text(.real(values[0]), unit: figure.unit)
    }
    return HumanNumber.interval(interval.mean, interval.halfWidth, unit: figure.unit)
  }

  // MARK: The section

  /// A section of Markdown: question, answer, curve, table, command, and what it does not cover.
  func section(_ number: Int, seeds: Int) -> String {
    """
    ## \(number). \(question.text)

    **Answer:** \(sentence).
    \(curve)
    \(table.markdown())
    `tidemark findings \(question.name)`, \(scenarios), \(seeds) seeds, mean ± half of the 95 % interval. \
    *Not covered:* \(question.uncovered)

    """
  }

  private var scenarios: String {
    let names = question.rows.map(\.scenario).distinct { $0 }
    return names.count > 3
      ? "\(names.count) scenarios" : names.map { "`\($0)`" }.joined(separator: ", ")
  }

  private var table: TextTable {
    let several = question.columns.count > 1
    let figures = several ? Array(question.figures.prefix(1)) : question.figures
    var table = TextTable(
      columns: [.init(question.axis)]
        + question.columns.flatMap { column in
          figures.map { .init(several ? column.name : $0.name, .right) }
        })
    for (row, columns) in values.enumerated() {
      table.append(
        [.init(question.rows[row].name)]
          + columns.enumerated().flatMap { column, own in
            figures.indices.map {
              .init(Self.text(own[$0], figures[$0]) + (isOver[row][column] ? ", over" : ""))
            }
          })
    }
    return table
  }

  /// The curves as a chart that sites which show Markdown draw; none of one row.
  private var curve: String {
    guard question.rows.count > 2 else { return "" }
    let (scale, unit) =
      switch figure.unit {
      case .ratio: (100.0, "%")
      case .bytes: (1e-6, "MB")
      case .nanoseconds: (1e-6, "ms")
      default: (1.0, figure.unit.rawValue)
      }
    let lines = question.columns.indices.map { column in
      let means = question.rows.indices.map { row in
        let values = deciding(row, column)
        return HumanNumber.fixed(values.reduce(0, +) / Double(values.count) * scale, decimals: 1)
          .filter { $0 != "," }
      }
      return "  line [\(means.joined(separator: ", "))]"
    }
    let names = question.rows.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let order =
      question.columns.count > 1
      ? "\nLines in the order of the columns.\n" : ""
    return """

      ```mermaid
      xychart-beta
        x-axis "\(question.axis)" [\(names)]
        y-axis "\(figure.name), \(unit)"
      \(lines.joined(separator: "\n"))
      ```
      \(order)
      """
  }
}
