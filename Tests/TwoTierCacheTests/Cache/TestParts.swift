import CacheFiles
import CacheTestSupport
import FileHashing
import Foundation
import Logging
import TwoTierCache

/// The parts with which a test opens caches.
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
