import ArgumentParser
import CacheSimulation
import CommandLineInterface
import RecordingCodec
import ResultModel
import Text
import Workloads

/// The option for the scenario that lends caches and a goal to recordings.
struct LenderOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Take cache, policies, goal, targets, network and server of recordings from this scenario file.",
      valueName: "FILE"))
  var scenario: String?

  var arguments: [String] { scenario.map { ["--scenario", $0] } ?? [] }
}

/// The options for what recordings are lent, and how users are identified.
struct RecordingOptions: ParsableArguments {
  @OptionGroup var lender: LenderOption

  @Option(
    help: ArgumentHelp(
      "Identify the users of recordings by their paths, such as 'logs/{user}-*.jsonl'; default: each file is "
        + "a user.", valueName: "PATTERN"))
  var user: String?

  var arguments: [String] { lender.arguments + (user.map { ["--user", $0] } ?? []) }

  /// The same with the names of the files that matched a pattern.
  func arguments(of inputs: [String]) -> [String] {
    arguments + inputs.filter(UserPattern.isPattern).flatMap { ["--user", $0] }
  }
}

extension SimulationInput {
  /// Reads scenarios and recordings, or all scenarios of ``ScenarioFile/folder`` if none is named.
  ///
  /// Recordings with the same name are the users of one app, and one input; with a pattern for users all are.
  /// A pattern alone selects all matching files.
  ///
  /// - Parameters:
  ///   - arguments: the arguments as the user wrote them.
  ///   - seed: the seed option.
  ///   - lender: the scenario file that lends to recordings.
  ///   - user: the pattern that identifies users.
  ///   - command: the command.
  /// - Returns: one input for each scenario, and for each recorded app.
  /// - Throws: ``CommandFailure`` or `ScenarioError`; also for two scenarios with the same name, which
  ///   identifies results, and for options without effect.
  static func load(
    _ arguments: [String], seed: UInt64?, lender: String? = nil, user: String? = nil,
    command: String?
  ) throws -> [SimulationInput] {
    var (arguments, user) = (arguments, user)
    if let place = arguments.firstIndex(where: UserPattern.isPattern) {
      guard user == nil, arguments.count == 1 else {
        throw CommandFailure(
          .input,
          "\(arguments[place]): a pattern names all recordings by itself; leave the others, and --user, out"
        )
      }
      user = arguments[place]
      arguments = try UserPattern(arguments[place]).paths()
    }
    let pattern = try user.map { text throws(CommandFailure) in try UserPattern(text) }
    var files: [ScenarioFile.Named] = []
    var inputs: [SimulationInput] = []
    for argument in arguments.isEmpty ? try ScenarioFile.names() : arguments {
      if InputFile.isRecording(argument) {
        let title = InputFile.title(of: argument)
        guard seed == nil else {
          throw CommandFailure(
            .input, "\(title): a recording draws nothing, so no seed changes it; omit --seed")
        }
        let user = try RecordedUsers.User(
          argument, pattern: pattern, limit: PlayedInput.recordingLimit, command: command)
        let name = user.sessions[0].name
        if let place = inputs.firstIndex(where: {
          !$0.isDrawn && (pattern != nil || $0.name == name)
        }) {
          try inputs[place].add(user, isUserKnown: pattern != nil)
          continue
        }
        files.append((title, name))
        inputs.append(
          SimulationInput(
            RecordedUsers(users: [user]),
            file: ScenarioFile(path: argument, scenario: Scenario(of: user.sessions[0].model))))
      } else {
        let input = SimulationInput(
          arguments: [argument], file: try ScenarioFile.load(argument))
        files.append((argument, input.name))
        inputs.append(input)
      }
      try ScenarioFile.checkNames(files)
    }
    if inputs.allSatisfy(\.isDrawn),
      let option = lender != nil ? "--scenario" : user != nil ? "--user" : nil
    {
      throw CommandFailure(
        .input,
        "\(option) requires a recording; name a .jsonl file, or omit it")
    }
    let apps = inputs.filter { !$0.isDrawn }
    if apps.count > 1 {
      Console.note(
        "\(apps.map(\.name).joined(separator: ", ")): recordings of each name are compared separately; if they are "
          + "of one app, add --user '{user}.jsonl'")
    }
    return try inputs.map { try $0.withCaches(lender) }
  }

