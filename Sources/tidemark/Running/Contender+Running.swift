import Analysis
import CacheProcesses
import CacheSimulation
import CommandLineInterface
import Processes
import Reporting
import ResultModel
import Text
import Workloads

/// The run of a contender has ended early, or did not come out the same twice.
///
/// The others go on.
struct ContenderFailure: Error, Hashable, Sendable, CustomStringConvertible {
  var contender: ContenderIdentity
  /// Whether there are figures, which cannot be relied on.
  var hasFigures: Bool
  /// With scenario, contender, cause and remedy.
  var description: String
}

extension [ContenderFailure] {
  /// Says in the end who failed, each reason once: the other results stand.
  func throwIfAny() throws(CommandFailure) {
    guard !isEmpty else { return }
    throw CommandFailure(.data, distinct(\.description).joined(separator: "\n"))
  }
}

extension SimulationInput {
  /// Runs a contender on one replicate.
  ///
  /// - Parameters:
  ///   - contender: as it is for the input's data.
  ///   - simulations: what ``simulations(seed:)`` gave for it: of a user, several.
  ///   - seed: the replicate's number, which its rows bear.
  ///   - isChecked: whether a cache that may not be deterministic is run twice.
  ///   - timelineParts: in how many parts of time the first is shown as well; `nil`: it is not.
  /// - Returns: what came of it.
  /// - Throws: ``ContenderFailure`` where that concerns this contender alone; anything else ends all.
  func run(
    _ contender: Contender, on simulations: [Simulation], seed: UInt64?, isChecked: Bool,
    timelineParts: Int? = nil
  ) throws -> PolicyRun {
    let clock = ContinuousClock()
    let (start, processorStart) = (clock.now, ProcessorTime.now())
    var runs: [Contender.Run] = []
    for simulation in simulations {
      runs.append(
        try contender.renumbered(from: file.scenario.model, to: simulation.workload.model).run(
          on: simulation, isChecked: isChecked, timelineParts: timelineParts))
    }
    let results = runs.map(\.result)
    let isUser = recorded.map { $0.users.count > 1 || simulations.count > 1 } ?? false
    return PolicyRun(
      rows: isUser
        ? RowsOverSeeds.ofUser(results.map(\.rows), number: seed ?? 1) : results[0].rows,
      outcomes: results.dropFirst().reduce(into: results[0].outcomes) { $0 += $1.outcomes },
      timeline: results[0].timeline,
      work: SimulatedWork(
        operations: results.reduce(0) { $0 + $1.operations },
        entityAccesses: results.reduce(0) { $0 + $1.entityAccesses },
        coreSeconds: start.duration(to: clock.now) / .seconds(1), simulations: simulations.count,
        processorSeconds: Double(ProcessorTime.now() - processorStart) / 1e9),
      claim: results[0].claim,
      exceededLimit: results.compactMap(\.exceededLimit).first,
      doubt: runs.compactMap(\.doubt).first)
  }
}

extension SimulationInput {
  /// What became of each read; `nil` where it fails, which its run tells.
  func readsIfAny(of contender: Contender, on simulation: Simulation) throws -> [ReadRecord]? {
    try contender.renumbered(from: file.scenario.model, to: simulation.workload.model)
      .readsIfAny(on: simulation)
  }
}

extension Contender {
  /// What came of a run.
  struct Run: Sendable {
    var result: SimulationResult
    /// Why the figures cannot be relied on: they are shown, and take part in nothing.
    var doubt: ContenderFailure?
  }

  /// Runs it over a workload.
  ///
  /// - Parameters:
  ///   - simulation: the workload.
  ///   - isChecked: whether one that may not be deterministic is run twice, and both compared.
  ///   - timelineParts: in how many parts of time the run is shown as well; `nil`: it is not.
  /// - Returns: what came of it.
  /// - Throws: ``ContenderFailure`` where that concerns this contender alone; anything else ends all.
  fileprivate func run(
    on simulation: Simulation, isChecked: Bool, timelineParts: Int?
  ) throws -> Run {
    switch cache {
    case .composed(let composition):
      return Run(
        result: try simulation.run(
          policy: name, composition: composition, timelineParts: timelineParts))
    case .blackBox(let cache):
      let first = try run(cache, on: simulation, timelineParts)
      var run = Run(result: first.result)
      if isChecked, !cache.isDeterministic {
        let second = try self.run(cache, on: simulation, timelineParts)
        if first.result.rows != second.result.rows || first.reads != second.reads {
          run.doubt = failure(
            "\(CacheFault(.notDeterministic))", on: simulation, hasFigures: true)
        }
      }
      return run
    }
  }

  fileprivate func readsIfAny(on simulation: Simulation) throws -> [ReadRecord]? {
    switch cache {
    case .composed(let composition):
      return try simulation.reads(policy: name, composition: composition)
    case .blackBox(let cache):
      do {
        return try run(cache, on: simulation, nil).reads
      } catch is ContenderFailure {
        return nil
      }
    }
  }

