import CacheModel
import CacheSimulation
import Foundation
import Metrics
import NormalizedCache
import Workloads

/// Simulations of one workload, side by side on all cores.
struct SimulationBatch: Sendable {
  var rows: [ResultRow] = []
  var operations = 0
  var entityAccesses = 0
  /// Seconds of one core: the time of every run, added up.
  var coreSeconds = 0.0

  /// Runs every contestant on the same workload; rows come in the order of the contestants.
  static func run(
    _ workload: Workload, _ contestants: [Contestant],
    progress: @escaping @Sendable (_ finished: Int) -> Void = { _ in }
  ) async throws -> SimulationBatch {
    let simulation = Simulation(of: workload)
    return try await run(contestants.map { (simulation, $0) }, progress: progress)
  }

  /// Runs every pair; rows come in the order of the pairs.
  static func run(
    _ pairs: [(Simulation, Contestant)],
    progress: @escaping @Sendable (_ finished: Int) -> Void = { _ in }
  ) async throws -> SimulationBatch {
    let clock = ContinuousCacheClock()
    let results = try await inParallel(pairs, progress: progress) { pair in
      let start = clock.now
      let result = try pair.0.run(policy: pair.1.name, composition: pair.1.composition)
      return (result, start.duration(to: clock.now))
    }
    var batch = SimulationBatch()
    for (result, elapsed) in results {
      batch.rows += result.rows
      batch.operations += result.operations
      batch.entityAccesses += result.entityAccesses
      batch.coreSeconds += elapsed / .seconds(1)
    }
    return batch
  }

  static func + (lhs: SimulationBatch, rhs: SimulationBatch) -> SimulationBatch {
    SimulationBatch(
      rows: lhs.rows + rhs.rows, operations: lhs.operations + rhs.operations,
      entityAccesses: lhs.entityAccesses + rhs.entityAccesses,
      coreSeconds: lhs.coreSeconds + rhs.coreSeconds)
  }

  /// How fast the simulator itself was, on one core with its oracle.
  func throughputRows(seed: UInt64) -> [ResultRow] {
    guard coreSeconds > 0 else { return [] }
    return [
      ("entity_accesses_per_second", entityAccesses), ("operations_per_second", operations),
    ].map { metric, count in
      ResultRow(
        scenario: "simulator", policy: "", seed: seed, metric: metric,
        value: .real((Double(count) / coreSeconds).rounded()))
    }
  }

  /// Maps over inputs with one task per core; results keep the order of the inputs.
  private static func inParallel<Input: Sendable, Output: Sendable>(
    _ inputs: [Input], progress: @escaping @Sendable (Int) -> Void,
    _ body: @escaping @Sendable (Input) throws -> Output
  ) async throws -> [Output] {
    try await withThrowingTaskGroup(of: (Int, Output).self) { group in
      var outputs = [Output?](repeating: nil, count: inputs.count)
      var started = 0
      func start() {
        guard started < inputs.count else { return }
        let (index, input) = (started, inputs[started])
        started += 1
        group.addTask { (index, try body(input)) }
      }
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { start() }
      var finished = 0
      while let (index, output) = try await group.next() {
        outputs[index] = output
        finished += 1
        progress(finished)
        start()
      }
      return outputs.compactMap { $0 }
    }
  }
}
