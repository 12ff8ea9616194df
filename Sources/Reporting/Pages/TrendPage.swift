package import ResultModel
import Text

/// The same figures in several folders of results, in order, as an HTML page: fresh hits of each policy in
/// each scenario, and all counts.
package struct TrendPage: Sendable {
  private struct Line {
    var name: String
    /// As in `2026-01-31`; empty if its manifest has none.
    var date: String
    /// Looked up by column; values that were not measured are absent.
    var values: [String: Double]
    /// The scenarios whose workload is not the last folder's, so that their figures are left out.
    var otherWorkloads: [String]
  }

  /// The figures, as in `fresh_hit_ratio/file-browser/lru`.
  private let columns: [String]
  private let lines: [Line]
  private let command: String

  /// - Parameter folders: the oldest first, each with the rows of its `counts.csv`.
  package init(_ folders: [(results: SavedResults, counts: [ResultRow])]) {
    let figures = folders.map { Self.figures(of: $0.results, counts: $0.counts) }
    columns = figures.joined().map(\.column).distinct { $0 }
    let last = folders.last?.results
    lines = zip(folders, figures).map { folder, figures in
      let others = folder.results.scenarios.filter { scenario in
        let workloads = [folder.results, last].compactMap { results in
          results?.run?.scenarios.first { $0.scenario == scenario }?.workload
        }
        return workloads.count == 2 && workloads[0] != workloads[1]
      }
      return Line(
        name: folder.results.folder.split(separator: "/").last.map(String.init) ?? "",
        date: String(folder.results.run?.startedAt.prefix(10) ?? ""),
        values: Dictionary(
          figures.filter { !Self.isOf(others, $0.column) }.map { ($0.column, $0.value) },
          uniquingKeysWith: { first, _ in first }),
        otherWorkloads: others)
    }
    // It is below every chart, so for many folders it names the first and the last.
    let words = folders.map { ShellWord.quoted($0.results.folder) }
    command =
      (["tidemark report --trend"]
      + (words.count > 2 ? [words[0], "…", words[words.count - 1]] : words))
      .joined(separator: " ")
  }

  /// Returns the figures of a folder to follow, each with its column.
  static func figures(
    of results: SavedResults, counts: [ResultRow]
  ) -> [(column: String, value: Double)] {
    let figures = SavedFigures(results.rows)
    var all: [(column: String, value: Double)] = []
    for scenario in results.scenarios {
      for policy in figures.policies(of: scenario) {
        guard let value = figures.value(scenario, policy, .freshHitRatio) else { continue }
        all.append(("\(Metric.freshHitRatio.name)/\(scenario)/\(policy)", value))
      }
    }
    for row in counts where row.statistic == .value {
      guard let value = row.value?.asDouble else { continue }
      all.append(("\(row.metric.name)/\(row.class)/\(row.policy)", value))
    }
    return all
  }

  /// Whether a column has a figure of one of these scenarios; counts are of none.
  private static func isOf(_ scenarios: [String], _ column: String) -> Bool {
    let group = Group(column)
    return group.metric == Metric.freshHitRatio.name && scenarios.contains(group.subject)
  }

  private struct Change {
    var column: String
    var before: Double
    var after: Double

    var share: Double {
      before == 0 ? .infinity : ((after - before) / before).magnitude
    }
  }

  /// The curves of one metric in one scenario, or of one operation.
  private struct Group: Hashable {
    var metric: String
    var subject: String

    init(_ column: String) {
      let parts = column.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      metric = parts[0]
      subject = parts.dropFirst().dropLast().joined(separator: "/")
    }

    var title: String { subject.isEmpty ? metric : "\(subject): \(metric)" }
  }

  private static func curveName(_ column: String) -> String {
    column.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? column
  }

  /// Returns the page, in UTF-8.
  package func html() -> [UInt8] {
    ReportPage.frame(
      title: "Trend",
      body: [
        .tag(
          "header", [],
          [
            .tag("h1", [], "Folder by folder"),
            .tag("p", [.class("soft")], "\(lines.count) folders of results, the oldest first"),
          ]),
        .tag("main", [], [changes, pictures]),
        .tag(
          "footer", [],
          [
            .text("Made by tidemark from these folders alone; "),
            .tag("code", [], command),
            .text(" makes it again."),
          ]),
      ]
    ).document()
  }

  /// The changes of the last folder: exact figures and counts do not vary by chance.
  private var changes: Node {
    guard let last = lines.last, let former = lines.dropLast().last else {
      return .tag(
        "section", [],
        [
          .tag(
            "p", [.class("none")], "One folder is not a trend: name the folders before it too.")
        ])
    }
    let moved = columns.compactMap { column -> Change? in
      guard let before = former.values[column], let after = last.values[column], before != after
      else { return nil }
      return Change(column: column, before: before, after: after)
    }.sorted { $0.share != $1.share ? $0.share > $1.share : $0.column < $1.column }
    var parts: [Node] = [.tag("h2", [], "What \(last.name) moved, \(last.date)")]
    if moved.isEmpty {
      parts.append(.tag("p", [], "No figure of both differs from \(former.name)."))
    }
    parts += Self.list(
      moved.map { change in
        let metric = Group(change.column).metric
        let (before, after) = (
          Self.text(change.before, of: metric), Self.text(change.after, of: metric)
        )
        return "\(change.column): \(before) → \(after)"
      })
    parts += Self.list(
      former.otherWorkloads.map { "\($0): another workload in \(former.name), not comparable" })
    let ofOne = columns.filter { column in
      (former.values[column] == nil) != (last.values[column] == nil)
        && !Self.isOf(former.otherWorkloads, column)
    }
    parts += Self.list(
      ofOne.map { "\($0): only in \(last.values[$0] == nil ? former.name : last.name)" })
    return .tag("section", [], parts)
  }

  /// Returns the first of some lines, and the number of the others.
  private static func list(_ lines: [String]) -> [Node] {
    guard !lines.isEmpty else { return [] }
    let list = Node.tag("ul", [], lines.prefix(shownChanges).map { .tag("li", [], $0) })
    return lines.count > shownChanges
      ? [list, .tag("p", [], "+ \(lines.count - shownChanges) more")] : [list]
  }

  private static let shownChanges = 12

  private static func text(_ value: Double, of metric: String) -> String {
    HumanNumber.text(.real(value), unit: MetricRegistry.named(metric)?.unit ?? .count)
  }

  private var pictures: Node {
    let groups = columns.map(Group.init).distinct { $0 }
    return .tag(
      "section", [],
      [
        .tag("h2", [], "All figures"),
        .tag("div", [.class("pics")], groups.map { picture(of: $0).node }),
      ])
  }

  /// Returns the end of a long name, which contains the revision.
  private static func label(_ name: String) -> String {
    name.count > 9 ? "…\(name.suffix(8))" : name
  }

  private func picture(of group: Group) -> Picture {
    let own = columns.filter { Group($0) == group }
    let looks = PolicyLooks(own.map(Self.curveName))
    let curves = own.map { column in
      let name = Self.curveName(column)
      return CurveChart.Curve(
        name: name.isEmpty ? group.metric : name, look: looks[name],
        points: lines.indices.compactMap { line in
          lines[line].values[column].map { CurveChart.Point(x: Double(line), y: $0) }
        })
    }.filter { !$0.points.isEmpty }
    let values = curves.flatMap(\.points).map(\.y)
    guard let low = values.min(), let high = values.max() else {
      return .missing(group.title, "no folder has it")
    }
    let margin = high > low ? (high - low) * 0.05 : max(high.magnitude * 0.05, 0.01)
    let chart = CurveChart(
      x: CurveChart.Axis(
        title: "folder", range: -0.5...Double(max(lines.count, 1)) - 0.5,
        ticks: lines.indices.map(Double.init),
        text: { place in
          lines.indices.contains(Int(place)) ? Self.label(lines[Int(place)].name) : ""
        }),
      y: CurveChart.Axis(
        title: group.metric, range: (low - margin)...(high + margin),
        text: { Self.text($0, of: group.metric) }),
      curves: curves,
      description: curves.map { curve in
        "\(curve.name) \(curve.points.map { Self.text($0.y, of: group.metric) }.joined(separator: ", "))"
      }.joined(separator: "; "))
    return Picture(
      title: group.title, drawing: chart.drawing,
      howToRead: "A step is what changed between two folders."
        + (lines.contains { line in own.contains { Self.isOf(line.otherWorkloads, $0) } }
          ? " Folders with another workload are left out." : "")
        + (low > margin ? " The axis does not begin at zero." : ""),
      source: Picture.Source(
        sample: "n = \(lines.count) folders",
        noiseClass: MetricRegistry.named(group.metric)?.noiseClass.rawValue ?? "exact",
        rows: "\(group.metric)/\(group.subject)/…",
        command: .text(command)))
  }
}
