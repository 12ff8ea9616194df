import CacheModel
import CacheTestSupport
import Foundation
import RecordingCodec
import Testing

@testable import Workloads

@Suite("Recorded sessions")
struct SessionRecordingTests {
  @Test("A workload of files is read back equal", arguments: 1...3 as ClosedRange<UInt64>)
  func files(seed: UInt64) throws {
    let scenario = try GenerationTests.scenario(
      users: "{name: a, think: 1 s, mix: {browse: 60 %, album: 40 %}}",
      rest: "faults: [{kind: partition, at: 60 s, for: 10 s}, {kind: server-restart, at: 90 s}]")
    var workload = Workload.generate(scenario, seed: seed)
    let change = try #require(workload.mutations.firstIndex { $0.kind == .changed })
    workload.mutations[change].kind = .bulkNotice(location: 0, resourceType: nil, token: 7)
    let others = workload.mutations.indices.filter {
      workload.mutations[$0].kind == .changed || workload.mutations[$0].kind == .batchChanged
    }
    try #require(others.count > 1)
    workload.mutations[others[0]].carries = .changes
    workload.mutations[others[1]].carries = .ids
    var progress = try #require(workload.mutations.last)
    progress.kind = .infrastructure
    progress.items = workload.items.count..<workload.items.count
    progress.position.sequence += 1
    progress.version = .none
    progress.origin = nil
    workload.mutations.append(progress)
    workload.clients[0].relaunches = [Instant(nanoseconds: 1_000)]
    workload.clients[0].storageFaults = [
      StorageRefusal(during: Instant(nanoseconds: 3)..<Instant(nanoseconds: 9), fault: .readOnly)
    ]
    let bytes = SessionRecording.write(workload)
    let read = try SessionRecording.read(bytes)
    workload.model = read.model
    #expect(read == workload)
    #expect(SessionRecording.write(read) == bytes)
  }

