import CacheFiles
import CacheTestSupport
import Foundation
import LocalHTTPServer
import Logging
import ResponseCache
import Testing

/// A cache over a server with prepared answers, with a clock that a test moves.
struct ScriptedBench: Sendable {
  let base: CacheFolder
  let clock = TestClock()
  let server: ScriptedTransport
  var options = ResponseOptions()
  let url: URL

  init(
    _ script: @escaping ScriptedTransport.Script = { _ throws(HTTPTransportError) in throw .offline
    }
  ) throws {
    base = try CacheFolder()
    server = ScriptedTransport(script)
    options.sweepInterval = nil
    url = try #require(URL(string: "http://host/a"))
  }

  func open(_ folder: String = "cache") throws -> ResponseCache {
    let clock = clock
    return try ResponseCache(
      folder: base.url.appendingPathComponent(folder), transport: server, options: options,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, timeOfDay: { clock.now })
  }

  /// Another cache over a copy of the files, as if the process had been killed.
  func reopen(_ name: String = "copy") throws -> ResponseCache {
    try FileManager.default.copyItem(
      at: base.url.appendingPathComponent("cache"), to: base.url.appendingPathComponent(name))
    return try open(name)
  }

  /// A date of a header, this many seconds from now.
  func date(_ seconds: Double, _ format: String = "EEE, dd MMM yyyy HH:mm:ss 'GMT'") -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = format
    return formatter.string(from: clock.now.addingTimeInterval(seconds))
  }
}

func fields(_ fields: (String, String)...) -> [HTTPField] { fields.map { HTTPField($0, $1) } }

@Suite("Answers that must not be served without asking", .timeLimit(.minutes(30)))
struct PermissionTests {
  /// Headers that forbid use without asking, whatever the age.
  static let asking = [
    fields(("Cache-Control", "max-age=3600, no-cache")),
    fields(("Cache-Control", "max-age=3600"), ("Cache-Control", "No-Cache=\"a\"")),
    fields(("Cache-Control", "max-age=3600"), ("Vary", "*")),
  ]

