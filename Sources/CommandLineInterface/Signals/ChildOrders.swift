import Foundation

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
