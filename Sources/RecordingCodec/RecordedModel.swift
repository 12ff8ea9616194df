package import Text

/// The data model of an app in the header of a recording: types with their fields, and queries.
///
/// The states determine the number of entities and their sizes.
package struct RecordedModel: RecordedMembers {
  package var types: [RecordedType] = []
  package var queries: [RecordedQuery] = []

  /// The maximum number of types, and of queries.
  package static let maximum = 2_000

  package init() {}

  package func write(into json: inout JSONWriter) { MemberCoder.write(self, "model", to: &json) }

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.objects("types", &types, atMost: Self.maximum)
    try coder.objects("queries", &queries, atMost: Self.maximum)
  }
}

/// The bounds of names: any text of a reasonable length.
enum RecordedName {
  static let longest = 256

  static func code(
    _ name: inout String, _ coder: inout MemberCoder
  ) throws(RecordingError) {
    try coder.text("name", &name, atMost: longest)
    guard !name.isEmpty else { throw coder.failure("`name` is empty", "write what it is called") }
  }
}

package struct RecordedType: RecordedMembers {
  package var name = ""
  package var fields: [RecordedField] = []
  /// The parts of an entity that answers may contain instead of the whole.
  package var views: [RecordedView] = []

  package init() {}
  package init(_ name: String, _ fields: [RecordedField] = []) {
    self.name = name
    self.fields = fields
  }

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try RecordedName.code(&name, &coder)
    try coder.objects("fields", &fields, isOptional: true)
    try coder.objects("views", &views, isOptional: true)
  }
}

package struct RecordedField: RecordedMembers {
  package enum Holding: String, Hashable, Sendable, CaseIterable {
    case integer, time, text, flag, reference, references
  }

  package var name = ""
  package var holds = Holding.integer
  /// The type of a reference's target.
  package var to: String?
  /// Whether the entity is deleted with the one that it references.
  package var cascades = false

  package init() {}
  package init(_ name: String, _ holds: Holding, to: String? = nil) {
    self.name = name
    self.holds = holds
    self.to = to
  }

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try RecordedName.code(&name, &coder)
    try coder.word("holds", &holds)
    try coder.text("to", &to)
    try coder.flag("cascade", &cascades)
  }
}

/// A set of fields in answers, and its size: a number of bytes, or a share of the full entity's.
package struct RecordedView: RecordedMembers {
  package var name = ""
  package var shows: [String] = []
  package var bytes: Int?
  package var millionths: Int?

  package init() {}

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try RecordedName.code(&name, &coder)
    try coder.texts("shows", &shows)
    try coder.number("bytes", &bytes, in: 1...Int(Int32.max))
    try coder.number("millionths", &millionths, in: 1...1_000_000)
    guard (bytes == nil) != (millionths == nil) else {
      throw coder.failure("a view has one size", "write `bytes`, or `millionths`")
    }
  }
}

package struct RecordedQuery: RecordedMembers {
  package var name = ""
  package var lists: [String] = []
  package var conditions: [RecordedCondition] = []
  /// The order of rows; empty: the order of results.
  package var order: [RecordedOrder] = []
  /// The maximum number of rows; 0: each `query` line has its own.
  package var rows = 0
  package var isPaged = false
  /// The minimum number of typed letters for which a cache stores an answer.
  package var cachedFrom = 0
  /// The view of each listed type that it returns; `nil`: the full entity.
  package var shows: String?
  package var reportClass: String?

  package init() {}
  package init(_ name: String, _ lists: [String], _ conditions: [RecordedCondition] = []) {
    self.name = name
    self.lists = lists
    self.conditions = conditions
  }

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try RecordedName.code(&name, &coder)
    try coder.texts("lists", &lists)
    try coder.objects("where", &conditions, isOptional: true)
    try coder.objects("order", &order, atMost: 2, isOptional: true)
    try coder.number("rows", &rows, in: 0...1_000_000, leftOutAt: 0)
    try coder.flag("paged", &isPaged)
    try coder.number("cachedFrom", &cachedFrom, in: 0...12, leftOutAt: 0)
    try coder.text("shows", &shows)
    try coder.text("class", &reportClass, atMost: RecordedName.longest)
  }
}

package struct RecordedOrder: RecordedMembers {
  package var field = ""
  package var isDescending = false

  package init() {}

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.text("field", &field)
    try coder.flag("descending", &isDescending)
  }
}

/// A condition for each row: one member names the field, another the value.
package struct RecordedCondition: RecordedMembers {
  package var field: String?
  package var id: String?
  package var isWord: String?
  package var includes: String?
  package var begins: String?
  package var compares: String?
  package var to: Int64?

  package init() {}

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.text("field", &field)
    try coder.text("id", &id)
    try coder.text("is", &isWord)
    try coder.text("includes", &includes)
    try coder.text("begins", &begins)
    try coder.text("compares", &compares)
    try coder.number("to", &to, in: -(1 << 50)...1 << 50)
  }
}
