import CacheModel
import RecordingCodec
package import Text

/// Converts the model of a header to one that can be simulated, or reports why it cannot.
struct RecordedModelReader {
  private let recorded: RecordedModel
  private let line: Int
  /// The index of each type by name; looked up, never iterated.
  private let places: [TextKey: Int]

  /// - Returns: the model; a recording does not contain the distributions of its data.
  static func read(_ recorded: RecordedModel, line: Int) throws(RecordingError) -> DataModel {
    try RecordedModelReader(recorded, line).model()
  }

  private init(_ recorded: RecordedModel, _ line: Int) throws(RecordingError) {
    self.recorded = recorded
    self.line = line
    places = try Self.places(recorded.types.map(\.name), "type", line)
  }

  private static func places(
    _ names: [String], _ what: String, _ line: Int
  ) throws(RecordingError) -> [TextKey: Int] {
    var places: [TextKey: Int] = [:]
    for (place, name) in names.enumerated() {
      guard name.legible == name else {
        throw RecordingError(
          line: line, cause: "`\(name.excerpt)` is not a name",
          remedy: "leave out what cannot be seen")
      }
      guard places.updateValue(place, forKey: TextKey(name)) == nil else {
        throw RecordingError(
          line: line, cause: "the \(what) `\(name.excerpt)` occurs twice",
          remedy: "give each its own name")
      }
    }
    return places
  }

  private func failure(_ cause: String, _ remedy: String) -> RecordingError {
    RecordingError(line: line, cause: cause, remedy: remedy)
  }

  private func unknown(_ what: String, _ word: String, among known: [String]) -> RecordingError {
    .unknown(what, word, among: known, line: line)
  }

  private func check(
    _ count: Int, atMost limit: Int, _ what: String
  ) throws(RecordingError) {
    guard count <= limit else {
      throw failure(
        "there are \(count) \(what)", "at most \(limit) can be simulated; record fewer")
    }
  }

  private func model() throws(RecordingError) -> DataModel {
    try check(recorded.types.count, atMost: DataModel.maximumTypes, "types")
    try check(recorded.queries.count, atMost: DataModel.maximumShapes, "queries")
    guard !recorded.types.isEmpty, !recorded.queries.isEmpty else {
      throw failure("the model has no types, or no queries", "declare what was recorded")
    }
    var types = try recorded.types.map { type throws(RecordingError) in try self.type(type) }
    DataModel.setSlots(of: &types)
    _ = try Self.places(recorded.queries.map(\.name), "query", line)
    let shapes = try recorded.queries.map { query throws(RecordingError) in
      try shape(query, types)
    }
    return DataModel(types: types, shapes: shapes)
  }

  private func place(ofType name: String) throws(RecordingError) -> Int {
    guard let place = places[TextKey(name)] else {
      throw unknown("type", name, among: recorded.types.map(\.name))
    }
    return place
  }

  private func type(_ recorded: RecordedType) throws(RecordingError) -> EntityType {
    try check(
      recorded.fields.count, atMost: DataModel.maximumFields, "fields in `\(recorded.name)`")
    let fieldPlaces = try Self.places(recorded.fields.map(\.name), "field", line)
    var fields: [ModelField] = []
    for field in recorded.fields {
      fields.append(ModelField(name: field.name, content: try content(field)))
    }
    var type = EntityType(name: recorded.name, count: 0, size: .fixed(1), fields: fields)
    _ = try Self.places(recorded.views.map(\.name), "view", line)
    let views = try recorded.views.map { view throws(RecordingError) in
      try shown(in: view, recorded, fieldPlaces)
    }
    // Of several views the first is simulated; any other counts as the whole.
    guard let place = views.indices.first else { return type }
    let view = recorded.views[place]
    type.summary = EntitySummary(
      fields: views[place],
      size: view.bytes.map { .fixed($0) } ?? .share(millionths: view.millionths ?? 1))
    return type
  }

  /// Returns the indices of the fields that a view shows, in their order.
  private func shown(
    in view: RecordedView, _ type: RecordedType, _ places: [TextKey: Int]
  ) throws(RecordingError) -> [Int] {
    var shown: [Int] = []
    for name in view.shows {
      guard let field = places[TextKey(name)] else {
        throw unknown("field of `\(type.name)`", name, among: type.fields.map(\.name))
      }
      guard !shown.contains(field) else {
        throw failure("`\(name)` is named twice in `shows`", "remove one of the two")
      }
      shown.append(field)
    }
    guard !shown.isEmpty else {
      throw failure("`shows` of a view is empty", "name a field of the type")
    }
    return shown.sorted()
  }

