import CacheChecking
import CacheModel
import CacheSimulation
import CacheTestSupport
import Foundation
import Testing

@testable import CacheProcesses

@Suite("Caches in processes, and their possible mistakes", .startsProcesses)
struct MisbehaviourTests {
  private static let heartbeat = CacheOperation.heartbeat(StreamPosition(epoch: 1, sequence: 1))

  private static func turn(_ number: Int) -> CacheTurn {
    CacheTurn(number: number, at: Instant(nanoseconds: Int64(number)), operation: heartbeat)
  }

  @Test("A cache that keeps the rules receives turn after turn")
  func obedient() throws {
    let cache = try ScriptedCaches.start(ScriptedCaches.script(turn: ScriptedCaches.done))
    for number in 1...50 {
      #expect(try cache.take(Self.turn(number)).replies.isEmpty)
    }
    cache.end()
  }

  @Test("A reply is read as the process meant it")
  func replies() throws {
    let said = #"""
      echo '{"t":"serve","for":1,"rows":[[3,4],[5,6]]}'; echo '{"t":"fail","for":2}'
      echo '{"t":"fetch","id":1,"q":0}'; echo '{"t":"fetch","id":2,"object":7,"unless":[1,9]}'
      echo '{"t":"reconcile","id":3,"after":[1,2]}'; echo '{"t":"notify","q":1,"rows":[]}'
      echo '{"t":"stats","entities":3}'; echo '{"t":"note","text":"hm"}'
      printf '{"t":"done","n":%d,"wake":5000}\n' $n
      """#
    let cache = try ScriptedCaches.start(ScriptedCaches.script(turn: said))
    let answer = try cache.take(Self.turn(1))
    #expect(
      answer.replies == [
        .serve(turn: 1, [ServedRow(object: 3, version: 4), ServedRow(object: 5, version: 6)]),
        .fail(turn: 2), .fetch(id: 1, .query(0), since: nil),
        .fetch(id: 2, .object(7), since: StreamPosition(epoch: 1, sequence: 9)),
        .reconcile(id: 3, after: StreamPosition(epoch: 1, sequence: 2)),
        .notify(query: 1, []),
      ])
    #expect(answer.wake == Instant(nanoseconds: 5_000))
  }

  @Test(
    "Before the first turn",
    arguments: [
      ("exit 3", .ended), ("/no/such/program", .notStarted), ("exec /", .notStarted),
      ("cd / && ./nosuch", .notStarted), ("echo hello", .notJSON),
      ("echo '[1]'", .notJSON), ("echo '{\"t\":\"done\",\"n\":0}'", .unknownMessage),
      (#"echo '{"t":"hello","protocol":2,"name":"a","version":"1"}'"#, .otherVersion),
      (#"echo '{"t":"hello","protocol":1,"name":"a"}'"#, .badMember),
    ] as [(String, CacheFault.Kind)])
  func atStart(script: String, kind: CacheFault.Kind) throws {
    // The second's first line fits no pipe: that process ends before it has received it.
    for client in ["phone-0", String(repeating: "x", count: 1 << 20)] {
      let fault = try #require(throws: CacheFault.self) {
        try ScriptedCaches.start(script, client: client)
      }
      #expect(fault.kind == kind, "\(fault)")
    }
  }

  @Test(
    "In a turn",
    arguments: [
      ("echo '{\"t\":'", .notJSON), ("echo", .notJSON),
      ("echo '{\"t\":\"dance\"}'", .unknownMessage), ("echo '{\"n\":1}'", .badMember),
      ("echo '{\"t\":\"done\",\"n\":1,\"wake\":\"soon\"}'", .badMember),
      ("echo '{\"t\":\"done\",\"n\":1.5}'", .notJSON),
      ("echo '{\"t\":\"serve\",\"for\":1}'", .badMember),
      ("echo '{\"t\":\"serve\",\"for\":1,\"rows\":[[1]]}'", .badMember),
      ("echo '{\"t\":\"serve\",\"for\":1,\"rows\":[],\"stale\":true}'", .badMember),
      ("echo '{\"t\":\"fetch\",\"id\":1}'", .badMember),
      ("echo '\(ScriptedCaches.hello)'", .unknownMessage),
    ] as [(String, CacheFault.Kind)])
  func inTurn(script: String, kind: CacheFault.Kind) throws {
    let cache = try ScriptedCaches.start(ScriptedCaches.script(turn: script))
    let fault = try #require(throws: CacheFault.self) { try cache.take(Self.turn(1)) }
    #expect(fault.kind == kind, "\(fault)")
    cache.end()
  }

  @Test(
    "Memory is that of all its processes, at work and while waited for",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat"), "no /proc"))
  func memory() throws {
    var limits = ScriptedCaches.limits
    limits.memoryBytes = 300 << 20
    // 400 MB of a text, held by the shell's child.
    let grows = "head -c 400000000 /dev/zero | tr '\\0' x | sort -S 800M & wait"
    let cache = try ScriptedCaches.start(ScriptedCaches.script(turn: grows), limits: limits)
    let fault = try #require(throws: CacheFault.self) { try cache.take(Self.turn(1)) }
    #expect(fault.kind == .tooMuchMemory && fault.detail.contains("300 allowed"), "\(fault)")
    cache.end()
    let modest = try ScriptedCaches.start(
      ScriptedCaches.script(turn: "sleep 0.3; \(ScriptedCaches.done)"), limits: limits)
    #expect(try modest.take(Self.turn(1)).replies.isEmpty)
    modest.end()
  }

  @Test("The error contains the process's complaint")
  func complaint() throws {
    let fault = try #require(throws: CacheFault.self) {
      try ScriptedCaches.start("echo 'no module named cache' >&2; exit 1")
    }
    #expect("\(fault)".contains("it wrote: no module named cache"))
    #expect(fault.detail.hasPrefix("with status 1; "), "\(fault)")
  }

  @Test(
    "The error contains a stack trace's message, above or below the frames",
    arguments: [
      "boom.mjs:1\\nthrow new Error(x)\\n      ^\\n\\nError: full\\n"
        + String(repeating: "    at f (boom.mjs:1:68)\\n", count: 40) + "\\nNode.js v20.20.2\\n",
      "Traceback (most recent call last):\\n"
        + String(repeating: "  File \"a.py\", line 3, in f\\n", count: 40) + "Error: full\\n",
    ])
  func stackTrace(text: String) throws {
    let fault = try #require(throws: CacheFault.self) {
      try ScriptedCaches.start("printf '\(text)' >&2; exit 1")
    }
    #expect("\(fault)".contains("it wrote: Error: full)"), "\(fault)")
  }

  @Test("The error says how the process ended")
  func status() throws {
    for (script, words) in [("exit 127", "with status 127"), ("kill -9 $$", "after signal 9")] {
      let cache = try ScriptedCaches.start(ScriptedCaches.script(turn: script))
      let fault = try #require(throws: CacheFault.self) { try cache.take(Self.turn(1)) }
      #expect(fault.kind == .ended && fault.detail.contains(words), "\(fault)")
      cache.end()
    }
    let missing = try #require(throws: CacheFault.self) { try ScriptedCaches.start("./nosuch") }
    #expect(missing.detail.contains("nosuch"), "\(missing)")
  }

  @Test(
    "When it has been ended nothing of it runs, however much it has started",
    .enabled(if: RunningProcess.areListed, "no /proc"))
  func leavesNothing() throws {
    let mark = "tidemark-left-\(UUID().uuidString)"
    for _ in 0..<10 {
      let cache = try ScriptedCaches.start(
        """
        export LEFT=\(mark)
        for i in 1 2 3 4 5; do sleep 3600 </dev/null & while :; do :; done </dev/null & done
        """ + "\n" + ScriptedCaches.script(turn: ScriptedCaches.done))
      _ = try cache.take(Self.turn(1))
      #expect(try RunningProcess.all(with: mark).count > 6)
      cache.end()
      #expect(try RunningProcess.all(with: mark) == [])
    }
  }

  @Test("A command has a name", arguments: ["", "=", "a=", "=b", "a b=c", "é=c", "a= "])
  func names(text: String) {
    #expect(CacheCommand(text) == nil)
    #expect(CacheCommand("a-1_b.c=run --x=1")?.command == "run --x=1")
    #expect(CacheCommand("a@given=run")?.name == "a@given" && CacheCommand("a@x=run") == nil)
    #expect(CacheCommand("@given=run") == nil)
  }
}

@Suite("The document of the protocol")
struct ProtocolDocumentTests {
  private static func text() throws -> String {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(
      contentsOf: top.appending(path: "Documentation/CacheProtocol.md"), encoding: .utf8)
  }

  @Test("Its table of errors is that of the program")
  func errors() throws {
    let text = try Self.text()
    for kind in CacheFault.Kind.allCases {
      #expect(text.contains("| `\(kind.rawValue)` | \(kind.meaning) | \(kind.remedy) |\n"))
    }
  }

  @Test("Its table of rules is that of conformance, and no word has two meanings")
  func rules() throws {
    let text = try Self.text()
    for rule in ConformanceRule.allCases {
      #expect(text.contains("| `\(rule.rawValue)` | \(rule.sentence) |\n"))
    }
    let words = CacheFault.Kind.allCases.map(\.rawValue) + ConformanceRule.allCases.map(\.rawValue)
    #expect(Set(words).count == words.count)
  }

  @Test("Its table of lists is that of the library of the cases")
  func lists() throws {
    let text = try Self.text()
    for list in ConformanceWorld.List.allCases {
      #expect(text.contains("| \(ConformanceWorld.words(ofList: list.rawValue)) |"), "\(list)")
    }
  }
}
