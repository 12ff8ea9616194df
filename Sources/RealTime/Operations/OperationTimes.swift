package import CacheModel
package import NormalizedCache
import Processes
package import ResultModel

/// The time of each operation in one process, for comparison with a process of another build.
package struct OperationTimes: Sendable {
  /// An artificial slowdown in percent, which a comparison must detect.
  package var slowdown = 0

  package init() {}

  /// The number of turns of all operations: the samples of each are spread over the whole process.
  ///
  /// A machine has periods in which everything takes 50% longer, since another process uses the same core.
  /// They are longer than one operation would be timed.
  private static let turns = 20
  private static let control = (block: 1, blocks: 21)
  private let clock = ContinuousCacheClock()

  /// Returns one row for each operation, with the first quartile of its block times per operation, and one
  /// for the control.
  ///
  /// Interference only increases a block's time, so the slow ones depend more on the machine than on the
  /// build.
  ///
  /// - Throws: the errors of ``HotOperation/prepared(_:)`` and the operations.
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
    // The third quartile: it reveals interference in more than a quarter of the blocks.
    let control = row(HotOperation.controlClass, times[0], 3, perBlock: 1)
    return zip(operations, times.dropFirst()).map { operation, times in
      row(operation.class, times, 1, perBlock: operation.timing.block)
    } + [control]
  }
}

/// Counts the allocations of each operation.
package struct OperationAllocations: Sendable {
  package init() {}

  /// Returns one row for each operation with its allocations, over enough operations to include growth by
  /// doubling proportionally.
  ///
  /// - Throws: an operation's or the counter's error.
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
  /// The number of operations in a block, and of blocks in a turn, the first of which warms up.
  var timing: (block: Int, blocks: Int) {
    switch self {
    case .event, .storeEvent: (100, 20)
    case .batch: (1, 7)
    case .decoding: (20, 10)
    case .read: (20, 20)
    case .write: (10, 15)
    }
  }

  /// Prepares this many operations, so that performing them does nothing else.
  ///
  /// - Parameters:
  ///   - count: the number of operations.
  ///   - clock: the cache's clock; a stopped one if all runs must execute the same instructions.
  /// - Returns: the prepared operation. Its outcome is a checksum: a compiler may remove work whose result is
  ///   not used.
  /// - Throws: `CachePolicyError`, or an encoder's error.
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

/// The control of operations: work that is independent of the cache.
///
/// It alternates with the operations, and detects another process on the same core.
///
/// It computes eight sums over an array that fits the level 1 cache: they are independent, so half a core
/// gives half the speed.
struct ControlWork: Subject {
  private var words = (0..<4_096).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
  private static let passes = 8

  mutating func perform(_ count: Int) -> Int {
    Int(truncatingIfNeeded: (0..<count).reduce(0) { sum, _ in sum ^ pass() })
  }

  /// Performs the work once, in about 30 µs.
  ///
  /// - Returns: a checksum, so that the work is not optimized away.
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

/// A stopped clock, with which all runs of a cache are the same.
package struct StandingClock: CacheClock {
  package init() {}

  package var now: Instant { .zero }
  package var wallClock: Instant { .zero }

  package func sleep(until instant: Instant) async throws {
    try await Task.sleep(for: .seconds(1 << 30))
  }
}
