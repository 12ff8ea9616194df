import CacheFiles
import CacheTestSupport
import FileHashing
import Foundation
import LocalHTTPServer
import Logging
import ResponseCache
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("The files of a response cache", .timeLimit(.minutes(30)))
struct ResponseFileTests {
  private func bench(
    _ layout: ResponseOptions.MetadataLayout = .manifest
  ) async throws -> Bench {
    var bench = try await Bench()
    bench.options.metadataLayout = layout
    for path in ["/a", "/b"] {
      bench.served[path] = .init("\"\(path)\"".utf8, etag: "\"\(path)\"")
    }
    return bench
  }

  /// The state that another start finds: the folder is copied, as if the process had been killed.
  private func copied(_ bench: Bench, _ name: String = "copy") throws -> Bench {
    var copy = bench
    copy.folder = FileFolder(path: bench.base.url.appendingPathComponent(name).path)
    try FileManager.default.copyItem(atPath: bench.folder.path, toPath: copy.folder.path)
    return copy
  }

  private func file(_ bench: Bench, _ path: String) throws -> String {
    "\(bench.folder.path)/\(FileName(hashing: try bench.url(path).absoluteString, extension: "json"))"
  }

  @Test(
    "R9 R20 Entries are there at the next start, with tags, ETag and lifetime",
    arguments: ResponseOptions.MetadataLayout.allCases)
  func restart(layout: ResponseOptions.MetadataLayout) async throws {
    let bench = try await bench(layout)
    let cache = try bench.open()
    try await cache.fetch(bench.url("/a"), tag: "t")
    _ = try await cache.fetch(bench.url("/b"))
    try await cache.flush()
    let next = try copied(bench)
    let second = try next.open()
    #expect(
      try await second.entry(for: bench.url("/a")) == cache.entry(for: bench.url("/a")))
    #expect(
      try await second.entry(for: bench.url("/b")) == cache.entry(for: bench.url("/b")))
    let response = try await second.fetch(bench.url("/a"))
    #expect(response.source == .disk && response.freshness == .fresh)
    #expect(bench.count("/a") == 1)
  }

  @Test(
    "R9 After a flush nothing is left to be written, and nothing was written twice",
    arguments: ResponseOptions.MetadataLayout.allCases)
  func flush(layout: ResponseOptions.MetadataLayout) async throws {
    var bench = try await bench(layout)
    bench.options.flushInterval = .seconds(1_000_000)
    let cache = try bench.open()
    // More than may wait for their files.
    let count = 150
    for index in 0..<count {
      try await cache.store(
        Data("\(index)"), for: bench.url("/\(index)"), kind: .json, maximumAge: .seconds(60))
    }
    try await cache.flush()
    #expect(await cache.statistics.bodiesWritten == count)
    #expect(await cache.statistics.entriesFlushed == count)
    try await cache.flush()
    #expect(await cache.statistics.entriesFlushed == count)
    try await cache.fetch(bench.url("/1"))
    try await cache.flush()
    #expect(await cache.statistics.entriesFlushed == (layout == .sidecars ? count + 1 : 2 * count))
  }

  @Test("R20 Files without an entry go, entries without a file too")
  func reconciled() async throws {
    let bench = try await bench()
    let cache = try bench.open()
    try await cache.fetch(bench.url("/a"), tag: "t")
    try await cache.fetch(bench.url("/b"), tag: "t")
    let next = try copied(bench)
    try FileManager.default.removeItem(atPath: file(next, "/b"))
    let orphan = "\(next.folder.path)/\(FileName(hashing: "orphan", extension: "png"))"
    let draft = "\(next.folder.path)/draft-0"
    for path in [orphan, draft] { try Data("x").write(to: URL(fileURLWithPath: path)) }
    let second = try next.open()
    try await second.flush()
    #expect(!FileManager.default.fileExists(atPath: orphan))
    #expect(!FileManager.default.fileExists(atPath: draft))
    #expect(try await second.entry(for: bench.url("/a"))?.tags == ["t"])
    #expect(try await second.entry(for: bench.url("/b")) == nil)
  }

  @Test(
    "R20 A lost or damaged manifest is made again from the files, without tags",
    arguments: [
      nil, "", "{", "[]", "{\"version\":3,\"entries\":[],\"downloads\":[]}",
      "{\"version\":1,\"entries\":[{\"name\":\"../../x\",\"tags\":[],\"read\":0,\"bodies\":[]}],\"downloads\":[]}",
      String(repeating: "[", count: 100_000),
    ] as [String?])
  func manifest(text: String?) async throws {
    let bench = try await bench()
    try await bench.open().fetch(bench.url("/a"), tag: "t")
    let next = try copied(bench)
    let manifest = URL(fileURLWithPath: next.folder.path + "/manifest.json")
    if let text {
      try Data(text).write(to: manifest)
    } else {
      try FileManager.default.removeItem(at: manifest)
    }
    let cache = try next.open()
    let entry = try #require(try await cache.entry(for: bench.url("/a")))
    #expect(entry.tags == [] && entry.etag == nil)
    #expect(next.lines.all.contains { $0.contains("damaged: tags are lost") } == (text != nil))
    await cache.setOnline(false)
    #expect(try await cache.fetch(bench.url("/a")).body == Data("\"/a\""))
    await cache.setOnline(true)
    #expect(try await cache.fetch(bench.url("/a")).freshness == .confirmed)
  }

  @Test(
    "A damaged body is never served: it is fetched again with its tags, or is a miss",
    arguments: 0..<4)
  func damage(kind: Int) async throws {
    let bench = try await bench()
    try await bench.open().fetch(bench.url("/a"), tag: "t")
    let next = try copied(bench)
    let url = URL(fileURLWithPath: try file(next, "/a"))
    var bytes = try Data(contentsOf: url)
    switch kind {
    case 0, 3: bytes[1] ^= 1
    case 1: bytes.removeLast()
    default: bytes.append(32)
    }
    let cache = try next.open()
    // One that has another length is found at the start, by its size.
    if kind == 0 || kind == 3 { _ = await cache.byteCount }
    try bytes.write(to: url)
    if kind == 3 {
      await cache.setOnline(false)
      #expect(await cause { try await cache.fetch(bench.url("/a")) } == .offline)
      return
    }
    #expect(try await cache.fetch(bench.url("/a")).body == Data("\"/a\""))
    if kind == 0 { #expect(try await cache.entry(for: bench.url("/a"))?.tags == ["t"]) }
  }

  @Test("Two caches on one folder: the second stores nothing, says so once, and harms nothing")
  func twoCaches() async throws {
    let bench = try await bench()
    let first = try bench.open()
    try await first.fetch(bench.url("/a"), tag: "t")
    let second = try bench.open()
    #expect(try await second.fetch(bench.url("/a")).source == .network)
    guard
      case .notWritten? = await cause(of: {
        try await second.fetch(bench.url("/b"), tag: "t")
      })
    else {
      Issue.record("a tag is promised")
      return
    }
    #expect(await second.disk == .inUse)
    #expect(bench.lines.count(.warning) == 1)
    #expect(try await first.fetch(bench.url("/a")).freshness == .fresh)
    #expect(bench.bodies.count == 1)
  }

  @Test("Without a folder nothing is stored, a tag is an error, and it is said once")
  func noFolder() async throws {
    let bench = try await bench()
    try Data("in the way").write(to: URL(fileURLWithPath: bench.folder.path))
    let cache = try bench.open()
    for _ in 1...2 { #expect(try await cache.fetch(bench.url("/a")).source == .network) }
    guard case .notWritten? = await cause(of: { try await cache.fetch(bench.url("/a"), tag: "t") })
    else {
      Issue.record("a tag is promised")
      return
    }
    #expect(await cache.disk == .unavailable)
    #expect(bench.lines.count(.warning) == 1)
  }

  @Test(
    "R13 A full or read-only disk costs only new bodies: stored ones stay",
    arguments: [ENOSPC, EROFS])
  func noSpace(code: Int32) async throws {
    var bench = try await bench()
    let opens = FileFolder(path: "").opensDraft
    let isFull = Shared()
    bench.folder.opensDraft = { path in
      guard isFull.value else { return opens(path) }
      errno = code
      return -1
    }
    let cache = try bench.open()
    try await cache.fetch(bench.url("/a"), tag: "t")
    isFull.value = true
    #expect(try await cache.fetch(bench.url("/b")).body == Data("\"/b\""))
    guard case .notWritten? = await cause(of: { try await cache.fetch(bench.url("/b"), tag: "u") })
    else {
      Issue.record("a tag is promised")
      return
    }
    bench.served["/a"] = .init("new".utf8, etag: "\"new\"")
    bench.clock.advance(by: 1_000)
    #expect(try await cache.fetch(bench.url("/a")).body == Data("new"))
    guard case .notWritten? = await cause(of: { try await cache.flush() }) else {
      Issue.record("nothing is said of what is not written")
      return
    }
    #expect(await cache.disk == (code == ENOSPC ? .full : .available))
    // The old body is kept, with its tag.
    #expect(try await cache.entry(for: bench.url("/a"))?.tags == ["t"])
    await cache.setOnline(false)
    #expect(try await cache.fetch(bench.url("/a")).body == Data("\"/a\""))
    await cache.setOnline(true)
    isFull.value = false
    try await cache.fetch(bench.url("/b"), tag: "u")
    #expect(await cache.disk == .available)
    let next = try copied(bench).open()
    #expect(try await next.entry(for: bench.url("/a"))?.tags == ["t"])
    #expect(try await next.entry(for: bench.url("/b"))?.tags == ["u"])
  }

  private final class Shared: Sendable {
    private let state = Mutex(false)
    var value: Bool {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }
}
