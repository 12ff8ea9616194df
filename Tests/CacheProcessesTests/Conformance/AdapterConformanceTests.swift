import CacheChecking
import CacheSimulation
import CacheTestSupport
import Foundation
import Testing

@testable import CacheProcesses

@Suite("The adapter in Python, and defects planted in it", .startsProcesses)
struct AdapterConformanceTests {
  static let hasPython: Bool = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
  }()

  private static func source(_ name: String = "lru.py") throws -> String {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: top.appending(path: "Adapters/\(name)"), encoding: .utf8)
  }

  /// Runs cases over a program in Python.
  private static func results(
    of source: String, _ cases: [ConformanceCase], options: String = "",
    limits: CacheLimits = ScriptedCaches.limits
  ) throws -> [ConformanceResult] {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "tidemark-adapter-\(UUID().uuidString).py")
    defer { try? FileManager.default.removeItem(at: file) }
    try source.write(to: file, atomically: true, encoding: .utf8)
    let command = try #require(CacheCommand("python=exec python3 '\(file.path)' \(options)"))
    let conformance = Conformance()
    return cases.map { conformance.run($0, command, limits: limits) }
  }

  @Test(
    "It fails nowhere, and is poorer where it follows no events",
    .enabled(if: hasPython, "no python3"))
  func adapter() throws {
    let results = try Self.results(of: try Self.source(), Conformance.cases(nil))
    for result in results {
      #expect(result.verdict != .fail, "\(result.test.address): \(result.findings)")
    }
    func verdict(_ address: String) -> ConformanceResult.Verdict? {
      results.first { $0.test.address == address }?.verdict
    }
    #expect(verdict("reads/2") == .pass && verdict("events/1") == .nonStrict)
    #expect(verdict("time/3") == .info && verdict("time/2") == .pass)
  }

  @Test(
    "With a storage it has its former content again, and fails no case",
    .enabled(if: hasPython, "no python3"))
  func stored() throws {
    let results = try Self.results(
      of: try Self.source(), Conformance.cases("relaunch"), options: "--store")
    for result in results {
      #expect(result.verdict != .fail, "\(result.test.address): \(result.findings)")
    }
    #expect(results.prefix(4).allSatisfy { $0.verdict == .pass })
  }

  struct Defect: Sendable, CustomTestStringConvertible {
    var name: String
    /// The text in the source, and its replacement.
    var before: String
    var after: String
    /// A case that must fail.
    var place: String
    var testDescription: String { name }
  }

  static let defects = [
    Defect(
      name: "keeps the first answer forever",
      before: "answers[target] = ([[row[0], row[2]] for row in line[\"rows\"]], line[\"at\"])",
      after: "answers.setdefault(target, ([[row[0], row[2]] for row in line[\"rows\"]], 0))",
      place: "time/2"),
    Defect(
      name: "sorts rows by object, downwards", before: "for row in line[\"rows\"]]",
      after: "for row in sorted(line[\"rows\"], reverse=True)]", place: "reads/1"),
    Defect(
      name: "numbers all requests alike", before: "last_request += 1", after: "last_request = 1",
      place: "requests/2"),
    Defect(
      name: "ends at a heartbeat", before: "    elif line[\"t\"] == \"open\":",
      after: "    elif line[\"t\"] == \"heartbeat\":\n        sys.exit(1)\n"
        + "    elif line[\"t\"] == \"open\":", place: "start/1"),
    Defect(
      name: "refuses members that it does not know", before: "    line = json.loads(text)",
      after: "    line = json.loads(text)\n    assert \"laterVersion\" not in line",
      place: "start/3"),
    Defect(
      name: "prints what it does", before: "    if line[\"t\"] == \"hello\":",
      after: "    if line[\"t\"] == \"link\": print(\"link\", line[\"up\"])\n"
        + "    if line[\"t\"] == \"hello\":", place: "offline/1"),
  ]

  @Test("Each defect is found", .enabled(if: hasPython, "no python3"), arguments: defects)
  func planted(defect: Defect) throws {
    #expect(try Self.verdict(of: defect, in: try Self.source()) == .fail, "\(defect.place)")
  }

  private static func verdict(
    of defect: Defect, in source: String
  ) throws -> ConformanceResult.Verdict {
    try #require(source.contains(defect.before), "the adapter has changed")
    let planted = source.replacingOccurrences(of: defect.before, with: defect.after)
    return try #require(try results(of: planted, Conformance.cases(defect.place)).first).verdict
  }

  @Test(
    "Notifying views of what they were just served is superfluous, and not a mistake",
    .enabled(if: hasPython, "no python3"))
  func repeatsItself() throws {
    let serves = "            say(\"serve\", **{\"for\": turn}, rows=answers[target][0])"
    let source = try Self.source()
    try #require(source.contains(serves), "the adapter has changed")
    let tells =
      "            if target[0] == \"q\":\n"
      + "                say(\"notify\", q=target[1], rows=answers[target][0])"
    let repeating = source.replacingOccurrences(of: serves, with: "\(serves)\n\(tells)")
    for address in ["observers/2", "observers/3", "offline/6"] {
      let result = try #require(try Self.results(of: repeating, Conformance.cases(address)).first)
      #expect(result.verdict == .nonStrict, "\(address): \(result.findings)")
      #expect(result.findings.first?.meaning.contains("superfluous") == true, "\(address)")
    }
  }

  @Test(
    "An adapter that receives changes of lists follows them, and asks again for the others",
    .enabled(if: hasPython, "no python3"))
  func following() throws {
    let results = try Self.results(of: try Self.source("following.py"), Conformance.cases(nil))
    for result in results {
      #expect(result.verdict != .fail, "\(result.test.address): \(result.findings)")
    }
    let given = results.filter { $0.test.address.hasPrefix("given/") }
    #expect(given.count > 10)
    for result in given {
      #expect(result.verdict == .pass, "\(result.test.address): \(result.findings)")
    }
  }

  static let followingDefects = [
    Defect(
      name: "drops every second event", before: "    recent.append(event)",
      after: "    if event[\"sequence\"] % 2: return\n    recent.append(event)", place: "given/9"),
    Defect(
      name: "puts what enters at the end", before: ".insert(index, number)",
      after: ".append(number)",
      place: "given/4"),
    Defect(
      name: "takes nothing out", before: "if number not in left]", after: "]", place: "given/2"),
    Defect(
      name: "does not ask again", before: "if told.get(\"again\"):", after: "if False:",
      place: "given/6"),
    Defect(
      name: "carries out what an answer has already",
      before: "if \"epoch\" in event and position(event) <= known[\"place\"]:", after: "if False:",
      place: "given/12"),
    Defect(
      name: "does not change an answer that was overtaken", before: "for event in recent:",
      after: "for event in []:", place: "given/11"),
    Defect(
      name: "takes a part for the whole", before: "if len(row) > 6:", after: "if False:",
      place: "parts/2"),
    Defect(
      name: "takes an older row over a newer", before: "if row[3] >= orders.get(row[0], -1):",
      after: "if True:", place: "reorder/6"),
  ]

  @Test(
    "Each defect in that one is found", .enabled(if: hasPython, "no python3"),
    arguments: followingDefects)
  func plantedInFollowing(defect: Defect) throws {
    let source = try Self.source("following.py")
    #expect(try Self.verdict(of: defect, in: source) != .pass, "\(defect.place)")
  }

  @Test("An adapter that hangs ends only its own case", .enabled(if: hasPython, "no python3"))
  func hangs() throws {
    let planted = try Self.source().replacingOccurrences(
      of: "    line = json.loads(text)",
      with: "    line = json.loads(text)\n    while line.get(\"object\"): pass")
    var limits = ScriptedCaches.limits
    limits.turnSeconds = 1
    let results = try Self.results(
      of: planted, Conformance.cases("reads/7") + Conformance.cases("reads/1"), limits: limits)
    #expect(results.first?.fault?.kind == .silent)
    #expect(results.first?.findings.last?.meaning.contains("flushed") == true)
  }

  @Test("The transcript of a case can be replayed without this program")
  func transcript() throws {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "tidemark-told-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let script = ScriptedCaches.script(turn: ScriptedCaches.done)
    // Each line is in the file before the cache has it, and so before it is answered.
    let copy = #"printf '%s\n' "$line""#
    let copying = "while IFS= read -r line; do \(copy) >&3; \(copy); done"
    let command = try #require(
      CacheCommand("told=\(copying) 3>'\(file.path)' | { \(script); }"))
    let test = try #require(Conformance.cases("start/3").first)
    let result = Conformance().run(test, command, limits: ScriptedCaches.limits)
    let transcript = Conformance.prepared.transcript(result.launch, result.turns, isEnded: true)
    let told = String(decoding: transcript, as: UTF8.self)
    let lines = told.split(separator: "\n")
    #expect(lines.count == result.turns.count + 2 && lines.last?.contains("\"end\"") == true)
    #expect(lines.allSatisfy { $0.contains("laterVersion") || $0.contains("\"end\"") })
    let sent = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.starts(with: sent) && sent.count > result.turns.count)
  }
}
