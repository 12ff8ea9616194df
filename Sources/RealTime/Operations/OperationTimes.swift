package import CacheModel
package import NormalizedCache
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

/// How often each operation asks the allocator.
package struct OperationAllocations: Sendable {
  package init() {}

  /// One row for each operation: allocations of one, over enough operations that growth by doubling counts for its
  /// share.
  ///
  /// - Throws: what an operation throws, or the counter.
  package func rows(counter: some AllocationCounter & Sendable) async throws -> [ResultRow] {
    var rows: [ResultRow] = []
    for operation in HotOperation.allCases {
      var prepared = try await operation.prepared(
        2 * operation.counted, clock: StandingClock())
      _ = try await prepared.perform(operation.counted)
      let before = try counter.read().allocations
      _ = try await prepared.perform(operation.counted)
      let count = try counter.read().allocations - before
      rows.append(
        ResultRow(
          scenario: HotOperation.scenario, policy: "", seed: HotOperation.seed,
          class: operation.class, metric: operation.allocations,
          value: .real(Double(count) / Double(operation.counted)),
          sampleCount: operation.counted))
    }
    return rows
  }
}

extension HotOperation {
  /// How it is timed: operations in a block, blocks in a turn, the first of which only warms up.
  var timing: (block: Int, blocks: Int) {
    switch self {
    case .event, .storeEvent: (100, 20)
    case .batch: (1, 7)
    case .decoding: (20, 10)
    case .read: (20, 20)
    case .write: (10, 15)
    }
  }

  /// Prepares this many of it, so that doing them does nothing else.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - clock: the cache's; a stopped one if each run must do the same to the instruction.
  /// - Returns: the operation, ready to be done so often. What it counts is a checksum: work whose result is
  ///   not used may be left out by a compiler.
  /// - Throws: `CachePolicyError`, or what an encoder throws.
  package func prepared(
    _ count: Int, clock: any CacheClock
  ) async throws -> any Subject<Int> {
    var subject: any Subject<Int> =
      switch self {
      case .event: try await EventOperation(entities: 1, clock: clock)
      case .batch: try await EventOperation(entities: 1_000, clock: clock)
      case .storeEvent: try StoreEventOperation()
      case .decoding: DecodingOperation()
      case .read: try await ReadOperation(clock: clock)
      case .write: try await WriteOperation(clock: clock)
      }
    try await subject.prepare(count)
    return subject
  }
}

/// The control of operations: work that no build of the cache changes.
///
/// It is timed with the operations, and shows when another process was on the same core.
///
/// Eight sums over an array that fits the first cache: nothing waits for another, so half a core is half
/// the speed.
struct ControlWork: Subject {
  private var words = (0..<4_096).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
  private static let passes = 8

  mutating func perform(_ count: Int) -> Int {
    Int(truncatingIfNeeded: (0..<count).reduce(0) { sum, _ in sum ^ pass() })
  }

  /// Does it once, about 30 µs.
  ///
  /// - Returns: a checksum, so that the work is not left out.
  @inline(never) private mutating func pass() -> UInt64 {
    var sums = (0..<8).map { UInt64($0) }
    for _ in 0..<Self.passes {
      for start in stride(from: 0, to: words.count, by: 8) {
        for lane in 0..<8 {
          sums[lane] = (sums[lane] ^ words[start + lane]) &* 0xD6E8_FEB8_6659_FD93
        }
      }
    }
    let sum = sums.reduce(0, &+)
    words[0] ^= sum
    return sum
  }
}

/// A stopped clock: what a cache does with the time is then the same in every run.
package struct StandingClock: CacheClock {
  package init() {}

  package var now: Instant { .zero }
  package var wallClock: Instant { .zero }

  package func sleep(until instant: Instant) async throws {
    try await Task.sleep(for: .seconds(1 << 30))
  }
}
