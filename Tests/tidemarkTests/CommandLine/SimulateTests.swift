import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark simulate", .startsProcesses)
struct SimulateTests {
  /// The rows; anything else is one line that begins with the note, or nothing.
  private func csv(
    _ arguments: String..., in folder: URL, note: String = ""
  ) async throws -> String {
    let run = try await TidemarkProcess.run(
      ["simulate"] + arguments + ["--format", "csv"], in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.hasPrefix(note), "\(run.errors)")
    #expect(run.errors.count { $0 == "\n" } == (note.isEmpty ? 0 : 1), "\(run.errors)")
    return run.output
  }

  @Test("One seed gives the same bytes in two processes, another seed other results")
  func isDeterministic() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let first = try await csv("small.yaml", "--seed", "7", in: folder)
      let second = try await csv("small.yaml", "--seed", "7", in: folder)
      let other = try await csv("small.yaml", "--seed", "8", in: folder)
      #expect(first == second)
      let (rows, otherRows) = (TidyRow.all(in: first), TidyRow.all(in: other))
      #expect(rows.count > 100)
      #expect(rows.map(\.withoutSeed) != otherRows.map(\.withoutSeed))
    }
  }

  @Test("It names the clients that it assumes push for, and how to run them without")
  func assumedPush() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      func note(_ policies: String) async throws -> String? {
        let run = try await TidemarkProcess.run(
          ["simulate", "small.yaml", "--policies", policies], in: folder)
        #expect(run.status == 0, "\(run.errors)")
        return run.output.split(separator: "\n").first { $0.contains("push: the app") }
          .map(String.init)
      }
      let line = try await note("lru,relay,zero,swr@no-push")
      #expect(
        line
          == "relay assumes push: the app must subscribe to events. Without push: "
          + "tidemark simulate small.yaml --policies relay@no-push")
      #expect(try await note("lru,zero,relay@no-push") == nil)
    }
  }

  @Test("A command for several recordings names each file, and the scenario lent to them")
  func commandForRecordings() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      try folder.write("policies: [lru]\n", to: "limits.yaml")
      let files = ["ann 1.jsonl", "bob.jsonl"]
      for (seed, file) in files.enumerated() {
        let run = try await TidemarkProcess.run(
          "simulate", "small.yaml", "--policies", "ttl", "--seed", "\(seed + 1)", "--record", file,
          in: folder)
        #expect(run.status == 0, "\(run.errors)")
      }
      let options = ["--scenario", "limits.yaml"]
      let run = try await TidemarkProcess.run(
        ["simulate"] + files + options + ["--policies", "lru,relay"], in: folder)
      #expect(
        run.output.contains(
          "Without push: tidemark simulate 'ann 1.jsonl' bob.jsonl --scenario limits.yaml --policies "
            + "relay@no-push\n"), "\(run.output)")
      let gate = try await TidemarkProcess.run(["gate"] + files + options, in: folder)
      #expect(
        gate.errors.contains(
          "`tidemark bench 'ann 1.jsonl' bob.jsonl --baseline --scenario limits.yaml`"),
        "\(gate.errors)")
    }
  }

  @Test("Over two seeds the table shows their mean, not one of them")
  func meansOverSeeds() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let table = try await TidemarkProcess.run(
        [
          "simulate", "small.yaml", "--policies", "ttl", "--seed", "7", "--seeds", "2",
          "--no-robustness",
        ],
        in: folder)
      #expect(table.status == 0, "\(table.errors)")
      let line = try #require(
        table.output.split(separator: "\n").first { $0.hasPrefix("ttl ") }, "\(table.output)")
      let shown = try #require(line.split(separator: " ").dropFirst().first.flatMap { Double($0) })
      var fresh: [Double] = []
      for seed in ["7", "8"] {
        let row = TidyRow.all(
          in: try await csv("small.yaml", "--policies", "ttl", "--seed", seed, in: folder)
        ).first { $0["class"] == "all" && $0["metric"] == "fresh_hit_ratio" }
        fresh.append(100 * (try #require(row.flatMap { Double($0["value"]) })))
      }
      let mean = (fresh[0] + fresh[1]) / 2
      #expect(abs(shown - mean) <= 0.05 + 1e-9)
      #expect(abs(fresh[0] - fresh[1]) > 1, "seeds that tell: \(fresh)")
    }
  }

  @Test("A model that ships is found from any folder, also where no scenarios are")
  func shippedModel() async throws {
    try await withTemporaryFolder { folder in
      let yaml = """
        name: mine
        duration: 10 min
        data: {use: files, entities: {file: {count: 300}}}
        users:
          - name: desk
            mix: {walk: 100 %}
            activities: {walk: [stroll: {through: files.directory}]}
        """
      try folder.write(yaml, to: "mine.yaml")
      #expect(try await csv("mine.yaml", "--policies", "lru", in: folder).contains("mine,lru,"))
      try folder.write(yaml.replacing("use: files", with: "use: flies"), to: "mine.yaml")
      let run = try await TidemarkProcess.run(["explain", "mine.yaml"], in: folder)
      #expect(run.status == 2)
      #expect(run.errors.contains("mine.yaml:3:13: unknown model `flies`; did you mean `files`?"))
    }
  }

  @Test("A recorded session gives the same rows again")
  func recordingIsSimulated() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let policies = "lru,ttl,spacedrive"
      let drawn = try await csv(
        "small.yaml", "--policies", policies, "--record", "session.jsonl", in: folder)
      let recorded = try await csv(
        "session.jsonl", "--policies", policies, in: folder, note: "session.jsonl: defaults: ")
      #expect(!drawn.isEmpty)
      #expect(drawn == recorded)
    }
  }

  @Test("The bounds have the results that are known without a simulation")
  func knownAnswers() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(
        SmallScenario.yaml + "cache: {capacity-entities: 500 entities}\n", to: "small.yaml")
      let rows = TidyRow.all(in: try await csv("small.yaml", in: folder))
      #expect(rows.total("hit_ratio", of: "no-cache") == 0)
      let fetched = try #require(rows.total("bytes_fetched", of: "no-cache"))
      let best = try #require(rows.total("hit_ratio", of: "unbounded"))
      #expect(best > 0)
      #expect(rows.total("evictions", of: "unbounded") == 0)
      for policy in ["lru", "ttl", "unbounded"] {
        #expect(try #require(rows.total("bytes_fetched", of: policy)) <= fetched, "\(policy)")
        #expect(try #require(rows.total("hit_ratio", of: policy)) <= best, "\(policy)")
        #expect(rows.total("divergent_entities", of: policy) == 0, "\(policy)")
        #expect(rows.total("notifications_missed", of: policy) == 0, "\(policy)")
      }
      #expect(try #require(rows.total("evictions", of: "lru")) > 0)
      let outcomes = [
        "hit_fresh", "hit_stale", "partial", "miss_cold", "miss_expired", "miss_evicted",
        "miss_invalidated", "coalesced", "bypass", "failed",
      ]
      for policy in ["lru", "ttl", "no-cache", "unbounded"] {
        let counts = outcomes.map { rows.total($0, of: policy) }
        #expect(!counts.contains(nil), "\(policy)")
        #expect(
          counts.reduce(0) { $0 + ($1 ?? 0) } == rows.total("reads", of: policy), "\(policy)")
      }
    }
  }

  @Test("Two of one name are refused, scenarios and recordings, and so is a seed for a recording")
  func namesAreUnique() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      try folder.write(
        SmallScenario.yaml + "cache: {maximum-queries: 3 queries}\n", to: "other.yaml")
      _ = try await csv(
        "small.yaml", "--policies", "lru", "--record", "session.jsonl", in: folder)
      for (inputs, error) in [
        (["small.yaml", "other.yaml"], "other.yaml: its scenario has the name of small.yaml's"),
        (
          ["small.yaml", "session.jsonl"], "session.jsonl: its scenario has the name of small.yaml"
        ),
        (["session.jsonl", "session.jsonl"], "session.jsonl: the same recording as session.jsonl"),
        (["session.jsonl", "--seed", "5"], "session.jsonl: a recording draws nothing"),
      ] {
        let run = try await TidemarkProcess.run(["simulate"] + inputs, in: folder)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("tidemark: \(error)"), "\(run.errors)")
        #expect(run.output == "")
      }
    }
  }

  @Test("The targets of a scenario are below its table, and fail nothing")
  func targetsAreShown() async throws {
    try await withTemporaryFolder { folder in
      let target = "targets:\n  - {metric: hit_ratio, class: file, at-least: 100 %}\n"
      try folder.write(SmallScenario.yaml + target, to: "small.yaml")
      let run = try await TidemarkProcess.run("simulate", "small.yaml", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("hit_ratio[file]"), "\(run.output)")
      #expect(run.output.contains("missed"), "\(run.output)")
    }
  }

  @Test("A log without answers of the server leaves open how many hits were fresh")
  func appLog() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(AppLog.jsonl, to: "one-file.jsonl")
      let run = try await TidemarkProcess.run(
        "simulate", "one-file.jsonl", "--policies", "lru,no-cache", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.output.contains("This recording cannot say which is best: it does not say"),
        "\(run.output)"
      )
      #expect(run.output.contains("0.0–50.0 %"), "\(run.output)")
    }
  }

  @Test("Only one scenario can be recorded")
  func recordTakesOneScenario() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "small.yaml", "--record", "session.jsonl", in: folder)
      #expect(run.status == 2)
      #expect(run.errors.contains("--record takes one scenario, not 2"))
      #expect(try folder.entries() == ["small.yaml"])
    }
  }
}
