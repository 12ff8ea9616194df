import Analysis
import CacheProcesses
import CacheSimulation
import CommandLineInterface
import Processes
import Reporting
import ResultModel
import Text
import Workloads

/// The run of a contender ended early, or was not reproducible.
///
/// The others continue.
struct ContenderFailure: Error, Hashable, Sendable, CustomStringConvertible {
  var contender: ContenderIdentity
  var hasFigures: Bool
  /// The scenario, contender, cause and remedy.
  var description: String
}

extension [ContenderFailure] {
  /// Throws an error about all failures, each reason once, after the other results were reported.
  func throwIfAny() throws(CommandFailure) {
    guard !isEmpty else { return }
    throw CommandFailure(.data, distinct(\.description).joined(separator: "\n"))
  }
}

extension SimulationInput {
  /// Runs a contender on one replicate.
  ///
  /// - Parameters:
  ///   - contender: the contender for the input's data.
  ///   - simulations: the result of ``simulations(seed:)``: several for a user.
  ///   - seed: the replicate's number, for its rows.
  ///   - isChecked: whether a cache that may not be deterministic is run twice.
  ///   - timelineParts: the number of parts of time for the first one's counts over time; `nil`: none.
  /// - Returns: the results.
  /// - Throws: ``ContenderFailure`` if only this contender is affected; any other error ends everything.
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
  /// Returns the outcomes of its reads; `nil` if it fails, which its run reports.
  func readsIfAny(of contender: Contender, on simulation: Simulation) throws -> [ReadRecord]? {
    try contender.renumbered(from: file.scenario.model, to: simulation.workload.model)
      .readsIfAny(on: simulation)
  }
}

extension Contender {
  struct Run: Sendable {
    var result: SimulationResult
    /// Why the figures are unreliable: they are shown, but not compared.
    var doubt: ContenderFailure?
  }

  /// Runs it on a workload.
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

  /// Writes a transcript that reproduces a fault, with as few turns as are found within a minute.
  ///
  /// - Returns: its path; `nil`: none was written.
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
    let turns = shrunk.turns.count
    return "; shown by \(turns) turn\(turns == 1 ? "" : "s"): COMMAND < \(file); \(shrunk.fault)"
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

/// Distinguishes caches in other processes from policies in results.
struct CommandMarks {
  private struct Mark {
    var name: String
    var command: String
    /// The name and version that it reported, unverified.
    var claim: String?
    /// Whether it computes list membership itself.
    var membership: ListMembership { ListMembership(ofCache: name) }
  }

  private let marks: [Mark]

  /// - Parameters:
  ///   - contenders: the contenders of all scenarios.
  ///   - claims: the names and versions reported by caches, by contender.
  init(_ contenders: [Contender], claims: [String: String]) {
    marks = contenders.distinct(\.name).compactMap { name in
      contenders.first { $0.name == name }?.cache.command.map {
        Mark(name: name, command: $0, claim: claims[name])
      }
    }
  }

  /// Returns additional columns for rows; `nil` if no cache is in another process.
  func columns(of rows: [ResultRow]) -> AddedColumns? {
    guard !marks.isEmpty else { return nil }
    return AddedColumns(
      names: ["command", "claim", "membership"],
      cells: rows.map { row in
        marks.first { $0.name == row.policy }
          .map { [$0.command, $0.claim ?? "", $0.membership.rawValue] } ?? []
      })
  }

  /// A line each, below a table; empty if no cache is in another process.
  var text: String { marks.map { "\($0.name): \(Self.meaning($0)).\n" }.joined() }

  /// Returns where the documentation explains figures of caches in other processes; empty if there are none.
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

  var policies: [SavedPolicy] {
    marks.map { SavedPolicy(name: $0.name, meaning: Self.meaning($0)) }
  }

  private static func meaning(_ mark: Mark) -> String {
    "a cache in a process of its own, `\(mark.command.legible)`"
      + (mark.claim.map { ", which calls itself \($0)" } ?? "")
      + "; membership \(mark.membership.rawValue), memory unknown"
  }
}
