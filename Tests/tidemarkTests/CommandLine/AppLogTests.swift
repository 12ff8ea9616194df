import CacheTestSupport
import Foundation
import Testing

@Suite("Logs of apps", .startsProcesses)
struct AppLogTests {
  /// The unknown parts about the caches.
  private static let defaults = """
    grid.jsonl: defaults: capacity-entities 10000, maximum-queries 100, time-to-live 5 min, \
    reorder-window 200 ms; highest fresh_hit_ratio; round trip as recorded (mean 10.0 ms); change with \
    --scenario FILE

    """

  private static func run(
    _ arguments: [String], order: NewestFirstLog.Order, outcome: String = "hit"
  ) async throws -> TidemarkProcess {
    try await withTemporaryFolder { folder in
      try folder.write(NewestFirstLog.jsonl(order: order, outcome: outcome), to: "grid.jsonl")
      return try await TidemarkProcess.run(
        [arguments[0], "grid.jsonl"] + arguments.dropFirst(), in: folder)
    }
  }

  @Test(
    "A list that is shown in another order than the log says halves the hits, and not in silence")
  func contradicted() async throws {
    let run = try await Self.run(
      ["simulate", "--policies", "lru,no-cache", "--format", "csv"], order: .name)
    #expect(run.status == 0)
    let rows = TidyRow.all(in: run.output)
    // Of 61 reads the first, and the first after each of 30 events.
    #expect(rows.total("hit_ratio", of: "lru") == 30.0 / 61)
    #expect(rows.total("hit_ratio", of: "recorded") == 60.0 / 61)
    #expect(
      run.errors == Self.defaults + """
        photo-grid: by its outcomes the app had 98.4 % hits, more than 10 points from every policy \
        (nearest: lru, 49.2 %), so the log is wrong or the app's cache is none of these; check \
        `outcome` and `order`, or name a policy like it

        """)
  }

  @Test(
    "A log that says the order of its list has the hits that the app had, and no warning",
    arguments: [NewestFirstLog.Order.newest, .asShown])
  func order(_ order: NewestFirstLog.Order) async throws {
    let run = try await Self.run(
      ["simulate", "--policies", "lru,no-cache", "--format", "csv"], order: order)
    #expect(run.status == 0)
    #expect(run.errors == Self.defaults)
    let rows = TidyRow.all(in: run.output)
    #expect(rows.total("hit_ratio", of: "lru") == 60.0 / 61)
    #expect(rows.total("hit_ratio", of: "no-cache") == 0)
    #expect(rows.total("hit_ratio", of: "recorded") == 60.0 / 61)
  }

  @Test("The log's figures for its own cache are a row of the table, and do not compete")
  func recordedRow() async throws {
    let run = try await Self.run(
      ["simulate", "--policies", "lru,no-cache"], order: .asShown, outcome: "hit_stale")
    let lines = run.output.split(separator: "\n").map { $0.split(separator: " ") }
    let recorded = try #require(lines.first { $0.first == "recorded" })
    // Hits, none of them fresh.
    #expect(recorded.prefix(6) == ["recorded", "98.4", "%", "0.0", "%", "98.4"])
    #expect(run.output.contains("This recording cannot say which is best: it does not say"))
  }

  @Test("Settings for a log are ranked by its own report of fresh hits, which is explained once")
  func tuned() async throws {
    let run = try await Self.run(
      ["tune", "--policies", "lru", "--vary", "capacity-entities=3,50"], order: .asShown)
    #expect(run.status == 0)
    #expect(
      run.errors == Self.defaults + """
        photo-grid: searched by the lower bound of fresh_hit_ratio: of some hits the log of an app does not \
        say whether they were fresh

        """)
    let lines = run.output.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(
      lines.contains {
        $0.starts(
          with: [
            "setting", "fresh_hit_ratio", "lower", "fresh_hit_ratio", "upper", "resident_weight",
          ])
      }, "\(run.output)")
    // The first has no space for the list; an invalid setting is on no front.
    #expect(lines.contains { $0.starts(with: ["*", "lru", "capacity-entities=50"]) })
    #expect(lines.contains { $0 == ["recorded", "–", "98.4", "%", "–", "–"] }, "\(run.output)")
  }

  @Test("Unknown words are refused, with their line and content")
  func wrongWords() async throws {
    for command in [["simulate"], ["tune", "--vary", "capacity-entities=3,50"]] {
      let outcome = try await Self.run(command, order: .asShown, outcome: "hitt")
      #expect(outcome.status == 2)
      let line = NewestFirstLog.readLine + 3
      #expect(
        outcome.errors.hasPrefix(
          "tidemark: grid.jsonl: line \(line): `outcome` is `hitt`; valid here: hit, miss, "),
        "\(outcome.errors)")
      #expect(outcome.output == "")
    }
  }

  @Test("A policy with the name of the log's own row is refused")
  func nameOfTheRow() async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appending(path: "Scenarios"), withIntermediateDirectories: false)
      let scenario = """
        name: photo-grid
        duration: 4 min
        drain: 10 s
        data:
          entities:
            folder: {count: 9 folders, size: 300 B}
            file: {count: 20 files, size: 400 B, has: {folder: one folder, name: text}}
          queries:
            files: {list: file, where: folder is subject, order: name, first: 50 rows}
        users:
          - {name: user, think: 1 s, mix: {look: 100 %}, activities: {look: [visit: files]}}
        policies: [{name: recorded, preset: lru}]
        """
      try folder.write(scenario, to: "Scenarios/photo-grid.yaml")
      try folder.write(NewestFirstLog.jsonl(order: .asShown), to: "grid.jsonl")
      let run = try await TidemarkProcess.run("simulate", "grid.jsonl", in: folder)
      #expect(run.status == 2)
      #expect(run.errors.contains("a policy is called \"recorded\""), "\(run.errors)")
    }
  }
}

