import CacheTestSupport
import Foundation
import Testing

/// A file, a command that reads it, and the first line on standard error.
struct BadInput: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// Nothing where the test makes the file itself.
  var file: [UInt8]
  var name: String
  var command: [String]
  var error: String

  static func scenario(
    _ title: String, _ edit: (String) -> String, says error: String
  ) -> BadInput {
    BadInput(
      testDescription: title, file: Array(edit(SmallScenario.yaml).utf8), name: "bad.yaml",
      command: ["simulate", "bad.yaml"], error: error)
  }

  static func trace(
    _ title: String, _ bytes: [UInt8], format: String, says error: String
  ) -> BadInput {
    BadInput(
      testDescription: title, file: bytes, name: "bad.trace",
      command: [
        "trace", "replay", "bad.trace", "--trace-format", format, "--policies", "lru",
        "--capacities", "10",
      ], error: error)
  }
}

@Suite("Bad input", .startsProcesses)
struct BadInputTests {
  static let cases: [BadInput] = [
    .scenario(
      "unknown key", { $0.replacing("drain:", with: "drian:") },
      says: "bad.yaml:3:1: unknown key `drian`; did you mean `drain`?"),
    .scenario(
      "missing unit", { $0.replacing("2 min", with: "120") },
      says: "bad.yaml:2:11: `120` has no unit; write for example `120 s`"),
    .scenario(
      "negative capacity", { $0 + "cache: {capacity-entities: -5 entities}\n" },
      says: "bad.yaml:30:28: -5 entities is negative; choose from 0 to"),
    .scenario(
      "unknown policy", { $0.replacing("[lru,", with: "[lruu,") },
      says: "bad.yaml:29:12: unknown policy `lruu`; did you mean `lru`?"),
    .scenario(
      "unknown eviction order", { $0 + "cache: {eviction-order: seive}\n" },
      says: "bad.yaml:30:25: unknown eviction order `seive`; did you mean `sieve`?"),
    .scenario(
      "targets name an unknown metric",
      { $0 + "targets:\n  - {metric: hit_ration, at-least: 90 %}\n" },
      says: "bad.yaml:31:14: unknown metric `hit_ration`; did you mean `hit_ratio`?"),
    .scenario(
      "alias bomb",
      { yaml in
        let levels = (1...30).map { level in
          let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
          return "a\(level): &a\(level) [\(aliases)]\n"
        }
        return yaml + "a0: &a0 [x]\n" + levels.joined()
      }, says: "bad.yaml:30:5: anchors and aliases (`&`, `*`) are not allowed; write the value out"),
    .scenario(
      "larger than any scenario", { $0 + String(repeating: "# comment\n", count: 200_000) },
      says: "bad.yaml: larger than the limit of 1048576 bytes; split it or make it smaller"),
    .scenario(
      "more than a machine holds",
      { $0.replacing("30/min", with: "1_000/s").replacing("2 min", with: "30 d") },
      says: "bad.yaml:20:5: about 2591990000 operations of devices are too many to be drawn; lower"),
    .scenario(
      "an eviction order that looks ahead",
      { $0 + "cache: {eviction-order: clairvoyant}\n" },
      says: "bad.yaml:30:25: the eviction order `clairvoyant` looks ahead, which no cache can; run"),
    .trace(
      "empty trace", [], format: "text",
      says: "bad.trace: the trace holds no request; is it 'text', and was it written to the end?"),
    .trace(
      "truncated binary trace", Array(repeating: 7, count: 10), format: "be32",
      says: "bad.trace: byte 8: the trace ends 2 bytes into a record of 4; it was cut short"),
    .trace(
      "line of 10 MB", Array(repeating: UInt8(ascii: "a"), count: 10_000_000), format: "text",
      says: "bad.trace: line 1: the line is longer than the limit of 4096 bytes"),
    .trace(
      "unknown operation", Array("key,op\na,fetch\n".utf8), format: "csv",
      says: "bad.trace: line 2: 'fetch' is no operation; an operation is one of get, "),
    .trace(
      "unknown trace format", [1], format: "be46",
      says: "no trace format is called \"be46\"; did you mean \"be64\"?"),
  ]

