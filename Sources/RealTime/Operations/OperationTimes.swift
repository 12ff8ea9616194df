import NormalizedCache
import Processes
package import ResultModel

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
  private static let controlBlocks = 20

  /// One row for each operation: the time of one in the block at the end of the fastest quarter; and one of
  /// the control.
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
    var work = ControlWork()
    var controlTimes: [Int64] = []
    for _ in 0..<Self.turns {
      for _ in 0..<Self.controlBlocks {
        let start = clock.now.nanoseconds
        _ = work.perform()
        controlTimes.append(clock.now.nanoseconds - start)
      }
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
    let rows = zip(operations, times).map { operation, times in
      row(
        operation.class, times.sorted()[times.count / 4], perBlock: operation.timing.block,
        count: times.count)
    }
    // Where its slowest quarter begins: were more than a quarter disturbed, it would show.
    let control = controlTimes.sorted()[controlTimes.count * 3 / 4]
    return rows + [row(HotOperation.controlClass, control, perBlock: 1, count: controlTimes.count)]
  }

  private func row(_ name: ResultClass, _ time: Int64, perBlock: Int, count: Int) -> ResultRow {
    ResultRow(
      scenario: HotOperation.scenario, policy: "", seed: HotOperation.seed, class: name,
      metric: .operationTime, value: .real(Double(time) / Double(perBlock)), sampleCount: count)
  }
}
