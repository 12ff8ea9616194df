import CacheModel
import Foundation
import Testing

@testable import Workloads

@Suite("Recorded sessions")
struct SessionRecordingTests {
  @Test("A workload is read back equal", arguments: 1...3 as ClosedRange<UInt64>)
  func roundTrip(seed: UInt64) throws {
    let scenario = try GenerationTests.scenario(
      sessions: "{name: a, tagged: 50 %, think: 1 s, mix: {browse: 60 %, album: 40 %}}",
      devices: """
        {rate: 3/s, selection: 2 files, mix: {create: 20 %, delete: 10 %, delete-directory: 10 %, \
        tag: 30 %, edit-album: 30 %}, index: {at: 10 s, files: 2_000 files, identify-batch: 10 files, \
        progress: 5 s, bulk-notice: yes}}
        """,
      rest: "faults: [{kind: partition, at: 60 s, for: 10 s}, {kind: restart, at: 90 s}]")
    let workload = Workload.generate(scenario, seed: seed)
    let bytes = SessionRecording.write(workload)
    #expect(try SessionRecording.read(bytes) == workload)
    #expect(SessionRecording.write(try SessionRecording.read(bytes)) == bytes)
  }

  /// The lines of an example in the documentation: the first, or the one with a list as it was shown.
  private static func example(_ number: Int = 0) throws -> [String] {
    let file = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Documentation/RecordingFormat.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let parts = text.split(separator: "```", omittingEmptySubsequences: false)
    let blocks = parts.filter { $0.hasPrefix("jsonl\n") }
    let block = try #require(blocks.indices.contains(number) ? blocks[number] : nil)
    return block.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test("The documented log of an app is read, with what the app saw")
  func documentedExample() throws {
    let lines = try Self.example()
    let workload = try SessionRecording.read(Array(lines.joined(separator: "\n").utf8))
    #expect(workload.truth == .observed)
    #expect(workload.name == "one-file")
    #expect(workload.catalog.objects.count == 2)
    #expect(workload.mutations.count == 1)
    let client = try #require(workload.clients.first)
    #expect(client.actions.count == 3)
    #expect(client.deliveries.count == 2)
    let read = ObservedRead(client: 0, action: 1)
    let second = try #require(workload.observedResults[read])
    #expect(workload.recordedOutcomes[read] == .hit)
    #expect(
      second.rows == [.init(object: 1, version: Version(clock: 196_608, device: 2), bytes: 2_160)])
    #expect(LetterCode.decode(workload.catalog.revisions[2].name) == "sunrise")
    #expect(try SessionRecording.read(SessionRecording.write(workload)) == workload)
  }

