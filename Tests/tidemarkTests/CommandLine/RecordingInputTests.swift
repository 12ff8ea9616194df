import CacheTestSupport
import Foundation
import Testing

@Suite("Recordings as inputs, and users as replicates", .startsProcesses)
struct RecordingInputTests {
  /// Records the small scenario with each seed.
  private static func record(
    _ seeds: ClosedRange<Int>, in folder: URL, named name: (Int) -> String = { "s\($0).jsonl" }
  ) async throws -> [String] {
    try folder.write(SmallScenario.yaml, to: "small.yaml")
    for seed in seeds {
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--seed", "\(seed)", "--record", name(seed),
        in: folder)
      #expect(run.status == 0, "\(run.errors)")
    }
    return seeds.map(name)
  }

  @Test("Twenty recordings of a scenario have the figures of its twenty seeds")
  func twenty() async throws {
    try await withTemporaryFolder { folder in
      let files = try await Self.record(1...20, in: folder)
      let options = ["--policies", "lru,ttl,spacedrive", "--format", "csv"]
      let drawn = try await TidemarkProcess.run(
        ["simulate", "small.yaml", "--seed", "1", "--seeds", "20", "--no-robustness"] + options,
        in: folder)
      let recorded = try await TidemarkProcess.run(["simulate"] + files + options, in: folder)
      #expect(drawn.status == 0 && recorded.status == 0, "\(recorded.errors)")
      #expect(recorded.output == drawn.output && !drawn.output.isEmpty)
      #expect(recorded.errors.contains("20 users, 20 recordings: s1.jsonl, "), "\(recorded.errors)")
    }
  }

  @Test("Targets that are lent to a recording are judged by its rows, whatever the file is called")
  func targets() async throws {
    try await withTemporaryFolder { folder in
      let files = try await Self.record(1...1, in: folder)
      try folder.write(AppLog.jsonl, to: "log.jsonl")
      let limits = "name: limits\npolicies: [lru]\ntargets:\n"
      for (file, targets, judged) in [
        (
          files[0], ["{metric: hit_ratio, class: file, at-least: 1 %}"],
          "By target and policy: 1 met, 0 missed, 0 without a verdict."
        ),
        (
          "log.jsonl",
          [
            "{metric: hit_ratio, class: files, at-least: 50 %}",
            "{metric: stale_read_share, at-most: 50 %}", "{metric: stale_read_share, at-most: 9 %}",
          ], "By target and policy: 2 met, 0 missed, 1 without a verdict."
        ),
      ] {
        try folder.write(
          limits + targets.map { "  - \($0)\n" }.joined(), to: "limits.yaml")
        let run = try await TidemarkProcess.run(
          "simulate", file, "--scenario", "limits.yaml", "--no-robustness", in: folder)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(judged), "\(run.output)")
        #expect(!run.output.contains("not measured"), "\(run.output)")
        #expect(!run.output.contains("in seed"), "\(run.output)")
      }
    }
  }

  @Test("Three users do not suffice: the best is named with its lead, without an interval")
  func three() async throws {
    try await withTemporaryFolder { folder in
      let files = try await Self.record(1...4, in: folder)
      let three = try await TidemarkProcess.run(
        ["simulate"] + files.dropLast() + ["--policies", "lru,ttl,no-cache"], in: folder)
      #expect(three.status == 0, "\(three.errors)")
      #expect(three.output.contains("Best of 3 users: "), "\(three.output)")
      #expect(three.sentences.contains("; not validated: record more users, 4 or more"))
      #expect(!three.output.contains("±"))
      let four = try await TidemarkProcess.run(
        ["simulate"] + files + ["--policies", "lru,no-cache"], in: folder)
      #expect(four.output.contains(" · 4 users\n") && four.output.contains("±"), "\(four.output)")
    }
  }

  @Test("The files of one user are one unit, whose figures are the mean over them")
  func sessions() async throws {
    try await withTemporaryFolder { folder in
      let files = try await Self.record(1...3, in: folder) { "ann-\($0).jsonl" }
      var each: [Double] = []
      for file in files {
        let run = try await TidemarkProcess.run(
          "simulate", file, "--policies", "lru", "--format", "csv", in: folder)
        each.append(try #require(TidyRow.all(in: run.output).total("hit_ratio", of: "lru")))
      }
      let user = try await TidemarkProcess.run(
        ["simulate"] + files
          + ["--user", "{user}-*.jsonl", "--policies", "lru", "--format", "csv"], in: folder)
      #expect(user.status == 0, "\(user.errors)")
      let mean = try #require(TidyRow.all(in: user.output).total("hit_ratio", of: "lru"))
      #expect(abs(mean - each.reduce(0, +) / 3) < 1e-6)
      #expect(user.errors.contains("1 user, 3 recordings: ann; "), "\(user.errors)")
      let text = try await TidemarkProcess.run(
        ["simulate"] + files + ["--user", "{user}-*.jsonl", "--policies", "lru,no-cache"],
        in: folder)
      #expect(text.output.contains("Best of 1 user: lru, "), "\(text.output)")
    }
  }

  @Test("A search on half of the users is judged on the others")
  func halves() async throws {
    try await withTemporaryFolder { folder in
      let files = try await Self.record(1...4, in: folder)
      let search = [
        "--policies", "lru", "--against", "ttl", "--method", "sobol", "--trials", "2", "--vary",
        "capacity-entities=100..5000",
      ]
      let run = try await TidemarkProcess.run(["tune"] + files + search, in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("best of 2 users, not validated: "), "\(run.output)")
      #expect(run.output.contains("judged once on small with 2 other users: "), "\(run.output)")
      let few = try await TidemarkProcess.run(["tune"] + files.prefix(3) + search, in: folder)
      #expect(few.status == 2)
      #expect(few.errors.contains("name recordings of 4 users or more"), "\(few.errors)")
    }
  }

  @Test("A scenario file lends limits, policies, goal and network, and the rest is said")
  func lent() async throws {
    try await withTemporaryFolder { folder in
      _ = try await Self.record(1...1, in: folder)
      let limits = """
        cache: {capacity-entities: 60 entities, time-to-live: {files.recents: 5 s}}
        policies: [{name: tight, preset: lru}, ttl]
        goal: {minimise: read_wait}
        network: {round-trip: 300 ms, loss: 9 %}

        """
      try folder.write(limits, to: "limits.yaml")
      let run = try await TidemarkProcess.run(
        "simulate", "s1.jsonl", "--scenario", "limits.yaml", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.errors
          == "s1.jsonl: cache, policies, goal, network of limits.yaml; as recorded: network.loss\n")
      #expect(run.output.contains("tight") && run.output.contains("read_wait"), "\(run.output)")
      let plain = try await TidemarkProcess.run("simulate", "s1.jsonl", in: folder)
      #expect(plain.errors.hasPrefix("s1.jsonl: defaults: capacity-entities 10000"))
      try folder.write("cache: {time-to-live: {rooms: 5 s}}\n", to: "wrong.yaml")
      let explained = try await TidemarkProcess.run(
        "explain", "s1.jsonl", "--scenario", "limits.yaml", in: folder)
      #expect(explained.output.contains("capacity-entities 60, "), "\(explained.output)")
      let tuning = ["--vary", "capacity-entities=50,60", "--policies", "tight"]
      let best = try await TidemarkProcess.run(
        ["tune", "s1.jsonl", "--scenario", "limits.yaml", "--best", "best.yaml"] + tuning,
        in: folder)
      #expect(best.status == 0, "\(best.errors)")
      let again = try await TidemarkProcess.run(
        "simulate", "s1.jsonl", "--scenario", "best.yaml", in: folder)
      #expect(again.status == 0, "\(again.errors)")
      for command in [["simulate"], ["explain"], ["recommend"], ["tune"]] {
        let wrong = try await TidemarkProcess.run(
          command + ["s1.jsonl", "--scenario", "wrong.yaml"]
            + (command == ["tune"] ? tuning : []), in: folder)
        #expect(wrong.status == 2 && wrong.output == "")
        #expect(
          wrong.errors.contains("wrong.yaml:1:24: unknown key `time-to-live.rooms`"),
          "\(wrong.errors)")
      }
    }
  }

  @Test("Options that mean nothing for a recording are errors that say so")
  func meaningless() async throws {
    try await withTemporaryFolder { folder in
      _ = try await Self.record(1...1, in: folder)
      try folder.write("data: {}\n", to: "nothing.yaml")
      let vary = ["--vary", "capacity-entities=50,60"]
      for (arguments, error) in [
        (["simulate", "s1.jsonl", "--seeds", "5"], "s1.jsonl: a recording has no seeds"),
        (["tune", "s1.jsonl", "--seeds", "5"] + vary, "s1.jsonl: a recording has no seeds"),
        (["bench", "s1.jsonl", "--seeds", "5"], "s1.jsonl: a recording has no seeds"),
        (["simulate", "s1.jsonl", "--seed", "5"], "s1.jsonl: a recording draws nothing"),
        (
          ["simulate", "s1.jsonl", "--record", "t.jsonl"],
          "--record: s1.jsonl is a recording already"
        ),
        (
          ["simulate", "small.yaml", "--scenario", "small.yaml"], "--scenario requires a recording"
        ),
        (["simulate", "small.yaml", "--user", "{user}"], "--user requires a recording"),
        (["simulate", "s1.jsonl", "--user", "s*.jsonl"], "--user 's*.jsonl': write {user} once"),
        (
          ["simulate", "s1.jsonl", "--user", "t{user}.jsonl"],
          "s1.jsonl: --user 't{user}.jsonl' does not match"
        ),
        (
          ["simulate", "s1.jsonl", "--scenario", "nothing.yaml"],
          "--scenario nothing.yaml: it has nothing to lend"
        ),
        (
          ["sensitivity", "s1.jsonl", "--vary", "network.loss=0%,5%"],
          "s1.jsonl: a recording, which has no fields"
        ),
        (
          ["sweep", "plan", "s1.jsonl"] + vary,
          "s1.jsonl: a recording cannot be split among machines"
        ),
        (["inspect", "s1.jsonl"], "\"inspect\" is now \"tidemark explain\""),
      ] {
        let run = try await TidemarkProcess.run(arguments, in: folder)
        #expect(run.status == 2)
        #expect(run.errors.contains("tidemark: \(error)"), "\(arguments): \(run.errors)")
        #expect(run.output == "")
      }
    }
  }

  @Test("A recording is explained: its content, its unknown parts, and the caches compared on it")
  func explained() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(AppLog.jsonl, to: "log.jsonl")
      let run = try await TidemarkProcess.run("explain", "log.jsonl", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      for text in [
        "one-file\n  A recording of 10 s by 1 client; all of it is counted.\n",
        "file: 1 at the beginning, 2.16 kB.\n", "files: 2 reads of 1 distinct query, 50 %",
        "not known\n  What the server held between two answers:",
        "How the app's own cache served 1 read,", "\ncache\n",
        "\npolicies\n", "\ngoal\n",
      ] { #expect(run.output.contains(text), "\(text): \(run.output)") }
      _ = try await Self.record(1...1, in: folder)
      let drawn = try await TidemarkProcess.run("explain", "s1.jsonl", in: folder)
      #expect(drawn.output.contains("files.directory: "), "\(drawn.output)")
      #expect(!drawn.output.contains("\nnot known\n"))
    }
  }
}
