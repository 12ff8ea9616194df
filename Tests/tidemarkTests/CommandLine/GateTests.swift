import Analysis
import CacheTestSupport
import Foundation
import Reporting
import ResultModel
import Testing

@Suite("tidemark gate", .startsProcesses)
struct GateTests {
  /// A folder with a scenario and its baseline.
  private func withBaseline(_ body: (URL) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "bench", "small.yaml", "--baseline", "--policies", "lru,ttl", "--output", "baseline",
        in: folder)
      #expect(run.status == 0, "\(run.errors)")
      try await body(folder)
    }
  }

  private func gate(in folder: URL) async throws -> TidemarkProcess {
    try await TidemarkProcess.run(
      "gate", "small.yaml", "--baseline", "baseline", "--candidate", "candidate", "--verdict",
      "verdict.json", in: folder)
  }

  /// Makes a folder of the rows of every seed, edited line by line.
  private func makeCandidate(
    of scenario: String = "small.yaml", in folder: URL, _ edit: (String) -> String?
  ) async throws {
    let run = try await TidemarkProcess.run(
      ["bench", scenario, "--per-seed", "--exact-only", "--policies", "lru,ttl", "--output"]
        + ["candidate"] + (scenario.hasSuffix(".yaml") ? ["--seeds", "\(TargetJudge.seeds)"] : []),
      in: folder)
    #expect(run.status == 0, "\(run.errors)")
    let lines = try folder.read("candidate/seeds.csv").split(separator: "\n")
    let edited = lines.compactMap { edit(String($0)) }
    #expect(edited != lines.map(String.init), "nothing was planted")
    try folder.write(edited.joined(separator: "\n") + "\n", to: "candidate/seeds.csv")
  }

  /// Edits the baseline, so that it still agrees with itself.
  private func plant(in folder: URL, _ edit: (inout BaselineTable) -> Void) throws {
    var table = try BaselineTable.read(Array(try folder.read("baseline/baseline.csv").utf8))
    edit(&table)
    try folder.write(String(decoding: try table.csv(), as: UTF8.self), to: "baseline/baseline.csv")
  }

  private func replacingValue(of line: String, by value: String) -> String {
    var cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    cells[6] = value
    return cells.joined(separator: ",")
  }

  @Test("The same code passes, simulated again")
  func passes() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      for arguments in [
        ["bench", "small.yaml", "--baseline", "--output", "baseline"],
        ["gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json"],
      ] {
        let run = try await TidemarkProcess.run(arguments, in: folder)
        #expect(run.status == 0, "\(run.errors)")
      }
      #expect(try folder.read("verdict.json").contains("\"outcome\": \"passed\""))
    }
  }

  @Test("Later seeds are run where the first ones differ, or where that is asked")
  func laterSeeds() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let bench = try await TidemarkProcess.run(
        "bench", "small.yaml", "--baseline", "--output", "baseline", in: folder)
      #expect(bench.status == 0, "\(bench.errors)")
      let known = try folder.read("baseline/baseline.csv")
      func gate(planting seed: UInt64, _ options: String...) async throws -> TidemarkProcess {
        try folder.write(known, to: "baseline/baseline.csv")
        try plant(in: folder) { table in
          for index in table.runs.indices
          where table.runs[index].digest.seed == seed && table.runs[index].digest.policy == "lru" {
            table.runs[index].digest.text = "0123456789abcdef"
          }
        }
        return try await TidemarkProcess.run(
          ["gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", "--strict"]
            + options, in: folder)
      }
      // A change in a later seed only is not examined, and the gate says so.
      let usual = try await gate(planting: 5)
      #expect(usual.status == 0, "\(usual.output)")
      #expect(usual.output.contains("3 later seeds of 1 scenario"), "\(usual.output)")
      let whole = try await gate(planting: 5, "--every-seed")
      #expect(whole.status == 1, "\(whole.output)")
      #expect(
        whole.output.contains(
          "differs small/lru: not the same in 1 of 5 seeds (5), in figures below"),
        "\(whole.output)")
      #expect(!whole.output.contains("later seeds"), "\(whole.output)")
      // A difference that is seen is judged over all seeds.
      let seen = try await gate(planting: 2)
      #expect(seen.status == 1, "\(seen.output)")
      #expect(!seen.output.contains("later seeds"), "\(seen.output)")
      #expect(try folder.read("verdict.json").contains("\"compared\": 5"))
    }
  }

  @Test("A baseline of other seeds is refused, and never a pass")
  func otherSeeds() async throws {
    try await withBaseline { folder in
      let bench = try await TidemarkProcess.run(
        "bench", "small.yaml", "--baseline", "--seed", "7", "--output", "other", in: folder)
      #expect(bench.status == 2)
      #expect(bench.errors.contains("--seed: `gate` runs each scenario's own"), "\(bench.errors)")
      // As such a baseline would be: its scenario is the same.
      try folder.write("seed: 7\n" + SmallScenario.yaml, to: "small.yaml")
      let later = try await TidemarkProcess.run(
        "bench", "small.yaml", "--baseline", "--output", "baseline", in: folder)
      #expect(later.status == 0, "\(later.errors)")
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let manifest = try folder.read("baseline/manifest.json")
      try folder.write(
        manifest.replacing("\"seed\": \"7\"", with: "\"seed\": \"1\""),
        to: "baseline/manifest.json")
      for options in [[], ["--strict", "--every-seed"]] {
        let run = try await TidemarkProcess.run(
          ["gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json"] + options,
          in: folder)
        #expect(run.status == 3, "\(run.output)")
        #expect(
          run.output.contains("small: the baseline has seeds 7, 8, 9, 10, 11, and this run "),
          "\(run.output)")
        #expect(!run.output.contains("later seeds"), "\(run.output)")
      }
    }
  }

  @Test("A scenario that the baseline lacks is judged by its targets on every seed of a judgement")
  func targetOfNewScenario() async throws {
    try await withBaseline { folder in
      let simulated = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--seeds", "40", "--no-robustness",
        "--format", "csv", in: folder)
      let ratios = TidyRow.all(in: simulated.output).compactMap { row -> Double? in
        row["metric"] == "hit_ratio" && row["class"] == "total" && row["seed"] != ""
          ? Double(row["value"]) : nil
      }
      try #require(ratios.count == 40)
      // Its first seed is the best, so only another one misses the target.
      let first = try #require(
        ratios.indices.dropLast(4).first { ratios[$0] > (ratios[($0 + 1)...($0 + 4)].min() ?? 1) })
      let worst = try #require(ratios[(first + 1)...(first + 4)].min())
      let limit = (ratios[first] + worst) / 2
      try folder.write(
        "seed: \(first + 1)\n" + SmallScenario.yaml.replacing("name: small", with: "name: other")
          + "targets: [{metric: hit_ratio, at-least: '\(limit * 100) %', policies: [lru]}]\n",
        to: "other.yaml")
      let run = try await TidemarkProcess.run(
        "gate", "small.yaml", "other.yaml", "--baseline", "baseline",
        "--verdict", "verdict.json", in: folder)
      #expect(run.status == 1, "\(run.output) \(run.errors)")
      #expect(run.output.contains("hit_ratio"), "\(run.output)")
    }
  }

  @Test(
    "No output replaces a file of the baseline or a scenario",
    arguments: [
      ["--also", "json=baseline/manifest.json"], ["--also", "junit=baseline/baseline.csv"],
      ["--verdict", "small.yaml"],
    ])
  func outputs(options: [String]) async throws {
    try await withBaseline { folder in
      func files() throws -> [String] {
        try ["small.yaml", "baseline/manifest.json", "baseline/baseline.csv"]
          .map { try folder.read($0) }
      }
      let before = try files()
      let run = try await TidemarkProcess.run(
        ["gate", "small.yaml", "--baseline", "baseline"] + options, in: folder)
      #expect(run.status == 2)
      #expect(run.errors.contains("is read, and would be replaced"), "\(run.errors)")
      #expect(try files() == before)
    }
  }

  @Test("A baseline or a candidate of another schema is not compared")
  func otherSchema() async throws {
    try await withBaseline { folder in
      try FileManager.default.copyItem(
        at: folder.appendingPathComponent("baseline"),
        to: folder.appendingPathComponent("candidate"))
      let manifest = try folder.read("baseline/manifest.json")
      let other = manifest.replacing(
        "\"schema_version\": \(ResultSchema.version)", with: "\"schema_version\": 1")
      try #require(other != manifest)
      try folder.write(other, to: "candidate/manifest.json")
      let candidate = try await gate(in: folder)
      #expect(candidate.status == 3)
      #expect(candidate.output.contains("the candidate has schema version 1"))
      try folder.write(other, to: "baseline/manifest.json")
      let baseline = try await TidemarkProcess.run(
        "gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", in: folder)
      #expect(baseline.status == 3)
      #expect(!baseline.output.contains("later seeds"), "\(baseline.output)")
    }
  }

  @Test("A baseline whose counts are gone is incomplete")
  func lostCounts() async throws {
    try await withBaseline { folder in
      func gate(_ cause: String) async throws {
        let run = try await TidemarkProcess.run(
          "gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", in: folder)
        #expect(run.status == 3)
        #expect(run.errors.hasPrefix("tidemark: baseline/counts.csv: \(cause)"), "\(run.errors)")
        let verdict = try folder.read("verdict.json")
        #expect(verdict.contains("baseline/counts.csv: \(cause)"), "\(verdict)")
      }
      let header = String(decoding: try TidyTable.csv([]), as: UTF8.self)
      try folder.write(header, to: "baseline/counts.csv")
      try await gate("it has no counts")
      try FileManager.default.removeItem(at: folder.appendingPathComponent("baseline/counts.csv"))
      let manifest = try folder.read("baseline/manifest.json")
      let counted = manifest.replacing("\"compiler\"", with: "\"valgrind\": \"3\", \"compiler\"")
      try #require(counted != manifest)
      try folder.write(counted, to: "baseline/manifest.json")
      try await gate("no such file, and manifest.json")
    }
  }

  @Test("Counts of the baseline are looked at if no scenario is named, or if they are asked for")
  func counts() async throws {
    try await withBaseline { folder in
      // The conditions of the count are unknown, so nothing is counted here.
      let row = ResultRow(
        scenario: "memory", policy: "lru", seed: 1, metric: .cacheTotalBytes, value: .integer(1))
      try folder.write(
        String(decoding: try TidyTable.csv([row]), as: UTF8.self), to: "baseline/counts.csv")
      func gate(_ options: String...) async throws -> String {
        try await TidemarkProcess.run(
          ["gate", "--baseline", "baseline", "--verdict", "verdict.json"] + options, in: folder
        ).output
      }
      #expect(try await gate("small.yaml").contains("counts: left out"))
      let asked = try await gate("small.yaml", "--counts")
      #expect(asked.contains("1 counts: ") && asked.contains(" was not known, is "), "\(asked)")
      #expect(try await gate("small.yaml", "--counts", "--skip", "memory").contains("counts: left"))
    }
  }

  @Test("The folders of a verdict are made; if they cannot be, that is reported before the work")
  func foldersOfVerdict() async throws {
    try await withBaseline { folder in
      func gate(_ verdict: String) async throws -> TidemarkProcess {
        try await TidemarkProcess.run(
          "gate", "small.yaml", "--baseline", "baseline", "--verdict", verdict, "--also",
          "junit=out/deep/gate.xml", in: folder)
      }
      let passed = try await gate("new/verdict.json")
      #expect(passed.status == 0, "\(passed.errors)")
      #expect(try folder.read("new/verdict.json").contains("\"outcome\": \"passed\""))
      #expect(try folder.read("out/deep/gate.xml").contains("<testcase classname=\"small\""))
      let run = try await gate("small.yaml/verdict.json")
      #expect(run.status == 5)
      #expect(
        run.errors.contains("small.yaml/verdict.json: its folder cannot be made"), "\(run.errors)")
      #expect(run.output == "")
    }
  }

  @Test(
    "A renewal is by a command that is there: make baseline only where a makefile has that target")
  func renewal() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      func advice(_ options: String...) async throws -> String {
        try await TidemarkProcess.run(["gate", "small.yaml"] + options, in: folder).errors
      }
      #expect(try await advice().contains("`tidemark bench small.yaml --baseline`"))
      #expect(
        try await advice("--baseline", "my base")
          .contains("`tidemark bench small.yaml --baseline --output 'my base'`"))
      try folder.write("other:\n\ttrue\n", to: "Makefile")
      #expect(try await advice().contains("`tidemark bench small.yaml --baseline`"))
      try folder.write("baseline:\n\ttrue\n", to: "Makefile")
      #expect(try await advice().contains("`make baseline`"))
    }
  }

  @Test("Without a baseline the status says so, also where the verdict has no folder either")
  func noBaseline() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run("gate", "small.yaml", in: folder)
      #expect(run.status == 3)
      #expect(run.errors.contains("make one with `tidemark bench small.yaml --baseline`"))
    }
  }

  @Test("A regression planted in a metric is reported by its name", arguments: ["lru", "ttl"])
  func plantedRegression(policy: String) async throws {
    try await withBaseline { folder in
      try await makeCandidate(in: folder) { line in
        line.hasPrefix("small,\(policy),") && line.contains(",all,hit_ratio,value,")
          ? replacingValue(of: line, by: "0.001") : line
      }
      let run = try await gate(in: folder)
      #expect(run.status == 1)
      #expect(run.output.contains("hit_ratio"), "\(run.output)")
      let verdict = try folder.read("verdict.json")
      #expect(verdict.contains("\"exit_code\": 1"), "\(verdict)")
      #expect(verdict.contains("\"worse\": 1"), "\(verdict)")
      #expect(verdict.contains("\"metric\": \"hit_ratio\""), "\(verdict)")
      #expect(verdict.contains("\"policy\": \"\(policy)\""), "\(verdict)")
    }
  }

  @Test("A missing metric does not pass")
  func missingMetric() async throws {
    try await withBaseline { folder in
      try await makeCandidate(in: folder) { $0.contains(",bytes_fetched,") ? nil : $0 }
      let run = try await gate(in: folder)
      #expect(run.status == 4)
      #expect(run.output.contains("bytes_fetched"), "\(run.output)")
      let verdict = try folder.read("verdict.json")
      #expect(verdict.contains("\"exit_code\": 4"), "\(verdict)")
      #expect(verdict.contains("\"metric\": \"bytes_fetched\""), "\(verdict)")
    }
  }

  @Test("An empty value does not pass")
  func emptyValue() async throws {
    try await withBaseline { folder in
      try await makeCandidate(in: folder) { line in
        line.hasPrefix("small,lru,1,all,reads,value,")
          ? replacingValue(of: line, by: "") : line
      }
      let run = try await gate(in: folder)
      #expect(run.status == 4)
      #expect(run.output.contains("reads"), "\(run.output)")
    }
  }

  @Test(
    "One figure below the main ones, of one seed and class, fails a strict gate, and never passes")
  func oneFigure() async throws {
    try await withBaseline { folder in
      try await makeCandidate(in: folder) { line in
        line.hasPrefix("small,lru,3,file,miss_cold,value,")
          ? replacingValue(of: line, by: "1000000") : line
      }
      for (options, status) in [(["--strict"], Int32(1)), ([], 4)] {
        let run = try await TidemarkProcess.run(
          [
            "gate", "small.yaml", "--baseline", "baseline", "--candidate", "candidate", "--verdict",
            "verdict.json",
          ] + options, in: folder)
        #expect(run.status == status, "\(run.output)")
        #expect(
          run.output.contains(
            "differs small/lru: not the same in 1 of 5 seeds (3), in figures below the main ones"),
          "\(run.output)")
        #expect(run.output.contains("gate --against REF"), "\(run.output)")
        #expect(run.output.contains("9 of 10 runs the same"), "\(run.output)")
      }
    }
  }

  @Test("How a scenario is written does not count; what happens in it does, and is named")
  func changedScenario() async throws {
    try await withBaseline { folder in
      func run(_ yaml: String) async throws -> TidemarkProcess {
        try folder.write(yaml, to: "small.yaml")
        return try await TidemarkProcess.run(
          "gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", "--strict",
          in: folder)
      }
      // The policies that the baseline ran, the keys in another order, a default spelled out.
      let lines = SmallScenario.yaml.replacing("lru, ttl, no-cache, unbounded", with: "lru, ttl")
        .split(separator: "\n")
      let same = try await run(
        "# another comment\nwarm-up: 20 %\n"
          + lines.reversed().filter { !$0.hasPrefix(" ") }.map { key in
            ([key] + lines.drop { $0 != key }.dropFirst().prefix { $0.hasPrefix(" ") })
              .joined(separator: "\n")
          }.joined(separator: "\n") + "\n")
      #expect(same.status == 0, "\(same.output) \(same.errors)")
      let changed = try await run(SmallScenario.yaml.replacing("think: 2 s", with: "think: 3 s"))
      #expect(changed.status == 3)
      #expect(
        changed.output.contains("users.desktop.think.mean was 2 s, is 3 s"), "\(changed.output)"
      )
      #expect(try folder.read("verdict.json").contains("\"outcome\": \"incompatible\""))
    }
  }

  @Test("A smaller cache fails, with the field that caused it; so does a removed policy")
  func changedContenders() async throws {
    try await withBaseline { folder in
      try folder.write(
        SmallScenario.yaml.replacing("[lru, ttl, no-cache, unbounded]", with: "[lru]")
          + "cache: {capacity-entities: 100 entities, maximum-queries: 5 queries}\n",
        to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", in: folder)
      #expect(run.status == 1, "\(run.output)")
      #expect(
        run.output.contains("cache.capacity-entities was 10000 entities, is 100 entities"),
        "\(run.output)")
      #expect(run.output.contains("worse small/lru: fresh_hit_ratio[all]"), "\(run.output)")
      #expect(run.output.contains("points worse"), "\(run.output)")
      #expect(run.output.contains("removed small/ttl"), "\(run.output)")
    }
  }

  @Test("One run writes every format, and the exit code is the verdict's")
  func formats() async throws {
    try await withBaseline { folder in
      try await makeCandidate(in: folder) { line in
        line.hasPrefix("small,lru,") && line.contains(",all,fresh_hit_ratio,value,")
          ? replacingValue(of: line, by: "0.001") : line
      }
      let run = try await TidemarkProcess.run(
        "gate", "small.yaml", "--baseline", "baseline", "--candidate", "candidate", "--verdict",
        "verdict.json", "--format", "github", "--also", "junit=gate.xml", "--also",
        "markdown=gate.md", "--also", "json=again.json", in: folder)
      #expect(run.status == 1, "\(run.errors)")
      #expect(run.output.hasPrefix("::error title=gate%3A small/lru::fresh_hit_ratio[all] "))
      #expect(run.output.contains("gate failed: "))
      #expect(try folder.read("gate.xml").contains("<failure message=\"fresh_hit_ratio[all] "))
      #expect(try folder.read("gate.md").hasPrefix("### gate failed"))
      #expect(try folder.read("again.json") == folder.read("verdict.json"))
      let unknown = try await TidemarkProcess.run(
        "gate", "small.yaml", "--also", "html=gate.html", in: folder)
      #expect(unknown.status == 2)
    }
  }

  @Test("A recording has a baseline too")
  func recording() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      func run(_ arguments: String...) async throws -> TidemarkProcess {
        try await TidemarkProcess.run(arguments, in: folder)
      }
      let recorded = try await run(
        "simulate", "small.yaml", "--no-robustness", "--record", "s.jsonl")
      #expect(recorded.status == 0, "\(recorded.errors)")
      let baseline = try await run(
        "bench", "s.jsonl", "--baseline", "--policies", "lru,ttl", "--output", "baseline")
      #expect(baseline.status == 0, "\(baseline.errors)")
      try FileManager.default.copyItem(
        at: folder.appendingPathComponent("baseline"),
        to: folder.appendingPathComponent("candidate"))
      let gate = [
        "gate", "s.jsonl", "--baseline", "baseline", "--candidate", "candidate", "--verdict",
        "verdict.json",
      ]
      let same = try await TidemarkProcess.run(gate, in: folder)
      #expect(same.status == 0, "\(same.output) \(same.errors)")
      // One stream: a difference is no chance of the draw.
      try FileManager.default.removeItem(at: folder.appendingPathComponent("candidate"))
      try await makeCandidate(of: "s.jsonl", in: folder) { line in
        line.contains(",lru,") && line.contains(",all,fresh_hit_ratio,")
          ? replacingValue(of: line, by: "0.25") : line
      }
      let worse = try await TidemarkProcess.run(gate, in: folder)
      #expect(worse.status == 1, "\(worse.output)")
    }
  }

  @Test("Without a baseline nothing is judged, and no former verdict is left to be believed")
  func missingBaseline() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      try folder.write("{\"outcome\": \"passed\"}\n", to: "verdict.json")
      let run = try await TidemarkProcess.run(
        "gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", in: folder)
      #expect(run.status == 3)
      #expect(
        run.errors.hasPrefix("tidemark: baseline/baseline.csv: no such file"),
        "\(run.errors)")
      #expect(run.errors.contains("tidemark bench small.yaml --baseline --output baseline"))
      #expect(run.output == "")
      let verdict = try folder.read("verdict.json")
      #expect(verdict.contains("\"exit_code\": 3"))
      #expect(verdict.contains("baseline/baseline.csv: no such file; make one with"), "\(verdict)")
    }
  }

  @Test(
    "A baseline that cannot be read says where and why",
    arguments: [
      ("baseline.csv", "line 1: the header is not"), ("manifest.json", "not a manifest"),
    ])
  func corruptBaseline(file: String, cause: String) async throws {
    try await withBaseline { folder in
      try folder.write("{ this is neither }\n", to: "baseline/\(file)")
      let run = try await TidemarkProcess.run(
        "gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", in: folder)
      #expect(run.status == 3)
      #expect(run.errors.hasPrefix("tidemark: baseline/\(file): \(cause)"), "\(run.errors)")
    }
  }

  @Test(
    "A figure that no run can have is refused, with its file and line, in results and in counts",
    arguments: ["1e308", "-1e308", "nan", "inf", "1e-320", "9223372036854775808"])
  func absurdBaseline(value: String) async throws {
    try await withBaseline { folder in
      let whole = try folder.read("baseline/baseline.csv")
      var lines = whole.split(separator: "\n").map(String.init)
      lines[4] = replacingValue(of: lines[4], by: value)
      let made = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--no-robustness", "--format", "csv",
        in: folder)
      var counts = made.output.split(separator: "\n").map(String.init)
      counts[4] = replacingValue(of: counts[4], by: value)
      for (file, edited, column) in [
        ("baseline.csv", lines, "stale_read_share[all]"), ("counts.csv", counts, "value"),
      ] {
        try folder.write(whole, to: "baseline/baseline.csv")
        try folder.write(edited.joined(separator: "\n") + "\n", to: "baseline/\(file)")
        let run = try await TidemarkProcess.run(
          "gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", in: folder)
        #expect(run.status == 3)
        #expect(
          run.errors.hasPrefix(
            "tidemark: baseline/\(file): line 5: \(column) is \"\(value)\", not a number of at most 1e100"
          ),
          "\(run.errors)")
      }
    }
  }

  @Test(
    "A baseline that was cut short, edited or lost a policy is not compared, and the remedy is named"
  )
  func damagedBaseline() async throws {
    try await withBaseline { folder in
      let whole = try folder.read("baseline/baseline.csv")
      let lines = whole.split(separator: "\n").map(String.init)
      let edited = lines.map {
        $0.hasPrefix("small,lru,2,") ? replacingValue(of: $0, by: "0.01") : $0
      }
      for (text, cause) in [
        (String(whole.dropLast(7)), "line 13: the last line has no end; the file may be cut short"),
        (edited.joined(separator: "\n") + "\n", "line 2: it does not agree with the digests"),
        (
          lines.filter { !$0.hasPrefix("small,ttl,") }.joined(separator: "\n") + "\n",
          "small/ttl is not in it, and manifest.json names it"
        ),
      ] {
        try folder.write(text, to: "baseline/baseline.csv")
        let run = try await TidemarkProcess.run(
          "gate", "small.yaml", "--baseline", "baseline", "--verdict", "verdict.json", in: folder)
        #expect(run.status == 3)
        #expect(
          run.errors.hasPrefix("tidemark: baseline/baseline.csv: \(cause)"), "\(run.errors)")
        #expect(run.errors.contains("tidemark bench small.yaml --baseline"), "\(run.errors)")
      }
    }
  }
}