  private func content(_ field: RecordedField) throws(RecordingError) -> ModelField.Content {
    switch field.holds {
    case .integer: return .integer(0...0)
    case .time: return .time(meanAge: .zero)
    case .text: return .text
    case .flag: return .flag(share: 0)
    case .reference, .references:
      guard let target = field.to else {
        throw failure("`\(field.name)` has no `to`", "name the type that it leads to")
      }
      let type = try place(ofType: target)
      return field.holds == .reference
        ? .one(type: type, .uniform, cascades: field.cascades)
        : .many(type: type, .uniform, count: .mean(0))
    }
  }

  // MARK: Queries

  private func shape(
    _ query: RecordedQuery, _ types: [EntityType]
  ) throws(RecordingError) -> QueryShape {
    var shape = QueryShape(
      name: query.name, types: [], conditions: [], order: [], rows: query.rows,
      reportClass: Self.reportClass(query.reportClass ?? query.name))
    for name in query.lists {
      let type = try place(ofType: name)
      guard !shape.types.contains(type) else {
        throw failure("`\(name)` is listed twice", "remove one of the two")
      }
      shape.types.append(type)
    }
    guard !shape.types.isEmpty else {
      throw failure("the query `\(query.name)` lists nothing", "name a type in `lists`")
    }
    for condition in query.conditions { try read(condition, into: &shape, types) }
    for order in query.order {
      let (member, content) = try member(order.field, shape, types)
      switch content {
      case .one, .many:
        throw failure("`\(member.name)` is a reference, which has no order", "name another")
      case .integer, .time, .text, .flag:
        shape.order.append(QueryShape.Ordering(member, isDescending: order.isDescending))
      }
    }
    shape.isPaged = query.isPaged
    shape.cachedFrom = query.cachedFrom
    if let name = query.shows {
      shape.showsSummaries = try isSummary(name, of: query, shape, types)
    }
    guard !ModelReader.otherClasses.contains(shape.reportClass),
      shape.reportClass.legible == shape.reportClass
    else {
      throw failure(
        "`\(shape.reportClass.excerpt)` is a class of all reports, or cannot be seen",
        "give the query another `class`")
    }
    return shape
  }

  /// Returns a class of reports, whose parts are separated by `/`: a path such as `/tasks/:id` becomes
  /// `tasks.:id`.
  private static func reportClass(_ name: String) -> String {
    let path = name.split(separator: "/").joined(separator: ".")
    return path.isEmpty ? name.replacing("/", with: ".") : path
  }

  /// Returns whether a query shows no more than the simulated summary of each listed type.
  ///
  /// Any other view counts as the whole: a cache serves it from the whole, and never from a summary.
  private func isSummary(
    _ name: String, of query: RecordedQuery, _ shape: QueryShape, _ types: [EntityType]
  ) throws(RecordingError) -> Bool {
    var isSummary = true
    for type in shape.types {
      let views = recorded.types[type].views
      guard let view = views.first(where: { TextKey($0.name) == TextKey(name) }) else {
        throw failure(
          "`\(types[type].name)` has no view `\(name.excerpt)`",
          "declare what the query `\(query.name)` shows of it")
      }
      let summary = (types[type].summary?.fields ?? []).map { TextKey(types[type].fields[$0].name) }
      if !view.shows.allSatisfy({ summary.contains(TextKey($0)) }) { isSummary = false }
    }
    return isSummary
  }

  /// Returns a field that all listed types have with the same content.
  private func member(
    _ name: String, _ shape: QueryShape, _ types: [EntityType]
  ) throws(RecordingError) -> (QueryShape.Member, ModelField.Content) {
    var found: ModelField?
    for type in shape.types {
      guard let field = types[type].field(named: name) else {
        throw unknown(
          "field of `\(types[type].name)`", name, among: types[type].fields.map(\.name))
      }
      if let found,
        RecordedField.Holding(found.content) != RecordedField.Holding(field.content)
          || found.target != field.target
      {
        throw failure(
          "`\(name)` has one kind in one listed type and another in the next",
          "give one of the two another name")
      }
      found = field
    }
    guard let found else { throw failure("the query lists nothing", "name a type in `lists`") }
    return (QueryShape.Member(found), found.content)
  }

