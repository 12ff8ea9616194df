import Analysis
import CacheModel
import CacheSimulation
import CommandLineInterface
import Foundation
import Processes
import Workloads

/// Runs comparisons in parallel on all cores.
///
/// A core takes a seed, generates its workload once, and runs the policies on it in sequence; when no new
/// seed is left, it helps with the seeds of other cores. A comparison that needs more seeds runs them while
/// others continue, so no core waits for the slowest.
actor ComparisonRunner {
  struct Status: Sendable {
    var runs = 0
    /// The number of runs of the steps begun so far.
    var runsWanted = 0
    var comparisons = 0
    var decided = 0
    let start = ContinuousClock.now

    /// The estimated time of the remaining runs; `nil`: too few were made.
    var timeLeft: Duration? {
      guard runs > 1 else { return nil }
      return start.duration(to: .now) / runs * (runsWanted - runs)
    }
  }

  private var progresses: [ComparisonProgress]
  /// Waiting seeds, first come first served.
  private var waiting: [SeedTask] = []
  /// Seeds whose workload has been or is being generated.
  private var begun: [SeedTask] = []
  private var idle: [CheckedContinuation<Void, Never>] = []
  private var running = 0
  private var failure: (any Error)?
  /// The time to generate streams, by comparison.
  private var drawing: [SimulatedWork]
  private var status = Status()
  private let isOutOfTime: @Sendable () -> Bool
  private let report: @Sendable (Status) -> Void
  private let decided: @Sendable (Int, ComparisonResult) -> Void
  private let stepped: @Sendable (Int, ShipVerdict) -> Void

  /// One seed of a comparison and the policies still to be run on it.
  private struct SeedTask {
    var comparison: Int
    var seed: Int
    var policies: [Int]
    var owner: Int
    /// For a user, one for each recording; `nil` while it is being generated.
    var simulation: [Simulation]?
  }

  private enum Job {
    case draw(comparison: Int, seed: Int)
    case run(comparison: Int, seed: Int, policy: Int, [Simulation])
  }

  private init(
    _ comparisons: [Comparison], isOutOfTime: @escaping @Sendable () -> Bool,
    report: @escaping @Sendable (Status) -> Void,
    decided: @escaping @Sendable (Int, ComparisonResult) -> Void,
    stepped: @escaping @Sendable (Int, ShipVerdict) -> Void
  ) {
    progresses = comparisons.map { ComparisonProgress($0) }
    drawing = comparisons.map { _ in SimulatedWork() }
    self.isOutOfTime = isOutOfTime
    self.report = report
    self.decided = decided
    self.stepped = stepped
    status.comparisons = comparisons.count
  }

  /// Runs comparisons until each is decided.
  ///
  /// - Parameters:
  ///   - comparisons: the comparisons.
  ///   - isOutOfTime: whether no further optional work should begin.
  ///   - report: receives the progress.
  ///   - decided: receives each decided result, with its index, as soon as there is one.
  ///   - stepped: receives the current result of each, with its index, whenever that changes.
  /// - Returns: a result for each, in order; independent of the number of cores, unless time runs out.
  /// - Throws: the error of a simulation, such as a divergence.
  static func run(
    _ comparisons: [Comparison], isOutOfTime: @escaping @Sendable () -> Bool = { false },
    report: @escaping @Sendable (Status) -> Void = { _ in },
    decided: @escaping @Sendable (Int, ComparisonResult) -> Void = { _, _ in },
    stepped: @escaping @Sendable (Int, ShipVerdict) -> Void = { _, _ in }
  ) async throws -> [ComparisonResult] {
    let runner = ComparisonRunner(
      comparisons, isOutOfTime: isOutOfTime, report: report,
      decided: decided, stepped: stepped)
    await runner.beginAll()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<ProcessInfo.processInfo.activeProcessorCount {
        group.addTask { await runner.work(as: worker) }
      }
    }
    return try await runner.results()
  }

  private func results() throws -> [ComparisonResult] {
    if let failure { throw failure }
    return zip(progresses, drawing).map { progress, drawing in
      var result = progress.result
      result.work += drawing
      return result
    }
  }

  private func beginAll() {
    for index in progresses.indices { beginStep(of: index, isFirst: true) }
  }

  private func beginStep(of comparison: Int, isFirst: Bool) {
    if !isFirst {
      if let verdict = progresses[comparison].verdictSoFar { stepped(comparison, verdict) }
      if isOutOfTime() { progresses[comparison].stop() }
    }
    let step = progresses[comparison].nextStep()
    guard step.count > 0 else {
      status.decided += 1
      decided(comparison, progresses[comparison].result)
      return
    }
    status.runsWanted += step.count
    waiting += step.bySeed.map {
      SeedTask(comparison: comparison, seed: $0.seed, policies: $0.policies, owner: -1)
    }
    wakeAll()
  }

  private func wakeAll() {
    let sleepers = idle
    idle = []
    for sleeper in sleepers { sleeper.resume() }
  }

  // MARK: Workers

  private nonisolated func work(as worker: Int) async {
    while let job = await nextJob(for: worker) {
      do {
        switch job {
        case .draw(let comparison, let seed):
          let question = await self.comparison(comparison)
          let start = ProcessorTime.now()
          let simulation = question.input.simulations(seed: question.firstSeed &+ UInt64(seed))
          await didDraw(
            simulation, comparison: comparison, seed: seed,
            nanoseconds: ProcessorTime.now() - start)
        case .run(let comparison, let seed, let policy, let simulation):
          let contender = await contender(policy, of: comparison)
          if let reason = await reasonToSkip(policy, of: comparison, seed: seed) {
            await didFail(reason, comparison: comparison, policy: policy, seed: seed)
            continue
          }
          let question = await self.comparison(comparison)
          do {
            let run = try question.input.run(
              contender, on: simulation, seed: question.firstSeed &+ UInt64(seed),
              isChecked: seed == 0, timelineParts: seed == 0 ? question.timelineParts : nil)
            await didRun(run, comparison: comparison, seed: seed, policy: policy)
          } catch let failure as ContenderFailure {
            await didFail(failure, comparison: comparison, policy: policy, seed: seed)
          }
        }
      } catch {
        await fail(error)
      }
    }
  }

  private func nextJob(for worker: Int) async -> Job? {
    while failure == nil {
      if let job = job(for: worker) {
        running += 1
        return job
      }
      if running == 0 { return nil }
      await withCheckedContinuation { idle.append($0) }
    }
    return nil
  }

  private func job(for worker: Int) -> Job? {
    if let own = begun.firstIndex(where: { $0.owner == worker && $0.simulation != nil }) {
      return runNext(of: own)
    }
    if isOutOfTime() { waiting.removeAll { progresses[$0.comparison].comparison.isOptional } }
    if !waiting.isEmpty {
      var task = waiting.removeFirst()
      task.owner = worker
      begun.append(task)
      return .draw(comparison: task.comparison, seed: task.seed)
    }
    return begun.firstIndex { $0.simulation != nil }.flatMap { runNext(of: $0) }
  }

  private func runNext(of index: Int) -> Job? {
    guard let simulation = begun[index].simulation, let policy = begun[index].policies.popLast()
    else { return nil }
    let task = begun[index]
    if task.policies.isEmpty { begun.remove(at: index) }
    return .run(comparison: task.comparison, seed: task.seed, policy: policy, simulation)
  }

  private func contender(_ policy: Int, of comparison: Int) -> Contender {
    progresses[comparison].comparison.contenders[policy]
  }

  private func reasonToSkip(
    _ policy: Int, of comparison: Int, seed: Int
  ) -> ContenderFailure? {
    progresses[comparison].reasonToSkip(policy, seed: seed)
  }

  private func comparison(_ index: Int) -> Comparison { progresses[index].comparison }

  private func didDraw(
    _ simulation: [Simulation], comparison: Int, seed: Int, nanoseconds: Int64
  ) {
    running -= 1
    drawing[comparison].processorSeconds += Double(nanoseconds) / 1e9
    if let index = begun.firstIndex(where: { $0.comparison == comparison && $0.seed == seed }) {
      begun[index].simulation = simulation
    }
    wakeAll()
  }

  private func didRun(_ run: PolicyRun, comparison: Int, seed: Int, policy: Int) {
    if progresses[comparison].take(run, of: policy, seed: seed) {
      beginStep(of: comparison, isFirst: false)
    }
    didEnd()
  }

  private func didFail(
    _ failure: ContenderFailure, comparison: Int, policy: Int, seed: Int
  ) {
    if progresses[comparison].take(failure, of: policy, seed: seed) {
      beginStep(of: comparison, isFirst: false)
    }
    didEnd()
  }

  private func didEnd() {
    running -= 1
    status.runs += 1
    report(status)
    if running == 0 { wakeAll() }
  }

  private func fail(_ error: any Error) {
    running -= 1
    failure = failure ?? error
    wakeAll()
  }
}
