import Dispatch
import Synchronization

/// Asynchronous work in a synchronous process.
enum Waiting {
  /// Blocks the calling thread until the work is done.
  ///
  /// - Throws: what the work throws.
  static func wait<Value: Sendable>(
    for work: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let outcome = Outcome<Value>()
    let done = DispatchSemaphore(value: 0)
    Task {
      do {
        let value = try await work()
        outcome.result.withLock { $0 = .success(value) }
      } catch {
        outcome.result.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
    done.wait()
    guard let result = outcome.result.withLock({ $0 }) else {
      preconditionFailure("the work ended without an outcome")
    }
    return try result.get()
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }
}
