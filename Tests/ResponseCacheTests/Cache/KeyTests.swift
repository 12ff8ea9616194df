import CacheFiles
import CacheModel
import CacheTestSupport
import Foundation
import LocalHTTPServer
import Testing

@testable import ResponseCache

@Suite("Texts that name entries, tags and downloads", .timeLimit(.minutes(30)))
struct KeyTests {
  /// The same server, and the folder as the end of the process would leave it.
  private static func copied(_ bench: Bench) throws -> Bench {
    let copy = bench.base.url.appendingPathComponent("copy")
    try FileManager.default.copyItem(
      at: bench.base.url.appendingPathComponent("cache"), to: copy)
    var copied = bench
    copied.folder = FileFolder(path: copy.path)
    return copied
  }

  @Test(
    "R10 A tag is its bytes: another spelling does not release it, nor after a restart")
  func tags() async throws {
    var random = RandomSource(seed: 10)
    let tags = RandomText.distinct(40, hasNUL: true, &random)
      .filter { (1...ResponseOptions.maximumTagBytes).contains($0.utf8.count) }
    let bench = try await Bench()
    for number in tags.indices { bench.served["/\(number)"] = .init("\(number)".utf8) }
    bench.served["/all"] = .init("all".utf8)
    var cache = try bench.open()
    for (number, tag) in tags.enumerated() {
      try await cache.fetch(bench.url("/\(number)"), tag: tag)
      try await cache.fetch(bench.url("/all"), tag: tag)
    }
    func holds(_ path: String, _ expected: [String]) async throws {
      let found = try await cache.entry(for: bench.url(path))?.tags.map(\.bytes)
      let wanted = expected.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
      #expect(found == wanted, "\(path)")
    }
    try await holds("/all", tags)
    try await cache.removeTag(tags[0])
    for launch in 0..<2 {
      if launch == 1 { cache = try Self.copied(bench).open() }
      try await holds("/all", Array(tags[1...]))
      try await holds("/0", [])
      for number in 1..<tags.count { try await holds("/\(number)", [tags[number]]) }
    }
  }

  @Test("R16 A download is its bytes: two spellings are two downloads")
  func downloads() async throws {
    struct NoLinks: DownloadLinks {
      func links(in body: Data, at url: URL) -> [DownloadLink] { [] }
    }
    let bench = try await Bench()
    bench.served["/issue"] = .init("issue".utf8)
    let cache = try bench.open()
    let manager = DownloadManager(cache: cache, links: NoLinks())
    let ids = ["caf\u{E9}", "cafe\u{301}"]
    for id in ids { try await manager.download(id, from: bench.url("/issue")) }
    #expect(await manager.downloads.map(\.id.bytes) == ids.map(\.bytes))
    try await cache.flush()
    let next = try Self.copied(bench).open()
    let kept = DownloadManager(cache: next, links: NoLinks())
    #expect(await kept.downloads.map(\.id.bytes) == ids.map(\.bytes))
    try await kept.remove(ids[0])
    #expect(await kept.downloads.map(\.id.bytes) == [ids[1].bytes])
    #expect(try await next.entry(for: bench.url("/issue"))?.tags.map(\.bytes) == [ids[1].bytes])
  }

  @Test("R8 URLs that differ in a byte sent to the server have a file each")
  func urls() async throws {
    var random = RandomSource(seed: 8)
    var names: [FileName: [UInt8]] = [:]
    for text in RandomText.distinct(150, hasNUL: true, &random) {
      guard let url = URL(string: "http://host/x\(text)"),
        let name = try? ResponseCache.name(of: url)
      else { continue }
      let sent = url.absoluteString.bytes.prefix { $0 != UInt8(ascii: "#") }
      // URLs are sent to a server in ASCII.
      #expect(sent.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      let former = names.updateValue(Array(sent), forKey: name)
      #expect(former ?? Array(sent) == Array(sent))
    }
    #expect(Set(names.values).count == names.count)
    let spelt = try ["caf\u{E9}", "cafe\u{301}"].map {
      try ResponseCache.name(of: #require(URL(string: "http://host/\($0)")))
    }
    #expect(spelt[0] != spelt[1])
  }
}