  @Test("Bad input ends with exit code 2, place, cause and remedy, and no result", arguments: cases)
  func isRefused(input: BadInput) async throws {
    try await withTemporaryFolder { folder in
      try Data(input.file).write(to: folder.appendingPathComponent(input.name))
      let run = try await TidemarkProcess.run(
        input.command + ["--format", "csv", "--output", "result.csv"], in: folder)
      #expect(run.status == 2)
      #expect(run.errors.hasPrefix("tidemark: \(input.error)"), "\(run.errors)")
      #expect(run.output == "")
      #expect(try folder.entries() == [input.name])
    }
  }

  @Test("Of many mistakes in a file the first three are shown, and how many more there are")
  func manyMistakes() async throws {
    try await withTemporaryFolder { folder in
      let keys = (1...6).map { "key-\($0): 1\n" }.joined()
      try folder.write(SmallScenario.yaml + "\n" + keys, to: "bad.yaml")
      let run = try await TidemarkProcess.run("explain", "bad.yaml", in: folder)
      #expect(run.errors.split(separator: "\n").count == 4, "\(run.errors)")
      #expect(run.errors.hasSuffix("tidemark: 3 more; correct these first\n"), "\(run.errors)")
    }
  }

  @Test("An unreadable scenario stops bench before it makes a report")
  func benchLeavesNothing() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "good.yaml")
      try folder.write(SmallScenario.yaml.replacing("drain:", with: "drian:"), to: "bad.yaml")
      let run = try await TidemarkProcess.run(
        "bench", "good.yaml", "bad.yaml", "--exact-only", "--output", "report", in: folder)
      #expect(run.status == 2)
      #expect(run.errors.hasPrefix("tidemark: bad.yaml:3:1: "), "\(run.errors)")
      #expect(try folder.entries() == ["bad.yaml", "good.yaml"])
    }
  }

  @Test(
    "A command line that does not parse ends with exit code 2",
    arguments: [
      (
        ["frobnicate"],
        "no command of `tidemark` is called \"frobnicate\"; known: recommend, simulate"
      ),
      (["simulat"], "did you mean \"simulate\"?"), (["help", "gat"], "did you mean \"gate\"?"),
      (["small.yaml"], "did you mean `tidemark simulate small.yaml`?"),
      (["import", "a.har"], "did you mean `tidemark import har a.har`?"),
      (["import", "har", "a.yaml"], "a.yaml: no such file; name a HAR file"),
      (["list", "policie"], "\"policie\" is not known; did you mean \"policies\"?"),
      (["simulate"], "<SCENARIO>"),
      (["simulate", "small.yaml", "--sed", "3"], "--seed"),
      (["simulate", "small.yaml", "--seed", "x"], "--seed"),
      (["simulate", "small.yaml", "--format", "xml"], "csv"),
      (["simulate", "small.yaml", "--policies", "lruu"], "did you mean \"lru\"?"),
      (["simulate", "absent.yaml"], "absent.yaml: no such file"),
      (["simulate", "./"], "./: is a directory"),
      (["simulate", "small.yaml", "--policies", ""], "--policies is empty"),
      (["tune", "small.yaml", "--vary", "capacity-entites=1..3"], "capacity-entities"),
      (
        ["tune", "small.yaml", "--vary", "capacity-entities=1", "--policies", "unbounded"], "bounds"
      ),
      (
        [
          "tune", "small.yaml", "--vary", "capacity-entities=1", "--vary", "capacity-entities=2",
        ], "--vary capacity-entities is given twice"
      ),
      (
        ["tune", "small.yaml", "--vary", "capacity-entities=1000,1_000"],
        "1000 entities is given twice"
      ),
      (["tune", "small.yaml", "--vary", "capacity-entities=,"], "no value"),
      (["tune", "small.yaml", "--vary", "capacity-entities=5 s"], "not a unit"),
      (["trace", "replay", "--trace-format", "text", "--capacities", "5"], "a trace is needed"),
      (["trace", "replay", "small.yaml", "--capacities", "5"], "--trace-format is missing"),
      (["trace", "replay", "small.yaml", "--trace-format", "text"], "--capacities 100"),
      (
        ["trace", "inspect", "small.yaml", "--trace-format", "text", "--columns", "size=bytes"],
        "no columns with names"
      ),
      (["check", "--replay", "small.yaml", "--seeds", "5"], "--seeds: a written case"),
      (["tune", "small.yaml", "--vary", "eviction-order=seive"], "sieve"),
      (["tune", "small.yaml", "--vary", "admission=tinylru"], "tinylfu"),
      (
        [
          "trace", "replay", "small.yaml", "--trace-format", "text", "--capacities", "5",
          "--policies",
          "lruu+tinylfu",
        ], "no eviction order is called \"lruu\"; did you mean \"lru\"?"
      ),
      (
        [
          "trace", "replay", "small.yaml", "--trace-format", "text", "--capacities", "5",
          "--policies",
          "lru+tinylru",
        ], "no admission is called \"tinylru\"; did you mean \"tinylfu\"?"
      ),
      (
        [
          "trace", "replay", "small.yaml", "--trace-format", "text", "--capacities", "5",
          "--policies",
          "clairvoyant+tinylfu",
        ], "clairvoyant is a bound and composes with no admission"
      ),
      (["trace", "inspect", "keys.txt"], "--trace-format is missing"),
      (["explain", "back-and-forth"], "no folder Scenarios/"),
      (["explain", "session.json"], "session.json: no such file"),
      (
        ["recommend", "./traffic.har"],
        "./traffic.har: a HAR file; make a recording from it: `tidemark import har ./traffic.har"
      ),
      (
        ["explain", "small.yaml", "--fit", "x.yaml", "--output", "x.yaml"],
        "--fit and --output both name x.yaml"
      ),
      (
        ["trace", "convert", "small.yaml", "--from", "txt", "--to", "csv"], "did you mean \"text\"?"
      ),
      (["trace", "convert", "small.yaml", "--from", "text", "--to", "be32"], "--number-keys"),
      (
        [
          "trace", "replay", "small.yaml", "--trace-format", "text", "--capacities", "5",
          "--time-to-live",
          "5",
        ], "write for example `5s`"
      ),
      (
        [
          "trace", "replay", "small.yaml", "--trace-format", "text", "--capacities", "5",
          "--time-to-live",
          "5s",
        ], "--request-interval"
      ),
      (
        ["trace", "replay", "small.yaml", "--trace-format", "text", "--capacities", "5KiB"],
        "the trace has none"
      ),
      (
        ["trace", "curve", "small.yaml", "--trace-format", "text", "--sample", "0"], "out of range"
      ),
      (
        ["trace", "curve", "small.yaml", "--trace-format", "text", "--with-exact"], "--sample RATE"
      ),
      (
        [
          "trace", "curve", "small.yaml", "--trace-format", "text", "--sample", "0.4",
          "--capacities", "1",
        ],
        "at the sample's scale"
      ),
      (
        ["measure", "latency", "--scenario", "small.yaml", "--policies", "none"],
        "no policy is called"
      ),
      (
        ["measure", "latency", "--transport", "unix", "--policies", "lru,ttl"],
        "one policy is measured"
      ),
      (["measure", "latency", "--transport", "unix", "--handicaps"], "does not go with"),
      (
        ["measure", "scale", "--axes", "entities,width"],
        "no axis is called \"width\"; give entities, "
      ),
      (["measure", "scale", "--axes", ","], "--axes is empty"),
      (["measure", "soak", "--policy", "no-cache", "--rate", "1"], "the cache keeps nothing"),
      (
        ["simulate", "small.yaml", "--record", "x", "--output", "x"], "give each a file of its own"
      ),
      (["tune", "small.yaml", "--vary", "capacity-entities=1", "--objective", ""], "is empty"),
      (
        ["tune", "small.yaml", "--vary", "capacity-entities=1", "--objective", "reads"],
        "tidemark list metrics"
      ),
      (
        [
          "tune", "small.yaml", "--vary", "capacity-entities=1", "--objective",
          "hit_ratio,hit_ratio:value",
        ], "hit_ratio:value is given twice"
      ),
      (
        [
          "tune", "small.yaml", "--steps", "1000", "--vary", "capacity-entities=1..1000000",
          "--vary", "maximum-queries=1..1000000",
        ], "more than 10000 settings"
      ),
      (
        ["tune", "small.yaml", "--vary", "network.loss=1%"], "tidemark sensitivity"
      ),
      (
        [
          "tune", "small.yaml", "--vary", "capacity-entities=1..9", "--subject-to",
          "predicted_bytes <= 5",
        ], "`5` has no unit; write for example `5MB`"
      ),
      (
        [
          "tune", "small.yaml", "--vary", "capacity-entities=1..9", "--subject-to",
          "predicted_byte <= 5MB",
        ], "did you mean `predicted_bytes`?"
      ),
      (
        [
          "tune", "small.yaml", "--vary", "capacity-entities=1..9", "--subject-to",
          "fresh_hit_ratio >= nan%",
        ], "not a limit with a unit"
      ),
      (
        [
          "tune", "small.yaml", "--vary", "capacity-entities=1..9", "--minimize", "predicted_bytes",
        ], "--require"
      ),
      (
        [
          "tune", "small.yaml", "--vary", "capacity-entities=1..9", "--require",
          "fresh_hit_ratio >= 5%",
        ], "--minimize"
      ),
      (
        [
          "tune", "small.yaml", "--vary", "capacity-entities=1..9", "--method", "halving",
          "--seeds", "auto",
        ], "--method halving requires --seeds N"
      ),
      (
        ["tune", "small.yaml", "--vary", "capacity-entities=1..9", "--trials", "1"], "--trials is 1"
      ),
      (
        ["tune", "small.yaml", "--vary", "capacity-entities=1..9", "--hold-out", "small.yaml"],
        "--against"
      ),
      (
        ["tune", "small.yaml", "--vary", "capacity-entities=1..9", "--against", "ttl"],
        "--method sobol"
      ),
      (
        ["tune", "small.yaml", "--vary", "capacity-entities=1..9", "--race"], "--seeds N"
      ),
      (
        ["tune", "small.yaml", "--vary", "capacity-entities=7", "--method", "morris"],
        "halving"
      ),
      (
        ["tune", "small.yaml", "--vary", "capacity-entities=log:0..9"], "no ratio leads from zero"
      ),
      (
        ["tune", "small.yaml", "--vary", "policy.capacity-entites=1..9"], "capacity-entities"
      ),
      (
        ["trace", "convert", "small.yaml", "--from", "text", "--to", "csv", "--drop", ""],
        "is empty"
      ),
      (
        ["trace", "inspect", "small.yaml", "--trace-format", "csv", "--columns", "key=a,key=b"],
        "key is given twice"
      ),
      (["trace", "inspect", "small.yaml", "--trace-format", "csv", "--columns", ""], "is empty"),
      (
        [
          "trace", "replay", "small.yaml", "--trace-format", "text", "--capacities", "5",
          "--traces", ".",
        ],
        "--expected-misses TABLE"
      ),
      (
        [
          "trace", "replay", "--expected-misses", "small.yaml", "--traces", ".", "--policies",
          "lru",
        ],
        "and nothing else"
      ),
      (["measure", "alternatives", "--workloads", ""], "--workloads is empty"),
      (["measure", "memory", "small.yaml", "--orders"], "goes with --predict"),
      (["measure", "memory", "small.yaml", "--designs"], "goes with --predict"),
      (["trace", "bench", "small.yaml"], "a trace takes --trace-format NAME"),
      (["trace", "bench", "--trace-format", "text"], "--trace-format is that of a trace"),
      (["trace", "bench", "-", "--trace-format", "text"], "give it as a file"),
      (
        ["trace", "inspect", "", "--trace-format", "text"], "'': no such file"
      ),
    ])
  func commandLineIsRefused(arguments: [String], mention: String) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(arguments, in: folder)
      #expect(run.status == 2)
      #expect(run.errors.contains(mention), "\(run.errors)")
      #expect(run.output == "")
    }
  }
}
