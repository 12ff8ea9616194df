import CacheFiles
import CacheTestSupport
import Foundation
import LocalHTTPServer
import ResponseCache
import Synchronization
import Testing

/// An app's format: a line for each link, the articles' ending in `.json`.
struct LineLinks: DownloadLinks {
  func links(in body: Data, at url: URL) throws -> [DownloadLink] {
    String(decoding: body, as: UTF8.self).split(separator: "\n").compactMap { line in
      URL(string: String(line), relativeTo: url).map {
        line.hasSuffix(".json") ? .article($0.absoluteURL) : .image($0.absoluteURL)
      }
    }
  }
}

@Suite("Downloads of issues", .timeLimit(.minutes(30)))
struct DownloadTests {
  /// Three articles with two images each, one of them in all.
  private func bench() async throws -> Bench {
    let bench = try await Bench()
    bench.served["/issue"] = .init("/1.json\n/2.json\n/3.json\n/cover.png".utf8)
    for number in 1...3 {
      bench.served["/\(number).json"] = .init("/\(number).png\n/shared.png".utf8)
      bench.served["/\(number).png"] = .init("image \(number)".utf8, contentType: "image/png")
    }
    for name in ["cover", "shared"] {
      bench.served["/\(name).png"] = .init(name.utf8, contentType: "image/png")
    }
    return bench
  }

  @Test("R16 An issue is one entity, and its progress is i of N over the whole")
  func progress() async throws {
    let bench = try await bench()
    let manager = DownloadManager(cache: try bench.open(), links: LineLinks())
    let told = Mutex<[DownloadProgress]>([])
    try await manager.download("issue", from: bench.url("/issue")) { progress in
      told.withLock { $0.append(progress) }
    }
    let steps = told.withLock { $0 }
    #expect(steps.map(\.completed) == Array(1...9))
    #expect(steps.last?.total == 9)
    for step in steps where step.isTotalKnown { #expect(step.total == 9) }
    #expect(steps.count { $0.isTotalKnown } >= 5)
    let shown = await manager.downloads
    #expect(shown.map(\.id) == ["issue"])
    #expect(shown.map(\.url) == [try bench.url("/issue").absoluteString])
    #expect(shown.map(\.isDownloaded) == [true])
    #expect(bench.server.requests.count == 9)
  }

  @Test(
    "R17 R18 Bodies under another tag are not fetched twice, and stay when the issue is removed")
  func bookmark() async throws {
    var bench = try await bench()
    bench.options.maximumEntries = 0
    let cache = try bench.open()
    let manager = DownloadManager(cache: cache, links: LineLinks())
    try await manager.download("bookmark", from: bench.url("/2.json"))
    try await manager.download("issue", from: bench.url("/issue"))
    for path in ["/2.json", "/2.png", "/shared.png"] { #expect(bench.count(path) == 1) }
    try await manager.remove("issue")
    await cache.sweep()
    #expect(await manager.downloads.map(\.id) == ["bookmark"])
    #expect(bench.bodies.count == 3)
    await cache.setOnline(false)
    #expect(try await cache.fetch(bench.url("/2.json")).body == Data("/2.png\n/shared.png"))
    #expect(await cause { try await cache.fetch(bench.url("/1.json")) } == .offline)
  }

  @Test("R19 A failure removes the issue's tag, says why, and leaves other tags alone")
  func failure() async throws {
    let bench = try await bench()
    bench.served["/3.png"] = nil
    let cache = try bench.open()
    let manager = DownloadManager(cache: cache, links: LineLinks())
    try await manager.download("bookmark", from: bench.url("/2.json"))
    let url = try bench.url("/issue")
    let error = await #expect(throws: DownloadError.self) {
      try await manager.download("issue", from: url)
    }
    #expect((error?.cause as? ResponseError)?.cause == .status(404))
    #expect(await manager.downloads.map(\.id) == ["bookmark"])
    #expect(try await cache.entry(for: bench.url("/2.json"))?.tags == ["bookmark"])
    #expect(try await cache.entry(for: bench.url("/1.json"))?.tags == [])
  }

  @Test("R19 A download removed while in flight ends, and keeps nothing")
  func removed() async throws {
    let bench = try await bench()
    let cache = try bench.open()
    let manager = DownloadManager(cache: cache, links: LineLinks())
    let url = try bench.url("/issue")
    let (started, begin) = AsyncStream.makeStream(of: Void.self)
    let download = Task {
      try await manager.download("issue", from: url) { _ in begin.yield() }
    }
    for await _ in started { break }
    try await manager.remove("issue")
    await #expect(throws: DownloadError.self) { try await download.value }
    #expect(await manager.downloads == [])
    for path in ["/issue", "/1.json", "/shared.png"] {
      #expect(try await cache.entry(for: bench.url(path))?.tags ?? [] == [])
    }
  }

  @Test(
    "R20 A download that a start finds unfinished goes on, or is given up",
    arguments: [true, false])
  func unfinished(resumes: Bool) async throws {
    var bench = try await bench()
    bench.options.unfinishedDownloads = resumes ? .resume : .giveUp
    bench.served.answer { request in
      guard request.path == "/3.png" else { return nil }
      var answer = LocalHTTPServer.Answer(status: 200)
      answer.delay = .seconds(600)
      return answer
    }
    // The process does not end here: the disk's content is copied, as a kill would leave it.
    let manager = DownloadManager(cache: try bench.open(), links: LineLinks())
    let url = try bench.url("/issue")
    let (reached, reach) = AsyncStream.makeStream(of: Int.self)
    let download = Task {
      try await manager.download("issue", from: url) { reach.yield($0.completed) }
    }
    for await completed in reached where completed == 8 { break }
    let copy = bench.base.url.appendingPathComponent("copy")
    try FileManager.default.copyItem(
      at: bench.base.url.appendingPathComponent("cache"), to: copy)
    bench.folder = .init(path: copy.path)
    bench.served.answer(nil)
    let next = try bench.open()
    let second = DownloadManager(cache: next, links: LineLinks())
    #expect(await second.downloads.map(\.isDownloaded) == (resumes ? [false] : []))
    #expect(await second.resume().isEmpty)
    #expect(await second.downloads.map(\.isDownloaded) == (resumes ? [true] : []))
    #expect(try await next.entry(for: bench.url("/1.json"))?.tags == (resumes ? ["issue"] : []))
    #expect(bench.count("/1.json") == 1)
    download.cancel()
  }
}
