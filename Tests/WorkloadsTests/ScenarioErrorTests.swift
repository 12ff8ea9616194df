import Testing

@testable import Workloads

/// A file, and the line that its error begins with.
struct BadScenario: Sendable, CustomTestStringConvertible {
  let name: String
  let yaml: String
  let error: String

  var testDescription: String { name }

  init(_ name: String, _ yaml: String, _ error: String) {
    self.name = name
    self.yaml = yaml
    self.error = error
  }
}

/// The beginning of every scenario below: three lines.
private let head = "name: a\nduration: 10 min\ndrain: 1 min\n"

private let vocabulary = Vocabulary(
  evictionOrders: ["lru", "fifo", "sieve"], admissions: ["always", "tinylfu", "probation"])

@Suite("Errors in scenario files")
struct ScenarioErrorTests {
  static let cases: [BadScenario] = [
    .init(
      "more operations than are drawn",
      "name: a\nduration: 30 d\nwriters:\n  - {count: 100, rate: 100/s, mix: {add: 100 %}}\n",
      "f.yaml:4:5: about 25919400000 operations of devices are too many to be drawn; lower `rate`"),
    .init(
      "more actions than a client does",
      "name: a\nduration: 1 h\nusers:\n  - {mix: {a: 100 %}, activities: {a: [visit: pages]}, think: 1 ms, redraw: 100 ms}\n",
      "f.yaml:4:5: about "),
    .init(
      "more deliveries than memory has room for",
      "name: a\nduration: 30 d\nusers:\n  - {clients: 1_000, mix: {a: 100 %}, activities: {a: [visit: pages]}}\n"
        + "network: {heartbeat: 100 ms}\n",
      "f.yaml:4:5: about 25919400000 deliveries to clients are too many to be drawn"),
    .init(
      "an app-restart by its former name", head + "faults:\n  - {kind: relaunch, at: 1 min}\n",
      "f.yaml:5:12: `kind` cannot be `relaunch`; it is now `app-restart`"),
    .init(
      "a server-restart by its former name", head + "faults:\n  - {kind: restart, at: 1 min}\n",
      "f.yaml:5:12: `kind` cannot be `restart`; it is now `server-restart`"),
    .init(
      "a stall by its former name", head + "faults:\n  - {kind: hold, at: 1 min, for: 1 s}\n",
      "f.yaml:5:12: `kind` cannot be `hold`; it is now `stall`"),
    .init(
      "an app-restart that lasts", head + "faults:\n  - {kind: app-restart, at: 1 min, for: 1 s}\n",
      "f.yaml:5:5: an `app-restart` has no `for`: the process begins again immediately; remove it"),
    .init(
      "an app-restart in the drain", head + "faults:\n  - {kind: app-restart, at: 9 min}\n",
      "f.yaml:5:5: the `app-restart` comes when the drain has begun; let `at` be below"),
    .init(
      "a partition that comes again",
      head + "faults:\n  - {kind: partition, at: 1 min, for: 1 s, every: 2 min}\n",
      "f.yaml:5:5: only an `app-restart` comes again; remove `every`"),
    .init(
      "a storage that refuses for no reason",
      head + "faults:\n  - {kind: storage, at: 1 min, for: 1 s}\n",
      "f.yaml:5:5: `error` is missing; say why the storage refuses, such as `full`"),
    .init(
      "an error that no storage has",
      head + "faults:\n  - {kind: storage, at: 1 min, for: 1 s, error: fuul}\n",
      "f.yaml:5:49: unknown error `fuul`; did you mean `full`?"),
    .init(
      "an error of something else",
      head + "faults:\n  - {kind: stall, at: 1 min, for: 1 s, error: full}\n",
      "f.yaml:5:5: only a fault of the storage has an `error`; remove it"),
    .init(
      "a limit on no storage", head + "cache: {storage: no, disk-bytes: 1 MB}\n",
      "f.yaml:4:8: there is no storage to limit; remove `disk-bytes` and `flush-window`"),
    .init(
      "a limit on the storage of a policy that has none",
      head + "policies:\n  - {name: x, preset: lru, disk-bytes: 1 MB}\n",
      "f.yaml:5:5: `disk-bytes` limits a storage, and `x` has none; add `storage: yes`"),
    .init(
      "unknown key", head + "writters:\n  - {rate: 1/s}\n",
      "f.yaml:4:1: unknown key `writters`; did you mean `writers`?"),
    .init(
      "a key of another section", head + "capacity-entities: 1 entities\n",
      "f.yaml:4:1: `capacity-entities` does not belong here; it is a key of `cache`"),
    .init(
      "a key of the top level", head + "cache:\n  duration: 1 h\n",
      "f.yaml:5:3: `duration` does not belong here; it is a key of the top level"),
    .init(
      "unknown key within a section", head + "cache:\n  capacity-entites: 1 entities\n",
      "f.yaml:5:3: unknown key `capacity-entites`; did you mean `capacity-entities`?"),
    .init(
      "a key like no other", head + "zzzzzzzzzz: 1\n",
      "f.yaml:4:1: unknown key `zzzzzzzzzz`; valid here: name, description, seed"),
    .init(
      "missing unit", "name: a\nduration: 300\ndrain: 1 min\n",
      "f.yaml:2:11: `300` has no unit; write for example `300 s`; units: `ns`, `us`"),
    .init(
      "unit of another dimension", head + "cache: {time-to-live: 5 MB}\n",
      "f.yaml:4:23: `MB` is not a unit of a duration; write for example `5 s`"),
    .init(
      "negative capacity", head + "cache:\n  capacity-entities: -5 entities\n",
      "f.yaml:5:22: -5 entities is negative; choose from 0 to 100000000 entities"),
    .init(
      "out of range", head + "network:\n  loss: 120 %\n",
      "f.yaml:5:9: 120 % is out of range; choose from 0 % to 100 %"),
    .init(
      "too large for 64 bits", "name: a\nduration: 999999999999 d\n",
      "f.yaml:2:11: this duration is not a whole number of the smallest unit, or too large"),
    .init(
      "fraction of a count", head + "cache: {capacity-entities: 1.5 entities}\n",
      "f.yaml:4:28: this number of entities is not a whole number of the smallest unit"),
    .init(
      "no number", head + "cache: {time-to-live: soon}\n",
      "f.yaml:4:23: `soon` is not a duration; write for example `300 s`"),
    .init(
      "unit on a plain number",
      head + "users: [{mix: {a: 100 %}, activities: {a: [visit: pages, {open: 1, zipf: 1 s}]}}]\n",
      "f.yaml:4:74: `1 s` has a unit, a plain number is expected; remove the unit"),
    .init(
      "list for a section", head + "cache:\n  - a\n",
      "f.yaml:5:3: a section is expected here, not a list; write keys and values"),
    .init(
      "section for a value", head + "seed:\n  a: 1\n",
      "f.yaml:5:3: a single value is expected here, not a section; write one value"),
    .init(
      "value for a list", head + "writers: many\n",
      "f.yaml:4:10: a list of at most 100 groups is expected here; begin each with `- `"),
    .init("seed", head + "seed: -1\n", "f.yaml:4:7: `-1` is not a seed; write a whole number"),
    .init(
      "unknown policy", head + "policies: [lru, refcont]\n",
      "f.yaml:4:17: unknown policy `refcont`; did you mean `refcount`?"),
    .init(
      "a policy in capitals", head + "policies: [LRU]\n",
      "f.yaml:4:12: unknown policy `LRU`; did you mean `lru`?"),
    .init(
      "a policy in camel case", head + "policies: [refCountObserved]\n",
      "f.yaml:4:12: unknown policy `refCountObserved`; did you mean `refcount-observed`?"),
    .init(
      "a key in camel case", head + "cache: {staleWhileRevalidate: 5 s}\n",
      "f.yaml:4:9: unknown key `staleWhileRevalidate`; did you mean `stale-while-revalidate`?"),
    .init(
      "unknown preset of an own policy", head + "policies:\n  - {name: x, preset: lrv}\n",
      "f.yaml:5:23: unknown preset `lrv`; did you mean `lru`?"),
    .init(
      "unknown key of an own policy",
      head + "policies:\n  - {name: x, preset: lru, retenton: none}\n",
      "f.yaml:5:28: unknown key `retenton`; did you mean `retention`?"),
    .init(
      "a command without a name", head + "policies:\n  - {command: python3 x.py}\n",
      "f.yaml:5:5: the policy has no name; add `name:`, for reports"),
    .init(
      "a field beside a command",
      head + "policies:\n  - {name: x, command: python3 x.py, retention: none}\n",
      "f.yaml:5:38: `retention` cannot be combined with a command; remove it, or pass it as an "
        + "option of the command"),
    .init(
      "a preset beside a command",
      head + "policies:\n  - {name: x, preset: lru, command: python3 x.py}\n",
      "f.yaml:5:15: `preset` cannot be combined with a command; remove it, or pass it as an "
        + "option of the command"),
    .init(
      "an empty command", head + "policies:\n  - {name: x, command: ' '}\n",
      "f.yaml:5:24: this is no command of at most 4096 bytes; write a shell command, such as "
        + "`command: python3 Adapters/lru.py`"),
    .init(
      "two policies of one name", head + "policies: [lru, lru]\n",
      "f.yaml:4:17: two policies are called `lru`; give each its own name"),
    .init(
      "unknown eviction order", head + "cache:\n  eviction-order: seive\n",
      "f.yaml:5:19: unknown eviction order `seive`; did you mean `sieve`?"),
    .init(
      "unknown eviction order of an own policy",
      head + "policies:\n  - {name: x, preset: lru, eviction-order: fifi}\n",
      "f.yaml:5:44: unknown eviction order `fifi`; did you mean `fifo`?"),
    .init(
      "unknown admission", head + "cache:\n  admission: tinylru\n",
      "f.yaml:5:14: unknown admission `tinylru`; did you mean `tinylfu`?"),
    .init(
      "unknown admission of an own policy",
      head + "policies:\n  - {name: x, preset: lru, admision: tinylfu}\n",
      "f.yaml:5:28: unknown key `admision`; did you mean `admission`?"),
    .init(
      "unknown axis value", head + "cache:\n  retention: cache\n",
      "f.yaml:5:14: unknown retention `cache`; did you mean `cached`?"),
    .init(
      "unknown metric", head + "targets:\n  - {metric: hit_rate, at-least: 90 %}\n",
      "f.yaml:5:14: unknown metric `hit_rate`; did you mean `hit_ratio`?"),
    .init(
      "limit in the wrong unit", head + "targets:\n  - {metric: hit_ratio, at-least: 20 ms}\n",
      "f.yaml:5:5: `hit_ratio` is a share, the limit a duration; write the limit for example as `1 %`"
    ),
    .init(
      "limit without unit", head + "targets:\n  - {metric: hit_ratio, at-least: 0.9}\n",
      "f.yaml:5:35: `0.9` has no unit; write `0.9 %`, or `90 %`"),
    .init(
      "count without unit", head + "targets:\n  - {metric: reads, at-least: 9}\n",
      "f.yaml:5:31: `9` has no unit; write `9 events`"),
    .init(
      "a column for a metric", head + "goal: {maximise: fresh hits}\n",
      "f.yaml:4:18: unknown metric `fresh hits`; did you mean `fresh_hit_ratio`?"),
    .init(
      "decimal comma",
      head + "users:\n  - {think: '0,5 s', mix: {a: 100 %}, activities: {a: [visit: pages]}}\n",
      "f.yaml:5:13: `0,5 s` has a comma that does not group three digits; write `0.5 s`"),
    .init(
      "decimal comma of a limit", head + "targets:\n  - {metric: hit_ratio, at-least: '0,9 %'}\n",
      "f.yaml:5:35: `0,9 %` has a comma that does not group three digits; write `0.9 %`"),
    .init(
      "decimal comma of a zone", head + "goal: {zone: '0,5 points'}\n",
      "f.yaml:4:14: `0,5 points` has a comma that does not group three digits; write `0.5 points`"),
    .init(
      "decimal comma of a constraint", head + "goal: {subject-to: ['stale_read_share <= 0,5 %']}\n",
      "f.yaml:4:21: `0,5 %` has a comma that does not group three digits; write `0.5 %`"),
    .init(
      "target without limit", head + "targets:\n  - {metric: hit_ratio}\n",
      "f.yaml:5:5: a target needs one limit; write either `at-least` or `at-most`"),
    .init(
      "target of a policy that is not compared",
      head
        + "policies: [lru]\ntargets:\n  - {metric: hit_ratio, at-least: 90 %, policies: [ttl]}\n",
      "f.yaml:6:52: policy `ttl` is not among the scenario's; valid here: lru"),
    .init(
      "shares that do not add up",
      head + "writers:\n  - rate: 1/s\n    mix: {add: 50 %, drop: 40 %}\n",
      "f.yaml:6:10: the shares add up to 90 %; let them add up to 100 %"),
    .init(
      "shares that add up to a little too much",
      head + "writers:\n  - rate: 1/s\n    mix: {add: 50 %, drop: 50.25 %}\n",
      "f.yaml:6:10: the shares add up to 100.25 %; let them add up to 100 %"),
    .init(
      "shares that add up to a little too little",
      head
        + "users:\n  - mix: {a: 50 %, b: 49.75 %}\n    activities: {a: [visit: pages], b: [visit: pages]}\n",
      "f.yaml:5:10: the shares add up to 99.75 %; let them add up to 100 %"),
    .init(
      "required key", "name: a\ndrain: 1 min\n",
      "f.yaml:1:1: `duration` is missing; add it: the whole run"),
    .init(
      "duplicate key", head + "cache:\n  reorder-window: 1 s\n  reorder-window: 2 s\n",
      "f.yaml:6:3: `reorder-window` occurs twice, first at line 5; remove one of the two"),
    .init(
      "duplicate key in one line", head + "cache: {retention: none, retention: cached}\n",
      "f.yaml:4:26: `retention` occurs twice, first at line 4; remove one of the two"),
    .init(
      "watermarks", head + "cache: {high-watermark: 50 %, low-watermark: 60 %}\n",
      "f.yaml:4:8: the low watermark is above the high one"),
    .init(
      "fault in the drain", head + "faults:\n  - {kind: partition, at: 8 min, for: 61 s}\n",
      "f.yaml:5:5: the fault lasts until the drain of the run"),
    .init(
      "fault of an unknown client",
      head + "faults:\n  - {kind: partition, at: 1 min, for: 1 s, client: fone}\n",
      "f.yaml:5:52: unknown client `fone`; did you mean `phone`?"),
    .init(
      "no YAML", "name: a\nduration: [1\n", "f.yaml:3:5: this is not YAML"),
    .init("tab", "name: a\n\tduration: 1 s\n", "f.yaml:2:1: this is not YAML"),
    .init("empty", "", "f.yaml:1:1: the file is empty"),
    .init("only a comment", "# nothing\n", "f.yaml:1:1: the file is empty"),
    .init("two documents", head + "---\nname: b\n", "f.yaml:4:1: this is not YAML"),
    .init(
      "an anchor", "name: &x a\nduration: 1 min\n",
      "f.yaml:1:7: anchors and aliases (`&`, `*`) are not allowed; write the value out"),
    .init(
      "an alias without anchor", "name: a\nduration: *b\n",
      "f.yaml:2:11: anchors and aliases (`&`, `*`) are not allowed; write the value out"),
    .init(
      "a list as key", head + "? [a, b]\n: 1\n", "f.yaml:4:3: a key is a list"),
    .init(
      "a key with control characters", head + "\"a\\e[2J\\n\\u202e\": 1\n",
      "f.yaml:4:1: unknown key `a\\u{1B}[2J\\u{A}\\u{202E}`; valid here: name"),
    .init(
      "control characters in names that are only compared",
      head + "policies:\n  - {preset: lru, name: \"\\e\"}\n  - {preset: lru, name: \"\\e\"}\n",
      "f.yaml:6:5: two policies are called `\\u{1B}`; give each its own name"),
    .init(
      "a key with control characters, twice", "? \"\\e\\n\"\n: 1\n? \"\\e\\n\"\n: 1\n",
      "f.yaml:1:3: `\\u{1B}\\u{A}` occurs twice"),
    .init(
      "control character", "name: a\u{1}\n", "f.yaml:1:8: this is not YAML"),
  ]

