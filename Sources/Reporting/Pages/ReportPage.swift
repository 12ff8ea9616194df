import ResultModel
import Text

/// A folder of results as one HTML page: the recommended policy, with certainty, cost and evidence.
///
/// The page is self-contained, and loads and runs nothing. Above ``sizeLimit`` it omits charts of the last
/// scenarios, and says so in their place.
package struct ReportPage: Sendable {
  /// The maximum bytes of a page, accepted by mail and review tools.
  package static let sizeLimit = 400_000

  let results: SavedResults
  let figures: SavedFigures
  let looks: PolicyLooks
  let scenarios: [SavedScenario]

  package init(_ results: SavedResults) {
    self.results = results
    figures = SavedFigures(results.rows)
    looks = PolicyLooks(results.rows.distinct(\.policy))
    let known = results.verdicts?.scenarios ?? []
    // Undecided scenarios come first, for the reader's attention.
    let all =
      known
      + results.scenarios.filter { name in !known.contains { $0.scenario == name } }.map {
        Self.withoutVerdict($0)
      }
    scenarios = all.filter { !$0.isDecided } + all.filter(\.isDecided)
  }

  /// Returns a scenario of a folder that has only its rows.
  private static func withoutVerdict(_ name: String) -> SavedScenario {
    let command = ShellWord.line(["tidemark", "bench", name])
    return SavedScenario(
      scenario: name, outcome: .nobody, objective: Metric.freshHitRatio.name,
      unit: MetricUnit.ratio.rawValue, seeds: 0,
      sentence: "which policy to ship was not decided in this run", verdictCommand: command,
      rowsCommand: command)
  }

  /// Which charts a scenario has: all, those behind the verdict, or none.
  enum Detail: Sendable {
    case all
    case main
    case none
  }

  /// Returns the page, in UTF-8.
  package func html() -> [UInt8] {
    var sections = scenarios.indices.map { section(of: $0, .all) }
    var bytes = page(sections).document()
    for detail in [Detail.main, .none] {
      var excess = bytes.count - Self.sizeLimit
      guard excess > 0 else { break }
      // From the end: readers of a long page read its beginning.
      for index in sections.indices.reversed() where excess > 0 {
        let short = section(of: index, detail)
        excess -= sections[index].size - short.size
        sections[index] = short
      }
      bytes = page(sections).document()
    }
    return bytes
  }

  private func page(_ sections: [Node]) -> Node {
    Self.frame(
      title: "Which cache policy to ship: \(results.folder)",
      body: [
        masthead, .tag("main", [], [answers] + sections + [measured, experiments, targets, notes]),
        footer,
      ])
  }

  /// Returns a page with the style and the markers of all reports.
  static func frame(title: String, body: [Node]) -> Node {
    let viewport = "width=device-width,initial-scale=1"
    return .tag(
      "html", [Attribute("lang", "en")],
      [
        .tag(
          "head", [],
          [
            .tag("meta", [Attribute("charset", "utf-8")]),
            .tag("meta", [Attribute("name", "viewport"), Attribute("content", viewport)]),
            .tag("title", [], title), .styleSheet(PageStyle.sheet),
          ]),
        .tag("body", [], [PolicyLooks.definitions] + body),
      ])
  }

  // MARK: Head and foot

  private var masthead: Node {
    let facts = [results.folder, results.run?.startedAt].compactMap(\.self)
    return .tag(
      "header", [],
      [
        .tag("h1", [], "Which cache policy to ship"),
        .tag("p", [.class("soft")], facts.joined(separator: " · ")),
      ])
  }

  private var footer: Node {
    .tag(
      "footer", [],
      [
        .text(
          "Made by tidemark from \(results.folder) alone; "),
        .tag("code", [], ShellWord.line(["tidemark", "report", results.folder])),
        .text(" makes it again.\(circumstances)"),
      ])
  }

  /// Of what version and on which machine it was made; empty if unknown.
  private var circumstances: String {
    guard let run = results.run else { return "" }
    let machine = [
      run.host["cpu_model"], run.host["cores"].map { "\($0) cores" },
      run.host["load"].map { "load average \($0) (1, 5 and 15 min)" },
    ].compactMap(\.self)
    let duration = HumanNumber.duration(nanoseconds: run.elapsedSeconds * 1e9)
    return " "
      + (["Version \(run.programVersion)", "took \(duration)"] + machine).joined(separator: ", ")
      + "."
  }

  /// The notes for all scenarios: how figures are computed, and the contents of each file.
  private var notes: Node {
    .tag(
      "section", [.id(Anchor("notes"))],
      [
        .tag("h2", [], "How to read this"),
        .tag(
          "p", [],
          "A fresh hit is a read that was served without waiting, complete, and equal to the server's state "
            + "at that moment. Wait is the mean time from a read to its rows, hits as zero. Received is "
            + "response bytes and event bytes. Memory is the predicted peak of the whole cache. Stale is "
            + "the share of reads served without waiting, but outdated. The bounds, no-cache and "
            + "unbounded, do not compete; without pushed events unbounded may have fewer fresh hits than others."
        ),
        .tag(
          "p", [],
          "Every policy of a scenario meets the same events and reads, drawn from numbered seeds, so "
            + "policies are compared seed by seed (paired). ± is the half-width of the 95 % confidence interval of "
            + "a mean; the intervals of margins hold simultaneously. A verdict is wrong if another policy is "
            + "better by the zone of equivalence or more: a probability of at most 5 % for each scenario, not for "
            + "all together. Exact figures are the same on every machine; sampled ones are of this "
            + "machine and this run."),
        .tag(
          "p", [],
          "Each result is about its scenario, not about another app. A seed is the number "
            + "from which a stream of events and reads is drawn; what happens in the warm-up at its "
            + "beginning is not counted. A policy is over a limit if it takes more than the scenario "
            + "allows, as clients that set no limit often do: over says how many times as "
            + "much. The worst client is the one device that had the fewest fresh hits. A reason counts the reads "
            + "that only one of two policies served fresh, by what became of them under the other."),
        policyTable,
        .tag("h3", [], "The files"),
        fileTable,
      ])
  }

  /// The definitions of the policies; empty for results of an older version.
  private var policyTable: Node {
    let policies = results.verdicts?.policies ?? []
    guard !policies.isEmpty else { return .text("") }
    return .tag(
      "details", [],
      [
        .tag("summary", [], "The policies, one line each"),
        .table(rows: policies.map { Node.row([$0.name, $0.meaning]) }),
      ])
  }

  private var fileTable: Node {
    var files: [(Node, String)] = [
      (Self.link("policies.csv"), "the figures to look at first: a line for each policy"),
      (Self.link("results.csv"), "every exact figure, over the seeds"),
      (
        Self.link("memory-levels.csv"),
        "each policy with half, all and twice lru's memory"
      ),
      (Self.link("timeline.csv"), "the first seed of each policy in parts of time"),
      (
        Self.link("reads.csv"),
        "every read of the first seed under two policies, of up to three scenarios"
      ),
      (Self.link("latency.csv"), "times on this machine"),
      (Self.link("memory.csv"), "bytes counted by the allocator on this machine"),
      (Self.link("verdicts.json"), "verdicts, effects and targets of this page"),
      (Self.link("manifest.json"), "date, machine, command, versions and seeds"),
    ]
    if results.seeds != nil {
      files.append((Self.link("seeds.csv"), "every exact figure, seed by seed"))
    }
    if !results.experiments.sensitivity.isEmpty {
      files.append((Self.link("sensitivity.csv"), "one field of the workload varied at a time"))
    }
    if !results.experiments.measurements.isEmpty {
      files.append((Self.link("verdict.json"), "this build compared with another"))
    }
    return .table(
      rows: files.map { .tag("tr", [], [.tag("td", [], [$0.0]), .tag("td", [], $0.1)]) })
  }

  static func link(_ file: StaticString) -> Node {
    .tag("a", [.href(.file(file))], "\(file)")
  }
}

extension Node {
  /// The size in bytes.
  var size: Int {
    var bytes: [UInt8] = []
    render(into: &bytes)
    return bytes.count
  }
}
