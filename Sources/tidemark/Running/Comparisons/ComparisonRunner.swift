import Analysis
import CacheModel
import CacheSimulation
import CommandLineInterface
import Foundation
import Workloads

/// Runs comparisons side by side on all cores.
///
/// A core takes a seed, draws its workload once, and runs the policies on it one after the other; when no
/// seed is left to begin, it helps with those of others. A comparison that wants more seeds has them run
/// while others go on, so no core waits for the slowest.
actor ComparisonRunner {
  /// How far a batch of comparisons has come.
  struct Status: Sendable {
    var runs = 0
    /// Of the looks begun so far.
    var runsWanted = 0
    var comparisons = 0
    var decided = 0
  }

  private var progresses: [ComparisonProgress]
  /// Seeds that are not begun, first come first served.
  private var waiting: [SeedTask] = []
  /// Seeds whose workload is drawn or being drawn.
  private var begun: [SeedTask] = []
  private var idle: [CheckedContinuation<Void, Never>] = []
  private var running = 0
  private var failure: (any Error)?
  private var status = Status()
  private let isOutOfTime: @Sendable () -> Bool
  private let isOptional: Bool
  private let report: @Sendable (Status) -> Void
  private let decided: @Sendable (Int, ComparisonResult) -> Void

  /// One seed of a comparison and the policies that are still to be run on it.
  private struct SeedTask {
    var comparison: Int
    var seed: Int
    var policies: [Int]
    var owner: Int
    /// Of a user one for each recording; `nil` while it is drawn.
    var simulation: [Simulation]?
  }

  private enum Job {
    case draw(comparison: Int, seed: Int)
    case run(comparison: Int, seed: Int, policy: Int, [Simulation])
  }

  private init(
    _ comparisons: [Comparison], isOutOfTime: @escaping @Sendable () -> Bool, isOptional: Bool,
    report: @escaping @Sendable (Status) -> Void,
    decided: @escaping @Sendable (Int, ComparisonResult) -> Void
  ) {
    progresses = comparisons.map { ComparisonProgress($0) }
    self.isOutOfTime = isOutOfTime
    self.isOptional = isOptional
    self.report = report
    self.decided = decided
    status.comparisons = comparisons.count
  }

  /// Runs comparisons until each is decided.
  ///
  /// - Parameters:
  ///   - comparisons: the questions.
  ///   - isOutOfTime: whether no further look should begin; every first look is made.
  ///   - isOptional: whether even first looks are left where time runs out; what was not finished then
  ///     has neither verdict nor rows.
  ///   - report: is told how far it has come.
  ///   - decided: is told of each that is decided, by its place, as soon as it is.
  /// - Returns: an answer for each, in their order; the same whatever the number of cores, as long as
  ///   time does not run out.
  /// - Throws: what a simulation throws, such as a promise that a cache broke.
  static func run(
    _ comparisons: [Comparison], isOutOfTime: @escaping @Sendable () -> Bool = { false },
    isOptional: Bool = false, report: @escaping @Sendable (Status) -> Void = { _ in },
    decided: @escaping @Sendable (Int, ComparisonResult) -> Void = { _, _ in }
  ) async throws -> [ComparisonResult] {
    let runner = ComparisonRunner(
      comparisons, isOutOfTime: isOutOfTime, isOptional: isOptional, report: report,
      decided: decided)
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
    return progresses.map(\.result)
  }

  private func beginAll() {
    for index in progresses.indices { beginLook(of: index, isFirst: true) }
  }

  private func beginLook(of comparison: Int, isFirst: Bool) {
    if !isFirst, isOutOfTime() { progresses[comparison].stop() }
    guard let look = progresses[comparison].nextLook() else {
      status.decided += 1
      decided(comparison, progresses[comparison].result)
      return
    }
    status.runsWanted += look.seeds.count * look.policies.count
    waiting += look.seeds.map {
      SeedTask(comparison: comparison, seed: $0, policies: look.policies, owner: -1)
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
          let simulation = await draw(comparison: comparison, seed: seed)
          await didDraw(simulation, comparison: comparison, seed: seed)
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
    if isOptional, isOutOfTime() { waiting = [] }
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

  private nonisolated func draw(comparison: Int, seed: Int) async -> [Simulation] {
    let question = await self.comparison(comparison)
    return question.input.simulations(seed: question.firstSeed &+ UInt64(seed))
  }

  private func comparison(_ index: Int) -> Comparison { progresses[index].comparison }

  private func didDraw(_ simulation: [Simulation], comparison: Int, seed: Int) {
    running -= 1
    if let index = begun.firstIndex(where: { $0.comparison == comparison && $0.seed == seed }) {
      begun[index].simulation = simulation
    }
    wakeAll()
  }

  private func didRun(_ run: PolicyRun, comparison: Int, seed: Int, policy: Int) {
    if progresses[comparison].take(run, of: policy, seed: seed) {
      beginLook(of: comparison, isFirst: false)
    }
    didEnd()
  }

  private func didFail(
    _ failure: ContenderFailure, comparison: Int, policy: Int, seed: Int
  ) {
    if progresses[comparison].take(failure, of: policy, seed: seed) {
      beginLook(of: comparison, isFirst: false)
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