  @Test("The recording of another app is read and written the same", arguments: [1, 2] as [UInt64])
  func declared(seed: UInt64) throws {
    var workload = Workload.generate(try ShopTests.scenario(), seed: seed)
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
      read.model.types.map { $0.fields.map(\.slot) }
        == workload.model.types.map { $0.fields.map(\.slot) })
    workload.model = read.model
    #expect(read == workload)
    #expect(SessionRecording.write(read) == bytes)
    #expect(violations(of: read) == [])
  }

  @Test("So are events without a position, states seen in answers, and gaps")
  func observed() throws {
    var workload = Workload.generate(try ShopTests.scenario(), seed: 1)
    workload.truth = .observed
    workload.answeredPolicy = "own"
    workload.mutations[1].isPlaced = false
    workload.mutations[1].position = workload.mutations[0].position
    workload.mutations[1].since = .zero
    workload.mutations[1].author = 0
    var answer = RecordedAnswer(
      asked: Instant(nanoseconds: 3), at: Instant(nanoseconds: 9), target: .query(0), bytes: 8)
    answer.result = [4]
    answer.hasMore = true
    answer.place = StreamPosition(epoch: 1, sequence: 7)
    var later = RecordedAnswer(
      asked: Instant(nanoseconds: 4), at: Instant(nanoseconds: 5), target: .query(0), bytes: 0)
    later.isUnchanged = true
    workload.clients[0].answers = [answer, later]
    workload.gaps = [RecordingGap(at: Instant(nanoseconds: 7), lines: 12, cause: .buffer)]
    workload.places = ListedPlace.Match.allCases.map { match in
      ListedPlace(
        at: Instant(nanoseconds: 5), query: 1, state: 0, match: match,
        after: match == .listed ? 2 : nil, before: match == .listed ? 3 : nil)
    }
    let last = workload.clients[0].actions.last?.at ?? .zero
    workload.clients[0].actions += [
      .untag(query: 1), .invalidate(query: 0), .take(query: 1, from: 0), .clear,
      .release(billionths: 7),
    ].map { SessionAction(at: last, kind: .maintenance($0)) }
    for (number, outcome) in RecordedOutcome.allCases.enumerated() {
      workload.recordedOutcomes[ObservedRead(client: 0, action: number)] = outcome
      workload.observedResults[ObservedRead(client: 0, action: number)] = [UInt32(number)]
    }
    for number in RecordedOutcome.allCases.indices {
      workload.clients[0].actions[number].kind = .read(query: 0)
    }
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

  private static func withSummaries() throws -> Workload {
    Workload.generate(
      try ShopTests.scenario([
        (
          "sale: {flag: 10 %}}",
          "sale: {flag: 10 %}}\n      summary: {has: [price, name], size: 12.5 %}"
        ),
        ("page: 20 rows}", "page: 20 rows, shows: summary}"),
      ]), seed: 1)
  }

  @Test("So are views of an entity in lists")
  func summaries() throws {
    var workload = try Self.withSummaries()
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
    "A view that says nothing, or that there is not, is refused with place and remedy",
    arguments: [
      (#""shows":["price","name"]"#, #""shows":["prize"]"#, "unknown field of `product` `prize`"),
      (#""shows":["price","name"]"#, #""shows":[]"#, "`shows` of a view is empty"),
      (#""shows":["price","name"]"#, #""shows":["name","name"]"#, "`name` is named twice"),
      (#""millionths":125000"#, #""millionths":0"#, "millionths"),
      (#","millionths":125000"#, "", "a view has one size"),
      (#""name":"summary""#, #""name":"card""#, "`product` has no view `summary`"),
      (#""shows":"summary""#, #""shows":"sumary""#, "`product` has no view `sumary`"),
    ])
  func wrongView(written: String, replacement: String, cause: String) throws {
    let text = String(decoding: SessionRecording.write(try Self.withSummaries()), as: UTF8.self)
    #expect(text.contains(written))
    let error = #expect(throws: RecordingError.self) {
      try SessionRecording.read(Array(text.replacing(written, with: replacement).utf8))
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains(cause), "\(error.map { "\($0)" } ?? "")")
  }

  @Test(
    "Of several views of a type the first is simulated; one that shows more counts as the whole")
  func severalViews() throws {
    let text = String(decoding: SessionRecording.write(try Self.withSummaries()), as: UTF8.self)
    let view = #"{"name":"summary","shows":["price","name"],"millionths":125000}"#
    let tag = #"{"name":"tag","shows":["name"],"bytes":9}"#
    #expect(text.contains(view))
    func read(_ views: String, shows: String) throws -> Workload {
      try SessionRecording.read(
        Array(
          text.replacing(view, with: views)
            .replacing(#""shows":"summary""#, with: #""shows":"\#(shows)""#).utf8))
    }
    for (views, shows, isSummary) in [
      ("\(tag),\(view)", "tag", true), ("\(tag),\(view)", "summary", false),
      ("\(view),\(tag)", "tag", true), ("\(view),\(tag)", "summary", true),
    ] {
      let workload = try read(views, shows: shows)
      #expect(workload.model.shapes.map(\.showsSummaries) == [false, isSummary])
      #expect((workload.model.types[1].summary?.size == .fixed(9)) == views.hasPrefix(tag))
    }
  }

  @Test("A read that is forced is preceded by an invalidation of its query")
  func forced() throws {
    let lines = try Self.example(0)
    let text = lines.joined(separator: "\n")
      .replacing("\"miss\"", with: "\"miss\",\"forced\":true")
    let workload = try SessionRecording.read(Array(text.utf8))
    let actions = workload.clients[0].actions
    #expect(actions[0].kind == .maintenance(.invalidate(query: 0)))
    #expect(actions[1].kind == .observe(query: 0))
    #expect(actions[0].at == actions[1].at)
    #expect(workload.observedResults[ObservedRead(client: 0, action: 1)] != nil)
  }

  // MARK: The examples of the documentation

  private static func example(_ number: Int) throws -> [String] {
    let file = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Documentation/RecordingFormat.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let parts = text.split(separator: "```", omittingEmptySubsequences: false)
    let blocks = parts.filter { $0.hasPrefix("jsonl\n") }
    let block = try #require(blocks.indices.contains(number) ? blocks[number] : nil)
    return block.split(separator: "\n").dropFirst().map(String.init)
  }

  private static func read(_ lines: [String]) throws(RecordingError) -> Workload {
    try SessionRecording.read(Array(lines.joined(separator: "\n").utf8))
  }

  @Test("The documented log of an app is read, with the app's observations")
  func documented() throws {
    let workload = try Self.read(Self.example(0))
    #expect(workload.truth == .observed && workload.name == "one-room")
    #expect(workload.model.shapes.map(\.isAsShown) == [true])
    #expect(workload.catalog.objects.count == 3 && workload.catalog.initialCount == 2)
    #expect(workload.mutations.map(\.isPlaced) == [false])
    let client = try #require(workload.clients.first)
    #expect(client.actions.count == 3 && client.deliveries.count == 1)
    let reads = client.actions.indices.map { ObservedRead(client: 0, action: $0) }
    #expect(reads.map { workload.recordedOutcomes[$0] } == [.miss, .hit, nil])
    #expect(reads.map { workload.observedResults[$0] } == [[1], [2, 1], nil])
    #expect(try SessionRecording.read(SessionRecording.write(workload)) == workload)
  }

  @Test("The documented log of pages and answers is read")
  func documentedPages() throws {
    let workload = try Self.read(Self.example(1))
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

  /// Changes of an example: a line of it, what to replace there, and the error.
  static let spoilt: [(example: Int, line: Int, find: String, replace: String, error: String)] = [
    (0, 1, "tidemark-session", "csv", "line 1: this is not a recorded session"),
    (0, 1, "\"version\":3,", "", "line 1: `version` is missing; add \"version\":3"),
    (0, 1, "observed", "guessed", "line 1: `truth` is neither known nor observed"),
    (0, 1, "observed", "known", "line 1: the query `thread` has no order, and the truth is known"),
    (0, 1, "10000000000", "-1", "line 1: `duration` is negative; choose from 1 to"),
    (0, 1, "10000000000", "1e9", "line 1: numbers are whole here"),
    (0, 1, "10000000000", "99999999999999999999", "line 1: the number needs more than 64 bits"),
    (0, 1, "\"age\"", "\"agee\"", "line 1: `age` is missing"),
    (0, 1, "\"network\":{", "\"network\":{\"colour\":1,", "line 1: `network` has no `colour`"),
    (0, 1, "[{\"name\":\"room\"}", "[{\"name\":\"\\u001b\"}", "line 1: `\\u{1B}` is not a name"),
    (0, 2, "object", "objekt", "line 2: `line` is `objekt`; valid here: object, state, query"),
    (0, 2, "object", "\\u001b[2J\\n", "line 2: `line` is `\\u{1B}[2J\\u{A}`"),
    (0, 2, "\"room\"", "\"rooms\"", "line 2: unknown type `rooms`; did you mean `room`?"),
    (0, 2, "garden", "", "line 2: `id` is empty"),
    (0, 4, "m-2", "m-1", "line 4: the object occurs twice"),
    (0, 5, "\"object\":0", "\"object\":7", "line 5: `object` names no object of the 3 before it"),
    (0, 5, "\"object\":0", "\"object\":-1", "line 5: `object` is negative"),
    (0, 5, "942", "4294967296", "line 5: `bytes` is out of range; choose from 0 to 2147483647"),
    (0, 6, "\"object\":1", "\"object\":0", "line 6: the object has two states at time zero"),
    (0, 6, "\"room\":0", "\"room\":1", "line 6: `room` names an object that is not of type room"),
    (0, 6, "\"room\":0", "\"room\":true", "line 6: `room` has another kind; write the number"),
    (0, 7, "\"thread\"", "\"threads\"", "line 7: unknown query `threads`; did you mean `thread`?"),
    (
      0, 7, "\"subject\":0", "\"subject\":2",
      "line 7: `subject` names an object that is not of type room"
    ),
    (0, 7, "\"subject\":0", "\"typed\":\"a\"", "line 7: `subject` is missing"),
    (0, 7, "50", "50,\"typed\":\"a\"", "line 7: `thread` is about something else"),
    (
      0, 7, "50}", "50}\n{\"line\":\"query\",\"name\":\"thread\",\"subject\":0,\"limit\":50}",
      "line 8: the query occurs twice; name it by its first number"
    ),
    (0, 8, "\"phone\"", "\"phone\",\"partitions\":[[5,3]]", "line 8: a time in `partitions` ends"),
    (
      0, 8, "\"phone\"", "\"phone\",\"reaction\":\"wait\"",
      "line 8: unknown word in `reaction` `wait`"
    ),
    (0, 9, "\"client\":0", "\"client\":1", "line 9: `client` names no client of the 1 before it"),
    (0, 9, "observe", "stare", "line 9: `do` is `stare`; valid here: read, redraw, observe"),
    (0, 9, "\"query\":0", "\"query\":3", "line 9: `query` names no query of the 1 before it"),
    (0, 9, "[1]", "[2]", "line 9: `result` names no state of the 2 before it"),
    (0, 9, "result", "rezult", "line 9: a line of type action has no `rezult`"),
    (0, 9, "\"miss\"", "\"hit-fresh\"", "line 9: `outcome` is `hit-fresh`; valid here: hit, miss,"),
    (
      0, 9, "observe\",\"query\":0", "open\",\"object\":1,\"forced\":true",
      "line 9: an entity is opened and `forced`, which cannot be"
    ),
    (0, 9, "\"miss\"", "\"miss\",\"shows\":\"card\"", "line 9: `shows` is another view than that"),
    (0, 10, "changed", "replaced", "line 10: `kind` is `replaced`; valid here: changed, batch"),
    (0, 10, "\"changed\"", "\"deleted\"", "line 10: deletions and states do not mix"),
    (0, 10, "\"changed\"", "\"infrastructure\"", "line 10: `infrastructure` has items"),
    (0, 10, "\"bytes\"", "\"epoch\":1,\"bytes\"", "line 10: `epoch` and `sequence` go together"),
    (0, 10, "\"bytes\"", "\"since\":3000000000,\"bytes\"", "line 10: `since` is later than `at`"),
    (0, 10, "\"bytes\"", "\"client\":1,\"bytes\"", "line 10: `client` names no client of the 1 in"),
    (0, 11, "2010000000", "1990000000", "line 11: the event arrives before its commit"),
    (0, 12, "3000000000", "500000000", "line 12: `at` is earlier than on the line before it"),
    (0, 12, "3000000000", "30000000000", "line 12: `at` is out of range"),
    (0, 13, "0}", "0,\"outcome\":\"hit\"}", "line 13: a line of type action has no `outcome`"),
    (
      0, 13, "\"query\":0}", "\"query\":0",
      "line 13: a comma or } is expected (at byte 71)"
    ),
    (0, 13, "{", "\u{FEFF}{", "line 13: a value is expected"),
    (1, 1, "\"model\"", "\"modell\"", "line 1: `model` is missing"),
    (1, 1, "\"holds\":\"flag\"", "\"holds\":\"flags\"", "line 1: `holds` is `flags`; valid here"),
    (1, 1, "\"to\":\"room\"", "\"to\":\"rom\"", "line 1: unknown type `rom`; did you mean `room`?"),
    (1, 1, "\"name\":\"message\"", "\"name\":\"room\"", "line 1: the type `room` occurs twice"),
    (1, 1, "\"name\":\"pinned\"", "\"name\":\"sent\"", "line 1: the field `sent` occurs twice"),
    (1, 1, "\"lists\":[\"message\"]", "\"lists\":[]", "line 1: the query `thread` lists nothing"),
    (1, 1, "\"is\":\"subject\"", "\"is\":\"object\"", "line 1: unknown word in `is` `object`"),
    (1, 1, "\"field\":\"sent\"", "\"field\":\"send\"", "line 1: unknown field of `message` `send`"),
    (
      1, 1, "\"field\":\"sent\"", "\"field\":\"room\"",
      "line 1: `room` is a reference, which has no"
    ),
    (1, 1, "\"paged\":true", "\"pages\":true", "line 1: an entry of `queries` has no `pages`"),
    (
      1, 1, "}],\"order\"", "},{\"field\":\"room\",\"is\":\"me\"}],\"order\"",
      "line 1: the query `thread` is about two things"
    ),
    (1, 1, "\"policy\":\"my-app\",", "", "line 14: an `answer` line needs `policy` in the header"),
    (1, 6, "\"garden\"", "\"Garden\"", "line 6: `title` is not up to twelve letters a to z"),
    (1, 7, "{\"line\"", "{\"state\":1,\"line\"", "line 7: a line of type state has no `state`"),
    (1, 11, "\"after\":2", "\"after\":8", "line 11: `after` names no state of the 4 before it"),
    (
      1, 11, "\"after\":2", "\"after\":0",
      "line 11: `after` names a state of what `thread` does not"
    ),
    (1, 12, "8000000000", "5,4", "line 12: `appRestarts` are out of order"),
    (
      1, 12, "appRestarts", "relaunches",
      "line 12: a line of type client has no `relaunches`; it is now `appRestarts`"
    ),
    (
      1, 12, "\"appRestarts\":[8000000000]", "\"storageFaults\":[[1,2,\"fool\"]]",
      "line 12: `storageFaults` is `fool`; valid here: full, locked"
    ),
    (1, 13, "[3,2]", "[3,2,1]", "line 13: `result` has 3 rows, more than the `limit` of its query"),
    (1, 13, "observe", "write", "line 13: a line of type action has no `query`"),
    (1, 14, "1085000000", "85000000", "line 14: `at` is earlier than `asked`"),
    (1, 14, "\"bytes\"", "\"byte\"", "line 14: `bytes` is missing"),
    (1, 16, "\"refused\"", "\"lost\"", "line 16: `failure` is `lost`; valid here: unreachable,"),
  ]

  @Test("Bad lines are refused with their number", arguments: spoilt)
  func badLine(
    example: Int, line: Int, find: String, replace: String, error expected: String
  ) throws {
    var lines = try Self.example(example)
    let place = find == "\"policy\":\"my-app\"," ? 1 : line
    let range = try #require(lines[place - 1].range(of: find), "\(find)")
    lines[place - 1].replaceSubrange(range, with: replace)
    let error = try #require(throws: RecordingError.self) { _ = try Self.read(lines) }
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
    #expect(try error("a") == "line 1: this is not JSON; check that this is a recording")
    let long = "{\"x\":\"" + String(repeating: "a", count: 10_000_000) + "\"}"
    #expect(try error(long).hasPrefix("line 1: the line is longer than 8388608 bytes"))
    let deep = String(repeating: "[", count: 1_000_000)
    #expect(try error(deep).hasPrefix("line 1: the nesting is deeper than 8"))
    #expect(try error(try Self.example(0)[0]).hasPrefix("line 1: the recording has no client"))
  }

  @Test("A model has at most as many types, queries and fields as can be simulated")
  func limits() throws {
    func error(_ types: Int, _ fields: Int, _ queries: Int) throws -> String {
      let members = (0..<fields).map { "{\"name\":\"f\($0)\",\"holds\":\"time\"}" }
      let type = "\"fields\":[" + members.joined(separator: ",") + "]}"
      let model =
        "{\"types\":[" + (0..<types).map { "{\"name\":\"t\($0)\",\(type)" }.joined(separator: ",")
        + "],\"queries\":["
        + (0..<queries).map { "{\"name\":\"q\($0)\",\"lists\":[\"t0\"]}" }.joined(separator: ",")
        + "]}"
      var lines = try Self.example(0)
      let start = try #require(lines[0].range(of: "\"model\":")).upperBound
      lines[0] = lines[0][..<start] + model + "}"
      return try #require(throws: RecordingError.self) { _ = try Self.read(lines) }.description
    }
    #expect(
      try error(61, 1, 1) == "line 1: there are 61 types; at most 60 can be simulated; record fewer"
    )
    #expect(try error(1, 31, 1).hasPrefix("line 1: there are 31 fields in `t0`; at most 30"))
    #expect(try error(1, 1, 61).hasPrefix("line 1: there are 61 queries; at most 60"))
    // Within the limits it is the next line that fits no more.
    #expect(try error(60, 30, 60).hasPrefix("line 2: unknown type `room`"))
  }

  @Test("Every truncation is an error or a shorter recording, never a trap", arguments: [0, 1])
  func truncation(example: Int) throws {
    let bytes = Array(try Self.example(example).joined(separator: "\n").utf8)
    var failures = 0
    for length in stride(from: 0, to: bytes.count, by: 2) {
      do throws(RecordingError) {
        let workload = try SessionRecording.read(Array(bytes[..<length]))
        #expect(workload.clients.count == 1)
      } catch {
        failures += 1
        #expect(error.line >= 1)
      }
    }
    #expect(failures > bytes.count / 4)
  }

  @Test("With a known truth, contradictions are refused")
  func contradictions() throws {
    let mutation =
      #"{"line":"mutation","at":5,"epoch":1,"sequence":1,"kind":"changed","bytes":9,"items":["#
      + #"{"object":3,"clock":262145,"device":1,"bytes":180,"fields":{"room":0}}]}"#
    let lines = try Array(Self.example(1)[..<9]).map { $0.replacing("observed", with: "known") }
    let client = #"{"line":"client","name":"phone"}"#
    #expect(try Self.read(lines + [mutation, client]).mutations.count == 1)
    func error(_ first: String, _ second: String? = nil) throws -> String {
      let all = lines + [first] + [second].compactMap(\.self) + [client]
      return try #require(throws: RecordingError.self) { _ = try Self.read(all) }.description
    }
    #expect(
      try error(mutation.replacing("262145", with: "65536"))
        .hasPrefix("line 10: the version of object 3 does not grow"))
    #expect(try error(mutation, mutation).hasPrefix("line 11: the position does not follow"))
    #expect(
      try error(mutation.replacing("\"epoch\":1,\"sequence\":1,", with: ""))
        .hasPrefix("line 10: the mutation has no place in the stream"))
    #expect(
      try error(mutation.replacing("\"at\":5", with: "\"at\":5,\"since\":4"))
        .hasPrefix("line 10: `since` and `client` say what an app could not know"))
    let deletion =
      #"{"line":"mutation","at":5,"epoch":1,"sequence":1,"kind":"deleted","bytes":160,"#
      + #""clock":262145,"writer":2,"items":[{"object":3,"deleted":true}]}"#
    let next = mutation.replacing("\"sequence\":1", with: "\"sequence\":2")
      .replacing("262145", with: "262146")
    #expect(try error(deletion, next).hasPrefix("line 11: object 3 was deleted before"))
  }

  @Test("A state already in the file is named by its number, and written once")
  func toldTwice() throws {
    var lines = try Self.example(1)
    lines.insert(
      #"{"line":"mutation","at":5,"kind":"changed","bytes":180,"items":[{"state":3}]}"#, at: 9)
    let workload = try Self.read(lines)
    #expect(workload.catalog.revisions.count == 4)
    #expect(workload.items.map(\.revision) == [3] && workload.items.map(\.object) == [3])
    #expect(try SessionRecording.read(SessionRecording.write(workload)) == workload)
  }
}
