import CacheFiles
import CacheTestSupport
import FileHashing
import Foundation
import LocalHTTPServer
import ResponseCache
import Testing

@Suite("Fetches of a response cache from a real server", .timeLimit(.minutes(30)))
struct FetchTests {
  @Test("R1 R21 Answers without max-age are not stored, and other methods bypass the cache")
  func onlyGET() async throws {
    let bench = try await Bench()
    bench.served["/a"] = .init("a".utf8, maximumAge: nil)
    bench.served["/b"] = .init("b".utf8)
    let cache = try bench.open()
    for _ in 1...2 { #expect(try await cache.fetch(bench.url("/a")).source == .network) }
    #expect(try await cache.fetch(bench.url("/b")).body == Data("b"))
    let call = HTTPCall(try bench.url("/b"), method: "POST", body: Data("x"))
    for _ in 1...2 { #expect(try await cache.send(call).status == 200) }
    #expect(bench.server.requests.count { $0.method == "POST" } == 2)
    #expect(bench.bodies.count == 1)
    await cache.setOnline(false)
    #expect(await cause { _ = try await cache.send(call) } == .offline)
    #expect(await cause { try await cache.fetch(bench.url("/a")) } == .offline)
    #expect(await cause { try await cache.fetch(bench.url("/a"), tag: "t") } == .offline)
    await cache.setOnline(true)
    #expect(await cause { try await cache.fetch(bench.url("/a"), tag: "t") } == .notStorable)
  }

  @Test("R2 R3 max-age 0 is stale immediately online, and valid offline")
  func zero() async throws {
    let bench = try await Bench()
    bench.served["/a"] = .init("a".utf8, maximumAge: 0)
    let cache = try bench.open()
    for _ in 1...2 { _ = try await cache.fetch(bench.url("/a")) }
    #expect(bench.count("/a") == 2)
    await cache.setOnline(false)
    bench.clock.advance(by: 1e6)
    let response = try await cache.fetch(bench.url("/a"))
    #expect(response.freshness == .offline && response.body == Data("a"))
  }

  @Test("R4 R5 R7 Young bodies are served without a request, stale ones after 304, unwritten")
  func revalidation() async throws {
    let bench = try await Bench()
    bench.served["/a"] = .init("a".utf8, maximumAge: 60, etag: "\"1\"")
    let cache = try bench.open()
    #expect(try await cache.fetch(bench.url("/a")).freshness == .confirmed)
    #expect(try await cache.fetch(bench.url("/a")).freshness == .fresh)
    #expect(bench.count("/a") == 1)
    bench.clock.advance(by: 61)
    let response = try await cache.fetch(bench.url("/a"))
    #expect(response.freshness == .confirmed && response.source == .memory)
    #expect(bench.server.requests.last?.ifNoneMatch == "\"1\"")
    #expect(try await cache.fetch(bench.url("/a")).freshness == .fresh)
    try await cache.flush()
    #expect(await cache.statistics.bodiesWritten == 1)
    #expect(await cache.statistics.revalidations == 1)
    let entry = try #require(try await cache.entry(for: bench.url("/a")))
    #expect(entry.etag == "\"1\"" && entry.bytes == 1 && entry.kind == .json && entry.tags == [])
    #expect(entry.staleAt == bench.clock.now.addingTimeInterval(60))
    bench.served["/a"] = .init("b".utf8, maximumAge: 60, etag: "\"2\"")
    bench.clock.advance(by: 61)
    #expect(try await cache.fetch(bench.url("/a")).body == Data("b"))
  }

  @Test(
    "R6 After 5xx the stale body is served and marked, 4xx is an error, others as the options say")
  func errors() async throws {
    var bench = try await Bench()
    bench.served["/a"] = .init("a".utf8, maximumAge: 0)
    let cache = try bench.open()
    _ = try await cache.fetch(bench.url("/a"))
    bench.served.answer { _ in LocalHTTPServer.Answer(status: 503) }
    let response = try await cache.fetch(bench.url("/a"))
    #expect(response.freshness == .stale(.serverError) && response.body == Data("a"))
    #expect(await cause { try await cache.fetch(bench.url("/b")) } == .status(503))
    bench.served.answer { _ in LocalHTTPServer.Answer(status: 404) }
    #expect(await cause { try await cache.fetch(bench.url("/a")) } == .status(404))
    bench.served.answer { _ in
      var answer = LocalHTTPServer.Answer(status: 200)
      answer.delay = .seconds(20)
      return answer
    }
    // With so short a wait nothing else is requested: a busy server's answer may take as long.
    try await cache.flush()
    bench.timeOut = .seconds(1)
    let impatient = try bench.open()
    #expect(await cause { try await impatient.fetch(bench.url("/a")) } == .timedOut)
  }

  @Test("R6 Time-outs and broken connections count as 5xx where the options say so")
  func endured() async throws {
    var bench = try await Bench()
    bench.options.servesStaleAfter = [.transport]
    bench.served["/a"] = .init("a".utf8, maximumAge: 0)
    let cache = try bench.open()
    _ = try await cache.fetch(bench.url("/a"))
    bench.served.answer { _ in
      var answer = LocalHTTPServer.Answer(status: 200, body: Array(repeating: 65, count: 1_000))
      answer.cutAfter = 10
      return answer
    }
    let response = try await cache.fetch(bench.url("/a"))
    #expect(response.freshness == .stale(.transport) && response.body == Data("a"))
    // No server listens there.
    let nowhere = try #require(URL(string: "http://127.0.0.1:1/b"))
    guard case .transport? = await cause(of: { try await cache.fetch(nowhere) }) else {
      Issue.record("a refused connection is no error")
      return
    }
  }

  @Test(
    "R6 Answers that contradict themselves are errors, and nothing of them is stored",
    arguments: 0..<4)
  func lies(kind: Int) async throws {
    var bench = try await Bench()
    bench.options.maximumBodyBytes = 1_000
    bench.served["/a"] = .init("a".utf8, maximumAge: 0, etag: "\"1\"")
    let cache = try bench.open()
    _ = try await cache.fetch(bench.url("/a"))
    bench.served.answer { request in
      var answer = LocalHTTPServer.Answer(
        status: 200, fields: [("Cache-Control", "max-age=60")], body: Array("other".utf8))
      switch kind {
      case 0: answer.declaredLength = "500"
      case 1: (answer.body, answer.cutAfter) = (Array(repeating: 65, count: 900), 400)
      case 2: answer.body = Array(repeating: 65, count: 1_001)
      // 304 for a body that is not stored.
      default: answer = LocalHTTPServer.Answer(status: 304, fields: [("ETag", "\"9\"")])
      }
      return answer
    }
    let found = await cause { try await cache.fetch(bench.url("/a")) }
    switch found {
    case .invalidAnswer?, .transport?: break
    default: Issue.record("\(String(describing: found))")
    }
    bench.served.answer(nil)
    await cache.setOnline(false)
    #expect(try await cache.fetch(bench.url("/a")).body == Data("a"))
  }

  @Test(
    "R8 Names are hashes: nothing of a URL reaches a path, and no URL leads outside the folder")
  func names() async throws {
    let bench = try await Bench()
    bench.served.answer { request in
      LocalHTTPServer.Answer(
        status: 200, fields: [("Cache-Control", "max-age=60"), ("Content-Type", "image/png")],
        body: Array(request.path.utf8))
    }
    let cache = try bench.open()
    let paths = [
      "/../../../etc/passwd", "/%2e%2e/%2e%2e/x", "/a/b/c", "/%00", "/manifest.json", "/lock",
      "/" + String(repeating: "long", count: 1_000), "/a?b=../../c",
    ]
    for path in paths { try await cache.fetch(bench.url(path), tag: "t") }
    try await cache.flush()
    #expect(bench.bodies.count == paths.count)
    for body in bench.bodies {
      #expect(body.wholeMatch(of: #/cache/[0-9a-f]{64}\.png/#) != nil, "\(body)")
    }
    for text in ["file:///etc/passwd", "ftp://x/y", "data:,x", "relative", "http:///x"] {
      let url = try #require(URL(string: text))
      #expect(await cause { try await cache.fetch(url) } == .invalidURL)
    }
    let long = try bench.url("/" + String(repeating: "x", count: 9_000))
    #expect(await cause { try await cache.fetch(long) } == .invalidURL)
    // A fragment is not the server's business.
    #expect(try await cache.fetch(bench.url("/a/b/c#part")).freshness == .fresh)
  }

  @Test("R8 10,000 URLs that differ in one byte have a file each")
  func manyNames() throws {
    let names = Set((0..<10_000).map { FileName(hashing: "http://host/\($0)", extension: "json") })
    #expect(names.count == 10_000)
  }

  @Test("R10 A fetch with a tag adds it; a fresh body needs no request")
  func tags() async throws {
    let bench = try await Bench()
    bench.served["/a"] = .init("a".utf8)
    let cache = try bench.open()
    _ = try await cache.fetch(bench.url("/a"))
    for tag in ["two", "one", "two"] { try await cache.fetch(bench.url("/a"), tag: tag) }
    #expect(bench.count("/a") == 1)
    #expect(try await cache.entry(for: bench.url("/a"))?.tags == ["one", "two"])
    try await cache.removeTag("two")
    #expect(try await cache.entry(for: bench.url("/a"))?.tags == ["one"])
    for tag in ["", String(repeating: "x", count: 257)] {
      #expect(await cause { try await cache.fetch(bench.url("/a"), tag: tag) } == .invalidTag)
    }
  }

  @Test("R10 Answers stored by the app are served as if they had been fetched")
  func stored() async throws {
    let bench = try await Bench()
    let cache = try bench.open()
    try await cache.store(
      Data("mine"), for: bench.url("/a"), kind: .json, maximumAge: .seconds(60))
    let response = try await cache.fetch(bench.url("/a"))
    #expect(response.body == Data("mine") && response.freshness == .fresh)
    #expect(bench.server.requests == [])
  }

  @Test("R11 R12 A sweep removes untagged entries, least recently read first, and nothing else")
  func sweep() async throws {
    var bench = try await Bench()
    bench.options.maximumEntries = 3
    let cache = try bench.open()
    for number in 0..<8 {
      bench.served["/\(number)"] = .init("\(number)".utf8)
      try await cache.fetch(bench.url("/\(number)"), tag: number < 2 ? "t" : nil)
      bench.clock.advance(by: 1)
    }
    _ = try await cache.fetch(bench.url("/2"))
    await cache.sweep()
    var left: [Int] = []
    for number in 0..<8 where try await cache.entry(for: bench.url("/\(number)")) != nil {
      left.append(number)
    }
    #expect(left == [0, 1, 2, 6, 7])
    #expect(bench.bodies.count == 5)
    // Without its tag it may go, and it was read before all others.
    try await cache.removeTag("t")
    #expect(try await cache.entry(for: bench.url("/0")) != nil)
    await cache.sweep()
    #expect(try await cache.entry(for: bench.url("/0")) == nil)
    #expect(bench.bodies.count == 3)
  }

  @Test("R12 Memory has its number of bodies, the others are read from files")
  func memory() async throws {
    let bench = try await Bench()
    let cache = try bench.open()
    for number in 0..<30 {
      bench.served["/\(number)"] = .init("\(number)".utf8)
      _ = try await cache.fetch(bench.url("/\(number)"))
    }
    try await cache.flush()
    for number in (0..<30).reversed() {
      let response = try await cache.fetch(bench.url("/\(number)"))
      #expect(response.source == (number < 10 ? .disk : .memory), "\(number)")
    }
    #expect(await cache.statistics.memoryHits == 20)
  }

  @Test("R13 A condition decides which answers are stored; all can be counted and removed")
  func conditions() async throws {
    let bench = try await Bench()
    for path in ["/keep", "/pass"] { bench.served[path] = .init(path.utf8) }
    let cache = try bench.open { url, freeBytes in
      url.path == "/keep" && (freeBytes ?? 0) > 0
    }
    for path in ["/keep", "/pass"] { _ = try await cache.fetch(bench.url(path)) }
    #expect(await cache.byteCount == 5)
    #expect(await cause { try await cache.fetch(bench.url("/pass"), tag: "t") } == .notStorable)
    try await cache.fetch(bench.url("/keep"), tag: "t")
    try await cache.removeAll()
    #expect(await cache.byteCount == 0)
    #expect(bench.bodies == [])
    await cache.setOnline(false)
    #expect(await cause { try await cache.fetch(bench.url("/keep")) } == .offline)
  }

  @Test("R14 One request for any number of concurrent callers")
  func singleFlight() async throws {
    let bench = try await Bench()
    bench.served.answer { _ in
      var answer = LocalHTTPServer.Answer(
        status: 200, fields: [("Cache-Control", "max-age=60")], body: Array("a".utf8))
      answer.delay = .milliseconds(200)
      return answer
    }
    let cache = try bench.open()
    let url = try bench.url("/a")
    try await withThrowingTaskGroup(of: Data.self) { group in
      for number in 0..<50 {
        group.addTask { try await cache.fetch(url, tag: number == 7 ? "t" : nil).body }
      }
      for try await body in group { #expect(body == Data("a")) }
    }
    #expect(bench.count("/a") == 1)
    #expect(try await cache.entry(for: url)?.tags == ["t"])
  }

  @Test(
    "R15 Images are stored like JSON, and a view is given a file", arguments: [20_000, 2_000_000])
  func images(bytes: Int) async throws {
    let bench = try await Bench()
    let image = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    bench.served["/i"] = .init(image, contentType: "image/jpeg")
    let cache = try bench.open()
    let file = try await cache.file(for: bench.url("/i"))
    #expect(file.pathExtension == "jpeg")
    #expect(try Data(contentsOf: file) == Data(image))
    // A view is never given a damaged file.
    try Data("nothing").write(to: file)
    let mended = try await cache.file(for: bench.url("/i"))
    #expect(try Data(contentsOf: mended) == Data(image))
    #expect(bench.count("/i") == 2)
  }
}