  /// - Throws: ``CommandFailure`` if seeds are requested of recordings alone.
  static func checkSeeds(
    _ seeds: SeedCount?, of inputs: [SimulationInput]
  ) throws(CommandFailure) {
    guard seeds != nil, let recording = inputs.first, inputs.allSatisfy({ !$0.isDrawn }) else {
      return
    }
    throw CommandFailure(
      .input,
      "\(recording.arguments[0]): a recording has no seeds, since nothing in it is drawn; leave --seeds out, "
        + "and name recordings of more users instead")
  }

  /// Adds another session of the same app.
  private mutating func add(_ user: RecordedUsers.User, isUserKnown: Bool) throws(CommandFailure) {
    guard let recorded else { return }
    let digests = recorded.users.flatMap(\.digests)
    if let place = digests.firstIndex(where: user.digests.contains) {
      throw CommandFailure(
        .input,
        "\(user.paths[0]): the same recording as \(recorded.paths[place]), which would count twice; name it "
          + "once")
    }
    var user = user
    for session in user.sessions.indices { user.sessions[session].name = name }
    if isUserKnown, let place = recorded.users.firstIndex(where: { $0.name == user.name }) {
      self.recorded?.users[place].add(user)
    } else {
      self.recorded?.users.append(user)
    }
    self = SimulationInput(self.recorded ?? recorded, file: file)
  }

  /// Adds caches to a recording, which contains only the traffic: from a scenario file, or from the scenario
  /// with the recording's name if that is for the same app; otherwise the presets with default limits.
  private func withCaches(_ lender: String?) throws -> SimulationInput {
    guard let recorded else { return self }
    var input = self
    let title = InputFile.title(of: arguments[0])
    let caches = try LentCaches(
      to: recorded.users[0].sessions[0], of: recorded.model, path: arguments[0], by: lender)
    input.file = caches.file
    var notes = [caches.note].compactMap(\.self)
    if let lent = caches.lent {
      input.recorded = recorded.under(lent)
      notes.append(lent.text(from: caches.file.path))
    }
    notes += [input.usualText(lent: caches.sections)].compactMap(\.self)
    if recorded.users.count > 1 || recorded.users[0].sessions.count > 1 {
      notes.append(recorded.text)
    }
    for note in notes { Console.note("\(title): \(note)") }
    if !recorded.outcomeRows.isEmpty,
      input.file.scenario.policies.contains(where: { $0.name == ResultRow.recordedPolicy })
    {
      throw CommandFailure(
        .input,
        "\(input.file.path): a policy is called \"\(ResultRow.recordedPolicy)\", as the row of the outcomes "
          + "in \(title); give it another name")
    }
    return input
  }
}

extension RecordedUsers.User {
  fileprivate init(
    _ path: String, pattern: UserPattern?, limit: Int, command: String?
  ) throws {
    let title = InputFile.title(of: path)
    let bytes = try InputFile.read(path, limit: limit, command: command)
    do {
      let workload = try SessionRecording.read(bytes)
      let gaps = [
        RecordingGap.text(of: workload.gaps), RecordedOutcomes(of: workload)?.gapsText,
      ]
      for text in gaps.compactMap(\.self) { Console.note("\(title): \(text)") }
      self.init(
        name: try pattern?.user(of: path) ?? title, paths: [path], sessions: [workload],
        digests: [Fingerprint(of: bytes).text])
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.input, "\(title): \(error)")
    }
  }

  fileprivate mutating func add(_ user: RecordedUsers.User) {
    paths += user.paths
    sessions += user.sessions
    digests += user.digests
  }
}