  @Test("name the place, the cause and the remedy", arguments: cases)
  func badInput(_ bad: BadScenario) throws {
    let error = try #require(throws: ScenarioError.self) {
      _ = try Scenario.parse(
        Array(
          (bad.yaml.hasPrefix("name: a\nd")
            ? MinimalScenario.completing(bad.yaml, with: ["data", "users"]) : bad.yaml).utf8),
        file: "f.yaml",
        vocabulary: vocabulary)
    }
    #expect(error.description.hasPrefix(bad.error), "\(error)")
  }

  @Test("An alias bomb is refused before it expands")
  func aliasBomb() throws {
    var yaml = "name: a\nl0: &l0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...30 {
      let aliases = Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ")
      yaml += "l\(level): &l\(level) [\(aliases)]\n? *l\(level)\n: 1\n"
    }
    let error = try #require(throws: ScenarioError.self) {
      _ = try Scenario.parse(Array(yaml.utf8), file: "f.yaml", vocabulary: vocabulary)
    }
    #expect(error.description.hasPrefix("f.yaml:2:5: anchors and aliases"))
  }

  @Test("Size, depth and encoding are bounded")
  func bounds() throws {
    func problem(_ bytes: [UInt8]) throws -> String {
      try #require(throws: ScenarioError.self) {
        _ = try Scenario.parse(bytes, file: "f.yaml", vocabulary: vocabulary)
      }.description
    }
    #expect(try problem(Array("- a\n".utf8)).hasPrefix("f.yaml:1:1: this is not a scenario"))
    let long = [UInt8](repeating: UInt8(ascii: "#"), count: (1 << 20) + 1)
    #expect(try problem(long).hasPrefix("f.yaml:1:1: the file has 1048577 bytes"))
    let deep = "name: " + String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
    #expect(try problem(Array(deep.utf8)).hasPrefix("f.yaml:1:22: the nesting is deeper than 16"))
    let deepest = "name: " + String(repeating: "[", count: 200_000)
    #expect(try problem(Array(deepest.utf8)).hasPrefix("f.yaml:1:"))
    let notText = Array("name: a\nb: ".utf8) + [0xFF, 0x0A]
    #expect(try problem(notText).hasPrefix("f.yaml:2:4: this is not UTF-8 text"))
  }

  @Test("A message is one line, whatever the file's name")
  func hostileName() throws {
    let error = try #require(throws: ScenarioError.self) {
      _ = try Scenario.parse([], file: "a\n\u{1B}.yaml", vocabulary: vocabulary)
    }
    #expect(error.description.hasPrefix("a\\u{A}\\u{1B}.yaml:1:1: the file is empty"))
  }

  @Test("All problems of a file are reported, in order of place")
  func allProblems() throws {
    let yaml = "name: a\nduration: 10\nsede: 1\ncache:\n  retention: nome\n"
    let error = try #require(throws: ScenarioError.self) {
      _ = try Scenario.parse(
        Array(MinimalScenario.completing(yaml).utf8), file: "f.yaml", vocabulary: vocabulary)
    }
    #expect(error.problems.map { $0.place?.line } == [2, 3, 5])
  }
}
