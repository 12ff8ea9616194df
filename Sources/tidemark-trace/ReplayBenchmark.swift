import CacheModel
import CommandLineInterface
import EvictionPolicies
import Foundation
import Processes
import TraceReplay

/// How fast policies replay one trace, one run at a time on one core.
///
/// Timed is what the processor spends on it, so that a machine that does other things besides says
/// nearly the same as one that does not.
struct ReplayBenchmark {
  struct Row {
    /// The policy, or what else was timed.
    var subject: String
    /// In entities; `nil`: not of one capacity.
    var capacity: Int?
    var missRatio: Double?
    /// Of the fastest run, per second of processor time.
    var requestsPerSecond: Double
    /// What it should reach at least; `nil`: a row for comparison.
    var target: Double?
  }

  /// Requests per second that the loop should reach on one core of a server of today.
  static let targets: [(policy: String, perSecond: Double)] = [
    ("lru", 60e6), ("fifo", 120e6), ("sieve", 90e6), ("s3-fifo", 35e6), ("arc", 45e6),
    ("lfu", 35e6), ("w-tinylfu", 15e6), ("clairvoyant", 15e6),
  ]
  static let wholeCommandTarget = 20e6
  static let curveTarget = 10e6

  /// Where a trace is read from.
  struct File {
    var path: String
    var format: TraceFormat
    var options: ReadingOptions

    func read() throws -> InternedTrace {
      try TraceInput.read(path, format: format, options: options, command: nil)
    }
  }

  let file: File
  /// What was read.
  let trace: InternedTrace
  /// How often each is timed; the fastest run counts, since others only add to the time.
  let repetitions: Int

  /// A policy at a capacity, the trace being interned and the future known.
  func loop(_ cell: Replay.Cell, nextUses: [UInt32]) -> Row {
    var missRatio: Double?
    let perSecond = fastest {
      missRatio = Self.missRatio(Replay.run(cell, of: trace, nextUses: nextUses, seed: 1))
    }
    return Row(
      subject: cell.policy.name, capacity: cell.capacity, missRatio: missRatio,
      requestsPerSecond: perSecond,
      target: Self.targets.first { $0.policy == cell.policy.name }?.perSecond)
  }

  /// The loop with nothing to decide: everything fits, and a hit moves nothing.
  ///
  /// What is beyond this is what a policy costs.
  func control(_ fifo: EvictionPolicyDescriptor) -> Row {
    var row = loop(Replay.Cell(policy: fifo, capacity: trace.distinct), nextUses: [])
    row.subject = "(loop alone)"
    row.target = nil
    return row
  }

  /// The misses of LRU at every capacity, the trace being interned.
  func curve() -> Row {
    var depths = 0
    let perSecond = fastest { depths = LRUCurve(of: trace).depths.count }
    assert(depths == trace.distinct + 1)
    return Row(
      subject: "(exact lru curve)", requestsPerSecond: perSecond, target: Self.curveTarget)
  }

  /// Reading the file and numbering its keys.
  func reading() throws -> Row {
    let perSecond = try fastest { _ = try file.read() }
    return Row(subject: "(file to numbers)", requestsPerSecond: perSecond)
  }

  /// Reading, numbering, and one policy.
  func wholeCommand(_ cell: Replay.Cell) throws -> Row {
    var missRatio: Double?
    let perSecond = try fastest {
      missRatio = Self.missRatio(Replay.run(cell, of: try file.read(), seed: 1))
    }
    return Row(
      subject: "(file to result: \(cell.policy.name))", capacity: cell.capacity,
      missRatio: missRatio, requestsPerSecond: perSecond, target: Self.wholeCommandTarget)
  }

  private static func missRatio(_ row: ReplayRow) -> Double? {
    row.counts.requests > 0 ? Double(row.counts.misses) / Double(row.counts.requests) : nil
  }

  /// What ``LRU`` adds to the memory of the process at its peak when everything fits, per key.
  ///
  /// `nil` where the system does not say. To be asked before anything else is replayed: what an
  /// allocator holds back would be reused, and go uncounted.
  func bytesPerKey(_ lru: EvictionPolicyDescriptor) -> Double? {
    guard let before = ProcessMemory.resetPeak() else { return nil }
    _ = Replay.run(Replay.Cell(policy: lru, capacity: trace.distinct), of: trace, seed: 1)
    guard let peak = ProcessMemory.peak() else { return nil }
    return Double(max(0, peak - before)) / Double(trace.distinct)
  }

  private func fastest(_ body: () throws -> Void) rethrows -> Double {
    var best = Int64.max
    for _ in 0..<max(1, repetitions) {
      let start = ProcessorTime.now()
      try body()
      best = min(best, ProcessorTime.now() - start)
    }
    return Double(trace.ids.count) / Double(max(1, best)) * 1e9
  }
}
