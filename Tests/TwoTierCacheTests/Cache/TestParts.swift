import CacheFiles
import CacheTestSupport
import FileHashing
import Foundation
import Logging
import Synchronization
import TwoTierCache

/// A clock that goes when it is told to.
final class TestClock: Sendable {
  private let time = Mutex(Date(timeIntervalSince1970: 1_700_000_000))

  var now: Date { time.withLock { $0 } }

  func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

/// Keeps what is logged.
struct TestLog: LogHandler {
  final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func count(_ level: Logger.Level) -> Int { all.count { $0.hasPrefix("\(level) ") } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  let lines: Lines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    lines.add("\(event.level) \(event.message) \(event.metadata ?? [:])")
  }
}

/// What a test opens caches with.
struct Bench: Sendable {
  let base: CacheFolder
  let clock = TestClock()
  let lines = TestLog.Lines()
  var options = TwoTierOptions()

  init() throws { base = try CacheFolder() }

  var logger: Logger {
    let lines = lines
    return Logger(label: "test") { _ in TestLog(lines: lines) }
  }

  func open<Value: CachedValue>(
    _ identifier: String = "a", of type: Value.Type = Data.self,
    instrument: (any TwoTierInstrument)? = nil
  ) throws -> TwoTierCache<String, Value> {
    let clock = clock
    return try TwoTierCache(
      identifier: identifier, folder: base.url, options: options, logger: logger,
      instrument: instrument, timeOfDay: { clock.now })
  }

  /// The path of a key's file.
  func path(_ key: String, of identifier: String = "a") -> String {
    base.url.path + "/\(FileName(hashing: identifier))/\(FileName(hashing: key))"
  }

  func has(_ key: String, of identifier: String = "a") -> Bool {
    FileManager.default.fileExists(atPath: path(key, of: identifier))
  }
}

extension Data {
  init(_ text: String) { self.init(text.utf8) }
}