  @Test("The documented log of a list as it was shown is read, with its lines")
  func documentedOrder() throws {
    let bytes = Array(try Self.example(1).joined(separator: "\n").utf8)
    let (workload, lines) = try SessionRecording.readWithLines(bytes)
    #expect(workload.queries.map(\.order) == [.asShown])
    let reads = workload.clients[0].actions.indices.map { ObservedRead(client: 0, action: $0) }
    #expect(reads.map { workload.recordedOutcomes[$0] } == [.missCold, .hit, nil])
    let shown = reads.map { workload.observedResults[$0]?.rows.map(\.object) }
    #expect(shown == [[2, 1], [1, 2], nil])
    let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.queries.map { text[$0 - 1].contains("as-shown") } == [true])
    #expect(reads.allSatisfy { text[lines[$0] - 1].contains("\"action\"") })
    #expect(Set(reads.map { lines[$0] }).count == 3)
    let written = SessionRecording.write(workload)
    #expect(try SessionRecording.read(written) == workload)
  }

  @Test("Orders and outcomes are read back as they were written, outcomes without results too")
  func additions() throws {
    let example = try SessionRecording.read(Array(Self.example().joined(separator: "\n").utf8))
    for order in [nil] + ListOrder.allCases {
      for outcome in RecordedOutcome.allCases {
        var workload = example
        workload.queries[0].order = order
        let read = ObservedRead(client: 0, action: 0)
        workload.recordedOutcomes[read] = outcome
        workload.observedResults[read] = nil
        let bytes = SessionRecording.write(workload)
        #expect(try SessionRecording.read(bytes) == workload)
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"order\"") == (order != nil))
      }
    }
  }

  /// Changes of the example: a line of it, what to replace there, and the error.
  static let spoilt: [(line: Int, find: String, replace: String, error: String)] = [
    (1, "tidemark-session", "csv", "line 1: this is not a recorded session"),
    (1, "\"version\":1", "\"version\":9", "line 1: the format has version 9, this program reads 1"),
    (1, "observed", "guessed", "line 1: `truth` is neither known nor observed"),
    (1, "10000000000", "-1", "line 1: `duration` is negative; choose from 1 to"),
    (1, "10000000000", "0", "line 1: `duration` is out of range"),
    (1, "10000000000", "1e9", "line 1: numbers are whole here"),
    (1, "10000000000", "99999999999999999999", "line 1: the number needs more than 64 bits"),
    (1, "\"age\"", "\"agee\"", "line 1: `age` is missing"),
    (1, "\"network\":{", "\"network\":{\"colour\":1,", "line 1: a network has no `colour`"),
    (2, "object", "objekt", "line 2: unknown type of line `objekt`; did you mean `object`?"),
    (2, "object", "\\u001b[2J\\n", "line 2: unknown type of line `\\u{1B}[2J\\u{A}`"),
    (2, "directory", "folder", "line 2: unknown type of object `folder`"),
    (2, "0d5a8f52", "0d5a8f5", "line 2: `id` is not a UUID"),
    (3, "1f0a02", "1F0A01\",\"type\":\"directory\"}", "line 3: a name occurs twice"),
    (4, "\"object\":0", "\"object\":7", "line 4: `object` names no object of the 2 before it"),
    (4, "\"object\":0", "\"object\":-1", "line 4: `object` names no object"),
    (4, "photos", "photos of 2024", "line 4: `name` is not up to twelve letters a to z"),
    (4, "942", "4294967296", "line 4: `bytes` is out of range; choose from 0 to 2147483647"),
    (5, "\"object\":1", "\"object\":0", "line 5: the object has two states at time zero"),
    (5, "true", "1", "line 5: `media` is neither true nor false"),
    (6, "files.directory", "files.dir", "line 6: unknown method `files.dir`"),
    (7, "[]", "[[5,3]]", "line 7: partitions overlap or are out of order"),
    (8, "\"client\":0", "\"client\":1", "line 8: `client` names no client of the 1 before it"),
    (8, "observe", "stare", "line 8: unknown action `stare`"),
    (8, "\"query\":0", "\"query\":3", "line 8: `query` names no query of the 1 before it"),
    (8, "[[1,", "[[", "line 8: a row of `result` is not a list of four"),
    (8, "result", "rezult", "line 8: a line of type action has no `rezult`"),
    (8, "\"miss\"", "\"mis\"", "line 8: unknown outcome `mis`; did you mean `miss`?"),
    (
      8, "\"miss\"", "\"hit-fresh\"",
      "line 8: unknown outcome `hit-fresh`; did you mean `hit_fresh`?"
    ),
    (8, "\"miss\"", "\"yes\"", "line 8: unknown outcome `yes`; valid here: hit, miss, hit_fresh,"),
    (8, "\"miss\"", "1", "line 8: `outcome` is not a text"),
    (
      6, "1000", "1000,\"order\":\"asshown\"",
      "line 6: unknown order `asshown`; did you mean `as-shown`?"
    ),
    (6, "1000", "1000,\"order\":\"size\"", "line 6: unknown order `size`; valid here: name,"),
    (9, "changed", "replaced", "line 9: unknown kind of mutation `replaced`"),
    (9, "\"changed\"", "\"deleted\"", "line 9: deletions and states do not mix"),
    (9, "\"changed\"", "\"infrastructure\"", "line 9: `infrastructure` has items"),
    (9, "\"sequence\":1", "\"sequence\":0", "line 9: `sequence` is out of range"),
    (10, "2010000000", "1990000000", "line 10: the event arrives before its commit"),
    (11, "3000000000", "500000000", "line 11: `at` is earlier than on the line before it"),
    (11, "3000000000", "30000000000", "line 11: `at` is out of range"),
    (
      13, "0}", "0,\"outcome\":\"hit\"}", "line 13: `unobserve` reads nothing, and has an `outcome`"
    ),
    (13, "\"query\":0}", "\"query\":0", "line 13: a comma or } is expected (at byte"),
    (13, "{\"line\"", "[\"line\"", "line 13: a comma or ] is expected"),
    (13, "{", "\u{FEFF}{", "line 13: a value is expected"),
    (13, "0}", "0} x", "line 13: more text follows the value"),
    (13, "\"unobserve\"", "\"un\u{1}\"", "line 13: a control character stands in a text"),
    (13, "\"unobserve\"", "\"\\ud800\"", "line 13: half of a surrogate pair"),
  ]

  @Test("Bad lines are refused with their number", arguments: spoilt)
  func badLine(line: Int, find: String, replace: String, error expected: String) throws {
    var lines = try Self.example()
    let range = try #require(lines[line - 1].range(of: find))
    lines[line - 1].replaceSubrange(range, with: replace)
    let bytes = Array(lines.joined(separator: "\n").utf8)
    let error = try #require(throws: RecordingError.self) { _ = try SessionRecording.read(bytes) }
    #expect(error.description.hasPrefix(expected), "\(error)")
    #expect(!error.remedy.isEmpty)
  }

  @Test("Hostile sizes are refused")
  func hostile() throws {
    func error(_ text: String) throws -> String {
      try #require(throws: RecordingError.self) {
        _ = try SessionRecording.read(Array(text.utf8))
      }.description
    }
    #expect(try error("").hasPrefix("line 1: the recording is empty"))
    let long = "{\"x\":\"" + String(repeating: "a", count: 10_000_000) + "\"}"
    #expect(try error(long).hasPrefix("line 1: the line is longer than 8388608 bytes"))
    #expect(try error(long + "\n").hasPrefix("line 1: the line is longer than 8388608 bytes"))
    let deep = String(repeating: "[", count: 1_000_000)
    #expect(try error(deep).hasPrefix("line 1: the nesting is deeper than 8"))
    let header = try Self.example()[0]
    #expect(try error(header).hasPrefix("line 1: the recording has no client"))
  }

  @Test("Every truncation is an error or a shorter recording, never a trap")
  func truncation() throws {
    let bytes = Array(try Self.example().joined(separator: "\n").utf8)
    var failures = 0
    for length in bytes.indices {
      do throws(RecordingError) {
        let workload = try SessionRecording.read(Array(bytes[..<length]))
        #expect(workload.clients.count == 1)
      } catch {
        failures += 1
        #expect(error.line >= 1)
      }
    }
    #expect(failures > bytes.count / 2)
  }

  @Test("With a known truth, what contradicts itself is refused")
  func contradictions() throws {
    var lines = try Self.example()
    lines[0].replace("observed", with: "known")
    func error(_ line: Int, _ find: String, _ replace: String) throws -> String {
      var copy = lines
      copy[line - 1].replace(find, with: replace)
      return try #require(throws: RecordingError.self) {
        _ = try SessionRecording.read(Array(copy.joined(separator: "\n").utf8))
      }.description
    }
    #expect(
      try error(6, "1000", "1000,\"order\":\"as-shown\"").hasPrefix(
        "line 6: the order `as-shown` stands in a session whose truth is known; write `name` or"))
    #expect(try error(9, "196608", "65536").hasPrefix("line 9: the version of object 1"))
    lines.insert(lines[8], at: 9)
    #expect(try error(10, "196608", "262144").hasPrefix("line 10: the position does not follow"))
    lines[8] = """
      {"line":"mutation","at":2000000000,"epoch":1,"sequence":1,"kind":"deleted","bytes":160,\
      "clock":262144,"writer":2,"items":[{"object":1,"deleted":true}]}
      """
    #expect(
      try error(10, "\"sequence\":1", "\"sequence\":2").hasPrefix("line 10: object 1 was deleted"))
  }
}
