package import CacheModel
import Text

/// A simulation and comparison: the content of a scenario file.
package struct Scenario: Sendable {
  package var name = ""
  package var summary = ""
  /// The seed of the random numbers; the command line may override it.
  package var seed: UInt64 = 1
  /// The length of the run, in virtual time.
  package var duration = Duration.minutes(30)
  /// The end of the run without changes, actions or faults, so that every cache can reach quiescence;
  /// heartbeats continue.
  package var drain = Duration.minutes(1)
  /// The initial share of the run that is not counted, while the cache fills.
  package var warmUp = 0.2
  /// The app's data, queries and operations.
  package var model: DataModel
  /// The devices that change the data.
  package var writers: [WritersSection] = []
  /// The caches under test, and their users.
  package var users: [UsersSection] = []
  package var network = NetworkSection()
  package var events = EventsSection()
  package var faults: [FaultSection] = []
  package var server = ServerSection()
  package var cache = CacheSection()
  package var policies: [PolicyEntry] = []
  package var targets: [TargetSection] = []
  package var goal = GoalSection()

  /// Creates a scenario with a model and defaults; a recording provides the traffic.
  package init(of model: DataModel) {
    self.model = model
  }

  /// Creates an empty scenario.
  init() { self.init(of: DataModel(types: [], shapes: [])) }

  package var queryNames: [String] {
    model.shapes.map(\.name)
  }

  /// The time at which counting begins.
  package var warmUpDuration: Duration {
    .nanoseconds(Int64(Double(duration.wholeNanoseconds) * warmUp))
  }

  package var activeDuration: Duration { duration - drain }

  /// Reads a scenario file, and reports all of its problems.
  ///
  /// - Parameters:
  ///   - yaml: the bytes of the file.
  ///   - file: its name, for errors.
  ///   - vocabulary: the names of other modules.
  ///   - models: the models that its data may extend.
  /// - Returns: the checked scenario.
  /// - Throws: all problems, in order of place, each with its remedy.
  package static func parse(
    _ yaml: [UInt8], file: String, vocabulary: Vocabulary, models: SharedModels = .none
  ) throws(ScenarioError) -> Scenario {
    try ScenarioDocument(yaml, file: file, models: models).scenario(vocabulary: vocabulary)
  }
}

/// Variants of a scenario, to check whether a verdict is robust.
extension Scenario {
  /// Returns the scenario with a longer run; scheduled times are unchanged.
  package func prolonged(by factor: Int) -> Scenario {
    var scenario = self
    scenario.duration = .nanoseconds(duration.wholeNanoseconds * Int64(factor))
    return scenario
  }

  /// Returns clients that are at least a share of all, in the proportions of the groups.
  ///
  /// Clients of a group differ only by chance. All of them where the groups' sizes have no common divisor.
  ///
  /// - Parameter share: one in this many.
  /// - Returns: their indices, ascending.
  package func clients(oneIn share: Int) -> [Int] {
    let smallest = users.map(\.clients).min() ?? 1
    let parts =
      (1...max(smallest, 1)).last { size in users.allSatisfy { $0.clients % size == 0 } } ?? 1
    let taken = (parts + share - 1) / share
    var clients: [Int] = []
    var first = 0
    for group in users {
      clients += (first..<first + group.clients).filter { ($0 - first) % parts < taken }
      first += group.clients
    }
    return clients
  }

  /// The scenario in which every user waits for answers.
  package var withWaitingUsers: Scenario {
    var scenario = self
    for index in users.indices { scenario.users[index].reaction = .waits }
    return scenario
  }
}

extension Scenario: ScenarioSection {
  static let modelKey = "data"

  /// The sections that can be read without a model.
  static let besidesTheModel = [
    "name", "description", "seed", "duration", "drain", "warm-up", "network", "events", "server",
    "goal",
  ]
  static let isCheckedInParts = true

