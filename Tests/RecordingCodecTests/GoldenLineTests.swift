import CacheModel
import Testing
import Text

@testable import RecordingCodec

/// Each kind of line with all its members, next to its bytes; other writers write the same.
@Suite("Bytes of recordings")
struct GoldenLineTests {
  private static func time(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

  private static func filled<Members: RecordedMembers>(
    _ change: (inout Members) -> Void
  ) -> Members {
    var members = Members()
    change(&members)
    return members
  }

  private static func answer(_ change: (inout RecordedAnswer) -> Void) -> RecordingLine {
    var answer = RecordedAnswer(asked: time(1), at: time(9), target: .query(2), bytes: 0)
    change(&answer)
    return .answer(AnswerLine(client: 0, answer))
  }

  static let lines: [(line: RecordingLine, text: String)] = [
    (
      .object(ObjectLine(type: "сообщение", id: "m/1 \"é\"")),
      #"{"line":"object","type":"сообщение","id":"m/1 \"é\""}"#
    ),
    (
      .state(
        filled {
          $0 = RecordedState(object: 1, version: Version(clock: .max, device: 2), bytes: 3)
          $0.location = 4
          $0.fields = [
            .init("sent", .number(-5)), .init("Größe", .text("abc")), .init("pinned", .flag(true)),
            .init("tags", .references([6, 7])),
          ]
        }),
      #"{"line":"state","object":1,"clock":18446744073709551615,"device":2,"location":4,"bytes":3,"#
        + #""fields":{"sent":-5,"Größe":"abc","pinned":true,"tags":[6,7]}}"#
    ),
    (
      .query(
        filled {
          $0.name = "thread"
          ($0.subject, $0.limit, $0.after) = (1, 50, 8)
        }), #"{"line":"query","name":"thread","subject":1,"limit":50,"after":8}"#
    ),
    (
      .query(
        filled {
          $0.name = "search"
          ($0.typed, $0.limit) = ("abc", 20)
        }), #"{"line":"query","name":"search","typed":"abc","limit":20}"#
    ),
    (
      .mutation(
        filled {
          ($0.at, $0.since, $0.device) = (time(9), time(4), 2)
          $0.position = StreamPosition(epoch: 1, sequence: 7)
          ($0.kind, $0.bytes, $0.origin, $0.client) = (.batch, 300, .index, 0)
          $0.items = [
            .state(RecordedState(object: 1, version: Version(clock: 5, device: 1), bytes: 200)),
            .known(3),
          ]
        }),
      #"{"line":"mutation","at":9,"since":4,"device":2,"epoch":1,"sequence":7,"kind":"batch","#
        + #""bytes":300,"origin":"index","client":0,"items":["#
        + #"{"object":1,"clock":5,"device":1,"bytes":200},{"state":3}]}"#
    ),
    (
      .mutation(
        filled {
          ($0.at, $0.kind, $0.bytes) = (time(9), .deleted, 160)
          $0.version = Version(clock: 6, device: 1)
          $0.items = [.deleted(object: 1)]
        }),
      #"{"line":"mutation","at":9,"kind":"deleted","bytes":160,"clock":6,"writer":1,"#
        + #""items":[{"object":1,"deleted":true}]}"#
    ),
    (
      .mutation(
        filled {
          ($0.at, $0.kind, $0.bytes) = (time(9), .bulkNotice, 90)
          ($0.location, $0.type, $0.token) = (4, "file", 11)
        }),
      #"{"line":"mutation","at":9,"kind":"bulk-notice","bytes":90,"location":4,"type":"file","#
        + #""token":11,"items":[]}"#
    ),
    (
      .mutation(filled { ($0.at, $0.bytes, $0.carries, $0.write) = (time(9), 160, .ids, 3) }),
      #"{"line":"mutation","at":9,"kind":"changed","bytes":160,"carries":"ids","write":3}"#
    ),
    (
      .mutation(filled { ($0.at, $0.bytes, $0.write) = (time(9), 210, 3) }),
      #"{"line":"mutation","at":9,"kind":"changed","bytes":210,"write":3}"#
    ),
    (
      .write(
        filled {
          ($0.client, $0.isCreation, $0.isRefused) = (1, true, true)
          $0.items = [.deleted(object: 2)]
        }),
      #"{"line":"write","client":1,"creation":true,"refused":true,"#
        + #""items":[{"object":2,"deleted":true}]}"#
    ),
    (
      .client(
        filled {
          $0.name = "phone"
          $0.partitions = [time(1)..<time(2), time(3)..<time(4)]
          ($0.errors, $0.silences) = ([time(5)..<time(6)], [time(7)..<time(8)])
          ($0.reaction, $0.writesThrough, $0.writesShown) = ("waits", "request", "confirmed")
          $0.appRestarts = [time(9)]
          $0.storageFaults = [StorageRefusal(during: time(1)..<time(9), fault: .readOnly)]
        }),
      #"{"line":"client","name":"phone","partitions":[[1,2],[3,4]],"errors":[[5,6]],"#
        + #""reaction":"waits","writesThrough":"request","writesShown":"confirmed","#
        + #""silences":[[7,8]],"appRestarts":[9],"storageFaults":[[1,9,"read-only"]]}"#
    ),
    (
      .action(
        filled {
          ($0.at, $0.verb, $0.query) = (time(1), .read, 2)
          ($0.isForced, $0.outcome, $0.shows, $0.result) = (true, .hitFresh, "card", [4, 3])
        }),
      #"{"line":"action","client":0,"at":1,"do":"read","query":2,"forced":true,"#
        + #""outcome":"hit_fresh","shows":"card","result":[4,3]}"#
    ),
    (
      .action(
        filled {
          ($0.at, $0.verb, $0.object, $0.query, $0.result) = (time(1), .open, 5, 2, [])
        }), #"{"line":"action","client":0,"at":1,"do":"open","object":5,"query":2,"result":[]}"#
    ),
    (
      .action(
        filled {
          ($0.at, $0.verb, $0.query, $0.from, $0.result) = (time(1), .take, 2, 1, [4])
        }), #"{"line":"action","client":0,"at":1,"do":"take","query":2,"from":1,"result":[4]}"#
    ),
    (
      .action(
        filled { ($0.at, $0.verb, $0.query, $0.result) = (time(1), .unobserve, 2, [3, 4]) }),
      #"{"line":"action","client":0,"at":1,"do":"unobserve","query":2,"result":[3,4]}"#
    ),
    (
      .action(filled { ($0.at, $0.verb, $0.billionths) = (time(1), .release, 500_000_000) }),
      #"{"line":"action","client":0,"at":1,"do":"release","billionths":500000000}"#
    ),
    (
      .action(filled { ($0.at, $0.verb, $0.write) = (time(1), .write, 7) }),
      #"{"line":"action","client":0,"at":1,"do":"write","write":7}"#
    ),
    (
      .delivery(
        filled {
          ($0.client, $0.at, $0.sent, $0.isOvertaken, $0.mutation) = (1, time(5), time(4), true, 6)
        }),
      #"{"line":"delivery","client":1,"at":5,"sent":4,"overtaken":true,"mutation":6}"#
    ),
    (
      .delivery(filled { ($0.at, $0.position) = (time(5), StreamPosition(epoch: 1, sequence: 2)) }),
      #"{"line":"delivery","client":0,"at":5,"epoch":1,"sequence":2}"#
    ),
    (
      answer {
        ($0.bytes, $0.result, $0.hasMore) = (620, [3, 2], true)
        $0.place = StreamPosition(epoch: 1, sequence: 7)
      },
      #"{"line":"answer","client":0,"asked":1,"at":9,"query":2,"bytes":620,"result":[3,2],"#
        + #""more":true,"epoch":1,"sequence":7}"#
    ),
    (
      answer { ($0.target, $0.isUnchanged) = (.object(4), true) },
      #"{"line":"answer","client":0,"asked":1,"at":9,"object":4,"bytes":0,"unchanged":true}"#
    ),
    (
      answer { $0.failure = .unreachable },
      #"{"line":"answer","client":0,"asked":1,"at":9,"query":2,"failure":"unreachable"}"#
    ),
    (
      answer { ($0.at, $0.bytes) = (time(1), 7) },
      #"{"line":"answer","client":0,"asked":1,"at":1,"query":2,"bytes":7}"#
    ),
    (
      .place(
        ListedPlace(
          at: time(5), query: 1, state: 3, match: .unknown, after: 2, before: 4)),
      #"{"line":"place","at":5,"query":1,"state":3,"is":"unknown","after":2,"before":4}"#
    ),
    (
      .gap(RecordingGap(at: time(5), lines: 12, cause: .format)),
      #"{"line":"gap","at":5,"lines":12,"why":"format"}"#
    ),
  ]

  /// A header with all its members.
  private static let header: RecordingHeader = filled {
    ($0.truth, $0.name, $0.seed, $0.duration, $0.warmUp) = ("known", "日記", 3, 100, 10)
    ($0.isWithoutEvents, $0.saysNotModified) = (true, true)
    $0.library = "5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11"
    $0.network.minimumRoundTrip = 20
    ($0.network.meanExtra, $0.network.bytesPerSecond, $0.network.seed) = (5, 1_000, 4)
    ($0.retention.events, $0.retention.age) = (100, 50)
    ($0.policy, $0.tellsPlaces, $0.serverRestarts) = ("own", true, [time(7)])
    $0.ownEvents = filled {
      ($0.delay, $0.jitter, $0.lossPerBillion, $0.activeEnd) = (1, 2, 3, 4)
    }
    var owner = RecordedField("room", .reference, to: "room")
    owner.cascades = true
    var message = RecordedType("message", [owner, RecordedField("sent", .time)])
    message.views = ["card", "line"].map { name in
      filled {
        ($0.name, $0.shows) = (name, ["sent"])
        if name == "card" { $0.bytes = 80 } else { $0.millionths = 125_000 }
      }
    }
    $0.model.types = [RecordedType("room"), message]
    var thread = RecordedQuery(
      "thread", ["message"],
      [
        filled { ($0.field, $0.isWord) = ("room", "subject") },
        filled { ($0.field, $0.compares, $0.to) = ("likes", ">=", -3) },
        filled { ($0.field, $0.begins) = ("text", "typed") },
        filled { ($0.field, $0.includes) = ("tags", "me") },
        filled { $0.id = "me" },
      ])
    thread.order = [filled { ($0.field, $0.isDescending) = ("sent", true) }]
    (thread.rows, thread.isPaged, thread.cachedFrom) = (20, true, 3)
    (thread.shows, thread.reportClass) = ("card", "talk")
    $0.model.queries = [thread, RecordedQuery("all", ["room"])]
  }

  private static let headerText =
    #"{"format":"tidemark-session","version":3,"truth":"known","name":"日記","seed":3,"#
    + #""duration":100,"warmUp":10,"withoutEvents":true,"notModified":true,"#
    + #""library":"5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11","network":{"minimumRoundTrip":20,"#
    + #""meanExtra":5,"bytesPerSecond":1000,"seed":4},"retention":{"events":100,"age":50},"#
    + #""policy":"own","places":true,"model":{"types":[{"name":"room"},{"name":"message","#
    + #""fields":[{"name":"room","holds":"reference","to":"room","cascade":true},"#
    + #"{"name":"sent","holds":"time"}],"views":[{"name":"card","shows":["sent"],"bytes":80},"#
    + #"{"name":"line","shows":["sent"],"millionths":125000}]}],"queries":[{"name":"thread","#
    + #""lists":["message"],"where":[{"field":"room","is":"subject"},"#
    + #"{"field":"likes","compares":">=","to":-3},{"field":"text","begins":"typed"},"#
    + #"{"field":"tags","includes":"me"},{"id":"me"}],"#
    + #""order":[{"field":"sent","descending":true}],"rows":20,"paged":true,"cachedFrom":3,"#
    + #""shows":"card","class":"talk"},{"name":"all","lists":["room"]}]},"serverRestarts":[7],"#
    + #""ownEvents":{"delay":1,"jitter":2,"lossPerBillion":3,"activeEnd":4}}"#

  private static func read(
    _ text: String
  ) throws(RecordingError) -> (RecordingHeader, [RecordingLine]) {
    var (header, lines) = (RecordingHeader(), [RecordingLine]())
    try RecordingCodec.read(Array(text.utf8)) { read, _ in
      header = read
    } next: { line, _ in
      lines.append(line)
    }
    return (header, lines)
  }

  @Test("A line of each kind is these bytes, and these bytes are the line")
  func lines() throws {
    var json = JSONWriter()
    RecordingCodec.write(Self.header, to: &json)
    for (line, _) in Self.lines { line.write(into: &json) }
    let text = ([Self.headerText] + Self.lines.map(\.text)).map { $0 + "\n" }.joined()
    #expect(String(decoding: json.bytes, as: UTF8.self) == text)
    let (header, lines) = try Self.read(text)
    #expect(header == Self.header)
    #expect(lines == Self.lines.map(\.line))
    let kinds = lines.map { "\($0)".prefix { $0 != "(" } }
    #expect(Set(kinds).count == RecordingLine.Kind.allCases.count, "a line of each kind")
  }

  @Test("Spaces, another order of members, and unknown members are ignored")
  func lenient() throws {
    let text =
      Self.headerText + "\r\n\n"
      + #" { "query" : 2 , "at" : 1 , "client" : 0 , "forced" : false , "#
      + #""do" : "read" , "line" : "action" } "#
    var action = ActionLine()
    (action.at, action.query) = (Self.time(1), 2)
    #expect(try Self.read(text).1 == [.action(action)])
  }

  @Test("2,000 types and queries have room, and not one more")
  func room() throws {
    func text(_ count: Int) -> String {
      let name = #""name":"ä"#
      let types = (0..<count).map { "{\(name)\($0)\"}" }.joined(separator: ",")
      let queries = (0..<count).map { "{\(name)\($0)\",\"lists\":[\"ä\($0)\"]}" }
      let model = "\"types\":[\(types)],\"queries\":[\(queries.joined(separator: ","))]"
      let parts = Self.headerText.split(separator: "\"model\":", maxSplits: 1)
      return parts[0] + "\"model\":{\(model)}}"
    }
    let model = try Self.read(text(2_000)).0.model
    #expect(model.types.count == 2_000 && model.queries.count == 2_000)
    let error = #expect(throws: RecordingError.self) { try Self.read(text(2_001)) }
    #expect(error?.cause == "`types` has 2001 entries")
  }

  @Test("An id has at most 1,024 bytes, in whatever letters")
  func longId() throws {
    func text(_ letters: Int) -> String {
      let id = String(repeating: "é", count: letters)
      return Self.headerText + #"\#n{"line":"object","type":"room","id":"\#(id)"}"#
    }
    #expect(try Self.read(text(512)).1.count == 1)
    let error = #expect(throws: RecordingError.self) { try Self.read(text(513)) }
    #expect(error?.cause == "`id` has 1026 bytes" && error?.line == 2)
  }

  @Test(
    "Bytes that are not a recording are refused, with the line and a remedy",
    arguments: 1...3 as ClosedRange<UInt64>)
  func hostile(seed: UInt64) {
    let text = ([Self.headerText] + Self.lines.map(\.text)).joined(separator: "\n")
    var random = RandomSource(seed: seed)
    let letters = Array(#"{}[]",:0-9e.\ntrue"#.utf8) + [0, 0xFF, 0xC3]
    var refused = 0
    for _ in 0..<2_000 {
      var bytes = Array(text.utf8)
      for _ in 0..<1 + random.below(3) {
        bytes[random.below(bytes.count)] = letters[random.below(letters.count)]
      }
      if random.below(4) == 0 { bytes.removeSubrange(random.below(bytes.count)...) }
      do throws(RecordingError) {
        try RecordingCodec.read(bytes, begin: { _, _ in }, next: { _, _ in })
      } catch {
        refused += 1
        #expect(error.line >= 1 && !error.cause.isEmpty && !error.remedy.isEmpty)
      }
    }
    #expect(refused > 500)
  }

  @Test(
    "A draft is refused with one line that names the last commit which read it",
    arguments: [1, 2, 4])
  func drafts(version: Int) {
    let text = Self.headerText.replacing("\"version\":3", with: "\"version\":\(version)")
    let error = #expect(throws: RecordingError.self) { try Self.read(text) }
    #expect(
      error?.description
        == "line 1: the format has version \(version), and this program reads version 3; "
        + (version < 3
          ? "record it again; commit 62247ac0 of Tidemark was the last that read drafts"
          : "use the program that wrote it"))
  }
}
