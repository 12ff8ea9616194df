import CacheModel
import HARImport
import RecordingCodec
import Testing
import Workloads

@Suite("Changes are between the last sighting of the old state and the first of the new")
struct ChangeTests {
  private static func task(_ title: String, _ more: String = "") -> String {
    #"{"id":1,"title":"\#(title)"\#(more)}"#
  }

  @Test("A common field that differs is a change, with its interval")
  func interval() throws {
    var har = HARText()
    for (second, title) in [(0.0, "a"), (2, "a"), (5, "b"), (9, "b")] {
      har.add("/tasks/1", at: second, for: 0.5, Self.task(title))
    }
    let imported = try har.imported()
    #expect(imported.changes.map(\.since) == [2])
    #expect(imported.changes.map(\.at) == [5.5])
    #expect(imported.versions == [["1v1"], ["1v1"], ["1v2"], ["1v2"]])
    #expect(imported.session.summary.changes == 1)
  }

  @Test("Another set of fields is none, and neither is another order of members")
  func fields() throws {
    var har = HARText()
    har.add("/tasks", at: 0, "[\(Self.task("a"))]")
    har.add("/tasks/1", at: 1, #"{"body":"x","title":"a","id":"1"}"#)
    har.add("/tasks", at: 2, "[\(Self.task("a"))]")
    #expect(try har.imported().changes.isEmpty)
  }

  @Test("A field that is seen late to differ changed with the others")
  func late() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task("a", #","body":"x""#))
    har.add("/tasks", at: 1, "[\(Self.task("b"))]")
    har.add("/tasks/1", at: 2, Self.task("b", #","body":"y""#))
    let imported = try har.imported()
    #expect(imported.changes.count == 1)
    #expect(imported.versions.map { $0[0] } == ["2v1", "2v2", "2v2"])
    #expect(
      imported.states.last?.fields.filter { $0.name.hasPrefix("part") }.map(\.value) == [
        .number(1), .number(1),
      ])
  }

  @Test("A version is a change, and fields of no meaning are named and can be ignored")
  func versions() throws {
    var har = HARText()
    for number in 0..<4 {
      har.add(
        "/tasks/1", at: Double(number),
        Self.task("a", #","updatedAt":\#(number / 2),"url":"https://x/\#(number)""#))
    }
    let imported = try har.imported()
    #expect(imported.changes.count == 3)
    #expect(imported.summary.contains("differ each time (--ignore-field): url"))
    let told = try har.imported { $0.ignoredFields = ["url"] }
    #expect(told.changes.count == 1)
    #expect(!told.summary.contains("--ignore-field"))
  }

  @Test("Answers that overlap are taken in the order with the fewest changes")
  func overlaps() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task("a"))
    har.add("/tasks/1", at: 1, for: 0.2, Self.task("b"))
    har.add("/tasks", at: 1.1, for: 0.5, "[\(Self.task("a"))]")
    har.add("/tasks/1", at: 3, Self.task("b"))
    let imported = try har.imported()
    #expect(imported.changes.count == 1)
    #expect(imported.changes.map(\.since) == [1.1])
    #expect(imported.changes.map(\.at) == [1.2])
    // If all differ, versions decide.
    var versions = HARText()
    versions.add("/tasks/1", at: 0, Self.task("a", #","version":1"#))
    versions.add("/tasks/1", at: 1, for: 0.2, Self.task("c", #","version":3"#))
    versions.add("/tasks", at: 1.1, for: 0.5, "[\(Self.task("b", #","version":2"#))]")
    let read = try versions.imported()
    #expect(read.versions.map { $0[0] } == ["2v1", "2v3", "2v2"])
  }

  @Test("A value that comes back is a new state with the former content")
  func comesBack() throws {
    var har = HARText()
    for (second, title) in [(0.0, "a"), (2, "b"), (5, "a"), (9, "c")] {
      har.add("/tasks/1", at: second, Self.task(title))
    }
    let imported = try har.imported()
    #expect(imported.versions == [["1v1"], ["1v2"], ["1v3"], ["1v4"]])
    let parts = imported.states.filter { $0.object == 1 }.map { state in
      state.fields.first { $0.name == "part 1" }?.value
    }
    #expect(parts == [nil, .number(1), nil, .number(2)])
  }

  @Test("A row shown later was created between two answers; one shown first existed before")
  func appearance() throws {
    var har = HARText()
    har.add("/tasks", at: 0, "[\(Self.task("a"))]")
    har.add("/tasks", at: 4, for: 0.5, "[\(Self.task("a")),{\"id\":2,\"title\":\"n\"}]")
    let imported = try har.imported()
    #expect(imported.mutations.count == 1)
    #expect(imported.mutations.first?.since?.nanoseconds == 0)
    #expect(imported.mutations.first?.at.nanoseconds == 4_500_000_000)
    #expect(imported.changes.isEmpty)
    // Confirmed in between, it was not there then.
    har.add("/tasks", at: 3, status: 304, nil)
    #expect(try har.imported().mutations.first?.since?.nanoseconds == 3_000_000_000)
  }

  @Test(
    "A write is a commit of its client between request and answer, whether it shows rows or none")
  func writes() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.task("a"))
    har.add("PATCH", "/tasks/1", at: 5, for: 0.2, Self.task("b"), sends: #"{"title":"b"}"#)
    har.add("POST", "/tasks", at: 6, for: 0.2, status: 201, #"{"id":2,"title":"n"}"#, sends: "{}")
    har.add("PUT", "/tasks/1/star", at: 7, status: 204, "", mime: "")
    har.add("PUT", "/tasks/1/pin", at: 8, nil, sends: "{}")
    har.add("/tasks/1", at: 9, Self.task("b"))
    let imported = try har.imported()
    #expect(imported.session.summary.writes == 4)
    #expect(imported.mutations.map(\.client) == [0, 0, 0, 0])
    #expect(
      imported.mutations.map(\.kind) == [.changed, .changed, .infrastructure, .infrastructure])
    #expect(
      imported.mutations.map { $0.since?.nanoseconds } == [5e9, 6e9, 7e9, 8e9].map { Int64($0) })
    #expect(imported.mutations[0].at.nanoseconds == 5_200_000_000)
    #expect(imported.versions.last == ["1v2"])
  }

  @Test("A DELETE that succeeds deletes, one that fails does not")
  func deletions() throws {
    var har = HARText()
    har.add("/tasks", at: 0, "[\(Self.task("a")),{\"id\":2,\"title\":\"n\"}]")
    har.add("DELETE", "/tasks/1", at: 1, for: 0.1, status: 204, "", mime: "")
    har.add("DELETE", "/tasks/2", at: 2, status: 403, "{}")
    har.add("/tasks", at: 4, "[{\"id\":2,\"title\":\"n\"}]")
    let imported = try har.imported()
    #expect(imported.mutations.map(\.kind) == [.deleted])
    #expect(imported.mutations[0].items == [.deleted(object: 1)])
    #expect(imported.rows == [["task", "task"], ["task"]])
  }

  @Test("A DELETE of another type with the same number deletes nothing; an opaque identity may")
  func otherTypes() throws {
    let opaque = "0d5a8f52-7c1b"
    var har = HARText()
    har.add("/tasks", at: 0, #"[{"id":42},{"id":"\#(opaque)"}]"#)
    har.add("/cards", at: 1, #"[{"__typename":"Card","id":42}]"#)
    har.add("DELETE", "/notifications/42", at: 2, status: 204, "", mime: "")
    har.add("DELETE", "/issues/\(opaque)", at: 3, status: 204, "", mime: "")
    har.add("DELETE", "/cards/42", at: 4, status: 204, "", mime: "")
    let imported = try har.imported()
    #expect(imported.mutations.map(\.kind) == [.infrastructure, .deleted, .deleted])
    // 0 and 1 are the queries.
    #expect(imported.mutations[1].items == [.deleted(object: 3)])
    #expect(imported.mutations[2].items == [.deleted(object: 4)])
  }

  @Test("A message on another type with the same number is no change of the entity")
  func otherTypesInMessages() throws {
    var har = HARText()
    har.add("/tasks", at: 0, #"[{"__typename":"Task","id":1,"name":"a"}]"#)
    let messages = [
      #"{"event":"presence","user":{"id":1,"name":"Ann"}}"#,
      #"{"event":"task.updated","data":{"id":1,"name":"b"}}"#,
    ].enumerated().map { second, data in
      #"{"type":"receive","time":\#(HARText.begin + 1 + Double(second)),"data":\#(HARText.quoted(data))}"#
    }
    har.add(
      "wss://api.test/s", at: 0.5, status: 101, nil,
      more: ",\"_webSocketMessages\":[\(messages.joined(separator: ","))]")
    #expect(try har.imported().changes.map(\.at) == [2])
  }

  @Test("Fields that belong to no entity belong to the query's own row, and change with it")
  func own() throws {
    var har = HARText()
    har.add("/tasks", at: 0, #"{"total":1,"items":[{"id":1}]}"#)
    har.add("/tasks", at: 1, #"{"total":2,"items":[{"id":1},{"id":2}]}"#)
    har.add("/tasks", at: 2, #"{"total":2,"items":[{"id":2},{"id":1}]}"#)
    let imported = try har.imported()
    #expect(imported.rows.map { $0?.last } == ["request", "request", "request"])
    #expect(imported.versions.map { $0.last } == ["0v1", "0v2", "0v2"])
  }

  @Test("Arguments of a field are part of it: other pages of a nested list are not a change")
  func arguments() throws {
    let query = "query Q($n: Int) { me { __typename id name tasks(first: $n) { id } } }"
    var har = HARText()
    har.ask(
      query, "Q", #"{"n":1}"#, at: 0,
      #"{"me":{"__typename":"U","id":1,"name":"x","tasks":[{"id":1}]}}"#)
    har.ask(
      query, "Q", #"{"n":2}"#, at: 1,
      #"{"me":{"__typename":"U","id":1,"name":"x","tasks":[{"id":1},{"id":2}]}}"#)
    har.ask(
      query, "Q", #"{"n":1}"#, at: 2,
      #"{"me":{"__typename":"U","id":1,"name":"x","tasks":[{"id":3}]}}"#)
    #expect(try har.imported().changes.map(\.at) == [2.05])
  }
}
