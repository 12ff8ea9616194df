import CacheModel
import HARImport
import RecordingCodec
import Testing
import Workloads

@Suite("Clients, their views, and reads that the app repeats by itself")
struct ClientTests {
  private static let task = #"{"id":1,"title":"a"}"#

  private static func twoPages(overlapping: Bool) -> HARText {
    var har = HARText()
    har.pages = #"[{"id":"p1","startedDateTime":"2026-11-27T12:00:00Z"},{"id":"p2"}]"#
    har.add("/tasks/1", at: 0, Self.task, page: "p1")
    har.add("/tasks/2", at: 10, Self.task, page: "p2")
    har.add("/tasks/3", at: overlapping ? 12 : 2, Self.task, page: "p1")
    har.add("/tasks/4", at: 14, Self.task, page: "p2")
    return har
  }

  @Test("Pages that follow each other are restarts of one client, overlapping ones are clients")
  func pages() throws {
    let follow = try Self.twoPages(overlapping: false).imported()
    #expect(follow.clients.map(\.appRestarts) == [[Instant(nanoseconds: 10_000_000_000)]])
    let overlap = try Self.twoPages(overlapping: true).imported()
    #expect(overlap.clients.map(\.appRestarts) == [[], []])
    #expect(overlap.reads.map(\.client) == [0, 0, 1, 1])
    let one = try Self.twoPages(overlapping: true).imported { $0.pages = .restarts }
    #expect(one.clients.count == 1)
    let two = try Self.twoPages(overlapping: false).imported { $0.pages = .clients }
    #expect(two.clients.count == 2)
  }

  @Test("A page that is left may make a last request after the next one began")
  func late() throws {
    var har = HARText()
    har.pages = #"[{"id":"p1","startedDateTime":"2026-11-27T12:00:00Z"},{"id":"p2"}]"#
    har.add("/tasks/1", at: 0, Self.task, page: "p1")
    har.add("/tasks/1", at: 10, Self.task, page: "p2")
    har.add("/tasks/3", at: 10.2, Self.task, page: "p1")
    let imported = try har.imported()
    #expect(imported.clients.map(\.appRestarts) == [[Instant(nanoseconds: 10_000_000_000)]])
  }

