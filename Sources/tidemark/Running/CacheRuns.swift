import CacheModel
import CacheProcesses
import CacheSimulation
import Foundation
import ResultModel
import Workloads

/// Caches in processes of their own, each run over the first seed of each scenario, twice.
struct CacheRuns {
  var rows: [ResultRow] = []
  /// The reads of each scenario and cache, in order.
  var reads: [(simulation: Simulation, cache: String, [ReadRecord])] = []
  /// What went wrong, one line each: the other results stand.
  var failures: [String] = []
  /// How fast each was, one line each.
  var paces: [String] = []

  init(
    of caches: [CacheCommand], over sessions: [Session], seed: UInt64?, limits: CacheLimits,
    failed folder: TranscriptFolder?, progress: Progress
  ) {
    // No stream is drawn for nobody.
    guard !caches.isEmpty else { return }
    for session in sessions {
      let simulation = Simulation(
        of: session.workload(seed: seed), sharedLimits: session.sharedLimits)
      for cache in caches {
        progress.report("\(session.name), cache \(cache.name)")
        do {
          try take(cache, simulation, limits, folder)
        } catch let failure as CommandFailure {
          failures.append(failure.message)
        } catch {
          failures.append("\(error)")
        }
      }
    }
  }

  private mutating func take(
    _ cache: CacheCommand, _ simulation: Simulation, _ limits: CacheLimits,
    _ folder: TranscriptFolder?
  ) throws {
    if let obstacle = simulation.obstacleToCaches {
      throw CommandFailure(
        .data, "\(simulation.workload.name), cache \(cache.name): not run, since \(obstacle)")
    }
    let prepared = PreparedWorkload(simulation.workload)
    let pace = TurnPace()
    func run() throws -> (result: SimulationResult, reads: [ReadRecord]) {
      try simulation.run(cache: cache.name) { launch throws(CacheFault) in
        try ProcessCache(cache, for: prepared, launch, limits: limits, pace: pace)
      }
    }
    let first: (result: SimulationResult, reads: [ReadRecord])
    do {
      first = try run()
    } catch let failure as CacheFailure {
      guard let folder else { throw failure }
      let deadline = ContinuousClock.now.advanced(by: .seconds(60))
      let shrunk = failure.shrunk(trials: 200, while: { ContinuousClock.now < deadline }) {
        launch throws(CacheFault) in
        try ProcessCache(cache, for: prepared, launch, limits: limits)
      }
      guard let shrunk else { throw failure }
      let file = try folder.write(
        prepared.transcript(of: shrunk), to: "\(simulation.workload.name)-\(cache.name).jsonl")
      throw CommandFailure(
        .data,
        "\(failure); shown by \(shrunk.turns.count) turns: COMMAND < \(file); \(shrunk.fault)")
    }
    rows += first.result.rows
    reads.append((simulation, cache.name, first.reads))
    let second = try run()
    paces.append("\(simulation.workload.name), cache \(cache.name): \(pace.words)")
    if first.result.rows != second.result.rows || first.reads != second.reads {
      throw CommandFailure(
        .data,
        "\(simulation.workload.name), cache \(cache.name): "
          + "\(CacheFault(.notDeterministic)); the figures of the first run are shown")
    }
  }
}

extension CacheCommand {
  /// Reads what `--cache` was given.
  init(option text: String) throws(CommandFailure) {
    guard let command = CacheCommand(text) else {
      throw CommandFailure(
        .input,
        "--cache takes NAME=COMMAND, not \"\(text)\"; a name has letters, digits, -, _ and .")
    }
    self = command
  }
}
