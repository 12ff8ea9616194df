import CacheModel
import Foundation
import Testing

@testable import Workloads

@Suite("Recordings of any app")
struct RecordedAppTests {
  @Test("A declared app is read back as it was written", arguments: [1, 2] as [UInt64])
  func roundTrip(seed: UInt64) throws {
    var workload = Workload.generate(try DeclaredAppTests.scenario(), seed: seed)
    workload.clients[0].relaunches = [Instant(nanoseconds: 5), Instant(nanoseconds: 7)]
    workload.answeredPolicy = "own"
    workload.clients[1].answers = [
      RecordedAnswer(
        asked: Instant(nanoseconds: 3), at: Instant(nanoseconds: 9), target: .query(0), bytes: 8),
      RecordedAnswer(
        asked: Instant(nanoseconds: 4), at: Instant(nanoseconds: 6), target: .object(2), bytes: 0,
        failure: .refused),
    ]
    #expect(workload.queries.contains { $0.after != Revision.noObject })
    let bytes = SessionRecording.write(workload)
    let read = try SessionRecording.read(bytes)
    // How the data are drawn is no part of a recording.
    #expect(read.model.shapes == workload.model.shapes)
    #expect(read.model.types.map(\.name) == workload.model.types.map(\.name))
    #expect(
      read.model.types.map { $0.fields.map(\.storage) }
        == workload.model.types.map { $0.fields.map(\.storage) })
    workload.model = read.model
    #expect(read == workload)
    #expect(SessionRecording.write(read) == bytes)
    #expect(violations(of: read) == [])
  }

  private static func scenarioWithSummaries() throws -> Scenario {
    try DeclaredAppTests.scenario([
      (
        "sale: {flag: 10 %}}",
        "sale: {flag: 10 %}}\n      summary: {has: [price, name], size: 12.5 %}"
      ),
      ("page: 20 rows}", "page: 20 rows, shows: summary}"),
    ])
  }

  @Test("What lists show of an entity is read back as it was written")
  func summaries() throws {
    let scenario = try Self.scenarioWithSummaries()
    var workload = Workload.generate(scenario, seed: 1)
    let bytes = SessionRecording.write(workload)
    let read = try SessionRecording.read(bytes)
    #expect(read.model.types.map(\.summary) == [nil, workload.model.types[1].summary])
    #expect(read.model.types[1].summary?.size == .share(millionths: 125_000))
    #expect(read.model.shapes.map(\.showsSummaries) == [false, true])
    workload.model = read.model
    #expect(read == workload)
    #expect(SessionRecording.write(read) == bytes)
  }

  @Test(
    "A summary that says nothing, or that there is not, is refused with place and remedy",
    arguments: [
      (#""shows":["price","name"]"#, #""shows":["prize"]"#, "unknown field of the type `prize`"),
      (#""shows":["price","name"]"#, #""shows":[]"#, "`shows` of a summary is empty"),
      (#""shows":["price","name"]"#, #""shows":["name","name"]"#, "`name` is named twice"),
      (#""millionths":125000"#, #""millionths":0"#, "millionths"),
      (#","millionths":125000"#, "", "`bytes` is missing"),
      (#""shows":"summary""#, #""shows":"sumary""#, "unknown part of an entity `sumary`"),
      (
        #","summary":{"shows":["price","name"],"millionths":125000}"#, "",
        "`product` has no `summary`"
      ),
    ])
  func wrongSummary(written: String, replacement: String, cause: String) throws {
    let scenario = try Self.scenarioWithSummaries()
    let text = String(
      decoding: SessionRecording.write(Workload.generate(scenario, seed: 1)), as: UTF8.self)
    #expect(text.contains(written))
    let error = #expect(throws: RecordingError.self) {
      try SessionRecording.read(Array(text.replacing(written, with: replacement).utf8))
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains(cause), "\(error.map { "\($0)" } ?? "")")
  }

  @Test("What an app heard without a place, saw in answers, and could not record is read back")
  func observed() throws {
    var workload = Workload.generate(try DeclaredAppTests.scenario(), seed: 1)
    workload.truth = .observed
    workload.answeredPolicy = "own"
    let place = workload.mutations[0].position
    workload.mutations[1].isPlaced = false
    workload.mutations[1].position = place
    var answer = RecordedAnswer(
      asked: Instant(nanoseconds: 3), at: Instant(nanoseconds: 9), target: .query(0), bytes: 8)
    answer.result = ObservedResult(
      rows: [.init(object: 0, version: Version(clock: 4, device: 5), bytes: 6)])
    answer.hasMore = true
    answer.place = StreamPosition(epoch: 1, sequence: 7)
    var later = RecordedAnswer(
      asked: Instant(nanoseconds: 4), at: Instant(nanoseconds: 5), target: .query(0), bytes: 0)
    later.isUnchanged = true
    workload.clients[0].answers = [answer, later]
    workload.gaps = [RecordingGap(at: Instant(nanoseconds: 7), lines: 12, cause: .buffer)]
    workload.places = ListedPlace.Belonging.allCases.map { belonging in
      ListedPlace(
        at: Instant(nanoseconds: 5), query: 1, state: 0, belonging: belonging,
        after: belonging == .listed ? 2 : nil, before: belonging == .listed ? 3 : nil)
    }
    let last = workload.clients[0].actions.last?.at ?? .zero
    workload.clients[0].actions += [
      .untag(query: 1), .invalidate(query: 0), .take(query: 1, from: 0), .clear,
      .release(billionths: 7),
    ].map { SessionAction(at: last, kind: .upkeep($0)) }
    let bytes = SessionRecording.write(workload)
    let read = try SessionRecording.read(bytes)
    workload.model = read.model
    #expect(read == workload)
    // An app writes an answer when it is there.
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let first = try #require(lines.firstIndex { $0.contains("\"answer\"") })
    lines.swapAt(first, first + 1)
    #expect(try SessionRecording.read(Array(lines.joined(separator: "\n").utf8)) == workload)
  }

  @Test("A state that an app was told twice is one, and pages are numbered by the telling")
  func toldTwice() throws {
    var lines = try Self.example()
    lines.insert(
      #"{"line":"mutation","at":5,"kind":"changed","bytes":180,"items":["#
        + #"{"object":3,"clock":262144,"device":1,"bytes":180,"fields":{"room":0,"sent":-1000}}]}"#,
      at: 9)
    lines[11].replace("\"after\":2", with: "\"after\":4")
    let workload = try SessionRecording.read(Array(lines.joined(separator: "\n").utf8))
    #expect(workload.catalog.revisions.count == 4)
    #expect(workload.items.map(\.revision) == [3])
    #expect(workload.mutations.map(\.isPlaced) == [false])
    #expect(workload.queries.map(\.after) == [Revision.noObject, 3])
  }

  @Test("A library of files has version 2 where a process ends, and version 1 elsewhere")
  func versions() throws {
    let plain = try GenerationTests.scenario(
      sessions: "{name: a, think: 1 s, mix: {browse: 100 %}}")
    func header(_ workload: Workload) -> Substring {
      String(decoding: SessionRecording.write(workload), as: UTF8.self).prefix { $0 != "\n" }
    }
    var workload = Workload.generate(plain)
    #expect(header(workload).contains("\"version\":1,"))
    #expect(!header(workload).contains("model"))
    workload.clients[0].relaunches = [Instant(nanoseconds: 1_000)]
    workload.clients[0].storageFaults = [
      StorageRefusal(
        during: Instant(nanoseconds: 3)..<Instant(nanoseconds: 9), fault: .readOnly)
    ]
    #expect(header(workload).contains("\"version\":2,"))
    #expect(header(workload).hasSuffix("\"model\":\"files\"}"))
    #expect(try SessionRecording.read(SessionRecording.write(workload)) == workload)
  }

  /// The lines of the documented log of an app with a model of its own.
  private static func example() throws -> [String] {
    let file = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Documentation/RecordingFormat.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let blocks = text.split(separator: "```", omittingEmptySubsequences: false)
      .filter { $0.hasPrefix("jsonl\n") }
    let block = try #require(blocks.count > 2 ? blocks[2] : nil)
    return block.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test("The documented log of a chat is read")
  func documented() throws {
    let bytes = Array(try Self.example().joined(separator: "\n").utf8)
    let workload = try SessionRecording.read(bytes)
    #expect(workload.model.types.map(\.name) == ["room", "message"])
    #expect(workload.model.shapes.map(\.isPaged) == [true])
    #expect(workload.queries.map(\.after) == [Revision.noObject, 2])
    #expect(workload.queries.map(\.subject) == [0, 0])
    #expect(workload.clients[0].relaunches.map(\.nanoseconds) == [8_000_000_000])
    #expect(workload.clients[0].answers.map(\.failure) == [nil, .refused])
    let sent = workload.catalog.revisions.indices.dropFirst().map { state -> Int64 in
      OrderedWord.number(workload.catalog.values[Int(workload.catalog.valueStarts[state]) + 1])
    }
    #expect(sent == [-3_000, -2_000, -1_000])
    #expect(try SessionRecording.read(SessionRecording.write(workload)) == workload)
  }

  /// A line of the example, what to replace there, and the error.
  static let spoilt: [(line: Int, find: String, replace: String, error: String)] = [
    (1, "\"version\":2", "\"version\":1", "line 1: a header has no `policy`"),
    (1, "\"version\":2", "\"version\":3", "line 1: the format has version 3, this program reads 1"),
    (1, "\"model\"", "\"modell\"", "line 1: `model` is missing"),
    (1, "\"holds\":\"flag\"", "\"holds\":\"flags\"", "line 1: unknown kind of field `flags`; did"),
    (1, "\"to\":\"room\"", "\"to\":\"rom\"", "line 1: unknown type `rom`; did you mean `room`?"),
    (1, "\"name\":\"message\"", "\"name\":\"room\"", "line 1: the type `room` occurs twice"),
    (1, "\"name\":\"pinned\"", "\"name\":\"sent\"", "line 1: the field `sent` occurs twice"),
    (1, "\"name\":\"room\"", "\"name\":\"Room!\"", "line 1: `Room!` is not a name"),
    (1, "\"lists\":[\"message\"]", "\"lists\":[]", "line 1: the query `thread` lists nothing"),
    (1, "\"is\":\"subject\"", "\"is\":\"object\"", "line 1: unknown word in `is` `object`"),
    (1, "\"field\":\"sent\"", "\"field\":\"send\"", "line 1: unknown field of `message` `send`"),
    (
      1, "\"field\":\"sent\"", "\"field\":\"room\"",
      "line 1: `room` is a reference, which has no order"
    ),
    (1, "\"rows\":2", "\"rows\":0", "line 1: `rows` is out of range"),
    (1, "\"paged\":true", "\"pages\":true", "line 1: a query of the model has no `pages`"),
    (
      1, "}],\"order\"", "},{\"field\":\"room\",\"is\":\"me\"}],\"order\"",
      "line 1: the query `thread` is about two things"
    ),
    (1, "\"policy\":\"my-app\",", "", "line 14: an answer stands in a recording that names no"),
    (2, "\"room\"", "\"rooms\"", "line 2: unknown type of object `rooms`; did you mean `room`?"),
    (2, "\"room\"", "1", "line 2: `type` is not a text"),
    (6, "\"title\"", "\"titel\"", "line 6: an entity of type room has no `titel`"),
    (6, "\"garden\"", "\"Garden\"", "line 6: `title` is not up to twelve letters a to z"),
    (7, "\"room\":0", "\"room\":1", "line 7: `room` names an object that is no room"),
    (7, "\"room\":0", "\"room\":9", "line 7: `room` names no object of the 4 before it"),
    (8, "true", "1", "line 8: `pinned` is neither true nor false"),
    (10, "\"subject\":0", "\"subject\":2", "line 10: `subject` names an object that is no room"),
    (10, "thread", "threads", "line 10: unknown method `threads`; valid here: thread"),
    (11, "\"after\":2", "\"after\":8", "line 11: `after` names no state of the 4 before it"),
    (11, "\"after\":2", "\"after\":0", "line 11: `after` names a state of what `thread` does not"),
    (12, "8000000000", "5,4", "line 12: `relaunches` are out of order"),
    (
      12, "\"relaunches\":[8000000000]", "\"storageFaults\":[[1,2,\"fool\"]]",
      "line 12: unknown fault of a storage `fool`; did you mean `full`?"
    ),
    (13, "observe", "write", "line 13: `write` is missing"),
    (14, "\"answer\"", "\"write\"", "line 14: what users write is replayed where the truth"),
    (14, "1085000000", "85000000", "line 14: `at` is out of range"),
    (14, "\"bytes\"", "\"byte\"", "line 14: `bytes` is missing"),
    (16, "\"refused\"", "\"lost\"", "line 16: unknown failure `lost`; valid here: unreachable,"),
    (
      14, #""answer","client":0,"asked":1000000000,"at":1085000000,"query":0,"bytes":620"#,
      #""gap","at":1,"lines":2,"why":"rain""#,
      "line 14: unknown cause of a gap `rain`; valid here: buffer, file, format"
    ),
  ]

  @Test("Bad lines are refused with their number", arguments: spoilt)
  func badLine(line: Int, find: String, replace: String, error expected: String) throws {
    var lines = try Self.example()
    let place = find == "\"policy\":\"my-app\"," ? 1 : line
    let range = try #require(lines[place - 1].range(of: find))
    lines[place - 1].replaceSubrange(range, with: replace)
    let bytes = Array(lines.joined(separator: "\n").utf8)
    let error = try #require(throws: RecordingError.self) { _ = try SessionRecording.read(bytes) }
    #expect(error.description.hasPrefix(expected), "\(error)")
    #expect(!error.remedy.isEmpty)
  }

  @Test("A model has so many types, queries and fields, and no more")
  func limits() throws {
    func error(_ types: Int, _ fields: Int, _ queries: Int) throws -> String {
      let members = (0..<fields).map { "{\"name\":\"f\($0)\",\"holds\":\"time\"}" }
      let type = "\"fields\":[" + members.joined(separator: ",") + "]}"
      let query =
        "\"lists\":[\"t0\"],\"order\":[{\"field\":\"f0\"}],\"rows\":1}"
      let model =
        "{\"types\":[" + (0..<types).map { "{\"name\":\"t\($0)\",\(type)" }.joined(separator: ",")
        + "],\"queries\":["
        + (0..<queries).map { "{\"name\":\"q\($0)\",\(query)" }.joined(separator: ",") + "]}"
      var lines = try Self.example()
      let start = try #require(lines[0].range(of: "\"model\":")).upperBound
      lines[0] = lines[0][..<start] + model + "}"
      return try #require(throws: RecordingError.self) {
        _ = try SessionRecording.read(Array(lines.joined(separator: "\n").utf8))
      }.description
    }
    #expect(try error(10_000, 1, 1).hasPrefix("line 1: `types` has 10000 entries; at most 60"))
    #expect(try error(1, 31, 1).hasPrefix("line 1: `fields` has 31 entries"))
    #expect(try error(1, 1, 61).hasPrefix("line 1: `queries` has 61 entries"))
    // Within the limits it is the next line that fits no more.
    #expect(try error(60, 30, 60).hasPrefix("line 2: unknown type of object `room`"))
  }

  @Test("Every truncation is an error or a shorter recording, never a trap")
  func truncation() throws {
    let bytes = Array(try Self.example().joined(separator: "\n").utf8)
    for length in stride(from: 0, to: bytes.count, by: 3) {
      do throws(RecordingError) {
        let workload = try SessionRecording.read(Array(bytes[..<length]))
        #expect(workload.clients.count == 1)
      } catch {
        #expect(error.line >= 1)
      }
    }
  }
}
