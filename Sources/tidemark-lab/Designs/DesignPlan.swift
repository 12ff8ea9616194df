import CacheModel
import Foundation

/// How much is measured, and where.
struct DesignPlan: Sendable {
  var entries = [200, 2_000]
  /// Reads that are timed, of each tier without the server.
  var reads = 5_000
  /// Reads that are timed of those that wait for the server.
  var requests = 1_000
  var bodyBytes = 20_000
  var latency = Duration.milliseconds(5)
  var folder: URL

  /// The body of an entry, which no other has.
  func body(_ index: Int) -> Data {
    var random = RandomSource(seed: UInt64(index))
    var body = Data(capacity: bodyBytes + 8)
    while body.count < bodyBytes {
      withUnsafeBytes(of: random.next().littleEndian) { body.append(contentsOf: $0) }
    }
    return body.prefix(bodyBytes)
  }

  /// The entries that are read, in an order that no read-ahead foresees.
  func order(_ count: Int, of entries: Int) -> [Int] {
    var random = RandomSource(seed: 1)
    return (0..<count).map { _ in random.below(entries) }
  }

  /// The address of an entry, which no server has.
  static func url(_ index: Int) throws -> URL { try url("http://bench.invalid", "/\(index)") }

  static func url(_ server: String, _ path: String) throws -> URL {
    guard let url = URL(string: server + path) else {
      throw CocoaError(.fileReadInvalidFileName)
    }
    return url
  }

  /// A folder that is empty and does not exist yet.
  func freshFolder(_ name: String) throws -> URL {
    let url = folder.appendingPathComponent(name)
    if FileManager.default.fileExists(atPath: url.path) {
      try FileManager.default.removeItem(at: url)
    }
    return url
  }
}

/// A read answered with something else than what was stored; times of it say nothing.
struct WrongAnswer: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
