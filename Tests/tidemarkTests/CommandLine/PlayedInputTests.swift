import CacheTestSupport
import Foundation
import Testing

/// Anybody's input in real time: a declared app, recordings of one, the log of an app.
@Suite("Inputs of users in real time", .serialized, .startsProcesses)
struct PlayedInputTests {
  /// Another app than the small scenario: its lists are of notes.
  private static let notes = """
    name: notes
    duration: 3 min
    drain: 10 s
    data:
      entities:
        note: {count: 400 notes, size: 700 B, has: {title: text, edited: {time: 60 d}, stars: integer}}
      queries:
        recent: {list: note, order: edited descending, first: 40}
        titled: {list: note, where: title begins with typed, order: title, first: 20}
      operations:
        edit: {set: note.edited, prefer: popular}
    writers:
      - {name: phone, rate: 40/min, mix: {edit: 100 %}}
    users:
      - name: desk
        think: 2 s
        mix: {look: 100 %}
        activities: {look: [visit: recent, open: 1 rows]}
    policies: [mine, ttl, no-cache]
    """

  private static func write(in folder: URL) throws {
    try folder.write(
      notes.replacing("[mine,", with: "[{name: mine, preset: lru, maximum-queries: 30},") + "\n",
      to: "notes.yaml")
  }

  private static func record(_ seeds: ClosedRange<Int>, in folder: URL) async throws -> [String] {
    for seed in seeds {
      let run = try await TidemarkProcess.run(
        "simulate", "notes.yaml", "--policies", "ttl", "--seed", "\(seed)", "--record",
        "s\(seed).jsonl", in: folder)
      #expect(run.status == 0, "\(run.errors)")
    }
    return seeds.map { "s\($0).jsonl" }
  }

  @Test("An app and its recordings are played: real caches serve what the simulated ones serve")
  func latency() async throws {
    try await withTemporaryFolder { folder in
      try Self.write(in: folder)
      let files = try await Self.record(1...2, in: folder)
      try folder.write("policies: [{name: tight, preset: lru}, ttl]\n", to: "limits.yaml")
      for (arguments, policies) in [
        (["notes.yaml"], ["mine", "ttl"]), (files, ["lru", "refcount", "ttl", "spacedrive"]),
        ([files[0], "--scenario", "limits.yaml", "--policies", "tight"], ["tight"]),
      ] {
        let run = try await TidemarkProcess.run(
          ["measure", "latency"] + arguments + ["--quick", "--format", "csv"], in: folder)
        #expect(run.status == 0, "\(arguments): \(run.errors)")
        let rows = TidyRow.all(in: run.output)
        #expect(Set(rows.map { $0["scenario"] }) == ["notes"])
        for policy in policies {
          func value(_ metric: String) -> String? {
            rows.first { $0["metric"] == metric && $0["policy"] == policy }?["value"]
          }
          #expect(value("hit_ratio")?.isEmpty == false, "\(policy): \(run.output.prefix(300))")
          #expect(value("measured_hit_ratio") == value("hit_ratio"), "\(policy)")
        }
      }
      let table = try await TidemarkProcess.run(
        "measure", "latency", "notes.yaml", "--quick", in: folder)
      #expect(table.status == 0 && !table.output.contains("targets"), "\(table.output)")
    }
  }

