import CacheTestSupport
import Foundation

@testable import Workloads

/// The scenario files of the repository.
enum ScenarioFiles {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Scenarios")

  static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".yaml") }
    .sorted()

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  static func load(_ name: String) throws -> Scenario {
    let bytes = try [UInt8](Data(contentsOf: folder.appending(path: name)))
    return try Scenario.parse(
      bytes, file: name, vocabulary: .unchecked, models: .shipped)
  }
}
