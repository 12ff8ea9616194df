import Foundation
import Testing

@Suite("The rooms and their arrows")
struct RoomTests {
  private static let systemModules: Set<String> = [
    "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Observation",
    "Synchronization",
  ]

  @Test(
    "Every folder of Sources and Examples is a room, and every room a folder",
    arguments: ["Sources", "Examples"])
  func roomsAreFolders(floor: String) throws {
    let path = SourceFile.top.appendingPathComponent(floor).path
    let folders = try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { !$0.hasPrefix(".") }.sorted()
    #expect(folders == Rooms.all.filter { $0.floor == floor }.map(\.name).sorted())
  }

  @Test("Arrows only point down", arguments: Rooms.all.indices)
  func arrowsPointDown(index: Int) {
    let below = Set(Rooms.all[..<index].map(\.name))
    #expect(Set(Rooms.all[index].rooms).subtracting(below) == [], "\(Rooms.all[index].name)")
  }

  @Test("Virtual time, key traces and real time know nothing of each other")
  func shellsAreIndependent() {
    let shells: Set = ["CacheSimulation", "TraceReplay", "Measurement"]
    for room in Rooms.all where shells.contains(room.name) {
      #expect(shells.isDisjoint(with: room.rooms), "\(room.name)")
    }
  }

  @Test("A room imports only what its arrows allow", arguments: Rooms.all.map(\.name))
  func importsFollowArrows(name: String) throws {
    let room = try #require(Rooms.all.first { $0.name == name })
    let allowed = Set(room.rooms + room.modules)
    for file in try SourceFile.all(below: room.folder) {
      for (module, line) in file.imports where !allowed.contains(module) {
        Issue.record(
          """
          \(file.path):\(line): \(name) may not import \(module); move the code up to a room that \
          may, or hand in what it needs
          """)
      }
    }
  }

  @Test("Package.swift declares for each room what it imports, and nothing else")
  func packageDeclaresArrows() throws {
    let package = try PackageManifest()
    for room in Rooms.all {
      let declared = package.dependencies[room.name] ?? []
      var imported: Set<String> = []
      for file in try SourceFile.all(below: room.folder) {
        imported.formUnion(file.imports.map(\.module))
      }
      imported.subtract(Self.systemModules)
      #expect(imported.subtracting(declared) == [], "\(room.name) imports what it does not declare")
      #expect(declared.subtracting(imported) == [], "\(room.name) declares what it never imports")
    }
  }

  @Test(
    "Every form of an import is seen",
    arguments: [
      "import Foundation", "package import Foundation", "@preconcurrency import Foundation",
      "import struct Foundation.URL", "#if os(Linux)\n  import Foundation.NSURL\n#endif",
    ])
  func seesImports(code: String) {
    let file = SourceFile(path: "f", code: "// import Nothing\n" + code)
    #expect(file.imports.map(\.module) == ["Foundation"])
  }

  @Test("Nothing imports an executable")
  func nothingImportsAnExecutable() throws {
    for file in try SourceFile.all(below: "Sources") {
      #expect(!file.imports.contains { $0.module.hasPrefix("tidemark") }, "\(file.path)")
    }
  }
}

/// The dependencies of the targets in `Package.swift`, read as text: asking SwiftPM takes seconds.
struct PackageManifest {
  private(set) var dependencies: [String: Set<String>] = [:]

  init() throws {
    let path = SourceFile.top.appendingPathComponent("Package.swift")
    let tokens = SwiftToken.tokens(of: try String(contentsOf: path, encoding: .utf8))
    // let heap = Target.Dependency.product(name: "HeapModule", …)
    var products: [String: String] = [:]
    for index in tokens.indices where tokens[index].text == "product" {
      guard index >= 6, index + 4 < tokens.count, tokens[index + 4].kind == .text else { continue }
      products[tokens[index - 6].text] = tokens[index + 4].text
    }
    for index in tokens.indices.dropLast(2)
    where ["room", "executableTarget", "target"].contains(tokens[index].text) {
      let call = Self.arguments(of: tokens[(index + 1)...])
      guard let name = call.first(where: { $0.kind == .text })?.text,
        tokens[index - 1].text != "func", !call.isEmpty, dependencies[name] == nil
      else { continue }
      dependencies[name] = Self.modules(of: call, besides: name, products: products)
    }
  }

  /// What stands between the parentheses that begin the slice.
  private static func arguments(of tokens: ArraySlice<SwiftToken>) -> ArraySlice<SwiftToken> {
    guard tokens.first?.text == "(" else { return [] }
    var depth = 0
    for index in tokens.indices where tokens[index].kind == .sign {
      if tokens[index].text == "(" { depth += 1 }
      if tokens[index].text == ")" { depth -= 1 }
      if depth == 0 { return tokens[(tokens.startIndex + 1)..<index] }
    }
    return []
  }

  private static func modules(
    of call: ArraySlice<SwiftToken>, besides name: String, products: [String: String]
  ) -> Set<String> {
    let rooms = Set(Rooms.all.map(\.name))
    return Set(
      call.compactMap { token in
        token.kind == .text
          ? (token.text != name && rooms.contains(token.text) ? token.text : nil)
          : products[token.text]
      })
  }
}
