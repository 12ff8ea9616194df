import ResultModel
import Text

/// What the figures of a trend came to, commit by commit, as a page of HTML.
package struct TrendPage: Sendable {
  private let table: TrendTable
  /// As the user named the file.
  private let name: String

  /// - Parameters:
  ///   - table: the commits.
  ///   - name: the file's.
  package init(_ table: TrendTable, name: String) {
    self.table = table
    self.name = name
  }

  /// A figure of the last commit that is not what it was before.
  private struct Change {
    var column: String
    var before: Double
    var after: Double

    var share: Double {
      before == 0 ? .infinity : ((after - before) / before).magnitude
    }
  }

  /// Curves of one metric in one scenario, or of one operation.
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

  /// The page, in UTF-8.
  package func html() -> [UInt8] {
    ReportPage.frame(
      title: "Trend: \(name)",
      body: [
        .tag(
          "header", [],
          [
            .tag("h1", [], "Commit by commit"),
            .tag("p", [.class("soft")], "\(name) · \(table.lines.count) commits"),
          ]),
        .tag("main", [], [changes, pictures]),
        .tag(
          "footer", [],
          [
            .text("Made by tidemark from \(name) alone; "),
            .tag("code", [], "tidemark report \(ShellWord.quoted(name))"),
            .text(" makes it again."),
          ]),
      ]
    ).document()
  }

  /// What the last commit moved: exact figures and counts do not move by themselves.
  private var changes: Node {
    guard let last = table.lines.last, let former = table.lines.dropLast().last else {
      return .tag(
        "section", [],
        [
          .tag(
            "p", [.class("none")],
            "One commit is no trend: `tidemark trend` adds the next.")
        ])
    }
    let moved = table.columns.indices.compactMap { index -> Change? in
      guard let before = former.cells[index], let after = last.cells[index], before != after
      else { return nil }
      return Change(column: table.columns[index], before: before, after: after)
    }.sorted { $0.share != $1.share ? $0.share > $1.share : $0.column < $1.column }
    var parts: [Node] = [.tag("h2", [], "What \(last.commit) moved, \(last.date)")]
    if moved.isEmpty {
      parts.append(.tag("p", [], "No figure differs from \(former.commit)."))
    } else {
      parts.append(
        .tag(
          "ul", [],
          moved.prefix(Self.shownChanges).map { change in
            let metric = Group(change.column).metric
            let (before, after) = (
              Self.text(change.before, of: metric), Self.text(change.after, of: metric)
            )
            return .tag("li", [], "\(change.column): \(before) → \(after)")
          }))
      if moved.count > Self.shownChanges {
        parts.append(.tag("p", [], "+ \(moved.count - Self.shownChanges) more in \(name)"))
      }
    }
    return .tag("section", [], parts)
  }

  private static let shownChanges = 12

  private static func text(_ value: Double, of metric: String) -> String {
    HumanNumber.text(.real(value), unit: MetricRegistry.named(metric)?.unit ?? .count)
  }

  private var pictures: Node {
    let groups = table.columns.map(Group.init).distinct { $0 }
    return .tag(
      "section", [],
      [
        .tag("h2", [], "All figures"),
        .tag("div", [.class("pics")], groups.map { picture(of: $0).node }),
      ])
  }

  private func picture(of group: Group) -> Picture {
    let own = table.columns.indices.filter { Group(table.columns[$0]) == group }
    let looks = PolicyLooks(own.map { Self.curveName(table.columns[$0]) })
    let curves = own.map { index in
      let name = Self.curveName(table.columns[index])
      return CurveChart.Curve(
        name: name.isEmpty ? group.metric : name, look: looks[name],
        points: table.lines.indices.compactMap { line in
          table.lines[line].cells[index].map { CurveChart.Point(x: Double(line), y: $0) }
        })
    }.filter { !$0.points.isEmpty }
    let values = curves.flatMap(\.points).map(\.y)
    guard let low = values.min(), let high = values.max() else {
      return .missing(group.title, "no commit has it")
    }
    let commits = table.lines.map(\.commit)
    let margin = high > low ? (high - low) * 0.05 : max(high.magnitude * 0.05, 0.01)
    let chart = CurveChart(
      x: CurveChart.Axis(
        title: "commit", range: -0.5...Double(max(commits.count, 1)) - 0.5,
        ticks: commits.indices.map(Double.init),
        text: { place in
          commits.indices.contains(Int(place)) ? String(commits[Int(place)].prefix(8)) : ""
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
      howToRead: "A step is what a commit changed. The axis does not begin at zero.",
      source: Picture.Source(
        sample: "n = \(commits.count) commits",
        noiseClass: MetricRegistry.named(group.metric)?.noiseClass.rawValue ?? "exact",
        rows: "\(name): \(group.metric)/\(group.subject)/…",
        command: .text("tidemark report \(ShellWord.quoted(name))")))
  }
}
