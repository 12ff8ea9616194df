package import Foundation
package import Logging
import Synchronization

/// A clock that a test moves.
package final class TestClock: Sendable {
  private let time = Mutex(Date(timeIntervalSince1970: 1_700_000_000))

  package init() {}

  package var now: Date { time.withLock { $0 } }

  package func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

/// Keeps the logged lines.
package struct TestLog: LogHandler {
  package final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    package init() {}

    package var all: [String] { lines.withLock { $0 } }

    package func count(_ level: Logger.Level) -> Int { all.count { $0.hasPrefix("\(level) ") } }

    fileprivate func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private let lines: Lines
  package var metadata: Logger.Metadata = [:]
  package var logLevel = Logger.Level.trace

  package init(lines: Lines) { self.lines = lines }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    lines.add("\(event.level) \(event.message) \(event.metadata ?? [:])")
  }
}
