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
  private static let control = (block: 1, blocks: 21)
  private let clock = ContinuousCacheClock()

  /// One row for each operation: the time of one in the block at the end of the fastest quarter; and one of
  /// the control.
  ///
  /// What else a machine does only adds to a block, so the slow ones say more of the machine than of
  /// the build.
  ///
  /// - Throws: what ``HotOperation/prepared(_:)`` and the operations throw.
  package func rows() async throws -> [ResultRow] {
    let operations = HotOperation.allCases
    let timings = [Self.control] + operations.map(\.timing)
    var subjects: [any Subject<Int>] = [ControlWork()]
    for (operation, timing) in zip(operations, timings.dropFirst()) {
      let count = Self.turns * timing.block * timing.blocks
      subjects.append(try await operation.prepared(count, clock: clock))
    }
    var times = subjects.map { _ in [Int64]() }
    for _ in 0..<Self.turns {
      for (index, timing) in timings.enumerated() {
        _ = try await subjects[index].perform(timing.block)
        for _ in 1..<timing.blocks {
          let start = clock.now.nanoseconds
          _ = try await subjects[index].perform(timing.block)
          var time = clock.now.nanoseconds - start
          let due = index == 0 ? time : time * Int64(100 + slowdown) / 100
          while time < due { time = clock.now.nanoseconds - start }
          times[index].append(time)
        }
      }
    }
    let rows = RunRows(scenario: HotOperation.scenario, seed: HotOperation.seed)
    func row(_ name: ResultClass, _ times: [Int64], _ quarter: Int, perBlock: Int) -> ResultRow {
      let time = times.sorted()[times.count * quarter / 4]
      return rows.row(
        .operationTime, .real(Double(time) / Double(perBlock)), class: name, count: times.count)
    }
    // Where its slowest quarter begins: were more than a quarter disturbed, it would show.
    let control = row(HotOperation.controlClass, times[0], 3, perBlock: 1)
    return zip(operations, times.dropFirst()).map { operation, times in
      row(operation.class, times, 1, perBlock: operation.timing.block)
    } + [control]
  }
}
