import CacheTestSupport
import Foundation
import Testing
import Workloads

@testable import CommandLineInterface
@testable import tidemark

/// Small scenario files, right and wrong, before the reader and before the schema that editors have.
///
/// Each case is put behind ``SmallScenario``, of which it replaces the sections that it names. What no schema can
/// say, such as that a name is one that another section declares, is left to the reader's own tests.
@Suite("The schema compared with the reader", .startsProcesses)
struct SchemaCasesTests {
  static let right = [
    "seed: 5", "seed: 18000", "duration: 90 s", "duration: 1.5 h", "drain: 1 s",
    "warm-up: 12.5 %",
    "description: 'any: text'", "network: {}", "network: {events: none}",
    "network: {loss: 3 %, reorder: 1 %}",
    "network: {bandwidth: 512 kB/s, round-trip: 80 ms}", "events: {carry: ids}",
    "server: {replay-events: 1_000}",
    "server: {not-modified: yes}", "cache: {capacity-entities: 5_000}",
    "cache: {capacity-entities: unlimited}",
    "cache: {capacity-memory: 16 MiB, capacity-entities: unlimited}",
    "cache: {time-to-live: 5 min}",
    "cache: {eviction-order: sieve, admission: tinylfu}",
    "cache: {retention: observed, maximum-queries: 40}",
    "cache: {gap-response: full-invalidation}", "policies: [relay, tanstack, apollo-client]",
    "policies: [lru, {name: mine, preset: lru, capacity-entities: 50}]",
    "targets: [{metric: hit_ratio, at-least: 90 %, policies: [lru]}]",
    "targets: [{metric: read_wait, statistic: p95, class: file, at-most: 50 ms}]",
    "goal: {minimise: read_wait}",
    "goal: {maximise: fresh_hit_ratio, zone: 1 %}",
    "goal: {subject-to: ['stale_read_share <= 1 %']}",
    "faults: [{kind: partition, at: 30 s, for: 10 s}]",
    "faults: [{kind: server-restart, at: 1 min}]",
    "writers: []", "writers: [{name: a, count: 3, rate: 2/min, mix: {modify: 100 %}}]",
  ]

  static let wrong = [
    "sede: 5", "Seed: 5", "duration: 90", "duration: 90 sec", "duration: -5 s", "duration: [5 s]",
    "drain: soon",
    "warm-up: 0.2", "warm-up: 20", "warm-up: {share: 20 %}", "description: [a, b]", "name: [a]",
    "network: 5 ms",
    "network: [loss]", "network: {los: 3 %}", "network: {loss: 3}", "network: {loss: 3 ms}",
    "network: {delay: 5 %}",
    "network: {events: pushed}", "network: {bandwidth: 512 kB}", "network: {bandwidth: fast}",
    "events: whole",
    "events: {carry: everything}", "events: {carries: ids}", "server: {replay-events: many}",
    "server: {not-modified: maybe}", "server: {replay-age: 5}", "cache: lru",
    "cache: {capacity-entities: lots}",
    "cache: {capacity-memory: 16}", "cache: {capacity-memory: 16 entities}",
    "cache: {capacityMemory: 16 MB}",
    "cache: {time-to-live: 300}", "cache: {time-to-live: never}", "cache: {eviction-order: seive}",
    "cache: {eviction-order: LRU}", "cache: {admission: yes please}", "cache: {retention: forever}",
    "cache: {maximum-queries: 40 %}", "cache: {gap-response: ignore}",
    "cache: {high-watermark: 0.9}",
    "cache: {limit: 5}", "cache: {drops-expired: perhaps}", "policies: lru", "policies: {lru: {}}",
    "policies: [lruu]",
    "policies: [{name: mine, preset: lruu}]", "policies: [{name: mine, preset: lru, capacity: 50}]",
    "targets: {metric: hit_ratio}", "targets: [{at-least: 90 %}]",
    "targets: [{metric: hit_ration, at-least: 90 %}]",
    "targets: [{metric: hit_ratio, at-leat: 90 %}]",
    "targets: [{metric: hit_ratio, at-least: 90 %, policies: lru}]",
    "goal: fresh_hit_ratio", "goal: {minimize: read_wait}", "goal: {minimise: waiting}",
    "goal: {subject-to: 'stale_read_share <= 1 %'}", "goal: {stale-weight: heavy}",
    "faults: [partition]",
    "faults: [{kind: partition}]", "faults: [{kind: flood, at: 5 s}]",
    "faults: [{kind: partition, at: 5}]",
    "writers: {name: a}", "writers: [{name: a, rate: 30}]", "writers: [{name: a, rates: 30/min}]",
    "users: []\nuser: []", "users: [{name: a}]",
  ]

