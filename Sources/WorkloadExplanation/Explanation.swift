import CacheModel
import Text
package import Workloads

/// A scenario in words: its declarations, their consequences, some generated rows and events, and a
/// comparison of the generated stream with the declarations.
///
/// For a recording: its content, the unknown parts, and the caches that are compared on it.
package struct Explanation: Sendable {
  /// The comparison with the declarations; `nil` for a recording, which has none.
  package let check: StreamCheck?
  /// A sentence on each type of which all entities were deleted, though an operation needs one.
  package let depletions: [String]
  private let sections: [ExplanationSection]

  package init(_ scenario: Scenario, _ workload: Workload) {
    check = StreamCheck(workload, against: scenario)
    depletions = Self.depletions(scenario.model, workload)
    var sections = ExplanationSection.declared(in: scenario)
    sections.append(
      .init(
        "totals", Self.load(scenario, workload) + IntegerRanges.lines(workload)))
    sections.append(.init("sample rows", SampleRows(workload).rows))
    sections.append(.init("sample events", SampleRows(workload).events))
    self.sections = sections
  }

  /// Explains a recording, with the caches of a scenario.
  package init(
    of workload: Workload, under scenario: Scenario, rows: @escaping (QueryKind) -> [Int]
  ) {
    check = nil
    depletions = []
    sections =
      RecordingWords(workload, rows: rows).sections + ExplanationSection.caches(of: scenario)
  }

  private static func load(_ scenario: Scenario, _ workload: Workload) -> [String] {
    let summary = WorkloadSummary(of: workload)
    let hours = Double(scenario.duration.wholeNanoseconds) / 3.6e12
    let clients = max(1, summary.clients)
    let perEdit =
      summary.edits > 0
      ? ", \(Words.about(Double(summary.reads) / Double(summary.edits))) for each edit" : ""
    return [
      "\(Words.count(summary.objectsAtStart, "entity")) of \(Words.aboutSize(summary.bytesAtStart)) "
        + "together when the run begins.",
      "\(Words.count(summary.commits, "commit")) in \(Words.duration(scenario.duration)), "
        + "\(Words.about(Double(summary.commits) / hours)) an hour; their events are "
        + "\(Words.aboutSize(summary.eventBytes)), sent to each client that is connected.",
      "\(Words.count(summary.reads, "read")) by \(Words.count(clients, "client"))"
        + "\(perEdit): \(Words.count(summary.queryReads, "list")) and "
        + "\(Words.count(summary.opens, "entity")) opened; "
        + "\(Words.aboutShare(Double(summary.seenBefore) / Double(max(1, summary.queryReads)))) of the lists "
        + "the same client had asked for before.",
      summary.writes > 0
        ? "\(Words.count(summary.writes, "write")) by users, "
          + "\(Words.about(Double(summary.writes) / Double(clients))) by each; "
          + "\(Words.count(workload.writes.count { $0.isRefused }, "write")) of them will be refused."
        : nil,
      "\(Words.count(workload.queries.count, "distinct query")); "
        + "\(Words.count(summary.countedReads, "read")) are counted, after the warm-up.",
    ].compactMap { $0 }
  }

  private static func depletions(_ model: DataModel, _ workload: Workload) -> [String] {
    TypeProfile.all(of: workload).enumerated().compactMap { place, type in
      let operations = model.operations.filter { operation in
        if case .create = operation.effect { return false }
        return operation.effect.type == place
      }
      let all = type.atStart + type.created
      guard all > 0, type.deleted == all, !operations.isEmpty else { return nil }
      let names = Words.list(operations.map { "`\($0.name)`" })
      return
        "all \(Words.count(all, type.name)) were deleted before the end, so that \(names) found "
        + "none; delete less often, add a `create` operation, or shorten `duration`"
    }
  }

  /// The text, a line each, none longer than that, but for a name.
  package func lines(width: Int) -> [String] {
    var lines: [String] = []
    for section in sections {
      lines.append(section.title)
      for text in section.lines { lines += Words.wrapped(text, indent: 2, width: width) }
      lines.append("")
    }
    guard let check else { return Array(lines.dropLast()) }
    lines.append("the drawn stream compared with the declaration")
    let nameWidth = check.figures.map(\.name.count).max() ?? 0
    for figure in check.figures {
      let name = figure.name + String(repeating: " ", count: nameWidth - figure.name.count)
      let declared = Words.value(figure.declared, figure.dimension)
      let measured = figure.measured.map { Words.value($0, figure.dimension) } ?? "–"
      lines.append(
        "  \(name)  \(declared) → \(measured)  \(figure.verdict.rawValue) (\(figure.count))")
    }
    return lines
  }
}

/// A few sentences on one subject.
struct ExplanationSection: Sendable {
  var title: String
  var lines: [String]

  init(_ title: String, _ lines: [String]) {
    self.title = title
    self.lines = lines
  }

  /// Returns every value of a scenario in sentences, including defaults.
  static func declared(in scenario: Scenario) -> [Self] {
    let link = LinkWords(scenario)
    let sections =
      [
        Self(
          scenario.name,
          [scenario.summary].filter { !$0.isEmpty } + time(of: scenario))
      ] + data(of: scenario) + [
        Self("network", link.network), Self("faults", link.faults), Self("server", link.server),
      ] + caches(of: scenario)
    return sections.filter { !$0.lines.isEmpty }
  }

