import CacheModel
import HARImport
import RecordingCodec
import Testing
import Workloads

@Suite("Members of objects without an identity are fields of the entity, by their paths")
struct EntityFieldsTests {
  /// Returns the number of changes if two queries answer with the same task in turn.
  private static func changes(_ first: String, _ second: String) throws -> Int {
    var har = HARText()
    for second in [0.0, 20] { har.add("/tasks/1", at: second, #"{"id":1,\#(first)}"#) }
    har.add("/tasks", at: 10, #"[{"id":1,\#(second)}]"#)
    return try har.imported().changes.count
  }

  @Test(
    "Answers that show other members of an object, or embed what others reference, show no change",
    arguments: [
      (#""price":{"amount":5}"#, #""price":{"amount":5,"currency":"EUR"}"#),
      (#""price":{"currency":"EUR"}"#, #""price":{"amount":5}"#),
      (#""a":{"b":{"c":{"d":1}}}"#, #""a":{"b":{"c":{"d":1,"e":2}}}"#),
      (#""lines":[{"sku":1},{"sku":2}]"#, #""lines":[{"sku":1,"n":3},{"sku":2,"n":4}]"#),
      (#""author":{"name":"Ann"}"#, #""author":{"id":9,"name":"Ann"}"#),
      (#""author":9"#, #""author":{"id":9,"name":"Ann"}"#),
      (#""authors":[{"name":"Ann"}]"#, #""authors":[{"id":9,"name":"Ann"}]"#),
    ])
  func selections(first: String, second: String) throws {
    #expect(try Self.changes(first, second) == 0)
    #expect(try Self.changes(second, first) == 0)
  }

  @Test(
    "A member that differs is a change, and so is an object that comes or goes",
    arguments: [
      (#""price":{"amount":5}"#, #""price":{"amount":6,"currency":"EUR"}"#),
      (#""price":null"#, #""price":{"amount":5}"#), (#""author":null"#, #""author":{"id":9}"#),
      (#""author":{"id":8}"#, #""author":{"id":9}"#), (#""n":null"#, #""n":1"#),
      (#""lines":[{"sku":1},{"sku":2}]"#, #""lines":[{"sku":2},{"sku":1}]"#),
      (#""lines":[{"sku":1}]"#, #""lines":[{"sku":1},{"sku":2}]"#),
      (#""lines":[]"#, #""lines":[{"sku":1}]"#), (#""lines":["a","b"]"#, #""lines":["ab"]"#),
      (#""lines":[{"id":1}]"#, #""lines":[{"id":1},{"id":2}]"#),
      (#""lines":[{"id":1},{"id":2}]"#, #""lines":[{"id":2},{"id":1}]"#),
      (#""lines":[[1],[2,3]]"#, #""lines":[[1,2],[3]]"#),
      // The names of a dictionary are data.
      (#""seen":{"2026-11-27":1}"#, #""seen":{"2026-11-27":1,"2026-11-28":2}"#),
      (#""seen":{}"#, #""seen":{"2026-11-28":2}"#),
      (
        #""a":{"b":{"c":{"d":{"e":{"f":{"g":1}}}}}}"#, #""a":{"b":{"c":{"d":{"e":{"f":{"g":2}}}}}}"#
      ),
    ])
  func differences(first: String, second: String) throws {
    #expect(try Self.changes(first, second) == 2)
  }

  @Test("Selections of an object are views, as those of an entity")
  func views() throws {
    var har = HARText()
    for second in [0.0, 2, 4] {
      har.ask(
        "query List { tasks { __typename id price { amount } } }", "List", at: second,
        #"{"tasks":[{"__typename":"Task","id":"1","price":{"amount":5}}]}"#)
      har.ask(
        "query Detail { task { __typename id price { amount currency } } }", "Detail",
        at: second + 1,
        #"{"task":{"__typename":"Task","id":"1","price":{"amount":5,"currency":"EUR"}}}"#)
    }
    let imported = try har.imported()
    #expect(imported.changes.isEmpty)
    let model = imported.session.header.model
    #expect(model.queries.map(\.shows) == ["summary", nil])
    #expect(
      model.types[0].views[0].bytes
        == #"{"__typename":"Task","id":"1","price":{"amount":5}}"#.utf8.count)
  }

  @Test("Arguments of a member of an object are part of it")
  func arguments() throws {
    var har = HARText()
    for (second, unit) in ["EUR", "USD", "EUR"].enumerated() {
      har.ask(
        "query Q($u: Unit) { task { __typename id price { amount(in: $u) } } }", "Q",
        #"{"u":"\#(unit)"}"#, at: Double(second),
        #"{"task":{"__typename":"Task","id":"1","price":{"amount":"\#(unit)"}}}"#)
    }
    #expect(try har.imported().changes.isEmpty)
  }

  @Test("An object of very many members is compared as a whole")
  func many() throws {
    func object(_ last: Int) -> String {
      "\"a\":{"
        + (0..<200).map { "\"x\($0 % 100)\($0 < 100 ? "a" : "b")\":0" }.joined(separator: ",")
        + ",\"last\":\(last)}"
    }
    #expect(try Self.changes(object(1), object(1)) == 0)
    #expect(try Self.changes(object(1), object(2)) == 2)
  }

  @Test("A member is ignored by its name at any depth, and by its path")
  func ignored() throws {
    for name in ["requestId", "meta.requestId"] {
      var har = HARText()
      for second in 0..<4 {
        har.add(
          "/tasks/1", at: Double(second), #"{"id":1,"meta":{"requestId":\#(second),"n":1}}"#)
      }
      #expect(try har.imported().summary.contains("(--ignore-field): meta.requestId"))
      let told = try har.imported { $0.ignoredFields = [name] }
      #expect(told.changes.isEmpty && !told.summary.contains("Unclear     fields"))
    }
    var own = HARText()
    for second in 0..<2 {
      own.add("/me", at: Double(second), #"{"user":{"id":1},"meta":{"requestId":\#(second)}}"#)
    }
    #expect(try own.imported().changes.count == 1)
    #expect(try own.imported { $0.ignoredFields = ["requestId"] }.changes.isEmpty)
  }
}
