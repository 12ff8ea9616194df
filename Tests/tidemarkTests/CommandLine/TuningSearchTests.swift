import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark tune: searches, journals and judgements", .startsProcesses)
struct TuningSearchTests {
  private static let other = SmallScenario.yaml.replacing("name: small", with: "name: other")

  private func run(
    _ arguments: String, in folder: URL, status: Int32 = 0
  ) async throws -> TidemarkProcess {
    let run = try await TidemarkProcess.run(
      arguments.split(separator: " ").map(String.init), in: folder)
    #expect(run.status == status, "\(run.errors)")
    return run
  }

  private static let search =
    "tune small.yaml --policies lru --method sobol --trials 6 --seeds 3 --vary capacity-entities=50..1000"

  @Test("A journal that was torn is resumed: nothing is run again, and the result is the same")
  func resumes() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let plain = try await run("\(Self.search) --format csv", in: folder)
      let first = try await run("\(Self.search) --format csv --journal runs.jsonl", in: folder)
      #expect(first.output == plain.output)
      let whole = try folder.read("runs.jsonl")
      let lines = whole.split(separator: "\n")
      #expect(lines.count == 6 * 3 + 1)
      // Ten runs and half of the next.
      let torn = lines.prefix(11).joined(separator: "\n") + "\n" + lines[11].prefix(60)
      try folder.write(torn, to: "runs.jsonl")
      let second = try await run("\(Self.search) --format csv --journal runs.jsonl", in: folder)
      #expect(second.output == plain.output)
      #expect(second.errors.contains("its last line is incomplete"), "\(second.errors)")
      let again = try folder.read("runs.jsonl").split(separator: "\n")
      #expect(again.prefix(11) == lines.prefix(11))
      #expect(Set(again) == Set(lines))
      #expect(again.count == lines.count)
    }
  }

  @Test("More trials go on where fewer ended")
  func extends() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      _ = try await run("\(Self.search) --journal runs.jsonl", in: folder)
      let before = try folder.read("runs.jsonl")
      _ = try await run(
        Self.search.replacing("--trials 6", with: "--trials 8") + " --journal runs.jsonl",
        in: folder)
      let after = try folder.read("runs.jsonl")
      #expect(after.hasPrefix(before))
      let added = after.dropFirst(before.count).split(separator: "\n")
      #expect(added.count == 2 * 3)
    }
  }

  @Test("A journal whose figures differ today is refused, and so is an invalid one")
  func changed() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let one = "tune small.yaml --policies lru --vary capacity-entities=100 --journal runs.jsonl"
      _ = try await run(one, in: folder)
      let lines = try folder.read("runs.jsonl").split(separator: "\n")
      let changed = try #require(lines.last).replacing("\"values\":\"", with: "\"values\":\"9")
      try folder.write("\(lines[0])\n\(changed)\n", to: "runs.jsonl")
      let other = try await run(one, in: folder, status: 4)
      #expect(other.errors.contains("small seed 1: lru capacity-entities=100 entities"))
      #expect(other.output == "")
      for text in ["no journal\n", "{}\n", "\(lines[1])\n", "plain", "{\"precious\": [1]}"] {
        try folder.write(text, to: "runs.jsonl")
        let bad = try await run(one, in: folder, status: 2)
        #expect(bad.errors.contains("runs.jsonl"), "\(bad.errors)")
        #expect(try folder.read("runs.jsonl") == text)
      }
    }
  }

  @Test("The best setting comes first, and its file runs to the same figures")
  func best() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let found = try await run(
        "tune small.yaml --policies lru,ttl --seeds 4 --vary capacity-entities=50,1000 "
          + "--vary policy.time-to-live=unlimited,2s --best best.yaml", in: folder)
      let first = try #require(found.output.split(separator: "\n").first)
      #expect(first.hasPrefix("best of 8 trials"), "\(first)")
      #expect(first.contains("capacity-entities=1000 entities policy.time-to-live=unlimited"))
      let csv = TidyRow.all(
        in: try await run("simulate best.yaml --seeds 4 --format csv", in: folder).output)
      let mean = csv.first {
        $0["metric"] == "fresh_hit_ratio" && $0["class"] == "all" && $0["seed"] == ""
      }
      let value = try #require(mean.flatMap { Double($0["value"]) })
      #expect(first.contains("\((value * 1_000).rounded() / 10)"), "\(first) \(value)")
    }
  }

  @Test(
    "No output replaces an input, or another output",
    arguments: [
      "--best small.yaml", "--output small.yaml", "--journal small.yaml --output x",
      "--journal x --output x", "--best x --output ./x",
    ])
  func outputs(options: String) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let refused = try await run(
        "tune small.yaml --policies lru --vary capacity-entities=100 \(options)", in: folder,
        status: 2)
      #expect(refused.errors.contains("; choose another file"), "\(refused.errors)")
      #expect(try folder.entries() == ["small.yaml"])
      #expect(try folder.read("small.yaml") == SmallScenario.yaml)
    }
  }

  @Test("The best setting is written although nobody reads the table")
  func closedPipe() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      _ = try await TidemarkProcess.run(
        "tune", "small.yaml", "--policies", "lru", "--vary", "capacity-entities=100,200",
        "--best", "best.yaml", in: folder, by: "\"$@\" | true")
      #expect(try folder.read("best.yaml").contains("capacity-entities: "))
    }
  }

  @Test("Of equivalent settings the cheapest is best, of one scenario and of several")
  func cheapest() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      try folder.write(Self.other, to: "other.yaml")
      for scenarios in ["small.yaml", "small.yaml other.yaml"] {
        let found = try await run(
          "tune \(scenarios) --policies lru --vary capacity-entities=680,640,600 --seeds 5",
          in: folder)
        let first = try #require(found.output.split(separator: "\n").first)
        #expect(first.contains(" equivalent for all that matters"), "\(found.output)")
        #expect(first.contains(": lru capacity-entities=600 entities: "), "\(found.output)")
      }
    }
  }

  @Test("Nothing that breaks a limit is called best, or written")
  func infeasible() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "tune", "small.yaml", "--policies", "lru", "--seeds", "3", "--vary",
        "capacity-entities=50,100", "--subject-to", "predicted_bytes <= 10kB", "--best",
        "best.yaml",
        in: folder)
      #expect(run.status == 4)
      #expect(run.output.hasPrefix("none of 2 trials meets predicted_bytes ≤ 10.0 kB; nearest: "))
      #expect(try folder.entries() == ["small.yaml"])
    }
  }

  @Test("The limits of the scenario's own goal have columns, unless another goal is asked for")
  func ownLimits() async throws {
    try await withTemporaryFolder { folder in
      let goal = "goal: {maximise: fresh_hit_ratio, subject-to: ['stale_read_share <= 100 %']}\n"
      try folder.write(SmallScenario.yaml + goal, to: "small.yaml")
      for (options, isShown) in [([], true), (["--objective", "fresh_hit_ratio"], false)] {
        let run = try await TidemarkProcess.run(
          [
            "tune", "small.yaml", "--policies", "lru", "--seeds", "2", "--vary",
            "capacity-entities=50,100",
          ]
            + options, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        let head = run.output.split(separator: "\n").first { $0.contains("setting") }
        #expect(head?.contains("stale_read_share") == isShown, "\(run.output)")
      }
    }
  }

  @Test("Settings that a race drops are counted, and are not on a front of other seeds")
  func dropped() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let search =
        "tune small.yaml --policies lru --vary capacity-entities=5,100,110 --seeds 10 --race"
      let found = try await run(search, in: folder)
      #expect(found.output.hasPrefix("best of 3 trials, 2 left so far: lru "), "\(found.output)")
      #expect(found.output.contains("\n  1 dropped after fewer seeds"), "\(found.output)")
      let rows = TidyRow.all(in: try await run("\(search) --format csv", in: folder).output)
      let marks = Set(rows.map { [$0["capacity-entities"], $0["on_front"]] })
      #expect(
        marks == [["5 entities", ""], ["100 entities", "yes"], ["110 entities", "yes"]],
        "\(marks)")
    }
  }

  @Test("The smallest setting that reaches a limit is named with its cost and its value")
  func smallest() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "tune", "small.yaml", "--policies", "lru", "--seeds", "4", "--vary",
        "capacity-entities=50,200,500,1000,5000", "--minimize", "predicted_bytes", "--require",
        "fresh_hit_ratio >= 50%", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let first = try #require(run.output.split(separator: "\n").first)
      #expect(first.contains(" predicted_bytes, fresh_hit_ratio "), "\(first)")
      #expect(!first.contains("5000 entities:"), "\(first)")
    }
  }

  @Test("Two scenarios are one total; halving and racing name a best of both")
  func methods() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      try folder.write(Self.other, to: "other.yaml")
      let base =
        "tune small.yaml other.yaml --policies lru --vary capacity-entities=50..1000 "
        + "--vary eviction-order=lru,fifo"
      let halving = try await run("\(base) --method halving --trials 4 --seeds 2", in: folder)
      #expect(halving.output.hasPrefix("2 scenarios in one, best of 4 trials"), "\(halving.output)")
      let race = try await run("\(base) --method random --trials 2 --seeds 6 --race", in: folder)
      #expect(race.output.hasPrefix("2 scenarios in one, best of 2 trials"))
    }
  }

  @Test("Rivals get as many trials, and the judgement is on held-out scenarios and seeds")
  func judged() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      try folder.write(Self.other, to: "other.yaml")
      let base =
        "tune small.yaml --policies lru --method sobol --trials 4 --seeds 3 --fresh-seeds 3 "
        + "--vary capacity-entities=300 --vary eviction-order=sieve --vary maximum-queries=5..50 "
        + "--against fifo-like,ttl --hold-out other.yaml"
      let unknown = try await run(base, in: folder, status: 2)
      #expect(unknown.errors.contains("fifo-like"))
      let found = try await run(
        base.replacing("fifo-like", with: "lru") + " --journal runs.jsonl", in: folder)
      #expect(found.output.contains("\nlru, as many trials: best of 4 trials"), "\(found.output)")
      #expect(found.output.contains("\njudged once on other with 3 fresh seeds: "))
      #expect(found.output.contains("rival ttl maximum-queries="))
      let journal = try folder.read("runs.jsonl").split(separator: "\n")
      let heldOut = journal.filter { $0.contains("\"run\":\"other ") }
      #expect(heldOut.count == 9)
      #expect(heldOut.allSatisfy { $0.contains(" seed 100000") })
      #expect(journal.filter { $0.contains("\"run\":\"small seed 100") }.isEmpty)
      let overlap = try await run(
        base.replacing("fifo-like,", with: "").replacing("other.yaml", with: "small.yaml"),
        in: folder,
        status: 2)
      #expect(overlap.errors.contains("the search uses small"))
    }
  }
}
