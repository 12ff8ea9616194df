import CacheFiles
import CacheTestSupport
import FileHashing
import Foundation
import LocalHTTPServer
import ResponseCache
import Testing

@Suite("Which request a stored answer belongs to", .timeLimit(.minutes(30)))
struct IdentityTests {
  /// A server whose `/latest` leads to `/v1`, with a header of the test's.
  private static func script(_ status: Int, _ header: [HTTPField]) -> ScriptedTransport.Script {
    { call in
      guard call.url.path == "/latest" else {
        return HTTPAnswer(
          status: 200, fields: fields(("Cache-Control", "max-age=31536000, immutable")),
          body: Data(call.url.path))
      }
      return HTTPAnswer(
        status: status, fields: header + fields(("Location", "/v1")), body: Data("moved"))
    }
  }

  private static func url(_ path: String) throws -> URL {
    try #require(URL(string: "http://host\(path)"))
  }

  @Test(
    "R1 A redirect is a separate answer, with its own lifetime (RFC 9111, 4)",
    arguments: [
      (302, "no-store", false), (307, "", false), (301, "", false), (301, "max-age=60", true),
      (308, "max-age=60", true), (302, "max-age=60, no-cache", false), (303, "max-age=60", true),
    ])
  func redirects(status: Int, cacheControl: String, isStored: Bool) async throws {
    let header = cacheControl.isEmpty ? [] : fields(("Cache-Control", cacheControl))
    let bench = try ScriptedBench(Self.script(status, header))
    let cache = try bench.open()
    let (latest, v1) = (try Self.url("/latest"), try Self.url("/v1"))
    let response = try await cache.fetch(latest)
    #expect(response.url == v1 && response.body == Data("/v1") && response.status == 200)
    #expect(bench.server.calls.map(\.url.path) == ["/latest", "/v1"])
    _ = try await cache.fetch(latest)
    #expect(bench.server.calls.count == (isStored ? 2 : 3))
    bench.clock.advance(by: 61)
    // The name leads to another body now.
    bench.server.answer { call in
      call.url.path == "/latest"
        ? HTTPAnswer(status: status, fields: header + fields(("Location", "/v2")), body: Data())
        : HTTPAnswer(status: 200, fields: [], body: Data(call.url.path))
    }
    #expect(try await cache.fetch(latest).body == Data("/v2"))
    #expect(try await cache.fetch(v1).body == Data("/v1"))
  }

  @Test("R3 R11 A tag keeps a redirect and its target, also offline and after a start")
  func held() async throws {
    let bench = try ScriptedBench(Self.script(301, fields(("Cache-Control", "max-age=60"))))
    let cache = try bench.open()
    let latest = try Self.url("/latest")
    try await cache.fetch(latest, tag: "kept")
    let next = try bench.reopen()
    await next.setOnline(false)
    for path in ["/latest", "/v1"] {
      #expect(try await next.fetch(Self.url(path)).body == Data("/v1"))
      #expect(try await next.entry(for: Self.url(path))?.tags == ["kept"])
    }
    // One that may not be stored cannot be held.
    bench.server.answer(Self.script(302, []))
    let other = try #require(URL(string: "http://host2/latest"))
    #expect(await cause { try await cache.fetch(other, tag: "t") } == .notStorable)
  }

  @Test("R6 Circles of redirects, and too many, are errors", arguments: [1, 2, 25])
  func circles(length: Int) async throws {
    let bench = try ScriptedBench { call in
      let number = Int(call.url.lastPathComponent) ?? 0
      let next = number + 1 == length && length < 25 ? 0 : number + 1
      return HTTPAnswer(status: 302, fields: fields(("Location", "/\(next)")), body: Data())
    }
    let cache = try bench.open()
    let url = try Self.url("/0")
    #expect(await cause { try await cache.fetch(url) } == .redirectsWithoutEnd)
    #expect(bench.server.calls.count == min(length, 21))
  }

  @Test("A redirect to another server takes no credentials along")
  func credentials() async throws {
    let bench = try ScriptedBench { call in
      guard call.url.host == "host" else {
        return HTTPAnswer(status: 200, fields: [], body: Data())
      }
      let target = call.url.path == "/a" ? "/b" : "http://elsewhere/c"
      return HTTPAnswer(status: 302, fields: fields(("Location", target)), body: Data())
    }
    let cache = try bench.open()
    let sent = fields(("Authorization", "secret"), ("Cookie", "a=b"), ("Accept", "x/y"))
    _ = try await cache.fetch(bench.url, fields: sent)
    #expect(bench.server.calls.map { $0.fields.count } == [3, 3, 1])
    #expect(bench.server.calls.last?.fields == fields(("Accept", "x/y")))
  }

