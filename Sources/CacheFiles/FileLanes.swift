import Dispatch
import Synchronization

/// Threads for blocking file operations, so that no actor waits: one for writes, in order, and a few for
/// reads.
package final class FileLanes: Sendable {
  private let writing: DispatchQueue
  private let reading: [DispatchQueue]
  private let turn = Atomic<Int>(0)

  package init(label: String) {
    writing = DispatchQueue(label: "\(label).writes", qos: .utility)
    reading = (0..<4).map { DispatchQueue(label: "\(label).reads.\($0)", qos: .userInitiated) }
  }

  /// Runs a write: one after the other, in the order of the calls.
  package func write<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await Self.perform(work, on: writing)
  }

  /// Runs a read, concurrently with writes.
  package func read<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return await Self.perform(work, on: reading[Int(turn.magnitude % UInt(reading.count))])
  }

  private static func perform<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, on queue: DispatchQueue
  ) async -> Result {
    await withCheckedContinuation { done in
      queue.async { done.resume(returning: work()) }
    }
  }
}
