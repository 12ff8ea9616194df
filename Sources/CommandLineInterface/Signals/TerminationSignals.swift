import Foundation
import Synchronization

/// Lets a command clean up when the user or the system ends it.
///
/// The parent of the process sees that it died of the signal, as if it had not been caught: a shell then says
/// 128 and the signal's number.
package enum TerminationSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]

  private struct State {
    var listener: SignalListener?
    /// What ends the process, once that is asked for.
    var seen: Int32?
    /// Ends a running body; it then comes to its end by itself.
    var work: [UUID: @Sendable () -> Void] = [:]
    /// Files and folders that go with the process.
    var drafts: Set<String> = []

    mutating func listen() {
      listener = listener ?? SignalListener(numbers) { TerminationSignals.take($0) }
    }

    /// Ends the process.
    ///
    /// State is locked for good, so that no draft is begun or gets a name after this.
    func end(by number: Int32) -> Never {
      for path in drafts { try? FileManager.default.removeItem(atPath: path) }
      signal(number, SIG_DFL)
      // A thread of a queue lets none through.
      var own = sigset_t()
      sigemptyset(&own)
      sigaddset(&own, number)
      pthread_sigmask(SIG_UNBLOCK, &own, nil)
      raise(number)
      _exit(128 + number)
    }
  }

  private static let state = Mutex(State())

  private static func take(_ number: Int32) {
    let work = state.withLock { state in
      if state.work.isEmpty { state.end(by: number) }
      state.seen = state.seen ?? number
      return Array(state.work.values)
    }
    for cancel in work { cancel() }
  }

  /// Runs a body; a signal cancels it, and ends the process when the body has ended.
  package static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let id = UUID()
    let work = Task { try await body() }
    state.withLock { state in
      state.listen()
      state.work[id] = { work.cancel() }
    }
    let result = await work.result
    state.withLock { state in
      state.work[id] = nil
      if let number = state.seen, state.work.isEmpty { state.end(by: number) }
    }
    return try result.get()
  }

  // MARK: Drafts

  /// From now on a signal removes what is at the path, a file or a folder, before it ends the process.
  package static func add(draft path: String) {
    state.withLock { state in
      state.listen()
      state.drafts.insert(path)
    }
  }

  /// Gives a draft its name, or removes it, while signals wait; from then on a signal leaves it alone.
  ///
  /// - Parameters:
  ///   - path: the draft.
  ///   - former: another draft, which the body leaves behind.
  ///   - body: what is done with it.
  package static func settle(
    draft path: String, leaving former: String? = nil, _ body: () throws -> Void
  ) rethrows {
    try state.withLock { state in
      defer { state.drafts.remove(path) }
      try body()
      if let former { state.drafts.insert(former) }
    }
  }
}