  @Test("The log of an app without events has its reads timed, and says what is missing")
  func log() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(AppLog.jsonl, to: "log.jsonl")
      let run = try await TidemarkProcess.run(
        "measure", "latency", "log.jsonl", "--quick", "--policies", "lru", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains("one-file: its first client receives no event"), "\(run.errors)")
      // A hit of unknown freshness is still a hit.
      #expect(!run.errors.contains("served other reads in real time"), "\(run.errors)")
    }
  }

  @Test("An app's views are timed; figures with too few samples are left out, with a note")
  func views() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(
        Self.notes.replacing("[visit: recent, open: 1 rows]", with: "[visit: recent]")
          .replacing("[mine,", with: "[lru,") + "\n", to: "notes.yaml")
      let run = try await TidemarkProcess.run(
        "measure", "latency", "notes.yaml", "--quick", "--policies", "ttl", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let head = try #require(run.output.split(separator: "\n").first)
      #expect(head.contains("notify p50") && !head.contains("p99.9"), "\(head)")
      #expect(run.output.contains("too few samples for notify p99 ("), "\(run.output)")
      let csv = try await TidemarkProcess.run(
        "measure", "latency", "notes.yaml", "--quick", "--policies", "ttl", "--format", "csv",
        in: folder)
      let views = TidyRow.all(in: csv.output).first {
        $0["metric"] == "read_latency" && $0["class"] == "view" && $0["statistic"] == "mean"
      }
      #expect(views.flatMap { Double($0["value"]) } ?? 0 > 0, "\(csv.output)")
    }
  }

  @Test("Recordings of several apps are measured apart, and those of one app together")
  func apps() async throws {
    try await withTemporaryFolder { folder in
      try Self.write(in: folder)
      let files = try await Self.record(1...2, in: folder)
      try folder.write(AppLog.jsonl, to: "log.jsonl")
      let run = try await TidemarkProcess.run(
        ["measure", "latency", "--quick", files[0], "log.jsonl"], in: folder)
      #expect(run.status == 2)
      #expect(
        run.errors.contains("notes, one-file: these recordings are of several apps"),
        "\(run.errors)")
      let memory = try await TidemarkProcess.run(
        ["measure", "memory", "--format", "csv", files[0], "log.jsonl", files[1]], in: folder)
      // Without an allocator that counts there is nothing.
      guard !memory.errors.contains("jemalloc") else { return }
      let rows = TidyRow.all(in: memory.output)
      #expect(Set(rows.map { $0["scenario"] }) == ["notes", "one-file"], "\(memory.errors)")
    }
  }

  @Test("Several inputs are explained one after the other")
  func explained() async throws {
    try await withTemporaryFolder { folder in
      try Self.write(in: folder)
      try folder.write(AppLog.jsonl, to: "log.jsonl")
      let run = try await TidemarkProcess.run("explain", "notes.yaml", "log.jsonl", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.hasPrefix("notes\n") && run.output.contains("\n\none-file\n"))
      let csv = try await TidemarkProcess.run(
        "explain", "notes.yaml", "log.jsonl", "--format", "csv", in: folder)
      #expect(csv.status == 2 && csv.errors.contains("are of one input, not 2"), "\(csv.errors)")
    }
  }

  @Test("Scenarios and recordings are played apart")
  func mixed() async throws {
    try await withTemporaryFolder { folder in
      try Self.write(in: folder)
      let files = try await Self.record(1...1, in: folder)
      let run = try await TidemarkProcess.run(
        ["measure", "latency", "notes.yaml"] + files, in: folder)
      #expect(run.status == 2)
      #expect(run.errors.contains("notes.yaml: name a scenario or recordings, not both"))
    }
  }

  @Test(
    "bench takes scenarios and recordings in any order, and judges only the user's own targets",
    arguments: [0, 1])
  func bench(first: Int) async throws {
    try await withTemporaryFolder { folder in
      try Self.write(in: folder)
      _ = try await Self.record(1...1, in: folder)
      try folder.write(
        Self.notes.replacing("name: notes", with: "name: others").replacing("[mine,", with: "[lru,")
          + "\ntargets:\n  - {metric: hit_ratio, at-least: 1 %, policies: [lru]}\n",
        to: "others.yaml")
      try folder.write(AppLog.jsonl, to: "log.jsonl")
      let inputs = ["s1.jsonl", "others.yaml", "log.jsonl"]
      let run = try await TidemarkProcess.run(
        ["bench", "--quick", "--output", "report", "--policies", "lru,ttl"]
          + inputs[first...] + inputs[..<first], in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("targets: 1 met, 0 missed"), "\(run.output)")
      let verdicts = try folder.read("report/verdicts.json")
      // Of each input, recordings too, how little memory is enough.
      #expect(
        verdicts.components(separatedBy: " of unlimited (").count
          + verdicts
          .components(separatedBy: "no limit up to there").count == 5, "\(verdicts)")
      let levels = TidyRow.all(in: try folder.read("report/memory-levels.csv"))
      for scenario in ["notes", "others", "one-file"] {
        let limits = levels.filter { $0["scenario"] == scenario && $0["policy"] == "lru" }
          .map { $0["memory_limit_bytes"] }
        #expect(Set(limits).count == 8, "\(scenario): \(Set(limits))")
      }
      let page = try folder.read("report/index.html")
      #expect(page.contains("tidemark bench --product"))
      #expect(page.components(separatedBy: "is not prolonged").count == 3)
    }
  }

  @Test("The baseline of an app's log leaves out unknown figures, and is kept")
  func baseline() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(AppLog.jsonl, to: "log.jsonl")
      let bench = try await TidemarkProcess.run(
        "bench", "log.jsonl", "--baseline", "--policies", "lru,ttl", "--output", "base", in: folder)
      #expect(bench.status == 0, "\(bench.errors)")
      let gate = try await TidemarkProcess.run(
        "gate", "log.jsonl", "--baseline", "base", "--skip", "memory", "--skip", "instructions",
        in: folder)
      #expect(gate.status == 0, "\(gate.output) \(gate.errors)")
      #expect(gate.output.contains("; 2 of 2 runs the same"), "\(gate.output)")
    }
  }
}