  private func read(
    _ condition: RecordedCondition, into shape: inout QueryShape, _ types: [EntityType]
  ) throws(RecordingError) {
    func beAbout(
      _ word: String?, _ member: String, _ type: Int, _ shape: inout QueryShape
    ) throws(RecordingError) {
      guard shape.subjectType == nil, shape.typedField == nil else {
        throw failure(
          "the query `\(shape.name)` is about two things", "let one condition name what is asked")
      }
      shape.subjectType = type
      shape.isAboutMe = try self.word(word, member, among: ["subject", "me"]) == "me"
    }
    if condition.id != nil {
      guard shape.types.count == 1 else {
        throw failure(
          "the query `\(shape.name)` lists several types, and a subject is of one",
          "list the type that is asked about")
      }
      try beAbout(condition.id, "id", shape.types[0], &shape)
      return shape.conditions.append(.isSubjectItself)
    }
    guard let name = condition.field else {
      throw failure("a condition of `\(shape.name)` names nothing", "write `field`, or `id`")
    }
    let (member, content) = try member(name, shape, types)
    switch content {
    case .one(let type, _, _):
      try beAbout(condition.isWord, "is", type, &shape)
      shape.conditions.append(.isSubject(member))
    case .many(let type, _, _):
      try beAbout(condition.includes, "includes", type, &shape)
      shape.conditions.append(.includesSubject(member))
    case .text:
      _ = try word(condition.begins, "begins", among: ["typed"])
      guard shape.subjectType == nil, shape.typedField == nil else {
        throw failure(
          "the query `\(shape.name)` is about two things", "let one condition name what is asked")
      }
      shape.conditions.append(.beginsWithTyped(member))
    case .flag:
      let state = try word(condition.isWord, "is", among: ["set", "unset"])
      shape.conditions.append(.flag(member, state == "set"))
    case .integer:
      let comparisons = QueryShape.Comparison.allCases.map(\.rawValue)
      let comparison = try word(condition.compares, "compares", among: comparisons)
      guard let constant = condition.to else {
        throw failure("a condition on `\(name)` has no `to`", "write what it is compared with")
      }
      shape.conditions.append(
        .compares(member, QueryShape.Comparison(rawValue: comparison) ?? .equal, constant))
    case .time:
      throw failure(
        "`\(member.name)` is a time, by which lists are ordered and not chosen",
        "name another field")
    }
  }

  private func word(
    _ word: String?, _ member: String, among words: [String]
  ) throws(RecordingError) -> String {
    guard let word else {
      throw failure(
        "a condition has no `\(member)`", "write one of \(words.joined(separator: ", "))")
    }
    guard words.contains(word) else {
      throw unknown("word in `\(member)`", word, among: words)
    }
    return word
  }
}

extension RecordingError {
  static func unknown(
    _ what: String, _ word: String, among known: [String], line: Int
  ) -> RecordingError {
    let valid = known.prefix(20).joined(separator: ", ") + (known.count > 20 ? ", …" : "")
    return RecordingError(
      line: line, cause: "unknown \(what) `\(word.excerpt)`",
      remedy: NearestName.suggestion(for: word, among: known).map { "did you mean `\($0)`?" }
        ?? "valid here: \(valid)")
  }
}

extension Catalog {
  package enum FieldValue {
    case number(Int64)
    case text(String)
    case flag(Bool)
    /// The object that it refers to; `nil`: none.
    case one(UInt32?)
    case many([UInt32])
  }

  package func value(of field: ModelField, in state: UInt32) -> FieldValue {
    let word = word(field.slot, of: state)
    return switch field.content {
    case .integer, .time: .number(OrderedWord.number(word))
    case .text: .text(word == 0 ? "" : LetterCode.decode(word))
    case .flag: .flag(word != 0)
    case .one: .one(word == UInt64(Revision.noObject) ? nil : UInt32(truncatingIfNeeded: word))
    case .many: .many(Array(labels[LabelRange(word: word).indices]))
    }
  }

  /// Returns a field of a state in its recorded form; `nil` if it has the default value.
  func recorded(_ field: ModelField, of state: UInt32) -> RecordedState.Field? {
    let value: RecordedState.Value? =
      switch value(of: field, in: state) {
      case .number(let number): number == 0 ? nil : .number(number)
      case .text(let text): text.isEmpty ? nil : .text(text)
      case .flag(let isSet): isSet ? .flag(true) : nil
      case .one(let object): object.map { .number(Int64($0)) }
      case .many(let objects): objects.isEmpty ? nil : .references(objects)
      }
    return value.map { RecordedState.Field(field.name, $0) }
  }

  /// Writes a field of a state as a member with its name; a default value is omitted.
  package func write(_ field: ModelField, of state: UInt32, into json: inout JSONWriter) {
    recorded(field, of: state)?.write(into: &json)
  }

  /// Returns the word of a field of a state, with the field's order.
  package func word(_ slot: Int, of state: UInt32) -> UInt64 {
    values[Int(valueStarts[Int(state)]) + slot]
  }
}
