import CacheModel
import CacheTestSupport
import Foundation
import Logging
import ResponseCache
import Testing

/// Child processes fetch, tag, untag, sweep and download at full speed and are killed, on one folder.
@Suite("Processes with a response cache that are killed", .startsProcesses)
struct ResponseCrashTests {
  static let kills = Trials.count(10, of: 200)

  @Test(
    "R9 R20 After SIGKILL at any moment tagged bodies are there and complete, and no file lacks an entry",
    arguments: ResponseOptions.MetadataLayout.allCases)
  func killed(layout: ResponseOptions.MetadataLayout) async throws {
    let base = try CacheFolder()
    var random = RandomSource(seed: layout == .manifest ? 20 : 21)
    var first: UInt64 = 0
    // By key: the last body whose fetch with a tag had returned.
    var kept: [String: UInt64] = [:]
    for kill in 0..<max(1, Self.kills / 2) {
      let child = try CrashChild(["response", base.url.path, "\(first)", layout.rawValue])
      let told = child.kill(afterWritten: random.below(40), share: random.unit())
      try #require(told.failure == nil, "kill \(kill): \(told.failure ?? "")")
      for number in told.written { kept[NumberedValue.key(of: number)] = number }
      // The last line may have been cut off.
      let end = (told.taken.last ?? first) + 1
      try await check(base, kept, before: end, layout, "kill \(kill)")
      first = end + 1
    }
    #expect(!kept.isEmpty)
  }

  private struct NoServer: HTTPTransport {
    func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer { throw .offline }
  }

  /// Opens the folder as the next process would, offline, and reads every body.
  private func check(
    _ base: CacheFolder, _ kept: [String: UInt64], before end: UInt64,
    _ layout: ResponseOptions.MetadataLayout, _ comment: String
  ) async throws {
    var options = ResponseOptions()
    options.metadataLayout = layout
    let cache = try ResponseCache(
      folder: base.url.appendingPathComponent("cache"), transport: NoServer(),
      options: options, logger: Logger(label: "crash") { _ in SwiftLogNoOpLogHandler() })
    await cache.setOnline(false)
    try await cache.flush()
    var found = 0
    for index in 0..<NumberedValue.keys {
      let key = NumberedValue.key(of: UInt64(index))
      let url = try #require(NumberedValue.url(of: UInt64(index)))
      guard let entry = try await cache.entry(for: url) else {
        #expect(kept[key] == nil, "\(comment): \(key) is lost")
        continue
      }
      found += 1
      let body = try await cache.fetch(url).body
      let number = try #require(NumberedValue.number(of: body), "\(comment): \(key) is not whole")
      #expect(NumberedValue.key(of: number) == key)
      #expect(number >= kept[key] ?? 0 && number <= end, "\(comment): \(key)")
      if kept[key] != nil { #expect(entry.tags.contains("kept"), "\(comment): \(key)") }
    }
    for number in 0..<NumberedValue.looseKeys {
      let url = try #require(NumberedValue.looseURL(of: number))
      if try await cache.entry(for: url) != nil { found += 1 }
    }
    let bodies = base.files.filter { $0.hasSuffix(".bin") }
    #expect(bodies.count == found, "\(comment): files without an entry")
    #expect(!base.files.contains { $0.contains("draft") }, "\(comment)")
    #expect(await cache.statistics.damagedBodies == 0, "\(comment)")
  }
}
