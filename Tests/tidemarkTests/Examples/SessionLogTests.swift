import CacheModel
import CacheTestSupport
import Foundation
import RecordingCodec
import Testing
import Text
import Workloads

@Suite("Writers of recordings in other languages", .startsProcesses)
struct SessionLogTests {
  /// Whether there is an interpreter; otherwise its test is skipped by name.
  private static func exists(_ name: String) -> Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  /// The lines of a writer in a session of three reads, two of them hits, in which one of the entities there at the
  /// beginning is deleted and another is created.
  private static func check(
    _ interpreter: String, _ file: String, _ arguments: [String] = [], name: String, type: String,
    initial: Int
  ) async throws {
    try await withTemporaryFolder { folder in
      let script = SourceFile.top.appendingPathComponent(file).path
      let written = try await TidemarkProcess.run(
        URL(fileURLWithPath: "/usr/bin/env"), [interpreter, script] + arguments, in: folder)
      #expect(written.status == 0 && written.errors == "")
      try folder.write(written.output, to: "session.jsonl")
      let inspected = try await TidemarkProcess.run("explain", "session.jsonl", in: folder)
      #expect(inspected.status == 0 && inspected.output.contains(name))
      let run = try await TidemarkProcess.run(
        "simulate", "session.jsonl", "--policies", "lru", "--format", "csv", in: folder)
      #expect(run.status == 0 && run.errors.hasPrefix("session.jsonl: defaults: "), "\(run.errors)")
      let rows = TidyRow.all(in: run.output)
      #expect(rows.total("reads", of: "lru") == 3)
      #expect(rows.total("hit_ratio", of: "lru") == rows.total("hit_ratio", of: "recorded"))
      #expect(rows.total("hit_ratio", of: "lru") == 2.0 / 3)
      let workload = try checkCodec(Array(written.output.utf8))
      #expect(workload.catalog.initialCount == initial && workload.mutations.count == 2)
      let fit = try await TidemarkProcess.run(
        "explain", "session.jsonl", "--fit", "fitted.yaml", in: folder)
      #expect(fit.status == 0, "\(fit.errors)")
      let fitted = try folder.read("fitted.yaml")
      for text in ["count: 3 \(type)s", "create: \(type)", "visit: thread"] {
        #expect(fitted.contains(text), "\(fitted)")
      }
    }
  }

  /// Swift writes the same lines as the writer: each with the same members.
  @discardableResult
  private static func checkCodec(_ bytes: [UInt8]) throws -> Workload {
    var json = JSONWriter()
    try RecordingCodec.read(bytes) { header, _ in
      RecordingCodec.write(header, to: &json)
    } next: { line, _ in
      line.write(into: &json)
    }
    func members(_ bytes: [UInt8]) throws -> [[String]] {
      try bytes.split(separator: UInt8(ascii: "\n")).map { line in
        guard case .object(let members) = try JSONParser.parse(line) else { return [] }
        return members.map { "\($0.name) \($0.value)" }.sorted()
      }
    }
    #expect(try members(json.bytes) == members(bytes))
    let workload = try SessionRecording.read(bytes)
    #expect(try SessionRecording.read(SessionRecording.write(workload)) == workload)
    return workload
  }

