import Dispatch
import Foundation
import Synchronization

/// Lets a command clean up when the user or the system ends it.
///
/// The parent process sees that it died of the signal, as if it had not been caught: a shell then reports 128
/// plus the signal's number.
package enum TerminationSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]

  private struct State {
    var listener: SignalListener?
    /// The signal that will end the process, once received.
    var seen: Int32?
    /// Cancels running bodies, which then end by themselves.
    var work: [UUID: @Sendable () -> Void] = [:]
    var drafts: Set<String> = []
    var progress = CommandProgress()

    mutating func listen() {
      listener = listener ?? SignalListener(numbers) { TerminationSignals.take($0) }
    }

    /// Ends the process.
    ///
    /// The state stays locked, so that no draft can be created or renamed after this.
    func end(by number: Int32) -> Never {
      for path in drafts { try? FileManager.default.removeItem(atPath: path) }
      signal(number, SIG_DFL)
      // The threads of a queue block signals.
      var own = sigset_t()
      sigemptyset(&own)
      sigaddset(&own, number)
      pthread_sigmask(SIG_UNBLOCK, &own, nil)
      // A stopped reader blocks this; a second signal then ends the process.
      progress.say(hasTerminal: number != SIGHUP)
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

  /// Records the command's progress, which is reported if a signal ends the process.
  package static func note(_ change: (inout CommandProgress) -> Void) {
    state.withLock { state in
      state.listen()
      change(&state.progress)
    }
  }

  // MARK: Drafts

  /// Registers a file or folder to be removed if a signal ends the process.
  package static func add(draft path: String) {
    state.withLock { state in
      state.listen()
      state.drafts.insert(path)
    }
  }

  /// Renames or removes a draft while signals wait; from then on a signal leaves it alone.
  ///
  /// - Parameters:
  ///   - path: the draft.
  ///   - former: another draft, which the body leaves behind.
  ///   - body: the operation on it.
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

package struct CommandProgress: Sendable {
  /// The current step, in a line; `nil`: none.
  package var step: String?
  /// The results if the command ended now: whole lines by index.
  package var results: [Int: String] = [:]

  /// Reports the progress to a user who interrupts the command: the step on standard error, results on
  /// standard output.
  fileprivate func say(hasTerminal: Bool) {
    if let step, hasTerminal {
      Console.note(
        "\(Console.isInteractive ? "\n" : "")tidemark: interrupted at: \(step); finished files stay, "
          + "and none is half written")
    }
    guard !results.isEmpty else { return }
    Console.note("decided so far, without robustness checks:")
    // A failure to write is ignored.
    for (_, text) in results.sorted(by: { $0.key < $1.key }) { try? Console.write(text) }
  }
}

/// Receives signals during its lifetime.
///
/// A handler writes the number into a pipe, and a queue reads it. A Dispatch source for signals would not
/// work on Linux: it receives a signal only if no thread is quicker, and the main thread, which sleeps with
/// unblocked signals, often is.
package final class SignalListener {
  private let source: any DispatchSourceRead

  /// - Parameters:
  ///   - numbers: the signals, which from now on have no other effect.
  ///   - body: called on a queue with the number of each signal.
  package init(_ numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void) {
    let (reading, writing) = Self.pipe
    Self.end.store(writing, ordering: .sequentiallyConsistent)
    source = DispatchSource.makeReadSource(fileDescriptor: reading)
    source.setEventHandler {
      var number: UInt8 = 0
      while read(reading, &number, 1) == 1 { body(Int32(number)) }
    }
    source.resume()
    for number in numbers {
      // Not ignored, since a child would inherit that.
      let former = signal(number) { number in
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalListener.end.load(ordering: .relaxed), &byte, 1)
      }
      // The parent may have made the process ignore a signal, as `nohup` does.
      if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
    }
  }

  /// Both ends of the process's only pipe; a handler has no context argument.
  private static let pipe: (reading: Int32, writing: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }()
  private static let end = Atomic<Int32>(-1)
}

/// Commands from the parent of a child process, on standard input.
///
/// The end of the input means to exit: it comes when the parent ends for any reason.
package enum ChildOrders {
  /// The maximum time to exit after the end of the input, in seconds.
  private static let patience = 2.0

  /// Returns the lines until the input ends; after that and a delay the process is ended in any case.
  package static func lines() -> AsyncStream<String> {
    // A user's Ctrl-C reaches the whole process group; the parent decides when to exit.
    signal(SIGINT, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGTERM, SIG_DFL)
    let (lines, door) = AsyncStream.makeStream(of: String.self)
    // A separate thread, since it mostly waits.
    Thread.detachNewThread {
      while let line = readLine() { door.yield(line) }
      door.finish()
      Thread.sleep(forTimeInterval: patience)
      exit(ExitStatus.fault.rawValue)
    }
    return lines
  }
}
