import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark import har", .startsProcesses)
struct ImportTests {
  /// Two clients' worth of tasks that are listed, opened, changed and listed again.
  ///
  /// At no fixed period, which would be the app's own repeats.
  static var har: String {
    func entry(_ second: Int, _ method: String, _ path: String, _ body: String) -> String {
      let text = body.replacing("\"", with: "\\\"")
      let time =
        "2026-11-27T12:\(second / 60 < 10 ? "0" : "")\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)Z"
      return """
        {"startedDateTime":"\(time)","time":40,"request":{"method":"\(method)","url":"https://api.example.com\(path)"},\
        "response":{"status":200,"content":{"size":\(body.utf8.count),"mimeType":"application/json",\
        "text":"\(text)"},"redirectURL":""}}
        """
    }
    var entries: [String] = []
    for round in 0..<40 {
      let (second, task) = (round / 3 * 60 + [0, 4, 24][round % 3], round % 7)
      let title = round > 20 ? "later" : "first"
      let list = (0..<7).map { #"{"id":\#($0),"key":"k\#($0)","title":"\#(title)"}"# }.joined(
        separator: ",")
      entries.append(entry(second, "GET", "/tasks", "[\(list)]"))
      entries.append(
        entry(
          second + 2, "GET", "/tasks/\(task)",
          #"{"id":\#(task),"key":"k\#(task)","title":"\#(title)","text":"long \#(task)"}"#))
    }
    return #"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ",\n"))]}}"#
  }

  private static func `import`(_ arguments: String..., in folder: URL) async throws
    -> TidemarkProcess
  {
    try await TidemarkProcess.run(
      TidemarkProcess.executable(named: "tidemark"), ["import", "har"] + arguments, in: folder)
  }

  @Test("A file becomes a recording that simulate, tune, recommend and explain run to the end")
  func toTheEnd() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.har, to: "app.har")
      let run = try await Self.import("app.har", "--output", "app.jsonl", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.split(separator: "\n").count == 10)
      #expect(run.output.contains("Reads       80, 90 % repeated"), "\(run.output)")
      let simulated = try await TidemarkProcess.run(
        "simulate", "app.jsonl", "--policies", "lru,ttl,no-cache", in: folder)
      #expect(simulated.status == 0, "\(simulated.errors)")
      #expect(simulated.output.contains("app"), "\(simulated.output)")
      // Each read has an answer of the server, so the freshness of every hit is known.
      #expect(simulated.output.contains("Best in this recording, not validated: "))
      let recommended = try await TidemarkProcess.run("recommend", "app.jsonl", in: folder)
      #expect(recommended.status == 0, "\(recommended.errors)")
      #expect(recommended.output.contains("app: best is "), "\(recommended.output)")
      #expect(recommended.output.contains("72 of 80 reads repeat"), "\(recommended.output)")
      #expect(!recommended.output.contains("±"))
      let tuned = try await TidemarkProcess.run(
        "tune", "app.jsonl", "--policies", "lru", "--vary", "capacity-entities=2,10", in: folder)
      #expect(tuned.status == 0, "\(tuned.errors)")
      let inspected = try await TidemarkProcess.run(
        "explain", "app.jsonl", "--fit", "fitted.yaml", in: folder)
      #expect(inspected.status == 0, "\(inspected.errors)")
      let drawn = try await TidemarkProcess.run(
        "explain", "fitted.yaml", in: folder)
      #expect([0, 1].contains(drawn.status), "\(drawn.errors)")
    }
  }

  @Test(
    "Of a browser's file simulate and recommend say the same: who is best, that nobody is, or that it does not tell",
    arguments: ["rest", "graphql", "tabs", "events"])
  func oneJudge(name: String) async throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    try await withTemporaryFolder { folder in
      let imported = try await Self.import(
        tests.appending(path: "HAR/recorded/\(name).har").path, "--output", "app.jsonl", in: folder)
      #expect(imported.status == 0, "\(imported.errors)")
      let simulated = try await TidemarkProcess.run(
        "simulate", "app.jsonl", "--no-robustness", in: folder)
      #expect(simulated.status == 0, "\(simulated.errors)")
      let recommended = try await TidemarkProcess.run("recommend", "app.jsonl", in: folder)
      let (found, advice) = (simulated.sentences, recommended.sentences)
      if let best = found.firstMatch(of: /not validated: ([a-z0-9-]+(?: = [a-z0-9-]+)*),/)?.output.1
      {
        // Of equal ones it names one.
        let names = best.split(separator: " = ")
        #expect(
          names.contains { advice.contains("ship lru as it is: \($0) (") }, "\(advice)")
      } else if found.contains("None is better than another") {
        #expect(advice.contains("nothing that was tried is better"), "\(advice)")
      } else {
        #expect(found.contains("This recording cannot say which is best: "), "\(found)")
        #expect(recommended.status == 4, "\(advice)")
      }
    }
  }

  @Test(
    "Standard input is read, and the recording written to standard output, the summary elsewhere")
  func pipe() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.har, to: "app.har")
      let run = try await TidemarkProcess.run(
        "import", "har", "-", "--only", "api.example.com", in: folder, by: "\"$@\" < app.har")
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.hasPrefix(#"{"format":"tidemark-session","version":3,"#))
      #expect(run.errors.contains("Reads       80"))
      let anonymous = try await Self.import(
        "app.har", "--anonymous", "--output", "acme.jsonl", in: folder)
      #expect(anonymous.status == 0, "\(anonymous.errors)")
      let file = folder.appendingPathComponent("acme.jsonl")
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(!text.contains("acme"), "the file's name may be the app's")
    }
  }

  @Test(
    "Wrong input and wrong options are one line with the file and the remedy",
    arguments: [
      (["x.har"], "tidemark: x.har: "),
      (["empty.har"], "empty.har: this is not a HAR file; export one"),
      (["packed.har"], "packed.har: compressed with gzip; decompress it on the way: gzip -dc"),
      (["app.har", "--reads", "search"], "--reads: \"search\" is not a method and a path"),
      (["app.har", "--view", "soon"], "--view"),
      (["app.har", "--output", "./app.har"], "./app.har: is read, and would be replaced"),
      (["app.har", "--only", "other.test"], "app.har: no request went to other.test"),
      (["bad.har"], "bad.har: entry 1: `request.url` is missing; export the file again"),
    ])
  func wrong(arguments: [String], message: String) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.har, to: "app.har")
      try folder.write("", to: "empty.har")
      try folder.write(#"{"log":{"entries":[{}]}}"#, to: "bad.har")
      try Data([0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0, 0]).write(
        to: folder.appendingPathComponent("packed.har"))
      let run = try await TidemarkProcess.run(["import", "har"] + arguments, in: folder)
      #expect(run.status == 2)
      #expect(run.errors.contains(message), "\(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1)
    }
  }
}
