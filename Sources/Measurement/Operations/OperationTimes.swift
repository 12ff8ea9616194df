package import Metrics
import NormalizedCache

/// What one process says of the time of each operation: one value to set against that of a process of
/// another build.
package struct OperationTimes: Sendable {
  /// How much longer everything is to take, in hundredths, for a comparison that must notice it.
  package var slowdown = 0

  package init() {}

  /// One row for each operation: the time of one in the block at the end of the fastest quarter.
  ///
  /// What else a machine does only adds to a block, so the slow ones say more of the machine than of
  /// the build.
  ///
  /// - Throws: what ``HotOperation/prepared(_:)`` and the operations throw.
  package func rows() async throws -> [ResultRow] {
    let clock = ContinuousCacheClock()
    var rows: [ResultRow] = []
    for operation in HotOperation.allCases {
      let (warmUp, blocks, blockLength) = operation.timing
      var prepared = try await operation.prepared(
        warmUp + blocks * blockLength, clock: clock)
      _ = try await prepared.perform(warmUp)
      var times: [Int64] = []
      for _ in 0..<blocks {
        let start = clock.now.nanoseconds
        _ = try await prepared.perform(blockLength)
        var time = clock.now.nanoseconds - start
        let due = time * Int64(100 + slowdown) / 100
        while time < due { time = clock.now.nanoseconds - start }
        times.append(time)
      }
      let fastest = times.sorted()[times.count / 4]
      rows.append(
        ResultRow(
          scenario: Self.scenario, policy: "", seed: HotOperation.seed, class: operation.class,
          metric: .operationTime, value: .real(Double(fastest) / Double(blockLength)),
          sampleCount: times.count))
    }
    return rows
  }

  /// What the scenario column says of them.
  package static let scenario = "operations"
}
