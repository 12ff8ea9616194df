import CacheTestSupport
import CommandLineInterface
import Foundation
import Testing
import Text
import Workloads

@testable import tidemark

@Suite("tidemark recommend", .startsProcesses)
struct RecommendTests {
  private func recommend(_ arguments: String..., in folder: URL) async throws -> TidemarkProcess {
    try await TidemarkProcess.run(["recommend"] + arguments, in: folder)
  }

  /// Without line ends, which depend on the width.
  private func words(_ run: TidemarkProcess) -> String {
    run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("One screen says which policy to ship, its gain, cost, certainty, and exceptions")
  func oneScreen() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await recommend("small.yaml", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let lines = run.output.split(separator: "\n").map(String.init)
      #expect(lines.first?.hasPrefix("small: ") == true, "\(run.output)")
      #expect(lines.count < 40)
      for label in ["Gain", "Memory", "How sure", "Robust"] {
        #expect(lines.contains { $0.hasPrefix("  \(label)") }, "\(label): \(run.output)")
      }
      #expect(words(run).contains("measured on 20 held-out seeds"))
      // Less memory is no reason to recommend fewer fresh hits.
      #expect(!run.output.contains(" behind lru"))
      #expect(try await recommend("small.yaml", in: folder).output == run.output)
    }
  }

  /// The small scenario with room for few queries, which its memory has more of, a target, and a policy of its own.
  private static let limited =
    SmallScenario.yaml.replacing("policies: [lru, ttl, no-cache, unbounded]", with: "")
      + """
      cache: {capacity-entities: 600, maximum-queries: 6}
      policies: [lru, {name: own, preset: ttl, time-to-live: 1 min}]
      targets: [{metric: hit_ratio, at-least: 1 %, policies: [own]}]
      """

  /// The lines of the entry to add, without their margin.
  private func entry(in run: TidemarkProcess) -> [String] {
    run.output.split(separator: "\n").map { $0.drop { $0 == " " } }
      .drop { !$0.hasPrefix("- name: ") }.map(String.init)
  }