  /// Returns the compared caches, their limits and the goal.
  static func caches(of scenario: Scenario) -> [Self] {
    let cache = CacheWords(scenario)
    return [
      Self("cache", cache.shared), Self("policies", cache.policies), Self("goal", cache.aims),
    ]
  }

  private static func time(of scenario: Scenario) -> [String] {
    [
      "\(Words.duration(scenario.duration)), of which the first \(Words.share(scenario.warmUp)) is not "
        + "counted, while caches fill, and in the last \(Words.duration(scenario.drain)) nothing "
        + "changes. The seed is \(scenario.seed)."
    ]
  }

  private static func data(of scenario: Scenario) -> [Self] {
    let words = ModelWords(scenario.model)
    let opened = scenario.users.flatMap { group in
      group.watched + group.activities.flatMap(\.steps).compactMap(\.shape)
    }
    let queries = scenario.model.shapes.indices.map { place in
      words.shape(scenario.model.shapes[place])
        + (opened.contains(place) ? "" : " It is never opened.")
    }
    return [
      Self("data", scenario.model.types.indices.map { words.type($0) }),
      Self("queries", queries), Self("operations", words.operations),
      Self("writers", scenario.writers.flatMap { words.others($0, scenario) }),
      Self("users", scenario.users.flatMap { words.people($0) }),
    ]
  }
}

/// The events that a client misses while it is disconnected, relative to the server's replay limit: if more
/// are missed, the whole content of a cache becomes stale, with any policy.
struct Absence {
  /// A line for each group of clients whose app is suspended between visits.
  let lines: [String]
  private let server: ServerSection
  /// The rate of others' commits per second.
  private let rate: Double
  private let isPushed: Bool

  init(_ scenario: Scenario) {
    server = scenario.server
    isPushed = scenario.network.events == .push
    let rate = scenario.writers.reduce(0.0) { rate, group in
      let bursts = group.burst.map { Double($0.operations) / $0.every.inSeconds } ?? 0
      return rate + Double(group.count) * (group.rate + bursts)
    }
    self.rate = rate
    lines = scenario.users.compactMap { [server, isPushed] group in
      guard let visits = group.visits, visits.between == .suspended, isPushed else { return nil }
      // Visits are a Poisson process, so the time until the next one is exponential.
      let mean = 1 / visits.rate
      let age = server.replayAge.inSeconds
      let window = rate > 0 ? min(age, Double(server.replayEvents) / rate) : age
      let longer = PortableMath.exp(-window * visits.rate)
      return
        "\(group.name): hears nothing for \(Words.about(seconds: mean)) on average between two visits, in "
        + "which others make \(Words.about(mean * rate)) \(mean * rate == 1 ? "change" : "changes"). "
        + "\(Words.sentence(Words.aboutShare(longer))) of these absences are longer than what is "
        + "replayed, so that the visit begins with everything stale."
    }
  }

  /// Returns whether the events during an absence are replayed.
  func missed(during length: Duration) -> String {
    guard isPushed, rate > 0 else { return "" }
    let count = rate * length.inSeconds
    let isReplayed = length <= server.replayAge && count <= Double(server.replayEvents)
    return ", in which others make \(Words.about(count)) \(count == 1 ? "change" : "changes"), "
      + (isReplayed ? "all of them replayed" : "more than is replayed: everything is stale then")
  }
}

/// The integers of an app outside of their declared range.
///
/// An operation may add to a number without a limit.
enum IntegerRanges {
  /// Returns a line for each field with a state outside of its range.
  static func lines(_ workload: Workload) -> [String] {
    let catalog = workload.catalog
    return workload.model.types.enumerated().flatMap { place, type in
      type.fields.compactMap { field -> String? in
        guard case .integer(let initial) = field.content else { return nil }
        let range =
          min(
            initial.lowerBound, field.starts?.lowerBound ?? initial.lowerBound)...max(
            initial.upperBound, field.starts?.upperBound ?? initial.upperBound)
        var (outside, least, most) = (0, range.lowerBound, range.upperBound)
        var objects = Set<UInt32>()
        for (revision, state) in catalog.revisions.enumerated()
        where Int(catalog.objects[Int(state.object)].type.rawValue) - 1 == place {
          let number = OrderedWord.number(
            catalog.values[Int(catalog.valueStarts[revision]) + field.slot])
          guard !range.contains(number) else { continue }
          outside += 1
          least = min(least, number)
          most = max(most, number)
          objects.insert(state.object)
        }
        guard outside > 0 else { return nil }
        let extremes = [
          least < range.lowerBound ? "down to \(Words.grouped(Int(least)))" : nil,
          most > range.upperBound ? "up to \(Words.grouped(Int(most)))" : nil,
        ].compactMap { $0 }
        return "\(type.name).\(field.name) leaves its declared range in "
          + "\(Words.count(outside, "state")) of \(Words.count(objects.count, type.name)), "
          + "\(Words.list(extremes)): no error, since `add` has no limits. If the app's field has some, "
          + "change it by `set`."
      }
    }
  }
}
