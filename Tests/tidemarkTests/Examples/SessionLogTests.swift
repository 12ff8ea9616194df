import CacheTestSupport
import Foundation
import Testing

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
      let inspected = try await TidemarkProcess.run("inspect", "session.jsonl", in: folder)
      #expect(inspected.status == 0 && inspected.output.contains(name))
      let run = try await TidemarkProcess.run(
        "simulate", "session.jsonl", "--policies", "lru", "--format", "csv", in: folder)
      #expect(run.status == 0 && run.errors == "")
      let rows = TidyRow.all(in: run.output)
      #expect(rows.total("reads", of: "lru") == 3)
      #expect(rows.total("hit_ratio", of: "lru") == rows.total("hit_ratio", of: "recorded"))
      #expect(rows.total("hit_ratio", of: "lru") == 2.0 / 3)
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