  @Test("Limits of the app are lifted where one on memory is better, and every field is printed")
  func liftsLimits() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.limited, to: "small.yaml")
      let run = try await recommend("small.yaml", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.hasPrefix("small: ship "), "\(run.output)")
      #expect(words(run).contains(" ahead of lru: "), "\(run.output)")
      #expect(words(run).contains(" unlimited, capacity-memory "), "\(run.output)")
      let entry = entry(in: run)
      #expect(entry.contains { $0.contains(": unlimited") }, "\(run.output)")
      // A lifted limit leaves memory as it was.
      #expect(entry.contains { $0.hasPrefix("capacity-memory: ") }, "\(run.output)")
      // A field without an effect is not proposed.
      #expect(entry.dropFirst(2).allSatisfy { $0.contains("  # ") }, "\(run.output)")
    }
  }

  @Test("--yaml writes the whole scenario, which simulates to the printed figures")
  func yaml() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(Self.limited, to: "small.yaml")
      let run = try await recommend("small.yaml", "--yaml", "best.yaml", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let again = try await TidemarkProcess.run(
        ["simulate", "best.yaml", "--seed", "2000001", "--seeds", "20", "--no-robustness"],
        in: folder)
      #expect(words(run).contains("`tidemark simulate FILE --seed 2000001 --seeds 20`"))
      #expect(again.status == 0, "\(again.errors)")
      for policy in ["recommended", "lru"] {
        let line = again.output.split(separator: "\n").first { $0.hasPrefix("\(policy) ") }
        let share = try #require(line?.firstMatch(of: /[0-9.]+ ± [0-9.]+ %/)?.output)
        #expect(words(run).contains(share), "\(run.output)\(again.output)")
      }
      for kept in ["own ", "hit_ratio"] {
        #expect(again.output.contains("\n\(kept)") || again.output.contains("  \(kept)"))
      }
    }
  }

  @Test("--yaml keeps the allowed memory")
  func yamlInMemory() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await recommend(
        "small.yaml", "--memory", "200kB", "--yaml", "best.yaml", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let again = try await TidemarkProcess.run(
        [
          "simulate", "best.yaml", "--policies", "recommended", "--seeds", "2", "--format", "csv",
          "--no-robustness",
        ], in: folder)
      #expect(again.status == 0, "\(again.errors)")
      let peaks = TidyRow.all(in: again.output).filter { $0["metric"] == "predicted_bytes" }
        .compactMap { Double($0["value"]) }
      #expect(!peaks.isEmpty)
      #expect(peaks.allSatisfy { $0 <= 200_000 }, "\(peaks)")
    }
  }

  @Test("--yaml of a recording is a file for --scenario, and gives the same figures")
  func yamlOfRecording() async throws {
    try await withTemporaryFolder { folder in
      let tight = Self.limited.replacing(
        "capacity-entities: 600, maximum-queries: 6",
        with: "capacity-entities: 60, maximum-queries: 2")
      try folder.write(tight, to: "small.yaml")
      let recorded = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--record", "session.jsonl", in: folder)
      #expect(recorded.status == 0, "\(recorded.errors)")
      let run = try await recommend(
        "session.jsonl", "--scenario", "small.yaml", "--yaml", "best.yaml", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let again = try await TidemarkProcess.run(
        "simulate", "session.jsonl", "--scenario", "best.yaml", "--no-robustness", in: folder)
      #expect(again.status == 0, "\(again.errors)")
      let line = again.output.split(separator: "\n").first { $0.hasPrefix("recommended ") }
      let share = try #require(line?.firstMatch(of: /[0-9.]+ %/)?.output)
      #expect(words(run).contains(": \(share) of reads"), "\(run.output)\(again.output)")
    }
  }

  @Test("A proposal loses the fields that only repeat the app's own")
  func fewestWords() throws {
    let file = try ScenarioFile(Array(Self.limited.utf8), path: "small.yaml")
    func words(_ policy: String, _ fields: (String, String)...) throws -> String {
      try Proposal(
        policy: policy, fields: fields.map { Proposal.Field(name: $0.0, value: $0.1) }
      ).inFewestWords(in: file).label
    }
    // Entities go in this order anyway, and nothing of it expires.
    #expect(
      try words("lru", ("eviction-order", "lru"), ("time-to-live", "unlimited")) == "lru")
    #expect(
      try words("lru", ("maximum-queries", "unlimited"), ("capacity-entities", "600"))
        == "lru with maximum-queries unlimited")
    #expect(
      try words("own", ("time-to-live", "1 min"), ("limit", "hard"))
        == words("own", ("limit", "hard")))
  }

  @Test(
    "A size is printed as it is simulated",
    arguments: [
      (999, "999 B"), (80_432, "80.4 kB"), (748_300, "748.3 kB"), (1_234_567, "1.23 MB"),
      (25_399_999, "25.3 MB"), (40_000_000, "40 MB"),
    ])
  func sizes(bytes: Int, text: String) throws {
    let size = Proposal.inFewDigits(bytes)
    #expect(Proposal.sizeInWords(size) == text)
    #expect(try Dimension.size.whole(text, of: "--memory", in: 0...1 << 40) == Int64(size))
  }

  @Test("A limit on stale reads that no policy keeps is reported, with the nearest policy")
  func nothingKeepsIt() async throws {
    try await withTemporaryFolder { folder in
      let late = SmallScenario.yaml + "\ngoal: {subject-to: ['fresh_hit_ratio >= 100%']}\n"
      try folder.write(late, to: "small.yaml")
      let run = try await recommend("small.yaml", in: folder)
      #expect(
        run.output.contains("nothing that was tried keeps the limits; nearest: "),
        "\(run.output)\(run.errors)")
      #expect(!run.output.contains(": ship ") && !run.output.contains("  Gain"))
      #expect(words(run).contains(" instead of 100.0 %; try fresh_hit_ratio >= "), "\(run.output)")
      #expect(run.status == 4)
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let tiny = try await recommend("small.yaml", "--memory", "1kB", in: folder)
      #expect(tiny.status == 4)
      #expect(words(tiny).contains("its limit; try --memory "), "\(tiny.output)")
    }
  }

  @Test("A recording is one user: the best is named, and not as validated")
  func recording() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let recorded = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--record", "session.jsonl", in: folder)
      #expect(recorded.status == 0, "\(recorded.errors)")
      let run = try await recommend("session.jsonl", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(words(run).contains("not validated"), "\(run.output)")
      #expect(words(run).contains("record at least 8 users"), "\(run.output)")
      #expect(!run.output.contains("±") && !run.output.contains("seed"), "\(run.output)")
    }
  }

  /// Records some users of one app, each in a file, as `ann-1.jsonl` for the first.
  private func record(users: Int, in folder: URL) async throws {
    try folder.write(SmallScenario.yaml, to: "small.yaml")
    for user in 1...users {
      let recorded = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--seed", "\(user)", "--record",
        "\(String(UnicodeScalar(UInt8(96 + user))))-1.jsonl", "--no-robustness", in: folder)
      #expect(recorded.status == 0, "\(recorded.errors)")
    }
  }

  @Test("Of four users half choose and the others judge; fewer validate nothing")
  func users() async throws {
    try await withTemporaryFolder { folder in
      try await record(users: 8, in: folder)
      let all = try await recommend("{user}-1.jsonl", in: folder)
      #expect(all.status == 0, "\(all.errors)")
      #expect(words(all).contains("are of the 4 others alone"), "\(all.output)")
      #expect(!all.output.contains("seed"), "\(all.output)")
      #expect(all.output.contains("±"), "\(all.output)")
      let four = try await recommend(
        "a-1.jsonl", "b-1.jsonl", "c-1.jsonl", "d-1.jsonl", in: folder)
      #expect(
        words(four).contains("too few for an interval: record at least 8 users"), "\(four.output)")
      #expect(!four.output.contains("±"), "\(four.output)")
      let three = try await recommend("a-1.jsonl", "b-1.jsonl", "c-1.jsonl", in: folder)
      #expect(
        words(three).contains("3 users, on whom it was chosen too, so not validated"),
        "\(three.output)")
      #expect(!three.output.contains("±"), "\(three.output)")
    }
  }

  @Test("Each user is searched on or judges, and none does both", arguments: 4...9)
  func halves(count: Int) throws {
    let scenario = try Scenario.parse(
      Array(SmallScenario.yaml.utf8), file: "small", vocabulary: .unchecked)
    let session = Workload.generate(scenario, seed: 1)
    let users = (1...count).map {
      RecordedUsers.User(
        name: "user \($0)", paths: ["\($0).jsonl"], sessions: [session], digests: ["\($0)"])
    }
    let input = SimulationInput(
      RecordedUsers(users: users), file: ScenarioFile(path: "small.yaml", scenario: scenario))
    let halves = [false, true].map { input.half(isJudged: $0).recorded?.paths ?? [] }
    #expect(Set(halves[0]).isDisjoint(with: halves[1]))
    #expect((halves[0] + halves[1]).sorted() == users.flatMap(\.paths).sorted())
    #expect((0...1).contains(halves[0].count - halves[1].count))
  }

  @Test("Users who judge do not affect search or choice, only the printed figures")
  func judgesAreNotSearched() async throws {
    try await withTemporaryFolder { folder in
      try await record(users: 4, in: folder)
      let tuning =
        [
          "tune", "{user}-1.jsonl", "--policies", "lru", "--vary", "maximum-queries=2..40",
          "--method", "sobol", "--trials", "4", "--against", "ttl", "--format", "csv",
        ]
      func answers() async throws -> (searched: [String], judged: [String], tuned: String) {
        let run = try await recommend("{user}-1.jsonl", in: folder)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        let tune = try await TidemarkProcess.run(tuning, in: folder)
        #expect(tune.status == 0, "\(tune.errors)")
        // In what memory the answer changes is asked of those who judge, too.
        func isJudged(_ line: String) -> Bool {
          line.contains("  Gain ") || line.contains("  Robust ")
        }
        return (lines.filter { !isJudged($0) }, lines.filter(isJudged), tune.output)
      }
      let before = try await answers()
      // The second and the fourth judge.
      for (user, seed) in [("b", "31"), ("d", "32")] {
        let recorded = try await TidemarkProcess.run(
          "simulate", "small.yaml", "--policies", "lru", "--seed", seed, "--record",
          "\(user)-1.jsonl", "--no-robustness", in: folder)
        #expect(recorded.status == 0, "\(recorded.errors)")
      }
      let after = try await answers()
      #expect(before.searched == after.searched)
      #expect(before.tuned == after.tuned)
      #expect(before.judged != after.judged && !before.judged.isEmpty)
    }
  }

  @Test("A pattern that no file matches, and two apps, are refused")
  func wrongInputs() async throws {
    try await withTemporaryFolder { folder in
      try await record(users: 1, in: folder)
      let none = try await recommend("logs/{user}.jsonl", in: folder)
      #expect(none.status == 2 && none.errors.contains("no file matches it"), "\(none.errors)")
      let two = try await recommend("small.yaml", "a-1.jsonl", in: folder)
      #expect(two.status == 2, "\(two.errors)")
      let policy = try await recommend("small.yaml", "--now", "ttll", in: folder)
      #expect(policy.status == 2, "\(policy.errors)")
      #expect(
        policy.errors.hasPrefix("tidemark: --now ttll: no such policy; did you mean \"ttl\"?"),
        "a misspelling is reported before the search: \(policy.errors)")
      let share = try await recommend("small.yaml", "--stale", "1", in: folder)
      #expect(share.errors == "tidemark: --stale: `1` has no unit; write `1%`, or `100%`\n")
    }
  }

  @Test("If nothing is better the answer is to keep the current policy, with nothing to paste")
  func nothingToChange() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      // It ships without a limit.
      let run = try await recommend("small.yaml", "--client", "apollo-kotlin", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.output.hasPrefix("small: nothing to change: keep apollo-kotlin\n"), "\(run.output)")
      #expect(!run.output.contains("  Compared"), "\(run.output)")
      #expect(!run.output.contains("maxSizeBytes"), "\(run.output)")
      #expect(words(run).contains("settings of apollo-kotlin on 3 seeds"), "\(run.output)")
      let all = try await recommend("small.yaml", in: folder)
      #expect(
        words(all).contains("lru, refcount and ttl (for other presets use simulate)"),
        "\(all.output)")
      #expect(!all.output.contains("more would help"), "\(all.output)")
    }
  }

  @Test(
    "A recording that cannot decide is refused, in words for those who only know the app",
    arguments: [
      (1, "", "nothing is read twice, so"), (3, "", "4 of its 6 reads come back"),
      (4, "\"forced\":true,", "nothing is read twice (6 forced repeats"),
    ])
  func recordingThatCannotSay(rounds: Int, forced: String, reason: String) async throws {
    try await withTemporaryFolder { folder in
      let lines = AppLog.jsonl.split(separator: "\n").map(String.init)
      let reads = (0..<(2 * rounds)).map { number in
        #"{"line":"action","client":0,"at":\#(number + 1)000000000,"do":"read","query":\#(number % 2),"#
          + forced + #""outcome":"miss","result":[1]}"#
      }
      let query = #"{"line":"query","name":"files","subject":0,"limit":9}"#
      try folder.write(
        (lines.prefix(6) + [query, lines[6]] + reads).joined(separator: "\n") + "\n",
        to: "app.jsonl")
      let run = try await recommend("app.jsonl", in: folder)
      #expect(run.status == 4)
      #expect(run.errors.contains(reason), "\(run.errors)")
      #expect(run.errors.contains("record a session in which the user comes back"), "\(run.errors)")
      #expect(!run.errors.contains("`state`"))
      let simulated = try await TidemarkProcess.run("simulate", "app.jsonl", in: folder)
      let text = words(simulated)
      if rounds == 3 {
        #expect(text.contains("This recording cannot say which is best: "), "\(text)")
        #expect(text.contains(reason), "\(text)")
      } else {
        #expect(text.contains("No policy within the limits has a hit in this recording"), "\(text)")
      }
    }
  }

  @Test("With a client the answer is lines to paste, in the client's own names and units")
  func client() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await recommend("small.yaml", "--client", "relay", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.output.contains("    new Store(new RecordSource(), {\n      gcReleaseBufferSize: "),
        "\(run.output)")
      let none = try await recommend("small.yaml", "--client", "apollo-client", in: folder)
      #expect(none.status == 0, "\(none.errors)")
      #expect(
        none.output.contains("apollo-client has no limit and no age to set; call cache.gc()"),
        "\(none.output)")
      // Its present state, and the effect of another cache.
      #expect(
        words(none).contains("others that were tried, lru, is within one read of it"),
        "\(none.output)")
      let unknown = try await recommend("small.yaml", "--client", "rely", in: folder)
      #expect(unknown.status == 2)
      #expect(unknown.errors.contains("relay"), "\(unknown.errors)")
    }
  }

  @Test(
    "Every value of every knob is a value of its client's preset, and has one line",
    arguments: ClientKnobs.all.map(\.name))
  func knobs(name: String) async throws {
    let client = try #require(ClientKnobs.named(name))
    for proposal in client.proposals {
      let lines = try client.configuration(of: proposal)
      for knob in client.knobs {
        let value = proposal.fields.first { $0.name == knob.field }?.value
        let own = lines.filter { $0.contains(knob.option) }
        #expect(own.count == (value == "unlimited" && knob.unlimited == nil ? 0 : 1), "\(lines)")
      }
    }
    #expect(!client.source.isEmpty)
  }

  @Test("Milliseconds, seconds, bytes and numbers of queries are written in the client's unit")
  func units() throws {
    func lines(_ client: String, _ fields: (String, String)...) throws -> [String] {
      try #require(ClientKnobs.named(client)).configuration(
        of: Proposal(
          policy: client, fields: fields.map { Proposal.Field(name: $0.0, value: $0.1) }))
    }
    #expect(
      try lines("relay", ("release-buffer-queries", "30"), ("time-to-live", "10 min")) == [
        "new Store(new RecordSource(), {", "  gcReleaseBufferSize: 30,",
        "  queryCacheExpirationTime: 600000,", "})",
      ])
    #expect(
      try lines("tanstack", ("time-to-live", "unlimited"), ("release-buffer-age", "5 min")) == [
        "new QueryClient({ defaultOptions: { queries: {", "  staleTime: Infinity,",
        "  gcTime: 300000,", "} } })",
      ])
    #expect(
      try lines("rtk-query", ("release-buffer-age", "5 min")) == [
        "createApi({", "  keepUnusedDataFor: 300,", "})",
      ])
    #expect(
      try lines("apollo-kotlin", ("capacity-memory", "10 MB"), ("time-to-live", "10 min")) == [
        "ApolloClient.Builder().storeReceivedDate(true).normalizedCache(",
        "  normalizedCacheFactory = MemoryCacheFactory(maxSizeBytes = 10000000),",
        "  cacheResolver = CacheControlCacheResolver(GlobalMaxAgeProvider(maxAge = 600.seconds)),",
        ")",
      ])
    #expect(
      try lines("apollo-kotlin", ("time-to-live", "unlimited"))[1]
        == "  cacheResolver = CacheControlCacheResolver(GlobalMaxAgeProvider(maxAge = Duration.INFINITE)),"
    )
  }
}
