package import CacheModel

/// The parts of a scenario file that apply to a recording: caches, goals and targets, a network and a server.
///
/// The traffic is the recording's own.
package struct LentScenario: Sendable {
  /// A scenario of the recording's data, with the file's sections.
  package private(set) var scenario: Scenario
  /// The applied sections, in the order of the file.
  package private(set) var sections: [String] = []
  /// The sections that the recording has itself.
  package private(set) var unused: [String] = []
  /// The applied fields of `network` and `server`, and those about the delivery of events, which the
  /// recording has itself.
  private var fields: [String] = []
  package private(set) var unusedFields: [String] = []

  private static let lent = ["network", "server", "cache", "policies", "targets", "goal"]

  /// Reads a file for a recording.
  ///
  /// - Parameters:
  ///   - document: the file; only the names of its data are read.
  ///   - workload: the recording.
  ///   - model: the data of all recordings of the app.
  ///   - vocabulary: the names of other modules.
  /// - Throws: all problems, in order of place; also if it refers to a type or a query that was not recorded.
  package init(
    _ document: ScenarioDocument, to workload: Workload, of model: DataModel, vocabulary: Vocabulary
  ) throws(ScenarioError) {
    scenario = Scenario(of: model)
    var reader = ScenarioReader(file: document.file, vocabulary: vocabulary)
    reader.model = model
    guard case .mapping(let entries) = document.root.content else {
      reader.report(
        document.root.place, "a section is expected here, not \(document.root.kindName)",
        "write keys and values: \(Self.lent.joined(separator: ", "))")
      throw ScenarioError(problems: reader.problems)
    }
    for entry in entries {
      guard let field = Scenario.fields.first(where: { $0.name == entry.key }) else {
        _ = reader.reportUnknown(entry, among: Scenario.fields.map(\.name))
        continue
      }
      guard Self.lent.contains(entry.key) else {
        unused.append(entry.key)
        continue
      }
      field.assign(&scenario, entry.value, &reader)
      sections.append(entry.key)
    }
    reportStrangers(in: document.root, model, &reader)
    readFields(of: document.root, workload, &reader)
    scenario.validatePolicies(&reader)
    if sections.contains("policies") { scenario.validateTargets(&reader) }
    try reader.throwIfAnyProblem()
  }

  /// Reports types and queries of the file's data that were not recorded: it is for another app.
  private func reportStrangers(
    in root: SourceNode, _ model: DataModel, _ reader: inout ScenarioReader
  ) {
    var strangers: [(entry: SourceNode.Entry, what: String, names: [String])] = []
    for (key, what, names) in [
      ("entities", "type", model.types.map(\.name)), ("queries", "query", model.shapes.map(\.name)),
    ] {
      guard
        case .mapping(let entries)? = root.node(at: [.key(Scenario.modelKey), .key(key)])?.content
      else { continue }
      strangers += entries.filter { !names.contains($0.key) }
        .map { (entry: $0, what: what, names: names) }
    }
    guard strangers.count < 4 else {
      let first = strangers.prefix(2).map { "`\(ScenarioReader.shortened($0.entry.key))`" }
      return reader.report(
        strangers[0].entry.keyPlace,
        "the recording has no \(first.joined(separator: ", no ")) and \(strangers.count - 2) more: "
          + "it is of another app",
        "lend from a file of the same app, or from one without `data`")
    }
    for stranger in strangers {
      let name = stranger.entry.key
      reader.report(
        stranger.entry.keyPlace,
        "the recording has no \(stranger.what) `\(ScenarioReader.shortened(name))`",
        reader.remedy(for: name, among: stranger.names) + "; or lend from a file without `data`")
    }
  }

  private mutating func readFields(
    of root: SourceNode, _ workload: Workload, _ reader: inout ScenarioReader
  ) {
    let lent = [
      "round-trip", "round-trip-jitter", "bandwidth", "events", "replay-events", "replay-age",
      "not-modified",
    ]
    for section in ["network", "server"] {
      guard case .mapping(let entries)? = root.node(at: [.key(section)])?.content else { continue }
      for entry in entries {
        if lent.contains(entry.key) {
          fields.append(entry.key)
        } else {
          unusedFields.append("\(section).\(entry.key)")
        }
        if entry.key == "events", scenario.network.events == .push, !workload.pushesEvents {
          reader.report(
            entry.value.place, "the recording has no events, so none can be pushed",
            "remove `events`, or record them")
        }
      }
    }
  }

  package var changesWorkload: Bool { !fields.isEmpty }

  /// Returns the recording with the network and the server of the file.
  package func applied(to workload: Workload) -> Workload {
    var workload = workload
    let (network, server) = (scenario.network, scenario.server)
    for field in fields {
      switch field {
      case "round-trip": workload.network.minimumRoundTrip = network.roundTrip.wholeNanoseconds
      case "round-trip-jitter":
        workload.network.meanExtra = network.roundTripJitter.wholeNanoseconds
      case "bandwidth": workload.network.bytesPerSecond = network.bandwidth
      case "replay-events": workload.retention.events = server.replayEvents
      case "replay-age": workload.retention.age = server.replayAge
      case "not-modified": workload.saysNotModified = server.notModified
      case "events": workload.pushesEvents = network.events == .push
      default: continue
      }
    }
    return workload
  }
}

extension DataModel {
  /// Creates a model with the names of several recordings' data, in order of appearance.
  ///
  /// It is only for reading settings by name; it cannot be simulated.
  package init(namesOf models: [DataModel]) {
    var (types, shapes) = (models.first?.types ?? [], models.first?.shapes ?? [])
    for model in models.dropFirst() {
      types += model.types.filter { type in !types.contains { $0.name == type.name } }
      shapes += model.shapes.filter { shape in !shapes.contains { $0.name == shape.name } }
    }
    self.init(types: types, shapes: shapes)
  }

  /// Returns the number in another model of the query with the name of a method here.
  package func method(
    _ method: QueryMethod, in other: DataModel
  ) -> QueryMethod? {
    let place = Int(method.rawValue) - 1
    guard shapes.indices.contains(place) else { return nil }
    return other.shapes.firstIndex { $0.name == shapes[place].name }
      .map { DataModel.kind(ofShape: $0).method }
  }
}

extension CachePolicy {
  /// Returns the policy for data whose methods have other numbers.
  ///
  /// - Parameter number: returns the number of a method there; `nil`: there is none, and its settings are
  ///   omitted.
  /// - Returns: the policy for that data.
  package func renumbered(_ number: (QueryMethod) -> QueryMethod?) -> CachePolicy {
    var policy = self
    policy.freshness.perMethod = [:]
    for (method, lifetime) in freshness.perMethod {
      if let other = number(method) { policy.freshness.perMethod[other] = lifetime }
    }
    for origin in EventOrigin.allCases {
      guard let rules = batchRules[origin] else { continue }
      policy.batchRules[origin]?.staleMethods = rules.staleMethods.compactMap(number)
    }
    return policy
  }
}