  static let fields: [Field<Scenario>] = [
    .identifier("name", \.name, "name of the scenario in reports").required(),
    .text("description", \.summary, "one sentence on its purpose"),
    Field(
      name: "seed", form: .named("whole number"), summary: "seed of all random draws",
      initial: { "\($0.seed)" }
    ) {
      guard let text = $2.scalar($1) else { return }
      guard let seed = UInt64(text) else {
        $2.report(
          $1.place, "`\(ScenarioReader.shortened(text))` is not a seed",
          "write a whole number from 0 to \(UInt64.max)")
        return
      }
      $0.seed = seed
    },
    .duration(
      "duration", \.duration, .seconds(1)...(.days(30)), "the whole run, in virtual time"
    ).required(),
    .duration(
      "drain", \.drain, .seconds(1)...(.hours(1)),
      "the end of the run, in which nothing changes or breaks"),
    .real(
      "warm-up", .share, \.warmUp, 0...0.9,
      "share of the run before anything is counted"),
    Field(
      name: modelKey, form: .section, summary: "the app's data: entities, queries, operations"
    ) { _, _, _ in
      // Read before all other sections.
    }.holding(DataSection.self),
    groups("writers", WritersSection(), "other writers of the data", \.writers),
    groups("users", UsersSection(), "the caches under test, and their users", \.users),
    .section("network", \.network, "delays, losses and limits of every link"),
    .section("events", \.events, "content of the server's events"),
    .list(
      "faults", \.faults, startingFrom: FaultSection(), limit: 1_000,
      "what breaks, and when"),
    .section("server", \.server, "how far back the server can replay"),
    .section("cache", \.cache, "limits and choices that all policies share"),
    PolicyEntry.listField,
    .list(
      "targets", \.targets, startingFrom: TargetSection(), limit: 100,
      "figures that the policies must reach"),
    .section(
      "goal", \.goal, "figure that decides, and limits to keep"),
  ]

  /// Returns a field for a list of groups that act on the data.
  private static func groups<Group: ScenarioSection>(
    _ name: String, _ start: Group, _ summary: String,
    _ path: FieldPath<Scenario, [Group]>
  ) -> Field<Scenario> {
    Field(name: name, form: .list, summary: summary, within: { Group.outlines }) {
      scenario, node, reader in
      guard reader.model != nil else {
        reader.report(
          node.place, "`\(name)` act on data, and the scenario has no `data`",
          "add `data`, such as `data: {use: files}`")
        return
      }
      guard case .sequence(let nodes) = node.content, nodes.count <= 100 else {
        reader.report(
          node.place, "a list of at most 100 groups is expected here", "begin each with `- `")
        return
      }
      scenario[keyPath: path] = nodes.map { node in
        var group = start
        reader.read(node, into: &group)
        return group
      }
    }
  }

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    let isTimeKnown = !reader.isFaulty("duration", "drain", "warm-up")
    let areUsersKnown = !reader.isFaulty("users")
    guard reader.model != nil else {
      if !reader.isFaulty(Self.modelKey, "writers", "users") {
        reader.report(
          place, "there are no data", "add `data`, such as `data: {use: files}`, and `users`")
      }
      return
    }
    if users.isEmpty, areUsersKnown {
      reader.report(place, "no one reads the data", "add `users`")
      return
    }
    if isTimeKnown, drain >= duration {
      reader.report(
        place, "the drain is as long as the run", "lengthen `duration` or shorten `drain`")
      return
    }
    if isTimeKnown,
      Double(duration.wholeNanoseconds) * warmUp >= Double(activeDuration.wholeNanoseconds)
    {
      reader.report(
        place, "the warm-up lasts until the drain", "lower `warm-up` or lengthen `duration`")
      return
    }
    if isTimeKnown, areUsersKnown, !reader.isFaulty("writers") {
      reportSize(at: place, &reader)
    }
    for fault in faults {
      let end = fault.at + fault.length
      if isTimeKnown, end > activeDuration {
        reader.report(
          fault.place, "the fault lasts until the drain of the run",
          "let `at` and `for` add up to at most `duration` less `drain`")
      } else if isTimeKnown, fault.kind == .appRestart, fault.at >= activeDuration {
        reader.report(
          fault.place, "the `app-restart` comes when the drain has begun",
          "let `at` be below `duration` less `drain`")
      }
      if fault.kind == .unanswered, !hasWrites, areUsersKnown {
        reader.report(
          fault.place, "there are no writes that could go unanswered",
          "add a step `{write: OPERATION}` to an activity, or write `kind: errors`")
      }
      if let client = fault.client, !clientNames.contains(client), areUsersKnown {
        reader.report(
          fault.place, "unknown client `\(ScenarioReader.shortened(client))`",
          reader.remedy(for: client, among: clientNames))
      }
    }
    validatePolicies(&reader)
    reportDuplicates(of: writers.map { ($0.name, $0.place) }, what: "device", &reader)
    reportDuplicates(of: users.map { ($0.name, $0.place) }, what: "client", &reader)
    validateTargets(&reader)
  }

  /// Reports fields of policies without effect.
  func validatePolicies(_ reader: inout ScenarioReader) {
    for entry in policies where entry.design == nil && composition(for: entry.name)?.storage == nil
    {
      for (field, _) in entry.overrides where ["disk-bytes", "flush-window"].contains(field) {
        reader.report(
          entry.place, "`\(field)` limits a storage, and `\(entry.name)` has none",
          "add `storage: yes`, or remove it")
      }
    }
    reportUnusedOverrides(&reader)
  }

  func validateTargets(_ reader: inout ScenarioReader) {
    guard !reader.isFaulty("policies") else { return }
    for target in targets {
      for (name, place) in target.policies where policies.allSatisfy({ $0.name != name }) {
        reader.report(
          place, "policy `\(ScenarioReader.shortened(name))` is not among the scenario's",
          reader.remedy(for: name, among: policies.map(\.name)))
      }
    }
  }

  /// Reports choices for bounds, which are fixed.
  private func reportUnusedOverrides(_ reader: inout ScenarioReader) {
    for entry in policies {
      let hasStorage = composition(for: entry.name)?.storage != nil
      for (field, place) in entry.unusedOverrides(hasStorage: hasStorage) {
        reader.report(
          place,
          "`\(field)` has no effect: `\(entry.preset ?? entry.name)` is a bound, which makes its own choices",
          "remove it, or start from another preset")
      }
    }
  }

  private func reportDuplicates(
    of names: [(String, SourcePlace?)], what: String, _ reader: inout ScenarioReader
  ) {
    for (index, (name, place)) in names.enumerated()
    where names[..<index].contains(where: { $0.0 == name }) {
      reader.report(
        place, "two \(what) groups are called `\(ScenarioReader.shortened(name))`",
        "give each its own `name`")
    }
  }

  package var hasWrites: Bool { users.contains { $0.hasWrites } }

  /// The names of all clients: the group's own if it has one client, otherwise numbered.
  package var clientNames: [String] {
    users.flatMap { group in
      group.clients == 1
        ? [group.name] : (1...max(1, group.clients)).map { "\(group.name)-\($0)" }
    }
  }
}

