import CacheModel
import HARImport
import RecordingCodec
import Testing
import Workloads

@Suite("An app's requests are recognised, and separated by what they ask for")
struct RequestTests {
  private static let task = #"{"id":1,"title":"a"}"#

  @Test("A host counts if its answers hold entities, or if it is named")
  func hosts() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task)
    har.add("/empty", at: 1, "[]")
    har.add("https://tracker.test/hit", at: 2, #"{"ok":true}"#)
    har.add("https://other.test:8080/notes/5", at: 3, #"{"id":5}"#)
    #expect(try har.imported().asked == ["/tasks/:id", "/empty", "/notes/:id"])
    #expect(try har.imported().summary.contains("other hosts 1"))
    let only = try har.imported { $0.hosts = ["other.test"] }
    #expect(only.asked == ["/notes/:id"])
    #expect(only.summary.contains("other hosts 3"))
  }

  @Test("Beacons are recognised by what they send if the resource type is missing")
  func beacons() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task)
    let form = "application/x-www-form-urlencoded"
    har.add("POST", "/log", at: 1, status: 204, "", sends: "a", as: "text/plain;charset=UTF-8")
    har.add("POST", "/collect", at: 2, status: 204, "", sends: "a=1", as: form)
    har.add("POST", "/left", at: 3, sends: "PING", as: "text/ping")
    har.add("POST", "/report", at: 4, status: 204, "", sends: "{}", as: "application/csp-report")
    // Those are the app's.
    har.add("POST", "/tasks", at: 5, status: 204, "", sends: "a=1", as: form)
    har.add("POST", "/collect", at: 6, Self.task, sends: "a=1", as: form)
    let imported = try har.imported()
    #expect(imported.summary.contains("Left out    beacons 4\n"), "\(imported.summary)")
    #expect(imported.session.summary.writes == 2)
  }

  @Test("Pages, scripts, styles, fonts, images, beacons, preflights and pushes are left out")
  func kinds() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task)
    har.add("/", at: 1, "<html>", mime: "text/html; charset=utf-8")
    har.add("/app.js", at: 2, "x", mime: "application/javascript")
    har.add("/app.css", at: 3, "x", mime: "text/css")
    har.add("/a.woff2", at: 4, "x", mime: "font/woff2")
    har.add("/a.png", at: 5, "x", mime: "image/png")
    har.add(
      "POST", "/beacon", at: 6, Self.task, mime: "text/plain", more: ",\"_resourceType\":\"ping\"")
    har.add("OPTIONS", "/tasks/1", at: 7, "")
    har.add("/tasks/1", at: 8, Self.task, more: ",\"_was_pushed\":1")
    har.add("/readme.txt", at: 9, "hello", mime: "text/plain")
    har.add("data:text/plain,x", at: 10, "x")
    let imported = try har.imported()
    #expect(imported.asked == ["/tasks/:id"])
    #expect(
      imported.session.summary.lines[8]
        == "Left out    pages and frames 1; scripts and styles 2; images, fonts and media 2; "
        + "beacons 1; CORS preflights 1; HTTP/2 pushes 1; answers that are not JSON 1; "
        + "addresses that are not of the web 1")
    #expect(
      try har.imported { $0.countsImages = true }.asked
        == ["/tasks/:id", "/a.png"].map {
          $0 == "/a.png" ? "/:id" : $0
        })
  }

  @Test("GET and HEAD read, a HEAD without rows; other methods write unless --reads says otherwise")
  func methods() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task)
    har.add("HEAD", "/tasks/1", at: 1, nil)
    har.add("POST", "/search", at: 2, "[\(Self.task)]", sends: #"{"q":"a","n":1}"#)
    har.add("POST", "/search", at: 3, "[\(Self.task)]", sends: #"{"n":1,"q":"a"}"#)
    har.add("POST", "/search", at: 4, "[\(Self.task)]", sends: #"{"q":"b","n":1}"#)
    let plain = try har.imported()
    #expect(plain.asked == ["/tasks/:id", "HEAD /tasks/:id"])
    #expect(plain.rows == [["task"], []])
    #expect(plain.session.summary.writes == 3)
    let told = try har.imported { $0.reads = [.init("POST /search")].compactMap(\.self) }
    #expect(told.asked.suffix(3) == ["POST /search", "POST /search", "POST /search"])
    #expect(told.reads.suffix(3).map(\.query) == [2, 2, 3])
    #expect(HARImportOptions.Read("search") == nil)
  }

  @Test("A read by another method has its parameters as a body, or else it is left out")
  func bodies() throws {
    func data(_ members: String) -> String {
      "\"postData\":{\"mimeType\":\"application/x-www-form-urlencoded\",\(members)}"
    }
    func name(_ name: String, _ value: String) -> String {
      #"{"name":"\#(name)","value":"\#(value)"}"#
    }
    let ab = "\"params\":[\(name("q", "a")),\(name("n", "b"))]"
    let ba = "\"params\":[\(name("n", "b")),\(name("q", "a"))]"
    var har = HARText()
    for (second, body) in [
      data(ab), data(ba), data("\"text\":\"q=a&n=b\""), data("\"params\":[\(name("q", "c"))]"),
      "\"bodySize\":0", "\"bodySize\":9", "\"x\":0", data("\"text\":\"\""),
    ].enumerated() {
      har.add("POST", "/search", at: Double(second), "[\(Self.task)]")
      har.entries[second] = har.entries[second].replacing(
        "\"queryString\":[]", with: "\"queryString\":[],\(body)")
    }
    let imported = try har.imported { $0.reads = [.init("POST /search")].compactMap(\.self) }
    #expect(imported.reads.map(\.query) == [0, 0, 0, 1, 2])
    #expect(imported.summary.contains("requests whose body was not recorded 3"))
  }

  @Test("JSON that a script got as a page is data")
  func scripts() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task)
    har.add("/tasks/1", at: 1, Self.task, mime: "text/html")
    har.add("/tasks/1", at: 2, Self.task, mime: "text/html", more: ",\"_resourceType\":\"fetch\"")
    har.add(
      "/tasks/1", at: 3, Self.task, mime: "text/html", more: ",\"_resourceType\":\"document\"")
    har.add("/part", at: 4, "<p>", mime: "text/html", more: ",\"_resourceType\":\"xhr\"")
    let imported = try har.imported()
    #expect(imported.reads.count == 3)
    #expect(imported.summary.contains("pages and frames 1; answers that are not JSON 1"))
  }

  @Test("A REST query is its path and its parameters in any order; each page is a query of its own")
  func rest() throws {
    var har = HARText()
    har.add("/tasks?page=1&size=2", at: 0, "[\(Self.task)]")
    har.add("/tasks?size=2&page=1", at: 1, "[\(Self.task)]")
    har.add("/tasks?size=2&page=2", at: 2, "[]")
    har.add("/tasks?size=2&page=3", at: 3, "[]")
    har.add("/tasks/a%20b", at: 4, Self.task)
    har.add("/tasks/a b#top", at: 5, Self.task)
    #expect(try har.imported().reads.map(\.query) == [0, 0, 1, 2, 3, 3])
  }

  @Test("Parameters that never repeat are ignored by name or as clocks, and named")
  func busters() throws {
    var har = HARText()
    for second in 0..<3 {
      let milliseconds = 1_795_780_800_000 + second * 1_000
      har.add("/tasks?_=\(second)a&when=\(milliseconds)&cursor=\(second)", at: Double(second), "[]")
    }
    har.add("/tasks/1", at: 4, Self.task)
    let imported = try har.imported()
    // Each cursor is a page.
    #expect(imported.reads.map(\.query) == [0, 1, 2, 3])
    #expect(imported.summary.contains("ignored (--keep-parameter): _, when"))
    var same = HARText()
    for second in 0..<3 { same.add("/tasks?_=\(second)", at: Double(second), "[\(Self.task)]") }
    #expect(try same.imported().reads.map(\.query) == [0, 0, 0])
    #expect(try same.imported { $0.keptParameters = ["_"] }.reads.map(\.query) == [0, 1, 2])
  }

  @Test(
    "A time that selects a page is part of the query: by its name, or as no answers share a row")
  func cursors() throws {
    func queries(_ name: String, _ ids: [Int]) throws -> [UInt32?] {
      var har = HARText()
      for (second, id) in ids.enumerated() {
        let time = 1_795_780_000_000 - second * 1_000
        har.add("/notes?channel=1&\(name)=\(time)", at: Double(second), #"[{"id":\#(id)}]"#)
      }
      return try har.imported().reads.map(\.query)
    }
    #expect(try queries("before", [1, 1, 1]) == [0, 1, 2])
    #expect(try queries("when", [1, 2, 3]) == [0, 1, 2])
    #expect(try queries("when", [1, 2, 2]) == [0, 0, 0])
    #expect(try queries("ts", [1, 1, 1]) == [0, 0, 0])
  }

  @Test("A GraphQL operation is its name and its variables, by POST, by GET, or in a form")
  func graphQL() throws {
    let query = "query Tasks($n: Int) { tasks(first: $n) { id title } }"
    let data = #"{"tasks":[{"__typename":"Task","id":"1","title":"a"}]}"#
    var har = HARText()
    har.ask(query, "Tasks", #"{"n":1,"m":{"a":1,"b":2}}"#, at: 0, data)
    har.ask(query, nil, #"{"m":{"b":2,"a":1},"n":1}"#, at: 1, data)
    har.ask(query, "Tasks", #"{"n":2}"#, at: 2, data)
    har.add(
      "/graphql?operationName=Tasks&variables=%7B%22n%22%3A2%7D&query=query+Tasks%7Btasks%7Bid%7D%7D",
      at: 3, #"{"data":\#(data)}"#)
    let imported = try har.imported()
    #expect(imported.asked == ["Tasks", "Tasks", "Tasks", "Tasks"])
    #expect(imported.reads.map(\.query) == [0, 0, 1, 1])
    #expect(imported.rows.allSatisfy { $0 == ["Task"] })
  }

  @Test("Missing, empty and null variables are equal")
  func noVariables() throws {
    var har = HARText()
    for (second, variables) in ["{}", "null", nil].enumerated() {
      har.add(
        "POST", "/graphql", at: Double(second), #"{"data":{"me":{"__typename":"User","id":"u"}}}"#,
        sends: #"{"query":"query Me { me { id } }""#
          + (variables.map { #","variables":\#($0)}"# } ?? "}"))
    }
    #expect(try har.imported().reads.map(\.query) == [0, 0, 0])
  }

  @Test("Operations that are sent together are reads and writes of their own")
  func batch() throws {
    var har = HARText()
    har.add(
      "POST", "/graphql", at: 0,
      #"[{"data":{"me":{"__typename":"User","id":"u"}}},{"data":{"add":{"__typename":"Task","id":"1"}}},{"errors":[{"message":"no"}],"data":null}]"#,
      sends:
        #"[{"operationName":"Me","query":"query Me { me { id } }"},{"query":"mutation Add { add { id } }"},{"query":"query Bad { bad { id } }"}]"#
    )
    let imported = try har.imported()
    #expect(imported.asked == ["Me", "Bad"])
    #expect(imported.rows == [["User"], nil])
    #expect(imported.session.summary.writes == 1)
    #expect(imported.session.summary.failed == 1)
  }

  @Test(
    "A persisted operation that the server does not know, and its repeat with the text, are one read"
  )
  func persisted() throws {
    let hash = #""extensions":{"persistedQuery":{"version":1,"sha256Hash":"abc"}}"#
    let data = #"{"data":{"task":{"__typename":"Task","id":"1"}}}"#
    var har = HARText()
    har.add(
      "POST", "/graphql", at: 0, #"{"errors":[{"message":"PersistedQueryNotFound"}]}"#,
      sends: #"{"operationName":"T","variables":{},\#(hash)}"#)
    har.add(
      "POST", "/graphql", at: 0.1, data,
      sends: #"{"operationName":"T","variables":{},\#(hash),"query":"query T { task { id } }"}"#)
    har.add("POST", "/graphql", at: 5, data, sends: #"{"operationName":"T",\#(hash)}"#)
    // This request is never repeated.
    har.add(
      "POST", "/graphql", at: 9,
      #"{"errors":[{"message":"x","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}"#,
      sends:
        #"{"operationName":"U","variables":{},"extensions":{"persistedQuery":{"sha256Hash":"d"}}}"#)
    let imported = try har.imported()
    #expect(imported.asked == ["T", "T", "U"])
    #expect(imported.rows == [["Task"], ["Task"], nil])
    #expect(imported.answers.map(\.answer.failure) == [nil, nil, .refused])
    #expect(imported.reads.first?.at.nanoseconds == 0)
  }

  @Test("Without its text, an operation writes if its name says so, and else it is named")
  func unknownKinds() throws {
    func body(_ name: String, _ more: String = "") -> String {
      #"{"operationName":"\#(name)","extensions":{"persistedQuery":{"sha256Hash":"\#(name)"}}\#(more)}"#
    }
    let data = #"{"data":{"task":{"__typename":"Task","id":"1"}}}"#
    var har = HARText()
    for (second, name) in ["TasksQuery", "ToggleMutation", "Toggle"].enumerated() {
      har.add("POST", "/graphql", at: Double(second), data, sends: body(name))
    }
    // A text decides.
    har.add(
      "POST", "/graphql", at: 4, data,
      sends: body("LastMutation", #","query":"query LastMutation { task { id } }""#))
    har.add("POST", "/graphql", at: 5, data, sends: body("LastMutation"))
    let imported = try har.imported()
    #expect(imported.asked == ["TasksQuery", "Toggle", "LastMutation", "LastMutation"])
    #expect(imported.session.summary.writes == 1)
    #expect(
      imported.summary.contains("operations without their text, taken for reads: Toggle\n"),
      "\(imported.summary)")
  }

  @Test("An id beside a text is none of the operation, and only a whole segment is GraphQL's")
  func documents() throws {
    var har = HARText()
    for (second, name) in ["A", "B"].enumerated() {
      har.add(
        "POST", "/graphql", at: Double(second), #"{"data":{"t":{"__typename":"T","id":1}}}"#,
        sends: #"{"operationName":"\#(name)","query":"query \#(name) { t { id } }","id":"1"}"#)
    }
    har.add("/graphql-docs/pages?id=5", at: 3, "[\(Self.task)]")
    har.add("/graphql-docs/comments?id=5", at: 4, "[\(Self.task)]")
    #expect(
      try har.imported().asked == ["A", "B", "/graphql-docs/:id", "/graphql-docs/:id"])
  }

  @Test("A subscription that fails is no read, unlike a query over the same socket")
  func failedSubscriptions() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task)
    let messages = ["subscription", "query"].enumerated().flatMap { id, kind in
      [
        (
          "send",
          #"{"id":"\#(id)","type":"subscribe","payload":{"query":"\#(kind) S { t { id } }"}}"#
        ),
        ("receive", #"{"id":"\#(id)","type":"error","payload":[{"message":"no"}]}"#),
      ]
    }.map {
      #"{"type":"\#($0)","time":\#(HARText.begin + 1),"data":\#(HARText.quoted($1))}"#
    }
    har.add(
      "wss://api.test/s", at: 0.5, status: 101, nil,
      more: ",\"_webSocketMessages\":[\(messages.joined(separator: ","))]")
    let imported = try har.imported()
    #expect(imported.reads.count == 2)
    #expect(imported.session.summary.failed == 1)
  }

  @Test("Redirects are joined; a loop and a missing end are failures")
  func redirects() throws {
    func redirect(to target: String) -> String { "\"redirectURL\":\"\(target)\"," }
    var har = HARText()
    func add(_ path: String, at: Double, to target: String) {
      har.add(path, at: at, status: 302, "", response: "")
      har.entries[har.entries.count - 1] = har.entries[har.entries.count - 1].replacing(
        "\"redirectURL\":\"\"", with: "\"redirectURL\":\"\(target)\"")
    }
    add("/old/1", at: 0, to: "/tasks/1")
    har.add("/tasks/1", at: 0.1, Self.task)
    add("/left", at: 5, to: "https://api.test/right")
    add("/right", at: 5.1, to: "/left")
    add("/left", at: 5.2, to: "https://api.test/right")
    add("/gone", at: 9, to: "/nowhere")
    add("/login", at: 12, to: "/start")
    har.add("/start", at: 12.1, "<html>", mime: "text/html")
    let imported = try har.imported()
    #expect(imported.asked == ["/old/:id", "/left", "/gone"])
    #expect(imported.rows == [["task"], nil, nil])
    #expect(imported.session.summary.failed == 2)
    #expect(imported.answers.first?.answer.at.nanoseconds == 150_000_000)
  }

  @Test("No answer, a refusal, and errors without data are failures")
  func failures() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task)
    har.add("/tasks/1", at: 1, for: -0.001, status: 0, nil)
    har.add("/tasks/1", at: 2, for: -0.001, status: -1, nil)
    har.add("/tasks/1", at: 3, status: 404, #"{"id":1,"title":"not found"}"#)
    har.add("/tasks/1", at: 4, status: 500, "<html>", mime: "text/html")
    har.ask("query T { t { id } }", at: 5, #"null,"errors":[{"message":"no"}]"#)
    har.add("POST", "/tasks", at: 6, status: 422, "{}", sends: "{}")
    let imported = try har.imported()
    #expect(imported.session.summary.failed == 5)
    #expect(imported.session.summary.failedWrites == 1)
    #expect(imported.answers.map(\.answer.failure) == [nil] + Array(repeating: .refused, count: 5))
    #expect(imported.mutations.isEmpty)
  }
}