  @Test(
    "R3 R5 Fields that a 304 leaves out stay as they were (RFC 9111, 3.2, 4.3.4)", arguments: asking
  )
  func confirmed(header: [HTTPField]) async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    bench.server.answer(200, header + fields(("ETag", "\"a\"")), "body")
    _ = try await cache.fetch(bench.url)
    bench.server.answer(304, fields(("ETag", "\"a\"")))
    for calls in 2...4 {
      let response = try await cache.fetch(bench.url)
      #expect(response.freshness == .confirmed && response.body == Data("body"))
      #expect(bench.server.calls.count == calls)
      #expect(bench.server.calls.last?.value("If-None-Match") == "\"a\"")
    }
  }

  @Test("R5 Fields of a 304 replace those of the same names (RFC 9111, 3.2)")
  func replaced() async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    let header = fields(("Cache-Control", "no-cache, max-age=9"), ("ETag", "\"a\""), ("A", "1"))
    bench.server.answer(200, header + fields(("Content-Type", "image/png"), ("B", "1")), "body")
    _ = try await cache.fetch(bench.url)
    bench.server.answer(
      304,
      fields(("Cache-Control", "max-age=60"), ("A", "2"), ("Content-Type", "x/y"), ("Age", "7")))
    _ = try await cache.fetch(bench.url)
    bench.clock.advance(by: 52)
    let response = try await cache.fetch(bench.url)
    #expect(response.freshness == .fresh && response.kind == .png)
    #expect(
      Set(response.fields)
        == Set(
          fields(
            ("Cache-Control", "max-age=60"), ("A", "2"), ("B", "1"), ("ETag", "\"a\""),
            ("Content-Type", "image/png"), ("Age", "59"))))
    bench.clock.advance(by: 2)
    #expect(try await cache.fetch(bench.url).freshness == .confirmed)
  }

  @Test(
    "R3 R4 A clock that is set back, or another start, allows nothing (RFC 9111, 5.2.2.4)",
    arguments: asking)
  func clock(header: [HTTPField]) async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    bench.server.answer(200, header, "body")
    try await cache.fetch(bench.url, tag: "kept")
    for seconds in [-1_000.0, -2_000, 500, 4_000] {
      bench.clock.advance(by: seconds)
      #expect(try await cache.fetch(bench.url).source == .network, "\(seconds)")
    }
    try await cache.flush()
    let next = try bench.reopen()
    bench.clock.advance(by: -1_000)
    #expect(try await next.fetch(bench.url).source == .network)
    await next.setOnline(false)
    #expect(await cause { try await next.fetch(bench.url) } == .needsServer)
  }

  @Test(
    "R1 A malformed Cache-Control counts as the strictest that it may hide (9110, 5.6.4; 9111, 5.2)",
    arguments: [
      "max-age=3600, ext=\"a\\\"b\", no-store", "max-age=3600, ext=\"a, no-store",
      "max-age=3600, \"no-store", "max-age=3600 no-store", "max-age=3600, ext=\"a\u{1}\"",
    ])
  func malformed(value: String) async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    // In a line of its own, and behind one that is well-formed.
    for lines in [[value], ["max-age=3600", value]] {
      bench.server.answer(200, lines.map { HTTPField("Cache-Control", $0) }, "body")
      for _ in 1...2 { #expect(try await cache.fetch(bench.url).source == .network) }
    }
    try await cache.flush()
    #expect(!bench.base.files.contains { $0.hasSuffix(".bin") })
    #expect(await cause { try await cache.fetch(bench.url, tag: "t") } == .notStorable)
  }

  @Test(
    "R7 An answer of several ages, or with an older date, is as old as it says (9111, 5.1; 9110, 5.6.7)",
    arguments: 0..<5)
  func ages(kind: Int) async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    let old =
      switch kind {
      case 0: fields(("Age", "7200, 0"))
      case 1: fields(("Age", "7200"), ("Age", "0"))
      case 2: fields(("Date", bench.date(-7_200)))
      case 3: fields(("Date", bench.date(-7_200, "EEE MMM dd HH:mm:ss yyyy")))
      default: fields(("Date", bench.date(-7_200, "EEEE, dd-MMM-yy HH:mm:ss 'GMT'")))
      }
    bench.server.answer(200, fields(("Cache-Control", "max-age=3600")) + old, "body")
    for calls in 1...2 {
      _ = try await cache.fetch(bench.url)
      #expect(bench.server.calls.count == calls)
    }
  }

  @Test(
    "R3 R6 A body that must not be stale is not served after an error (9111, 4.2.4, 5.2.2.2; 5861, 4)",
    arguments: [
      ("max-age=1, must-revalidate", false, false), ("max-age=1, no-cache", false, false),
      ("max-age=1, stale-if-error=0", false, true), ("max-age=1, stale-if-error=5", false, true),
      ("max-age=1, stale-if-error=60", true, true), ("max-age=1", true, true),
      ("max-age=60, must-revalidate", true, true), ("max-age=60, no-cache", false, false),
    ])
  func errors(value: String, isServed: Bool, isServedOffline: Bool) async throws {
    var bench = try ScriptedBench()
    bench.options.servesStaleAfter = Set(ResponseOptions.Fault.allCases)
    let cache = try bench.open()
    bench.server.answer(200, fields(("Cache-Control", value)), "body")
    try await cache.fetch(bench.url, tag: "kept")
    bench.clock.advance(by: 10)
    let faults: [(ScriptedTransport.Script, ResponseError.Cause)] = [
      ({ _ in HTTPAnswer(status: 503, fields: [], body: Data()) }, .status(503)),
      ({ _ throws(HTTPTransportError) in throw .timedOut }, .timedOut),
      ({ _ throws(HTTPTransportError) in throw .failed("reset") }, .transport("reset")),
    ]
    for (script, expected) in faults {
      bench.server.answer(script)
      #expect(await cause { try await cache.fetch(bench.url) } == (isServed ? nil : expected))
    }
    bench.server.answer { _ throws(HTTPTransportError) in throw .offline }
    for isOnline in [true, false] {
      await cache.setOnline(isOnline)
      let found = await cause { try await cache.fetch(bench.url) }
      #expect(found == (isServedOffline ? nil : .needsServer))
    }
  }

  @Test(
    "R1 A request that succeeds invalidates the answers that it may have changed (RFC 9111, 4.4)",
    arguments: ["POST", "PUT", "PATCH", "DELETE", "M-SEARCH"])
  func invalidated(method: String) async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    let urls = try ["/a", "/b", "/c", "/d"].map { try #require(URL(string: "http://host\($0)")) }
    let elsewhere = try #require(URL(string: "http://other/a"))
    bench.server.answer(200, fields(("Cache-Control", "max-age=3600"), ("ETag", "\"a\"")), "old")
    for url in urls + [elsewhere] { try await cache.fetch(url, tag: "kept") }
    let before = bench.server.calls.count
    // Neither what fails nor what changes nothing.
    for (other, status) in [(method, 500), (method, 404), ("GET", 200), ("HEAD", 200)] {
      bench.server.answer(status)
      _ = try await cache.send(HTTPCall(bench.url, method: other))
      #expect(try await cache.fetch(bench.url).freshness == .fresh)
    }
    bench.server.answer(
      201,
      fields(
        ("Location", "/b"), ("Content-Location", "http://HOST:80/c"),
        ("Content-Location", "http://other/a")))
    _ = try await cache.send(HTTPCall(bench.url, method: method))
    let next = try bench.reopen()
    bench.server.answer(200, fields(("Cache-Control", "max-age=3600")), "new")
    for cache in [cache, next] {
      await cache.setOnline(false)
      #expect(await cause { try await cache.fetch(bench.url) } == .needsServer)
      await cache.setOnline(true)
      #expect(try await cache.fetch(urls[0]).body == Data("new"))
      #expect(try await cache.fetch(urls[1]).body == Data("new"))
      for url in [urls[3], elsewhere] {
        #expect(try await cache.fetch(url).body == Data("old"))
      }
      #expect(try await cache.entry(for: urls[0])?.tags == ["kept"])
    }
    #expect(bench.server.calls.count == before + 5 + 4)
  }

  @Test(
    "R5 An answer in flight when a request changed something is not trusted (9111, 4.4)")
  func overtaken() async throws {
    let bench = try ScriptedBench()
    let gate = AsyncStream<Void>.makeStream()
    let slow = SlowTransport(gate.stream)
    let cache = try ResponseCache(
      folder: bench.base.url.appendingPathComponent("slow"), transport: slow,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let url = bench.url
    let first = Task { try await cache.fetch(url).body }
    while slow.count == 0 { await Task.yield() }
    _ = try await cache.send(HTTPCall(url, method: "POST"))
    let second = Task { try await cache.fetch(url).body }
    gate.continuation.finish()
    #expect(try await first.value == Data("1"))
    #expect(try await second.value == Data("2"))
    #expect(try await cache.fetch(url).freshness == .fresh)
  }

  @Test(
    "R5 Without an ETag a stale body is asked about with Last-Modified (RFC 9111, 4.3.1)",
    arguments: [false, true])
  func lastModified(isRestarted: Bool) async throws {
    let bench = try ScriptedBench()
    var cache = try bench.open()
    let date = bench.date(-86_400)
    bench.server.answer(200, fields(("Cache-Control", "max-age=60"), ("Last-Modified", date)), "a")
    _ = try await cache.fetch(bench.url)
    bench.clock.advance(by: 61)
    try await cache.flush()
    if isRestarted { cache = try bench.reopen() }
    bench.server.answer(304, fields(("Last-Modified", date)))
    #expect(try await cache.fetch(bench.url).freshness == .confirmed)
    #expect(bench.server.calls.last?.value("If-Modified-Since") == date)
    #expect(bench.server.calls.last?.value("If-None-Match") == nil)
    #expect(try await cache.fetch(bench.url).freshness == .fresh)
    bench.clock.advance(by: 61)
    // Of another state than the one that is stored: all of it is asked for.
    let other = bench.date(0)
    bench.server.answer { call in
      let isAsked = call.value("If-Modified-Since") != nil
      return HTTPAnswer(
        status: isAsked ? 304 : 200, fields: fields(("Last-Modified", other)), body: Data("b"))
    }
    #expect(try await cache.fetch(bench.url).body == Data("b"))
  }

  @Test("R5 A Last-Modified that is not a date is not sent back (RFC 9110, 13.1.3)")
  func noDate() async throws {
    let bench = try ScriptedBench()
    let cache = try bench.open()
    bench.server.answer(
      200, fields(("Cache-Control", "max-age=0"), ("Last-Modified", "yesterday")), "a")
    for _ in 1...2 { _ = try await cache.fetch(bench.url) }
    #expect(bench.server.calls.last?.fields == [])
  }
}

/// Keeps its first answer back until a stream ends, and numbers its answers to GET.
private final class SlowTransport: HTTPTransport {
  private let gate: AsyncStream<Void>
  private let log = ScriptedTransport { call in
    HTTPAnswer(status: 200, fields: fields(("Cache-Control", "max-age=60")), body: Data())
  }

  init(_ gate: AsyncStream<Void>) { self.gate = gate }

  var count: Int { log.calls.count { $0.method == "GET" } }

  func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer {
    var answer = try await log.send(call)
    guard call.method == "GET" else { return answer }
    let number = count
    answer.body = Data("\(number)")
    if number == 1 { for await _ in gate {} }
    return answer
  }
}