extension Scenario {
  /// Returns the policy with a name: one of the scenario's own, or any preset; `nil` if there is neither, and
  /// for a cache in another process.
  package func composition(for policyName: String) -> CachePolicy? {
    let own = policies.first { $0.name == policyName }
    let entry = own ?? PolicyEntry(preset: policyName)
    guard let preset = entry.preset.flatMap(Preset.named) else { return nil }
    let section = section(of: entry)
    let given = entry.overrides.map(\.field)
    var composition = preset.composition(section.allowance(for: model))
    for axis in PolicyAxis.all {
      // A policy's own field applies even if its preset does not use the shared value.
      guard axis.isShared ? given.contains(axis.name) : !entry.isBound else { continue }
      if let value = section[axis.name] { axis.write(&composition, value) }
    }
    if given.contains(where: { $0 == "time-to-live" || $0.hasPrefix("time-to-live.") }) {
      composition.freshness.timeToLive = section.freshness.timeToLive
      composition.freshness.perMethod = section.freshness.perMethod
    }
    return composition
  }

  /// Returns the other design with a policy's name, with its settings; `nil` if there is none.
  package func design(for policyName: String) -> DesignSettings? {
    let entry = policies.first { $0.name == policyName } ?? PolicyEntry(preset: policyName)
    return entry.design.map { section(of: entry).settings(of: $0) }
  }

  /// Returns the cache section with a policy's own fields.
  private func section(of entry: PolicyEntry) -> CacheSection {
    var section = cache
    var reader = ScenarioReader(file: name, vocabulary: .unchecked)
    reader.model = model
    let fields = CacheSection.fields(of: model)
    for (field, value) in entry.overrides {
      fields.first { $0.name == field }?.assign(&section, value, &reader)
    }
    return section
  }
}
