import CacheChecking
import CacheSimulation
import CacheTestSupport
import Foundation
import Testing

@testable import CacheProcesses

@Suite("The bridge to JavaScript", .startsProcesses)
struct JavaScriptConformanceTests {
  static let hasNode: Bool = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/node") }
  }()

  /// The folder of the bridge.
  private static let bridges = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Adapters/javascript").path

  private static func results(
    of adapter: String, _ cases: [ConformanceCase], options: String = ""
  ) throws -> [ConformanceResult] {
    let command = try #require(
      CacheCommand("javascript=exec node '\(bridges)/bridge.mjs' '\(adapter)' \(options)"))
    let conformance = Conformance()
    return cases.map { conformance.run($0, command, limits: ScriptedCaches.limits) }
  }

  @Test(
    "Its cache fails nowhere, and is poorer where it follows no events",
    .enabled(if: hasNode, "no node"))
  func adapter() throws {
    let results = try Self.results(of: "\(Self.bridges)/lru.mjs", Conformance.cases(nil))
    for result in results {
      #expect(result.verdict != .fail, "\(result.test.address): \(result.findings)")
    }
    func verdict(_ address: String) -> ConformanceResult.Verdict? {
      results.first { $0.test.address == address }?.verdict
    }
    #expect(verdict("reads/2") == .pass && verdict("events/1") == .nonStrict)
    #expect(verdict("time/2") == .pass)
  }

  @Test(
    "One that patches its answers by events misses next to nothing",
    .enabled(if: hasNode, "no node"))
  func patched() throws {
    let results = try Self.results(of: "\(Self.bridges)/patched.mjs", Conformance.cases(nil))
    for result in results {
      #expect(result.verdict != .fail, "\(result.test.address): \(result.findings)")
    }
    let poorer = results.filter { $0.verdict == .nonStrict }.map(\.test.address)
    #expect(poorer == ["reads/8", "reorder/6", "offline/3", "time/2", "parts/4"])
  }

  @Test(
    "An adapter that stores its answers has them again, and asks for what it missed",
    .enabled(if: hasNode, "no node"))
  func stored() throws {
    let cases = Conformance.cases("relaunch")
    let results = try Self.results(
      of: "\(Self.bridges)/patched.mjs", cases, options: "--store")
    for result in results where !result.test.needs.contains(.writes) {
      #expect(result.verdict == .pass, "\(result.test.address): \(result.findings)")
    }
    #expect(cases.count > 5)
  }

  /// Whether the packages of a client are installed next to its adapter.
  static func isInstalled(_ client: String) -> Bool {
    [client, "."].contains {
      FileManager.default.fileExists(atPath: "\(bridges)/\($0)/node_modules")
    }
  }

  @Test(
    "TanStack Query fails nowhere",
    .enabled(if: hasNode && isInstalled("tanstack-query"), "its packages are not installed"))
  func tanStackQuery() throws { try failsNowhere("tanstack-query") }

  @Test(
    "RTK Query fails nowhere",
    .enabled(if: hasNode && isInstalled("rtk-query"), "its packages are not installed"))
  func rtkQuery() throws { try failsNowhere("rtk-query") }

  @Test(
    "Apollo Client fails nowhere",
    .enabled(if: hasNode && isInstalled("apollo-client"), "its packages are not installed"))
  func apolloClient() throws { try failsNowhere("apollo-client") }

  @Test(
    "Graphcache fails nowhere",
    .enabled(if: hasNode && isInstalled("graphcache"), "its packages are not installed"))
  func graphcache() throws { try failsNowhere("graphcache") }

  @Test(
    "SWR fails nowhere",
    .enabled(if: hasNode && isInstalled("swr"), "its packages are not installed"))
  func swr() throws { try failsNowhere("swr") }

  private func failsNowhere(_ client: String) throws {
    let adapter = "\(Self.bridges)/\(client)/adapter.mjs"
    for result in try Self.results(of: adapter, Conformance.cases(nil)) {
      #expect(result.verdict != .fail, "\(result.test.address): \(result.findings)")
    }
  }

  /// Side effects of an adapter, and the case that would show each.
  @Test(
    "The bridge replaces printing, time and random numbers",
    .enabled(if: hasNode, "no node"),
    arguments: [
      "console.log(\"loaded\"); process.stdout.write(\"x\")",
      "setInterval(() => {}, 60_000); setTimeout(() => console.log(Date.now()), 5)",
      "if (Date.now() !== Date.UTC(2026, 0, 1) || performance.now() !== 0) throw 1",
    ])
  func guarded(line: String) throws {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "tidemark-adapter-\(UUID().uuidString).mjs")
    defer { try? FileManager.default.removeItem(at: file) }
    let source = try String(contentsOfFile: "\(Self.bridges)/lru.mjs", encoding: .utf8)
    try "\(line);\n\(source)".write(to: file, atomically: true, encoding: .utf8)
    let cases = Conformance.cases(nil).filter {
      ["reads/2", "repeat/1", "time/2"].contains($0.address)
    }
    #expect(cases.count == 3)
    for result in try Self.results(of: file.path, cases) {
      #expect(result.verdict == .pass, "\(result.test.address): \(result.findings)")
    }
  }
}
