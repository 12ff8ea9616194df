package import CacheSimulation
import EvictionPolicies
import Text
package import Workloads

/// The input of real caches: a scenario's streams, or an app's recordings.
package struct PlayedInput: Sendable {
  /// The scenario; for recordings, the lent or default one.
  package let file: ScenarioFile
  package let name: String
  private let sessions: [Workload]

  /// The maximum bytes of a recording.
  package static let recordingLimit = 1 << 31

  /// Reads a scenario by its name or path, or the recordings of one app.
  ///
  /// - Parameters:
  ///   - arguments: the arguments as the user wrote them; at least one.
  ///   - lender: the scenario file that lends caches and network to recordings.
  /// - Throws: ``CommandFailure`` or `ScenarioError`; also for several scenarios, which must be run one at a
  ///   time.
  package init(_ arguments: [String], lender: String? = nil) throws {
    let recordings = arguments.filter(InputFile.isRecording)
    guard let first = recordings.first else {
      guard arguments.count == 1 else {
        throw CommandFailure(
          .input, "\(arguments.joined(separator: ", ")): one scenario is played at a time; name one"
        )
      }
      guard lender == nil else {
        throw CommandFailure(
          .input,
          "--scenario is about recordings, and none is named; name a .jsonl file, or leave it out")
      }
      self.init(try ScenarioFile.load(arguments[0]))
      return
    }
    if let scenario = arguments.first(where: { !InputFile.isRecording($0) }) {
      throw CommandFailure(
        .input,
        "\(scenario): a scenario and recordings are played apart; to lend its caches to them: --scenario "
          + ShellWord.quoted(scenario))
    }
    try self.init(recorded: try recordings.map(Self.session), path: first, lender: lender)
  }

  /// The recordings of each app by themselves, with their files, in the order of the first ones.
  ///
  /// - Throws: ``CommandFailure`` or `ScenarioError`.
  package static func apps(
    _ recordings: [String], lender: String?
  ) throws -> [(input: PlayedInput, files: [String])] {
    let read = try recordings.map { (path: $0, session: try session($0)) }
    return try read.distinct(\.session.name).map { name in
      let own = read.filter { $0.session.name == name }
      let input = try PlayedInput(
        recorded: own.map(\.session), path: own[0].path, lender: lender)
      return (input, own.map(\.path))
    }
  }

  private static func session(_ path: String) throws -> Workload {
    let bytes = try InputFile.read(path, limit: recordingLimit)
    do {
      return try SessionRecording.read(bytes)
    } catch {
      throw CommandFailure(.input, "\(InputFile.title(of: path)): \(error)")
    }
  }

  private init(recorded: [Workload], path: String, lender: String?) throws {
    let model = recorded.count == 1 ? recorded[0].model : DataModel(namesOf: recorded.map(\.model))
    let caches = try LentCaches(to: recorded[0], of: model, path: path, by: lender)
    self.init(
      caches.file, name: recorded[0].name,
      sessions: recorded.map { caches.lent?.applied(to: $0) ?? $0 })
  }

  /// - Throws: ``CommandFailure`` if what was recorded is of several apps: their figures would be those of neither.
  package func checkIsOfOneApp() throws(CommandFailure) {
    let names = sessions.distinct(\.name)
    guard names.count > 1 else { return }
    throw CommandFailure(
      .input,
      "\(names.joined(separator: ", ")): recordings of several apps are measured apart; name those of one"
    )
  }

  package init(_ file: ScenarioFile) {
    self.init(file, name: file.scenario.name, sessions: [])
  }

  private init(_ file: ScenarioFile, name: String, sessions: [Workload]) {
    self.file = file
    self.name = name
    self.sessions = sessions
  }

  package var isDrawn: Bool { sessions.isEmpty }

  /// The limits for policies without their own.
  package var sharedLimits: SharedLimits {
    SharedLimits(
      capacity: file.scenario.cache.capacity, maximumQueries: file.scenario.cache.maximumQueries)
  }

  /// Returns the traffic of a round: generated with a seed of its own, or the recordings in rotation.
  ///
  /// - Parameters:
  ///   - round: the round, from 0.
  ///   - seed: the first seed; `nil`: the scenario's own.
  /// - Returns: the workload of each cache.
  package func workload(ofRound round: Int, seed: UInt64?) -> Workload {
    guard !isDrawn else {
      return Workload.generate(file.scenario, seed: (seed ?? file.scenario.seed) &+ UInt64(round))
    }
    var session = sessions[round % sessions.count]
    session.name = name
    return session
  }

  /// Returns a policy adapted to a workload, which may have only a part of the queries.
  package func contender(_ contender: Contender, in workload: Workload) -> Contender {
    contender.renumbered(from: file.scenario.model, to: workload.model)
  }

  /// Returns the contenders to measure by default: the usual ones and then the input's own, as many as there
  /// are usual ones.
  package static func measured(among contenders: [Contender]) -> [Contender] {
    let playable = contenders.filter { $0.isPlayable && !PolicyEntry.bounds.contains($0.name) }
    let own = playable.filter { !usualPolicies.contains($0.name) }
    let measured = playable.filter { usualPolicies.contains($0.name) } + own
    return Array(measured.prefix(usualPolicies.count))
  }

  /// Each takes half a minute.
  package static let usualPolicies = ["lru", "refcount", "ttl", "spacedrive"]
}

extension Contender {
  /// Whether it is a cache of the library that does not need the future.
  package var isPlayable: Bool {
    guard let composition = cache.composition else { return false }
    return EvictionPolicies.named(composition.evictionOrder)?.needsFuture != true
  }

  /// Returns the contender for a session with only a part of an app's queries.
  package func renumbered(from model: DataModel, to own: DataModel) -> Contender {
    guard case .composed(let policy) = cache,
      model.shapes.map(\.name) != own.shapes.map(\.name)
    else { return self }
    var contender = self
    contender.cache = .composed(policy.renumbered { model.method($0, in: own) })
    return contender
  }
}

extension InputFile {
  /// Returns whether an argument names a recording: by its file name, or as standard input.
  package static func isRecording(_ argument: String) -> Bool {
    argument == standardInput
      || (CompressedForm.plainName(of: argument) ?? argument).hasSuffix(".jsonl")
  }
}
