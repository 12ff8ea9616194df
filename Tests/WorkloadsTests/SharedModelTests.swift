import Testing

@testable import Workloads

@Suite("Data that build on a model")
struct SharedModelTests {
  private static let model = """
    entities:
      room: {count: 4 rooms, size: {median: 200 B, p99: 2 kB}, has: {name: text}}
      note: {count: 9 notes, size: 1 kB, has: {room: {one: room, zipf: 0.9}, name: text}}
    queries:
      all.notes: {list: note, order: name, first: 50 rows, class: notes}
    operations:
      edit: {set: note.name, prefer: popular}
    """

  private static func yaml(_ data: String) -> String {
    """
    name: a
    duration: 10 min
    data:
    \(data)
    users:
      - {mix: {look: 100 %}, activities: {look: [visit: all.notes]}}
    """
  }

  private static func document(
    _ data: String, models: [String: String] = ["notes": model]
  ) throws -> ScenarioDocument {
    try ScenarioDocument(
      Array(yaml(data).utf8), file: "f.yaml",
      models: SharedModels(models.mapValues { Array($0.utf8) }))
  }

  private static func model(_ data: String) throws -> DataModel {
    try document(data).scenario(vocabulary: .unchecked).model
  }

  @Test("Sections are merged key by key; a size and anything else is replaced")
  func merges() throws {
    let plain = try Self.model("  use: notes")
    #expect(plain.types.map(\.count) == [4, 9])
    #expect(plain.shapes.map(\.name) == ["all.notes"])
    let own = try Self.model(
      """
        use: notes
        entities:
          room: {size: {mean: 300 B, deviation: 9 B}}
          note: {count: 70 notes, has: {room: {zipf: 1.1}, likes: integer}}
        operations: {like: {add: note.likes}, edit: {batch: 3 notes}}
      """)
    #expect(own.types[0].size == .normal(mean: 300, deviation: 9))
    #expect(own.types.map(\.count) == [4, 70])
    #expect(own.types[1].fields.map(\.name) == ["room", "name", "likes"])
    #expect(own.types[1].fields[0].content == .one(type: 0, .zipf(1.1), cascades: false))
    #expect(own.operations.map(\.name) == ["edit", "like"])
    #expect(own.operations[0].batch == 3)
    #expect(own.operations[0].preference == .popular(0.9))
  }

  @Test("Values of a model can be set by path, and are written out")
  func varies() throws {
    let document = try Self.document("  use: notes")
    let field = try document.field("data.entities.note.count")
    #expect(try field.grid("10..1000", steps: 3) == ["10 notes", "100 notes", "1000 notes"])
    let changed = try document.setting("data.entities.note.count", to: "30 notes")
      .setting("data.queries.all.notes.first", to: "7 rows")
      .setting("data.entities.note.has.room.zipf", to: "0.5")
    let model = try changed.scenario(vocabulary: .unchecked).model
    #expect(model.types[1].count == 30)
    #expect(model.shapes[0].rows == 7)
    #expect(model.types[1].fields[0].content == .one(type: 0, .zipf(0.5), cascades: false))
    let again = try ScenarioDocument(changed.yaml, file: "again.yaml")
    #expect(try again.scenario(vocabulary: .unchecked).model == model)
    let error = #expect(throws: ScenarioError.self) {
      try document.field("data.entities.nite.count")
    }
    #expect(error?.description == "f.yaml: `entities` has no `nite`; did you mean `note`?")
  }

  @Test(
    "A mistake in a model is reported in one line, with the place",
    arguments: [
      ("  use: nots", model, "f.yaml:4:8: unknown model `nots`; did you mean `notes`?"),
      ("  use: ../notes", model, "f.yaml:4:8: unknown model `../notes`; valid here: notes"),
      (
        "  use: [notes]", model,
        "f.yaml:4:8: a single value is expected here, not a list; write one value"
      ),
      (
        "  use: notes", "use: notes\n" + model,
        "notes.yaml:1:1: a model builds on no other one; write out here what it takes from there"
      ),
      (
        "  use: notes", "[1, 2]",
        "notes.yaml:1:1: a model is expected here, not a list; write `entities:` and `queries:` in it"
      ),
      (
        "  use: notes", model.replacing("set: note.name", with: "set: note.nam"),
        "notes.yaml:7:15: unknown field of `note` `nam`; did you mean `name`?"
      ),
      (
        "  use: notes\n  entities: {note: {count: some notes}}", model,
        "f.yaml:5:28: `some notes` is not a number of notes; write for example `100 notes`"
      ),
      (
        "  use: notes", "a: &b [*b, *b]",
        "notes.yaml:1:8: anchors and aliases (`&`, `*`) are not allowed; write the value out"
      ),
      (
        "  use: notes", String(repeating: "#", count: 2_000_000),
        "notes.yaml:1:1: the file has 2000000 bytes, the limit is 1048576; shorten it"
      ),
    ])
  func errors(data: String, model: String, message: String) throws {
    let error = #expect(throws: ScenarioError.self) {
      try Self.document(data, models: ["notes": model]).scenario(vocabulary: .unchecked)
    }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    #expect(error?.problems.count == 1)
  }

  @Test("No model is there where none was handed in")
  func none() throws {
    let error = #expect(throws: ScenarioError.self) {
      try Self.document("  use: notes", models: [:])
    }
    #expect(error?.description == "f.yaml:4:8: unknown model `notes`; none is declared")
  }
}
