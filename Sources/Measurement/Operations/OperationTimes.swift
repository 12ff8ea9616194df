package import Metrics
import NormalizedCache

/// What one process says of the time of each operation: one value to set against that of a process of
/// another build.
package struct OperationTimes: Sendable {
  /// How much longer everything is to take, in hundredths, for a comparison that must notice it.
  package var slowdown = 0

  package init() {}

  /// Turns of all operations: each is timed from the first moment of the process to the last.
  ///
  /// A machine has spells in which everything takes half as long again, since another process is on the
  /// same core. They last longer than an operation alone would be timed.
  private static let turns = 20

  /// One row for each operation: the time of one in the block at the end of the fastest quarter.
  ///
  /// What else a machine does only adds to a block, so the slow ones say more of the machine than of
  /// the build.
  ///
  /// - Throws: what ``HotOperation/prepared(_:)`` and the operations throw.
  package func rows() async throws -> [ResultRow] {
    let clock = ContinuousCacheClock()
    let operations = HotOperation.allCases
    var prepared: [any PreparedOperation] = []
    for operation in operations {
      let count = Self.turns * operation.timing.block * operation.timing.blocks
      prepared.append(try await operation.prepared(count, clock: clock))
    }
    var times = operations.map { _ in [Int64]() }
    for _ in 0..<Self.turns {
      for (index, operation) in operations.enumerated() {
        _ = try await prepared[index].perform(operation.timing.block)
        for _ in 1..<operation.timing.blocks {
          let start = clock.now.nanoseconds
          _ = try await prepared[index].perform(operation.timing.block)
          var time = clock.now.nanoseconds - start
          let due = time * Int64(100 + slowdown) / 100
          while time < due { time = clock.now.nanoseconds - start }
          times[index].append(time)
        }
      }
    }
    return zip(operations, times).map { operation, times in
      let fastest = times.sorted()[times.count / 4]
      return ResultRow(
        scenario: Self.scenario, policy: "", seed: HotOperation.seed, class: operation.class,
        metric: .operationTime,
        value: .real(Double(fastest) / Double(operation.timing.block)), sampleCount: times.count)
    }
  }

  /// What the scenario column says of them.
  package static let scenario = "operations"
}