  @Test("Each file is a user")
  func files() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task)
    let imported = try Imported([har.text, har.text])
    #expect(imported.clients.map(\.name) == ["client 1", "client 2"])
    #expect(imported.session.summary.entities == 1)
    // What another user has read is no repeat.
    #expect(imported.session.summary.repeated == 0)
  }

  @Test("A view lasts as long as --view says, and ends before its page's next navigation")
  func views() throws {
    let har = Self.twoPages(overlapping: false)
    func leaving(_ imported: Imported) -> [Int64] {
      imported.actions.filter { $0.verb == .unobserve }.map { $0.at.nanoseconds / 1_000_000_000 }
    }
    #expect(leaving(try har.imported()) == [9, 9, 40, 44])
    #expect(leaving(try har.imported { $0.viewDuration = 5_000_000_000 }) == [5, 7, 15, 19])
    let none = try har.imported { $0.viewDuration = 0 }
    #expect(none.reads.map(\.verb) == [.read, .read, .read, .read])
    var again = HARText()
    again.add("/tasks/1", at: 0, Self.task)
    again.add("/tasks/1", at: 20, Self.task)
    again.add("/tasks/1", at: 60, Self.task)
    let imported = try again.imported()
    #expect(imported.reads.map(\.verb) == [.observe, .read, .observe])
    #expect(leaving(imported) == [50, 90])
  }

  @Test("Repeats at a fixed period, and within 2 s of a write's answer, are forced")
  func forced() throws {
    var har = HARText()
    for second in [0.0, 5, 10.05, 15, 20] { har.add("/tasks/1", at: second, Self.task) }
    har.add("/tasks/2", at: 30, Self.task)
    har.add("PATCH", "/tasks/1", at: 31, for: 0.5, Self.task, sends: "{}")
    har.add("/tasks/2", at: 33, Self.task)
    har.add("/tasks/3", at: 33.1, Self.task)
    har.add("/tasks/2", at: 35, Self.task)
    let imported = try har.imported()
    #expect(
      imported.reads.map(\.isForced)
        == [false, true, true, true, true, false, true, false, false])
    // Two equal intervals may be chance.
    var fewer = HARText()
    for second in [0.0, 5, 10] { fewer.add("/tasks/1", at: second, Self.task) }
    #expect(try fewer.imported().reads.map(\.isForced) == [false, false, false])
    #expect(imported.session.summary.forced == 5)
    // In a simulation every policy asks.
    let actions = imported.workload.clients[0].actions
    #expect(
      actions.filter { if case .maintenance(.invalidate(_)) = $0.kind { true } else { false } }
        .count
        == 5)
  }

  @Test("Only a write of what a read shows forces it: by types in the answer, the path or the name")
  func unrelatedWrites() throws {
    var har = HARText()
    for second in [0.0, 7, 19, 40] { har.add("/api/tasks/1", at: second, Self.task) }
    for second in stride(from: 0.5, to: 42, by: 1.9) {
      har.add("POST", "/api/heartbeat", at: second, #"{"ok":true}"#, sends: "{}")
    }
    #expect(try har.imported().reads.map(\.isForced) == [false, false, false, false])
    for path in ["/api/tasks/1/star", "/api/tasks", "/v2/task/archive"] {
      var other = har
      other.add("PUT", path, at: 18, status: 204, "", mime: "")
      #expect(
        try other.imported().reads.map(\.isForced) == [false, false, true, false], "\(path)")
    }
    var graph = HARText()
    let query = "query T { task { __typename id title } }"
    let task = #"{"task":{"__typename":"Task","id":1,"title":"a"}}"#
    for second in [0.0, 7, 19, 40] { graph.ask(query, "T", at: second, task) }
    graph.ask("mutation Heartbeat { ping }", "Heartbeat", at: 6, #"{"ping":true}"#)
    graph.ask("mutation DeleteTask { deleteTask }", "DeleteTask", at: 18, #"{"deleteTask":true}"#)
    #expect(try graph.imported().reads.map(\.isForced) == [false, false, true, false])
  }

  @Test("How long requests take is that of the file")
  func network() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, for: 0.03, Self.task)
    har.add("/tasks/2", at: 1, for: 0.07, Self.task)
    let network = try har.imported().session.header.network
    #expect(network.minimumRoundTrip == 30_000_000)
    #expect(network.meanExtra == 20_000_000)
  }
}

@Suite("Messages of sockets, and server-sent events")
struct SocketTests {
  private static func message(_ type: String, _ at: Double, _ data: String, opcode: Int = 1)
    -> String
  {
    #"{"type":"\#(type)","time":\#(HARText.begin + at),"opcode":\#(opcode),"data":\#(HARText.quoted(data))}"#
  }

