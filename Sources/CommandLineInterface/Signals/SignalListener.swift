import Dispatch
import Foundation
import Synchronization

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
