import Foundation
import Testing

@Suite("Modules and what they import")
struct PackageModuleTests {
  @Test(
    "Every folder of Sources and Examples is a module, and every module a folder",
    arguments: ["Sources", "Examples"])
  func modulesAreFolders(parent: String) throws {
    let path = SourceFile.top.appendingPathComponent(parent).path
    // What has a manifest is a package of its own, as its reader's would be.
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

  @Test("Who tests a cache or a policy of one's own compiles no search for faults and no processes")
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
