import Dispatch
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
    var progress = CommandProgress()

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
      // A reader that has stopped blocks this; a second signal ends the process then.
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

  /// Notes how far the command has come: a signal that ends the process says so.
  package static func note(_ change: (inout CommandProgress) -> Void) {
    state.withLock { state in
      state.listen()
      change(&state.progress)
    }
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

/// How far a command has come.
package struct CommandProgress: Sendable {
  /// What is under way, in a line; `nil`: nothing.
  package var step: String?
  /// What the command would come to if it ended now: by place, text of whole lines.
  package var results: [Int: String] = [:]

  /// Says it to whoever interrupts the command: what is under way on standard error, results on standard output.
  fileprivate func say(hasTerminal: Bool) {
    if let step, hasTerminal {
      Console.note(
        "\(Console.isInteractive ? "\n" : "")tidemark: interrupted at: \(step); what is finished stays, "
          + "and no file is half written")
    }
    guard !results.isEmpty else { return }
    Console.note("what was decided so far, without checks of robustness:")
    // Nothing more can be done where it cannot be written.
    for (_, text) in results.sorted(by: { $0.key < $1.key }) { try? Console.write(text) }
  }
}

/// Hears signals as long as it lives.
///
/// A handler writes the number into a pipe, and a queue reads it. A source of Dispatch for signals would
/// not do on Linux: it takes a signal only if no thread is quicker, and the main thread, which sleeps with
/// every signal let through, often is.
package final class SignalListener {
  private let source: any DispatchSourceRead

  /// - Parameters:
  ///   - numbers: which signals; from now on they do nothing else.
  ///   - body: called with the number of each that comes, on a queue.
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
      // Whoever started the process may have had it ignore a signal, as `nohup` does.
      if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
    }
  }

  /// Both ends of the one pipe of the process; a handler can be handed nothing.
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

/// What the parent of a child process tells it, on standard input.
///
/// The end of the input is the order to leave: it comes when the parent ends, however that happens.
package enum ChildOrders {
  /// How long a process may take to leave, once it has been told to.
  private static let patience = 2.0

  /// The lines, until the input ends; some time after that the process is ended whatever it does.
  package static func lines() -> AsyncStream<String> {
    // A user's Ctrl-C reaches the whole group; the parent says when to go.
    signal(SIGINT, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGTERM, SIG_DFL)
    let (lines, door) = AsyncStream.makeStream(of: String.self)
    // A thread of its own, since it spends its life waiting.
    Thread.detachNewThread {
      while let line = readLine() { door.yield(line) }
      door.finish()
      Thread.sleep(forTimeInterval: patience)
      exit(ExitStatus.fault.rawValue)
    }
    return lines
  }
}
