import CacheModel
import HARImport
import RecordingCodec
import Testing
import Workloads

@Suite("Entities of answers: JSON objects with an identity")
struct EntityTests {
  private static func types(
    _ body: String, _ path: String = "/tasks", _ change: (inout HARImportOptions) -> Void = { _ in }
  ) throws -> [String] {
    var har = HARText()
    har.add(path, at: 0, body)
    return try har.imported(change).types
  }

  @Test(
    "Their identity is id, _id, uuid, nodeId or node_id; their type the property or the path above",
    arguments: [
      (#"[{"id":1},{"id":"2"}]"#, ["task", "task"]),
      (#"{"results":[{"_id":"a"}],"count":1}"#, ["task"]),
      (#"{"data":{"items":[{"uuid":"a"}]}}"#, ["task"]),
      (#"{"projects":[{"nodeId":"a","owner":{"node_id":"b"}}]}"#, ["project", "owner"]),
      (#"{"id":5,"key":"k"}"#, ["task"]), (#"[{"key":"k"},{"id":1}]"#, ["task"]),
      (#"{"id":1,"parent":{"title":"x"}}"#, ["task"]),
      (#"[{"id":null},{"id":""},{"id":2}]"#, ["task"]),
      (#"{"a@b.c":{"id":1}}"#, ["task"]), (#"{"7":{"id":7},"8":{"id":8}}"#, ["task", "task"]),
      (#"{"categories":[{"id":1}],"status":{"id":2}}"#, ["category", "status"]),
      (#"{"movies":[{"id":5}],"movie":{"id":5},"series":[{"id":1}]}"#, ["movie", "series"]),
      (#"[{"id":"a","type":"folder"}]"#, ["task"]),
      (#"{"data":[{"id":"a","type":"folder"}]}"#, ["task"]),
    ])
  func identities(body: String, types: [String]) throws {
    #expect(try Self.types(body) == types)
  }

  @Test("The type is the path segment before the identity")
  func paths() throws {
    #expect(try Self.types(#"{"id":5}"#, "/api/v1/projects/5") == ["project"])
    #expect(try Self.types(#"{"id":5}"#, "/projects/5/archive") == ["project"])
    #expect(try Self.types(#"[{"id":5}]"#, "/projects/7/tasks") == ["task"])
    #expect(try Self.types(#"{"id":5}"#, "/users/me") == ["user"])
    #expect(try Self.types(#"{"id":5}"#, "/") == ["entity"])
    #expect(try Self.types(#"{"id":5}"#, "/api/v1/nodes/5") == ["node"])
    #expect(try Self.types(#"[{"id":5}]"#, "/api/entries") == ["entry"])
  }

  @Test("JSON:API has type and id, its parts are fields, and its links are no rows")
  func jsonAPI() throws {
    let body = #"""
      {"data":{"type":"articles","id":"1","attributes":{"title":"a","body":"b"},
      "relationships":{"author":{"data":{"type":"people","id":"9"}}}},
      "included":[{"type":"people","id":"9","attributes":{"name":"n"}}]}
      """#
    #expect(try Self.types(body, "/articles/1") == ["articles", "people"])
    var har = HARText()
    har.add("/articles/1", at: 0, body)
    har.add(
      "/articles/1/relationships/author", at: 1, #"{"data":{"type":"people","id":"9"}}"#,
      mime: "application/vnd.api+json")
    #expect(try har.imported().types == ["articles", "people"])
  }

  @Test("Elements without an identity of a list are content of the query, as in an object")
  func lists() throws {
    for (first, second) in [
      (#"["a"]"#, #"["a","b"]"#), (#"[{"key":"k","value":1}]"#, #"[{"key":"k","value":2}]"#),
    ] {
      var har = HARText()
      har.add("/tasks", at: 0, #"[{"id":1}]"#)
      for (second, body) in [(1.0, first), (2, first), (3, second)] {
        har.add("/settings", at: second, body)
      }
      let imported = try har.imported()
      #expect(imported.rows.dropFirst() == [["request"], ["request"], ["request"]])
      #expect(imported.changes.map(\.at) == [3.05])
    }
    // The list has no name that an option could have.
    var har = HARText()
    har.add("/tasks", at: 0, #"[{"id":1}]"#)
    for second in 1...4 { har.add("/tags", at: Double(second), "[\(second)]") }
    #expect(try har.imported().changes.count == 3)
    #expect(try !har.imported().summary.contains("--ignore-field"))
  }

  @Test("An option that matches nothing is named")
  func unused() throws {
    var har = HARText()
    har.add("/tasks?a=1", at: 0, #"[{"key":1,"kind":"Note","n":1,"rank":1}]"#)
    har.add("POST", "/search", at: 1, "[]", sends: "{}")
    func summary(_ suffix: String) throws -> String {
      try har.imported {
        ($0.identities, $0.typeMembers) = ([["key"], ["a\(suffix)", "b"]], ["kind\(suffix)"])
        ($0.versionMembers, $0.ignoredFields) = (["rank\(suffix)"], ["n\(suffix)"])
        $0.keptParameters = ["a\(suffix)"]
        $0.reads = [.init("POST /search\(suffix)")].compactMap(\.self)
      }.summary
    }
    #expect(try summary("").contains("options that match nothing: --id a,b\n"))
    #expect(
      try summary("x").contains(
        "options that match nothing: --reads 'POST /searchx', --id ax,b, --type kindx, "
          + "--version-member rankx, --ignore-field nx, --keep-parameter ax\n"))
  }

  @Test("key, type and kind count if they are asked for; an identity may be of several members")
  func told() throws {
    let body = #"[{"key":"a","kind":"Note","id":9},{"a":1,"b":"2","type":"x"},{"a":1,"b":"3"}]"#
    #expect(try Self.types(body).count == 1)
    #expect(
      try Self.types(body, "/tasks") {
        ($0.identities, $0.typeMembers) = ([["key"], ["a", "b"]], ["kind"])
      } == ["Note", "task", "task"])
  }

  @Test("An entity is the same in all answers, nested or not, and a number equals its text")
  func same() throws {
    var har = HARText()
    har.add("/tasks", at: 0, #"[{"id":1,"project":{"id":7}},{"id":2,"project":{"id":"7"}}]"#)
    har.add("/tasks/1", at: 1, #"{"id":"1","project":{"id":7}}"#)
    let imported = try har.imported()
    #expect(imported.rows == [["task", "project", "task"], ["task", "project"]])
    #expect(imported.session.summary.entities == 3)
    #expect(imported.versions[1] == [imported.versions[0][0], imported.versions[0][1]])
  }

  @Test("Aliased identities, ids without objects and objects without identity belong to the parent")
  func parents() throws {
    var har = HARText()
    har.ask(
      "query Q { me { __typename id best: tasks { taskId: id title } } }", "Q", at: 0,
      #"{"me":{"__typename":"User","id":"u","best":[{"taskId":"1","title":"a"}],"friendIds":[3,4]},"total":3}"#
    )
    let imported = try har.imported()
    #expect(imported.rows == [["User", "request"]])
  }

  @Test("The field behind an alias is the type if there is no __typename")
  func aliases() throws {
    var har = HARText()
    har.ask(
      "query Q { a: task(id: 1) { id } b: task(id: 2) { id } ... on Query { c: project { id } } }",
      "Q",
      at: 0, #"{"a":{"id":1},"b":{"id":2},"c":{"id":1}}"#)
    #expect(try har.imported().types == ["task", "task", "project"])
  }

  @Test("Size is bytes of the object's JSON without the entities in it")
  func sizes() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, #"{"id":1, "title":"a\"b", "project":{"id":7,"x":[1.5,true,null]}}"#)
    let states = try har.imported().states
    #expect(
      Array(states.map { Int($0.bytes) }.prefix(2))
        == [#"{"id":1,"title":"a\"b","project":}"#, #"{"id":7,"x":[1.5,true,null]}"#].map {
          $0.utf8.count
        })
  }

  @Test("Answers show parts of an entity: the fields of a form of query are a view")
  func views() throws {
    var har = HARText()
    har.add("/tasks", at: 0, #"[{"id":1,"title":"a"},{"id":2,"title":"b"}]"#)
    har.add("/tasks/1", at: 1, #"{"id":1,"title":"a","body":"a long text"}"#)
    let model = try har.imported().session.header.model
    #expect(model.queries.map(\.shows) == ["summary", nil])
    #expect(model.types[0].views.map(\.name) == ["summary"])
    #expect(model.types[0].views[0].shows.count == 1)
    #expect(model.types[0].views[0].bytes == #"{"id":1,"title":"a"}"#.utf8.count)
    #expect(model.types[0].fields.map(\.name) == ["request", "part 1", "part 2"])
    har.add("/cards", at: 2, #"{"tasks":[{"id":1,"color":"red"}]}"#)
    let three = try har.imported()
    #expect(three.session.header.model.queries.map(\.shows) == ["view 1", "view 2", "view 3"])
    // The first view is simulated, here so that a list does not serve what shows more of a task.
    #expect(three.workload.model.shapes.map(\.showsSummaries) == [true, false, false])
  }

  @Test("Types without __typename that share non-numeric identities are named")
  func shared() throws {
    var har = HARText()
    har.add("/tasks", at: 0, #"[{"id":"0d5a8f52-7c1b","author":{"id":"0d5a8f52-9999"}}]"#)
    har.add("/users", at: 1, #"[{"id":"0d5a8f52-9999"},{"id":1}]"#)
    har.add("/numbers", at: 2, #"[{"id":1}]"#)
    #expect(
      try har.imported().summary.contains(
        "share identities, perhaps one type (--type): author and user"))
  }

  @Test("A type or a query beyond sixty is one of the others, and nothing is lost")
  func many() throws {
    var har = HARText()
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    for number in 0..<80 {
      let name = "x\(letters[number / 26])\(letters[number % 26])"
      har.add("/\(name)", at: Double(number), #"[{"id":1},{"id":2}]"#)
    }
    let imported = try har.imported()
    #expect(imported.workload.model.types.count == 60)
    #expect(imported.workload.model.shapes.count == 60)
    #expect(imported.session.summary.entities == 160)
    #expect(Set(imported.reads.map(\.query)).count == 80)
  }
}