  @Test("R21 URLSession follows no redirect, whatever the method")
  func session() async throws {
    let bench = try await Bench()
    bench.served.answer { request in
      guard request.path == "/latest" else { return nil }
      return LocalHTTPServer.Answer(
        status: request.method == "GET" ? 302 : 303, fields: [("Location", "/v1")],
        body: Array("moved".utf8))
    }
    bench.served["/v1"] = .init("1".utf8)
    let cache = try bench.open()
    let answer = try await cache.send(HTTPCall(bench.url("/latest"), method: "POST"))
    #expect(answer.status == 303 && answer.body == Data("moved"))
    for _ in 1...2 { #expect(try await cache.fetch(bench.url("/latest")).body == Data("1")) }
    #expect(bench.count("/latest") == 3 && bench.count("/v1") == 1)
  }

  @Test("R4 An answer that varies is one to a request with the same fields (RFC 9111, 4.1)")
  func varies() async throws {
    let bench = try ScriptedBench { call in
      HTTPAnswer(
        status: 200,
        fields: fields(
          ("Cache-Control", "max-age=60"), ("Vary", "Accept-Language"), ("ETag", "\"a\"")),
        body: Data(call.value("accept-language") ?? "none"))
    }
    let cache = try bench.open()
    let requests = [
      fields(("Accept-Language", "de")), fields(("accept-language", " de "), ("Accept", "x/y")),
      fields(("Accept-Language", "en")), [],
      fields(("Accept-Language", "de"), ("Accept-Language", "en")),
      fields(("Accept-Language", "de, en")),
    ]
    let sources: [ResponseSource] = [.network, .memory, .network, .network, .network, .memory]
    for (request, source) in zip(requests, sources) {
      let response = try await cache.fetch(bench.url, fields: request)
      #expect(response.source == source, "\(request)")
      // Of another variant nothing is asked.
      if source == .network { #expect(bench.server.calls.last?.fields == request) }
    }
    try await cache.flush()
    let next = try bench.reopen()
    await next.setOnline(false)
    #expect(try await next.fetch(bench.url, fields: requests[5]).body == Data("de"))
    #expect(await cause { try await next.fetch(bench.url, fields: requests[2]) } == .offline)
  }

  @Test("R14 A fetch with other fields waits, and gets its own answer")
  func others() async throws {
    let bench = try ScriptedBench { call in
      HTTPAnswer(
        status: 200, fields: fields(("Cache-Control", "max-age=60"), ("Vary", "Accept")),
        body: Data(call.value("accept") ?? ""))
    }
    let cache = try bench.open()
    let url = bench.url
    try await withThrowingTaskGroup(of: (Int, Data).self) { group in
      for number in 0..<20 {
        group.addTask {
          (number % 2, try await cache.fetch(url, fields: fields(("Accept", "\(number % 2)"))).body)
        }
      }
      for try await (number, body) in group { #expect(body == Data("\(number)")) }
    }
  }

  @Test("A request may ask for more than the answer does (RFC 9111, 5.2.1)")
  func requests() async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    bench.server.answer(200, fields(("Cache-Control", "max-age=60")), "a")
    _ = try await cache.fetch(bench.url)
    bench.clock.advance(by: 10)
    let cases = [
      ("max-age=10", 0), ("min-fresh=50", 0), ("max-age=9", 1), ("min-fresh=51", 1),
      ("no-cache", 1), ("max-age=\"", 1),
    ]
    for (value, asked) in cases {
      let before = bench.server.calls.count
      // After validation the age begins again.
      if asked == 1 { bench.clock.advance(by: 10) }
      _ = try await cache.fetch(bench.url, fields: fields(("Cache-Control", value)))
      #expect(bench.server.calls.count - before == asked, "\(value)")
    }
    let other = try Self.url("/other")
    for _ in 1...2 {
      let response = try await cache.fetch(other, fields: fields(("Cache-Control", "no-store")))
      #expect(response.source == .network)
    }
  }

  @Test(
    "Conditions and ranges are the cache's own to send, and no field can end its line",
    arguments: [
      ("If-None-Match", "\"a\""), ("Range", "bytes=0-1"), ("a b", "x"), ("", "x"),
      ("A", "x\r\nB: y"), ("A", "x\0"),
    ])
  func refused(name: String, value: String) async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    let sent = fields((name, value))
    #expect(await cause { try await cache.fetch(bench.url, fields: sent) } == .invalidField(name))
    #expect(bench.server.calls == [])
  }

  @Test("An error has the answer of the server")
  func answers() async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    bench.server.answer(404, fields(("Content-Type", "text/plain")), "not here")
    do {
      _ = try await cache.fetch(bench.url)
      Issue.record("nothing fails")
    } catch {
      #expect(error.answer?.body == Data("not here"))
    }
  }

  @Test("R9 A manifest of version 1 keeps tags and bodies, and its bodies are asked about")
  func older() async throws {
    let bench = try ScriptedBench()
    let folder = bench.base.url.appendingPathComponent("cache")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let name = FileName(hashing: bench.url.absoluteString)
    try Data("[]").write(to: folder.appendingPathComponent("\(name).json"))
    let manifest =
      "{\"version\":1,\"entries\":[{\"name\":\"\(name)\",\"tags\":[\"t\"],\"read\":0,\"bodies\":"
      + "[{\"kind\":\"json\",\"bytes\":2,\"etag\":\"\\\"a\\\"\",\"stale\":1800000000000000000,"
      + "\"lifetime\":900000000000000000}]}],\"downloads\":[]}"
    try Data(manifest).write(to: folder.appendingPathComponent("manifest.json"))
    let cache = try bench.open()
    #expect(try await cache.entry(for: bench.url)?.tags == ["t"])
    bench.server.answer(304, fields(("Cache-Control", "max-age=60")))
    #expect(try await cache.fetch(bench.url).freshness == .confirmed)
    #expect(bench.server.calls.last?.value("If-None-Match") == "\"a\"")
    #expect(try await cache.fetch(bench.url).freshness == .fresh)
  }

  @Test(
    "R7 A stored header is served with an age, and without fields of the connection (9111, 3.1)")
  func header() async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    let kept = fields(
      ("Cache-Control", "max-age=60"), ("X", "1"), ("Set-Cookie", "a=b"), ("Set-Cookie", "c=d"))
    let dropped = fields(
      ("Connection", "Y, close"), ("Y", "1"), ("TE", "x"), ("Upgrade", "x"), ("Age", "5"))
    bench.server.answer(200, dropped + kept, "a")
    #expect(try await cache.fetch(bench.url).fields == dropped + kept)
    bench.clock.advance(by: 7)
    #expect(try await cache.fetch(bench.url).fields == kept + fields(("Age", "12")))
  }
}
