import Foundation
import Synchronization

/// What the parent of a child process tells it, on standard input.
///
/// The end of the input is the order to leave: it comes when the parent ends, however that happens.
enum ChildOrders {
  /// The lines, until the input ends.
  static func lines() -> AsyncStream<String> {
    // A user's Ctrl-C reaches the whole group; the parent says when to go.
    signal(SIGINT, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGTERM, SIG_DFL)
    let (lines, door) = AsyncStream.makeStream(of: String.self)
    // A thread of its own, since it spends its life waiting.
    Thread.detachNewThread {
      while let line = readLine() { door.yield(line) }
      door.finish()
    }
    return lines
  }
}