  private static func socket(_ messages: [String], unit: String = "") -> HARText {
    var har = HARText()
    har.add("/tasks/1", at: 0, #"{"id":1,"title":"a"}"#)
    har.add(
      "wss://api.test/socket", at: 0.5, for: -0.001, status: 101, nil, mime: "x-unknown",
      more:
        ",\"_resourceType\":\"websocket\",\"_webSocketMessages\":[\(messages.joined(separator: ","))]"
    )
    return har
  }

  @Test("JSON with entities is an event; acknowledgements, pings and control frames are nothing")
  func events() throws {
    let har = Self.socket([
      Self.message("send", 1, #"{"type":"task.watch","id":1}"#),
      Self.message("receive", 2, #"{"type":"ping"}"#),
      Self.message("receive", 2, "", opcode: 9),
      Self.message("receive", 2.5, "hello"),
      Self.message("receive", 3, #"{"type":"task.updated","payload":{"id":1,"title":"b"}}"#),
      Self.message("receive", 4, #"{"event":"TASK_CREATED","task":{"id":2,"title":"n"}}"#),
    ])
    let imported = try har.imported()
    #expect(imported.session.summary.events == 2)
    #expect(imported.types == ["task", "task"])
    #expect(imported.mutations.map(\.at.nanoseconds) == [3_000_000_000, 4_000_000_000])
    #expect(imported.deliveries.map(\.mutation) == [0, 1])
    #expect(imported.changes.map(\.since) == [0])
    #expect(!imported.session.header.isWithoutEvents)
  }

  @Test("Times in milliseconds, as Playwright writes them, are recognised by their size")
  func milliseconds() throws {
    let time = Int(HARText.begin * 1_000) + 3_000
    let data = HARText.quoted(#"{"task":{"id":1,"title":"b"}}"#)
    let har = Self.socket([#"{"type":"receive","time":\#(time),"opcode":1,"data":\#(data)}"#])
    #expect(try har.imported().mutations.map(\.at.nanoseconds) == [3_000_000_000])
  }

  @Test("graphql-transport-ws and its forerunner: queries are reads, subscriptions are events")
  func graphQL() throws {
    let har = Self.socket([
      Self.message("send", 1, #"{"type":"connection_init"}"#),
      Self.message("receive", 1, #"{"type":"connection_ack"}"#),
      Self.message(
        "send", 2, #"{"id":"1","type":"subscribe","payload":{"query":"query T { task { id } }"}}"#),
      Self.message(
        "receive", 2.2,
        #"{"id":"1","type":"next","payload":{"data":{"task":{"id":1,"title":"a"}}}}"#),
      Self.message("receive", 2.2, #"{"id":"1","type":"complete"}"#),
      Self.message(
        "send", 3,
        #"{"id":"2","type":"start","payload":{"query":"subscription S { task { id } }"}}"#),
      Self.message(
        "receive", 4, #"{"id":"2","type":"data","payload":{"data":{"task":{"id":1,"title":"b"}}}}"#),
      Self.message(
        "receive", 5, #"{"id":"2","type":"data","payload":{"data":{"task":{"id":1,"title":"c"}}}}"#),
      Self.message(
        "send", 6, #"{"id":"3","type":"subscribe","payload":{"query":"query T { task { id } }"}}"#),
      Self.message("receive", 6.1, #"{"id":"3","type":"error","payload":[{"message":"no"}]}"#),
    ])
    let imported = try har.imported()
    #expect(imported.asked == ["/tasks/:id", "T", "T"])
    #expect(imported.rows == [["task"], ["task"], nil])
    #expect(imported.session.summary.events == 2)
    #expect(imported.session.summary.failed == 1)
    #expect(imported.changes.map(\.since) == [2, 4])
  }

  @Test("Server-sent events as messages, or in the body of a stream")
  func serverSent() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, #"{"id":1,"title":"a"}"#)
    let data = HARText.quoted(#"{"task":{"id":1,"title":"b"}}"#)
    har.add(
      "/events", at: 1, for: -0.001, nil, mime: "text/event-stream",
      more: ",\"_eventSourceMessages\":[{\"time\":\(HARText.begin + 3),\"data\":\(data)}]")
    har.add(
      "/events", at: 4, for: 2,
      "event: x\ndata: {\"task\":\ndata: {\"id\":1,\"title\":\"c\"}}\n\n: note\n\n",
      mime: "text/event-stream")
    let imported = try har.imported()
    #expect(imported.session.summary.events == 2)
    #expect(imported.changes.map(\.at) == [3, 6])
  }

  @Test("Events without times are between the beginning and the end of their stream, in its order")
  func withoutTimes() throws {
    func event(_ title: String) -> String {
      "data: {\"task\":{\"id\":1,\"title\":\"\(title)\"}}\n\n"
    }
    var har = HARText()
    har.add("/tasks/1", at: 0, #"{"id":1,"title":"a"}"#)
    har.add(
      "/events", at: 1, for: 9, event("b") + event("c"), mime: "text/event-stream")
    har.add("/tasks/1", at: 5, #"{"id":1,"title":"b"}"#)
    har.add("/tasks/1", at: 12, #"{"id":1,"title":"c"}"#)
    let imported = try har.imported()
    #expect(imported.changes.map(\.since) == [0, 5])
    #expect(imported.changes.map(\.at) == [5.05, 10])
    var back = HARText()
    back.add("/tasks/1", at: 0, #"{"id":1,"title":"a"}"#)
    back.add(
      "/events", at: 1, for: 9, event("b") + event("c") + event("b"), mime: "text/event-stream")
    back.add("/tasks/1", at: 12, #"{"id":1,"title":"b"}"#)
    #expect(try back.imported().versions.last == ["1v4"])
  }
}
