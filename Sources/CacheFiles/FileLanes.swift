import Dispatch
import Synchronization

/// Threads on which calls block that touch files, so that no actor waits: one for what writes, in order, and
/// a few for what reads.
package final class FileLanes: Sendable {
  private let writing: DispatchQueue
  private let reading: [DispatchQueue]
  private let turn = Atomic<Int>(0)

  /// - Parameter label: what the threads are called.
  package init(label: String) {
    writing = DispatchQueue(label: "\(label).writes", qos: .utility)
    reading = (0..<4).map { DispatchQueue(label: "\(label).reads.\($0)", qos: .userInitiated) }
  }

  /// Does what changes files: one after the other, in the order of the calls.
  package func write<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await Self.perform(work, on: writing)
  }

  /// Carries out reads, at the same time as writes.
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