  private func run(
    _ cache: any BlackBoxCache, on simulation: Simulation, _ timelineParts: Int?
  ) throws -> (result: SimulationResult, reads: [ReadRecord]) {
    do {
      return try simulation.run(
        cache: name, predictsMemory: cache.predictsMemory, timelineParts: timelineParts,
        recordsTurns: transcripts != nil && cache is CacheCommand,
        cache.maker(for: simulation.workload))
    } catch let fault as CacheFailure {
      throw ContenderFailure(
        contender: identity(in: simulation), hasFigures: false,
        description: "\(fault)" + (try transcript(of: fault, by: cache, on: simulation) ?? ""))
    }
  }

  /// Writes what shows a fault, as few turns as are found within a minute.
  ///
  /// - Returns: where it stands; `nil`: nothing is written.
  private func transcript(
    of fault: CacheFailure, by cache: any BlackBoxCache, on simulation: Simulation
  ) throws -> String? {
    guard let transcripts, let command = cache as? CacheCommand else { return nil }
    let prepared = PreparedWorkload(simulation.workload)
    let deadline = ContinuousClock.now.advanced(by: .seconds(60))
    let shrunk = fault.shrunk(trials: 200, while: { ContinuousClock.now < deadline }) {
      launch throws(CacheFault) in
      try ProcessCache(command, for: prepared, launch, limits: command.limits)
    }
    guard let shrunk else { return nil }
    let file = try transcripts.write(
      prepared.transcript(shrunk.launch, shrunk.turns, isEnded: false),
      to: "\(simulation.workload.name)-\(name).jsonl")
    return "; shown by \(shrunk.turns.count) turns: COMMAND < \(file); \(shrunk.fault)"
  }

  private func identity(in simulation: Simulation) -> ContenderIdentity {
    ContenderIdentity(scenario: simulation.workload.name, policy: name)
  }

  private func failure(
    _ text: String, on simulation: Simulation, hasFigures: Bool = false
  ) -> ContenderFailure {
    ContenderFailure(
      contender: identity(in: simulation), hasFigures: hasFigures,
      description: "\(simulation.workload.name), cache \(name), seed \(simulation.workload.seed): "
        + text)
  }
}

/// How results of caches in other processes are told from those of policies.
struct CommandMarks {
  private struct Mark {
    var name: String
    var command: String
    /// What it said of its name and version, which is not checked.
    var claim: String?
    /// Who finds out which lists a change enters and leaves.
    var membership: ListMembership { ListMembership(ofCache: name) }
  }

  private let marks: [Mark]

  /// - Parameters:
  ///   - contenders: of all scenarios.
  ///   - claims: what caches said of their names and versions, by the contender's name.
  init(_ contenders: [Contender], claims: [String: String]) {
    marks = contenders.distinct(\.name).compactMap { name in
      contenders.first { $0.name == name }?.cache.command.map {
        Mark(name: name, command: $0, claim: claims[name])
      }
    }
  }

  /// Columns for a table of rows; `nil` where no cache is in another process.
  func columns(of rows: [ResultRow]) -> AddedColumns? {
    guard !marks.isEmpty else { return nil }
    return AddedColumns(
      names: ["command", "claim", "membership"],
      cells: rows.map { row in
        marks.first { $0.name == row.policy }
          .map { [$0.command, $0.claim ?? "", $0.membership.rawValue] } ?? []
      })
  }

  /// A line each, below a table; empty where no cache is in another process.
  var text: String { marks.map { "\($0.name): \(Self.meaning($0)).\n" }.joined() }

  /// Where the document tells how to read figures of caches in other processes that no error explains;
  /// empty where there are none.
  func guidance(for rows: [ResultRow]) -> String {
    let metrics: [Metric] = [.divergentQueries, .divergentEntities, .notificationsMissed]
    let shown = metrics.filter { metric in
      rows.contains { row in
        row.metric == metric && (row.value?.asDouble ?? 0) > 0
          && marks.contains { $0.name == row.policy }
      }
    }
    guard !shown.isEmpty else { return "" }
    return
      "\(shown.map(\.name).joined(separator: ", ")): no error of the protocol, but what a cache "
      + "does not promise; what to make of it: Documentation/CacheProtocol.md, What is measured.\n"
  }

  /// What the names stand for.
  var policies: [SavedPolicy] {
    marks.map { SavedPolicy(name: $0.name, meaning: Self.meaning($0)) }
  }

  private static func meaning(_ mark: Mark) -> String {
    "a cache in a process of its own, `\(mark.command.legible)`"
      + (mark.claim.map { ", which calls itself \($0)" } ?? "")
      + "; membership \(mark.membership.rawValue), memory unknown"
  }
}
