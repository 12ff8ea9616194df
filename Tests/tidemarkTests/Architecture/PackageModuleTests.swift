import Foundation
import Testing

@Suite("Modules and their imports")
struct PackageModuleTests {
  @Test(
    "Every folder of Sources and Examples is a module, and every module a folder",
    arguments: ["Sources", "Examples"])
  func modulesAreFolders(parent: String) throws {
    let path = SourceFile.top.appendingPathComponent(parent).path
    // A folder with a manifest is a package of its own, as a reader's would be.
    let folders = try FileManager.default.contentsOfDirectory(atPath: path)
      .filter {
        !$0.contains(".")
          && !FileManager.default.fileExists(atPath: "\(path)/\($0)/Package.swift")
      }.sorted()
    #expect(folders == PackageModules.all.filter { $0.parent == parent }.map(\.name).sorted())
  }

  @Test("Key traces know nothing of virtual time or of real time")
  func tracesAreIndependent() throws {
    let closure = PackageModules.closure(of: "TraceReplay")
    #expect(closure.isDisjoint(with: ["CacheSimulation", "RealTime", "NormalizedCacheCore"]))
  }

  @Test("The first table waits for the simulator and a parser, and for no database or network")
  func closureOfTheCore() {
    let own = Set(PackageModules.all.map(\.name))
    let foreign = PackageModules.closure(of: "tidemark").subtracting(own)
    #expect(foreign == ["ArgumentParser", "DequeModule", "HeapModule", "Yams"])
    let others: Set = [
      "CacheChecking", "FaultSearch", "NormalizedCache", "RealTime", "TraceReplay",
      "CachePersistence",
    ]
    #expect(PackageModules.closure(of: "tidemark").isDisjoint(with: others))
  }

