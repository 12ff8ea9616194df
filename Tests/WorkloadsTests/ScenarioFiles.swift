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

  /// The nodes of a file, with those of the model that its data build on.
  static func nodes(_ name: String) throws -> SourceNode {
    try SharedModels.shipped.scenario(Array(text(name).utf8), file: name)
  }
}

/// Scenarios of a small library of files, as the shipped model declares it.
enum SmallLibrary {
  /// The activities of its users; `mix` says how often.
  static let activities = """
    activities: {browse: [{stroll: {through: files.directory, pin: 20 %}}], \
    album: [visit: albums.files], tag: [visit: tags.files], recents: [visit: files.recents], \
    search: [type: files.search]}
    """

  static func scenario(
    _ rest: String, files: Int = 800, tree: String = "{depth: 2, fan-out: 6}"
  ) throws -> Scenario {
    let yaml = """
      name: small
      data:
        use: files
        entities:
          file: {count: \(files), has: {parent: {tree: \(tree)}}}
          album: {count: 5}
          tag: {count: 5}
      \(rest)

      """
    return try Scenario.parse(
      Array(yaml.utf8), file: "small.yaml", vocabulary: .unchecked, models: .shipped)
  }
}

/// The required keys of a scenario, for tests of one section.
enum MinimalScenario {
  private static let parts = [
    ("name", "a"), ("duration", "10 min"),
    (
      "data",
      """
      {entities: {page: {count: 9, size: 1 kB, has: {name: text}}}, \
      queries: {pages: {list: page, order: name, first: 9}}, \
      operations: {add: {create: page}, edit: {set: page.name}, drop: {delete: page}}}
      """
    ),
    ("users", "[{name: phone, mix: {look: 100 %}, activities: {look: [visit: pages]}}]"),
  ]

  /// A file with those of these keys that it lacks, a line for each at its end.
  static func completing(
    _ yaml: String, with keys: Set<String> = ["name", "duration", "data", "users"]
  ) -> String {
    yaml
      + parts.filter { keys.contains($0.0) && !"\n\(yaml)".contains("\n\($0.0):") }
      .map { "\($0.0): \($0.1)\n" }.joined()
  }
}
