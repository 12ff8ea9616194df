import CacheTestSupport
import Foundation
import RecordingCodec
import Testing
import Text
import Workloads

@Suite("Writers of recordings in other languages", .startsProcesses)
struct SessionLogTests {
  /// Whether there is an interpreter; where there is none its test is left out by name.
  private static func exists(_ name: String) -> Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  private static func check(_ interpreter: String, _ file: String, name: String) async throws {
    try await withTemporaryFolder { folder in
      let script = SourceFile.top.appendingPathComponent("Examples/\(file)").path
      let written = try await TidemarkProcess.run(
        URL(fileURLWithPath: "/usr/bin/env"), [interpreter, script], in: folder)
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
      try checkCodec(Array(written.output.utf8))
      let fit = try await TidemarkProcess.run(
        "explain", "session.jsonl", "--fit", "fitted.yaml", in: folder)
      #expect(fit.status == 0, "\(fit.errors)")
      let fitted = try folder.read("fitted.yaml")
      for text in ["count: 3 messages", "create: message", "visit: thread"] {
        #expect(fitted.contains(text), "\(fitted)")
      }
    }
  }

  /// What the writer writes, Swift writes as well: each line has the same members.
  private static func checkCodec(_ bytes: [UInt8]) throws {
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
    #expect(workload.catalog.initialCount == 4 && workload.mutations.count == 2)
    #expect(try SessionRecording.read(SessionRecording.write(workload)) == workload)
  }

  @Test("What Swift writes, Python reads", .enabled(if: exists("python3"), "no python3"))
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

  @Test("A recording in which nobody looks at anything is no scenario, and the command says so")
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
        #expect(fit.errors == "tidemark: session.jsonl: nothing to fit: \(lack)\n")
        #expect(!(try folder.entries().contains("fitted.yaml")))
      }
    }
  }

  @Test("A session that Python wrote is simulated", .enabled(if: exists("python3"), "no python3"))
  func python() async throws {
    try await Self.check("python3", "session_log.py", name: "python-chat")
  }

  @Test("A session that JavaScript wrote is simulated", .enabled(if: exists("node"), "no node"))
  func javaScript() async throws {
    try await Self.check("node", "session-log.mjs", name: "javascript-chat")
  }
}