  @Test("Testing your own cache or policy compiles no fault search and no processes")
  func closureOfTestSupport() {
    let closure = PackageModules.closure(of: "TidemarkTestSupport")
    #expect(
      closure.isDisjoint(with: ["FaultSearch", "CacheProcesses", "Processes", "ArgumentParser"]))
  }

  @Test("A module imports only what its arrows allow", arguments: PackageModules.all.map(\.name))
  func importsFollowArrows(name: String) throws {
    let module = try #require(PackageModules.all.first { $0.name == name })
    let allowed = Set(module.dependencies + module.system)
    for file in try SourceFile.all(below: module.folder) {
      for (module, line) in file.imports where !allowed.contains(module) {
        Issue.record(
          """
          \(file.path):\(line): \(name) may not import \(module); move the code up to a module that \
          may, or hand in what it needs
          """)
      }
    }
  }

  @Test(
    "A module imports everything that Package.swift declares for it",
    arguments: PackageModules.all)
  func declarationsAreUsed(module: PackageModule) throws {
    var imported: Set<String> = []
    for file in try SourceFile.all(below: module.folder) {
      imported.formUnion(file.imports.map(\.module))
    }
    let unused = Set(module.dependencies).subtracting(imported)
    #expect(unused == [], "\(module.name) declares what it never imports")
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

/// A module of the package and what it may import, as `Package.swift` declares it.
struct PackageModule: Sendable, CustomTestStringConvertible {
  var name: String
  /// Modules of this package and of others.
  var dependencies: [String]
  /// Its folder.
  var parent = "Sources"

  var folder: String { "\(parent)/\(name)" }
  var testDescription: String { name }

  /// Modules of the system that it may import; none where its results must be the same everywhere.
  var system: [String] { Self.system[name] ?? [] }

  private static let system = [
    "NormalizedCache": ["Observation", "Synchronization", "Darwin", "Glibc"],
    "NormalizedCacheFoundation": ["Foundation", "FoundationEssentials"],
    "CachePersistence": ["Dispatch", "Foundation"],
    "CacheFiles": ["Darwin", "Dispatch", "Foundation", "Glibc", "Musl", "Synchronization"],
    "FileHashing": ["Foundation"],
    "TwoTierCache": ["Foundation", "Synchronization"],
    "ResponseCache": ["Foundation", "FoundationNetworking", "Synchronization"],
    "LocalHTTPServer": ["Synchronization"],
    "StreamingRepository": ["Dispatch", "Foundation", "Synchronization"],
    "CacheMetrics": ["Synchronization"],
    "CacheProcesses": ["Darwin", "Foundation", "Glibc", "Synchronization"],
    "SessionRecorder": ["Darwin", "Dispatch", "Glibc", "Synchronization"],
    "Processes": ["Darwin", "Foundation", "FoundationEssentials", "Glibc", "Synchronization"],
    "RealTime": [
      "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Synchronization",
    ],
    "CommandLineInterface": ["Darwin", "Dispatch", "Foundation", "Glibc", "Synchronization"],
    "tidemark-lab": ["Darwin", "Foundation", "Glibc", "Synchronization"],
    "tidemark-check": ["Foundation"],
    "tidemark-trace": ["Foundation", "Synchronization"],
    "CacheTestSupport": ["Darwin", "Foundation", "Glibc", "Synchronization", "Testing"],
    "tidemark": ["Darwin", "Dispatch", "Foundation", "Glibc", "Synchronization"],
    "storage-crash-child": ["Foundation", "Synchronization"],
    "http-cache-proxy": ["Foundation"],
    "tidemark-memory": ["Dispatch", "Foundation", "Synchronization"],
    "Chat": ["Foundation", "Observation"],
    "Overhead": ["Dispatch", "FoundationEssentials"],
    "TwoDevices": ["Foundation", "Observation"],
    "Links": ["Foundation"],
    "Magazine": ["Foundation"],
    "Tiles": ["Foundation"],
    "Guide": ["Foundation", "Synchronization"],
  ]
}

/// The modules in `Package.swift`, read as text: asking SwiftPM takes seconds.
///
/// That no dependency points up is SwiftPM's to see to.
enum PackageModules {
  static let all: [PackageModule] = {
    do {
      let path = SourceFile.top.appendingPathComponent("Package.swift")
      return modules(in: SwiftToken.tokens(of: try String(contentsOf: path, encoding: .utf8)))
    } catch {
      preconditionFailure("Package.swift cannot be read: \(error)")
    }
  }()

  /// The modules, of this package and of others, that have to be compiled for one.
  static func closure(of name: String) -> Set<String> {
    var found: Set<String> = []
    var waiting = [name]
    while let next = waiting.popLast() {
      guard found.insert(next).inserted else { continue }
      waiting += all.first { $0.name == next }?.dependencies ?? []
    }
    return found
  }

  private static let declarations: Set = ["module", "executableTarget", "target", "systemLibrary"]

  private static func modules(in tokens: [SwiftToken]) -> [PackageModule] {
    // let heap = Target.Dependency.product(name: "HeapModule", …)
    var products: [String: String] = [:]
    for index in tokens.indices where tokens[index].text == "product" {
      guard index >= 6, index + 4 < tokens.count, tokens[index + 4].kind == .text else { continue }
      products[tokens[index - 6].text] = tokens[index + 4].text
    }
    var calls: [(name: String, call: ArraySlice<SwiftToken>)] = []
    for index in tokens.indices.dropLast(2) where declarations.contains(tokens[index].text) {
      let call = arguments(of: tokens[(index + 1)...])
      guard let name = call.first(where: { $0.kind == .text })?.text,
        tokens[index - 1].text != "func"
      else { continue }
      // Another target's dependency was declared before, or is now with more.
      if let known = calls.firstIndex(where: { $0.name == name }) {
        if call.count > calls[known].call.count { calls[known].call = call }
      } else {
        calls.append((name, call))
      }
    }
    let names = Set(calls.map(\.name))
    return calls.map { name, call in
      PackageModule(
        name: name,
        dependencies: call.compactMap { token in
          token.kind == .text
            ? (token.text != name && names.contains(token.text) ? token.text : nil)
            : products[token.text]
        },
        parent: ["Examples", "Tests"].first { folder in
          call.contains { $0.kind == .text && $0.text.hasPrefix("\(folder)/") }
        } ?? "Sources")
    }
  }

  /// The text between the parentheses that begin the slice.
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
}