/// An app's log of one list, without the server's states.
enum AppLog {
  static let jsonl = """
    {"format":"tidemark-session","version":3,"truth":"observed","name":"one-file","duration":10000000000,\
    "library":"5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11","network":{"minimumRoundTrip":10000000,\
    "meanExtra":0},"retention":{"events":100,"age":5000000000},"model":{"types":[{"name":"folder"},\
    {"name":"file","fields":[{"name":"folder","holds":"reference","to":"folder"}]}],"queries":[\
    {"name":"files","lists":["file"],"where":[{"field":"folder","is":"subject"}]}]}}
    {"line":"object","type":"folder","id":"photos"}
    {"line":"object","type":"file","id":"sunset"}
    {"line":"state","object":0,"clock":65536,"device":1,"bytes":942}
    {"line":"state","object":1,"clock":131072,"device":1,"bytes":2157,"fields":{"folder":0}}
    {"line":"query","name":"files","subject":0,"limit":1000}
    {"line":"client","name":"desktop"}
    {"line":"action","client":0,"at":1000000000,"do":"observe","query":0,"result":[1]}
    {"line":"action","client":0,"at":3000000000,"do":"read","query":0,"outcome":"hit","result":[1]}
    {"line":"action","client":0,"at":9000000000,"do":"unobserve","query":0}

    """
}

/// The log of an app that shows a directory with its newest file first: every four seconds a file is
/// added, and the list is read twice before the next.
enum NewestFirstLog {
  private static let initialFiles = 4
  private static let addedFiles = 30

  /// The log's lines about the list.
  enum Order: String {
    case name = #""order":[{"field":"name"}],"#
    case newest = #""order":[{"field":"modified","descending":true}],"#
    case asShown = ""
  }

  /// The line of the first read.
  static let readLine = 1 + 1 + initialFiles + addedFiles + 1 + initialFiles + 1 + 1 + 1

  /// - Parameters:
  ///   - order: the log's lines about the list.
  ///   - outcome: of every read except the first, which is a miss.
  /// - Returns: 61 reads.
  static func jsonl(order: Order, outcome: String = "hit") -> String {
    var lines = [
      #"{"format":"tidemark-session","version":3,"truth":"observed","name":"photo-grid","#
        + #""duration":300000000000,"library":"5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11","#
        + #""network":{"minimumRoundTrip":10000000,"meanExtra":0},"#
        + #""retention":{"events":100,"age":50000000000},"model":{"types":[{"name":"directory"},"#
        + #"{"name":"file","fields":[{"name":"directory","holds":"reference","to":"directory"},"#
        + #"{"name":"name","holds":"text"},{"name":"modified","holds":"time"}]}],"queries":["#
        + #"{"name":"files","lists":["file"],"where":[{"field":"directory","is":"subject"}],"#
        + #"\#(order.rawValue)"class":"grid"}]}}"#
    ]
    for object in 0...initialFiles + addedFiles {
      let type = object == 0 ? "directory" : "file"
      lines.append(#"{"line":"object","type":"\#(type)","id":"\#(object)"}"#)
    }
    lines.append(#"{"line":"state","object":0,"clock":65536,"device":1,"bytes":900}"#)
    lines += (1...initialFiles).map { #"{"line":"state",\#(state(of: $0))}"# }
    lines += [
      #"{"line":"query","name":"files","subject":0,"limit":1000}"#,
      #"{"line":"client","name":"desktop"}"#,
      read(at: 1_000, newest: initialFiles, outcome: "miss_cold"),
    ]
    for added in 0..<addedFiles {
      let (newest, at) = (initialFiles + 1 + added, 4_000 * (added + 1))
      lines += [
        #"{"line":"mutation","at":\#(at)000000,"device":1,"epoch":1,"sequence":\#(added + 1),"#
          + #""kind":"changed","bytes":2100,"items":[{\#(state(of: newest))}]}"#,
        #"{"line":"delivery","client":0,"at":\#(at + 10)000000,"mutation":\#(added)}"#,
        read(at: at + 1_000, newest: newest, outcome: outcome),
        read(at: at + 3_000, newest: newest, outcome: outcome),
      ]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Names are in no order of time.
  private static func state(of file: Int) -> String {
    let letters = Array("abcdefgh")
    let name = "photo\(letters[file % 7])\(letters[file / 7])"
    return #""object":\#(file),"clock":\#((file + 1) * 65_536),"device":1,"bytes":2000,"#
      + #""fields":{"directory":0,"name":"\#(name)","modified":\#(file)}"#
  }

  private static func read(at milliseconds: Int, newest: Int, outcome: String) -> String {
    let rows = (1...newest).reversed().map { "\($0)" }.joined(separator: ",")
    return #"{"line":"action","client":0,"at":\#(milliseconds)000000,"do":"read","query":0,"#
      + #""outcome":"\#(outcome)","result":[\#(rows)]}"#
  }
}
