import Foundation
import Synchronization

/// Lets a run clean up when the user or the system ends it.
package enum TerminationSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]

  /// Runs a body; a signal cancels it, and ends the process when the body has ended.
  ///
  /// Who started the process sees that it died of the signal, as if it had not been caught.
  package static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let work = Task { try await body() }
    let seen = SeenSignal()
    let listener = SignalListener(numbers) { number in
      seen.note(number)
      work.cancel()
    }
    let result = await work.result
    listener.stop()
    if let number = seen.number {
      // To the process, not to this thread, which takes no signals.
      kill(getpid(), number)
      try? await Task.sleep(for: .seconds(5))
    }
    return try result.get()
  }

  private final class SeenSignal: Sendable {
    private let first = Mutex<Int32?>(nil)

    var number: Int32? { first.withLock { $0 } }

    func note(_ number: Int32) { first.withLock { $0 = $0 ?? number } }
  }
}