  @Test("Python reads what Swift writes", .enabled(if: exists("python3"), "no python3"))
  func readByPython() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let recording = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--record", "small.jsonl", in: folder)
      #expect(recording.status == 0, "\(recording.errors)")
      let script = """
        import json, sys
        lines = [json.loads(line) for line in open("small.jsonl", encoding="utf-8")]
        reads = [line for line in lines if line.get("do") in ("read", "observe", "open")]
        print(lines[0]["version"], len(lines), len(reads))
        """
      let read = try await TidemarkProcess.run(
        URL(fileURLWithPath: "/usr/bin/env"), ["python3", "-c", script], in: folder)
      let text = try folder.read("small.jsonl")
      let workload = try SessionRecording.read(Array(text.utf8))
      let reads = workload.clients.flatMap(\.actions).count(where: \.kind.isReadOfUser)
      #expect(read.output == "3 \(text.split(separator: "\n").count) \(reads)\n", "\(read.errors)")
    }
  }

  @Test("A recording without reads makes no scenario, and the command says so")
  func nothingToFit() async throws {
    try await withTemporaryFolder { folder in
      let lines = AppLog.jsonl.split(separator: "\n")
      for (kept, lack) in [
        (lines.filter { !$0.contains("\"do\"") }, "it has no reads; record what a user looks at"),
        (
          lines.filter { !$0.contains("observe\"") || $0.contains("format") },
          "it has no view; write `observe` and `unobserve` for what is on screen"
        ),
      ] {
        try folder.write(kept.joined(separator: "\n"), to: "session.jsonl")
        let fit = try await TidemarkProcess.run(
          "explain", "session.jsonl", "--fit", "fitted.yaml", in: folder)
        #expect(fit.status == 2)
        #expect(
          fit.errors.hasSuffix("\ntidemark: session.jsonl: nothing to fit: \(lack)\n"),
          "\(fit.errors)")
        #expect(!(try folder.entries().contains("fitted.yaml")))
      }
    }
  }

  @Test("A session that Python wrote is simulated", .enabled(if: exists("python3"), "no python3"))
  func python() async throws {
    try await Self.check(
      "python3", "Examples/session_log.py", name: "python-chat", type: "message", initial: 4)
  }

  /// The session that lines in Python write with a `log` of the given types and queries.
  private static func session(
    _ types: String, _ queries: String, _ lines: String
  ) async throws -> Workload {
    let script = """
      import itertools, sys
      sys.path.insert(0, sys.argv[1])
      from session_log import SessionLog
      seconds = itertools.count(0, 10**9)
      log = SessionLog("app", \(types), \(queries), now=lambda: next(seconds))
      \(lines)
      print(log.text(), end="")
      """
    let examples = SourceFile.top.appendingPathComponent("Examples")
    let written = try await TidemarkProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"), ["python3", "-B", "-c", script, examples.path],
      in: examples)
    #expect(written.status == 0 && written.errors == "", "\(written.errors)")
    return try SessionRecording.read(Array(written.output.utf8))
  }

  @Test(
    "An app may have a type of the name that Python's writer gives to lists",
    .enabled(if: exists("python3"), "no python3"))
  func typeOfLists() async throws {
    let workload = try await Self.session(
      "[\"list\", \"list-own\"]", "{\"lists\": \"list\"}",
      "log.read(\"lists\", \"all\", [(\"list\", 1, 1, 10), (\"list\", \"all\", 1, 10)], hit=False)")
    #expect(workload.model.types.map(\.name) == ["list-own-own", "list", "list-own"])
    #expect(workload.catalog.objects.map(\.type.rawValue) == [1, 2, 2])
  }

  @Test(
    "Each state that Python writes is in the list that first showed its entity: none moves",
    .enabled(if: exists("python3"), "no python3"))
  func listOfEachState() async throws {
    let workload = try await Self.session(
      "[\"message\"]", "{\"thread\": \"message\"}",
      """
      log.changed([("message", 2, 1, 10)])
      log.read("thread", "a", [("message", 1, 1, 10)], hit=False)
      log.changed([("message", 1, 2, 10)])
      log.read("thread", "b", [("message", 2, 1, 10), ("message", 1, 2, 10)], hit=False)
      log.changed([("message", 2, 2, 10)])
      log.text()
      """)
    let catalog = workload.catalog
    let field = try #require(workload.model.types[1].field(named: "list"))
    let lists = (0..<UInt32(catalog.revisions.count)).compactMap { state -> [UInt64]? in
      let object = catalog.revisions[Int(state)].object
      guard catalog.objects[Int(object)].type.rawValue == 2 else { return nil }
      return [UInt64(object), catalog.word(field.slot, of: state)]
    }
    #expect(lists == [[2, 1], [0, 3], [2, 1], [0, 3]])
  }

  @Test(
    "The adapter that follows events takes those of a session, which have no position",
    .enabled(if: exists("python3"), "no python3"))
  func followed() async throws {
    try await withTemporaryFolder { folder in
      let path = SourceFile.top.path
      let written = try await TidemarkProcess.run(
        URL(fileURLWithPath: "/usr/bin/env"), ["python3", "\(path)/Examples/session_log.py"],
        in: folder)
      try folder.write(written.output, to: "session.jsonl")
      let run = try await TidemarkProcess.run(
        "simulate", "session.jsonl", "--policies", "lru",
        "--cache", "following=exec python3 '\(path)/Adapters/following.py'", "--format", "csv",
        in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let rows = TidyRow.all(in: run.output)
      // After the deletion it asks again for the list.
      #expect(rows.total("hit_ratio", of: "following") == 1.0 / 3)
    }
  }

  @Test("A session that JavaScript recorded is simulated", .enabled(if: exists("node"), "no node"))
  func javaScript() async throws {
    try await Self.check(
      "node", Self.sessions, ["plain"], name: "recorded-plain", type: "thread", initial: 3)
  }

  /// Records the named session, behind a stand-in for its client.
  private static let sessions = "Tests/Recorders/sessions.mjs"

  private static func record(_ arguments: [String]) async throws -> String {
    let script = SourceFile.top.appendingPathComponent(sessions).path
    let run = try await TidemarkProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"), ["node", script] + arguments, in: SourceFile.top)
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    return run.output
  }

  @Test(
    "Next to a client the operations are recorded, and no text",
    .enabled(if: exists("node"), "no node"), arguments: ["apollo", "urql", "tanstack"])
  func clients(name: String) async throws {
    let text = try await Self.record([name])
    #expect(!text.contains("secret"))
    func count(_ part: String) -> Int { text.components(separatedBy: part).count - 1 }
    // urql's own cache answers the second read, and its app forces the last.
    let isUrql = name == "urql"
    #expect(count("\"answer\"") == (isUrql ? 3 : 4) && count("\"unreachable\"") == 1)
    #expect(
      count("\"forced\":true") == (isUrql ? 2 : 1)
        && count("\"outcome\":\"hit\"") == (isUrql ? 1 : 0))
    #expect(count("\"observe\"") == 3 && count("\"unobserve\"") == 3)
    let workload = try Self.checkCodec(Array(text.utf8))
    #expect(workload.clients.flatMap(\.actions).count(where: \.kind.isReadOfUser) == 4)
    #expect(workload.catalog.objects.count == 5 && workload.catalog.initialCount == 3)
    // One comes from an event; the other is the user's own, with the interval in which it happened.
    #expect(workload.mutations.count == 2 && workload.clients[0].deliveries.count == 1)
    #expect(count("\"since\"") == 1 && text.contains("\"client\":0}\n{\"line\":\"action\""))
    try await withTemporaryFolder { folder in
      try folder.write(text, to: "session.jsonl")
      for command in [["explain"], ["simulate", "--policies", "lru"]] {
        let run = try await TidemarkProcess.run(
          [command[0], "session.jsonl"] + command.dropFirst(), in: folder)
        #expect(run.status == 0 && run.output.contains("recorded-\(name)"), "\(run.errors)")
      }
    }
  }

  @Test(
    "People's words are not names of types or queries",
    .enabled(if: exists("node"), "no node"))
  func names() async throws {
    let text = try await Self.record(["names"])
    #expect(!text.contains("secret") && !text.contains("example.com"), "\(text)")
    for name in ["people", "member", "other"] {
      #expect(text.contains("\"type\":\"\(name)\""), "\(text)")
    }
    try Self.checkCodec(Array(text.utf8))
  }

  @Test(
    "Lines that are appended as they are made are those that are kept",
    .enabled(if: exists("node"), "no node"))
  func appended() async throws {
    let kept = try await Self.record(["apollo"]).split(separator: "\n")
    let appended = try await Self.record(["apollo", "lines"]).split(separator: "\n")
    #expect(kept.dropFirst() == appended.dropFirst() && kept.count > 20)
    try Self.checkCodec(Array(appended.joined(separator: "\n").utf8))
  }

  @Test(
    "A recording that is full says what is missing", .enabled(if: exists("node"), "no node"))
  func full() async throws {
    let text = try await Self.record(["apollo", "few"])
    let lines = text.split(separator: "\n")
    #expect(lines.count == 15)
    #expect(lines.last?.contains("\"line\":\"gap\"") == true && text.contains("\"lines\":11"))
    try Self.checkCodec(Array(text.utf8))
  }
}