  /// The scenario with the sections of a case instead of its own.
  private static func scenario(_ sections: String) -> String {
    func key(_ line: Substring) -> Substring? {
      line.first.map { $0 != " " && $0 != "#" } ?? false ? line.prefix { $0 != ":" } : nil
    }
    let replaced = sections.split(separator: "\n").compactMap(key)
    var isKept = true
    let kept = SmallScenario.yaml.split(separator: "\n").filter { line in
      if let key = key(line) { isKept = !replaced.contains(key) }
      return isKept
    }
    return kept.joined(separator: "\n") + "\n" + sections + "\n"
  }

  @Test("There are as many as a schema is worth trusting for")
  func counts() {
    #expect(Self.right.count >= 30 && Self.wrong.count >= 60)
  }

  @Test("The reader accepts right files", arguments: right)
  func isRead(sections: String) throws {
    _ = try ScenarioFile(Array(Self.scenario(sections).utf8), path: "case.yaml")
  }

  @Test("The reader refuses wrong files, with the place", arguments: wrong)
  func isRefused(sections: String) throws {
    let error = try #require(throws: ScenarioError.self) {
      _ = try ScenarioFile(Array(Self.scenario(sections).utf8), path: "case.yaml")
    }
    #expect("\(error)".hasPrefix("case.yaml:"), "\(error)")
  }

  /// Prints the numbers of the files that the schema refuses.
  private static let validator = """
    import json, sys, yaml, jsonschema

    class Loader(yaml.SafeLoader):
        pass

    # As editors read them, which know YAML 1.2: yes and no are words, and 1_000 is none of its numbers.
    Loader.yaml_implicit_resolvers = {
        first: [(tag, form) for tag, form in forms if tag.rsplit(":")[-1] in ("null", "float")]
        for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    import re
    for first in "-0123456789":
        Loader.yaml_implicit_resolvers.setdefault(first, []).append(
            ("tag:yaml.org,2002:int", re.compile("^-?[0-9]+$")))
    schema = jsonschema.Draft202012Validator(json.load(open("schema.json")))
    for name in sys.argv[1:]:
        if not schema.is_valid(yaml.load(open(name), Loader)):
            print(name)
    """

  private static let hasValidator: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import jsonschema, yaml"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(
    "The schema takes and refuses the same",
    .enabled(
      if: hasValidator, "python3 has not both jsonschema and PyYAML: pip install jsonschema PyYAML")
  )
  func schema() async throws {
    try await withTemporaryFolder { folder in
      try Data(ScenarioSchema(vocabulary: .all).document()).write(
        to: folder.appendingPathComponent("schema.json"))
      let cases = Self.right + Self.wrong
      for (index, sections) in cases.enumerated() {
        try folder.write(Self.scenario(sections), to: "\(index).yaml")
      }
      let run = try await TidemarkProcess.run(
        URL(fileURLWithPath: "/usr/bin/env"),
        ["python3", "-c", Self.validator] + cases.indices.map { "\($0).yaml" }, in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let refused = Set(run.output.split(separator: "\n").compactMap { Int($0.dropLast(5)) })
      for (index, sections) in cases.enumerated() {
        #expect(
          refused.contains(index) == (index >= Self.right.count),
          "the schema \(refused.contains(index) ? "refuses" : "takes") \(sections)")
      }
    }
  }
}
