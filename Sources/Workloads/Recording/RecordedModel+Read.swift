import CacheModel
import Text

extension RecordedModel {
  /// Reads the model of a header.
  ///
  /// - Parameters:
  ///   - value: of the member `model`.
  ///   - number: of the line.
  /// - Returns: the model; how its data would be drawn is not in a recording.
  /// - Throws: what is wrong with it.
  static func read(_ value: JSONValue, line number: Int) throws(RecordingError) -> DataModel {
    if value == .string(files) { return .fileLibrary }
    var line = try RecordedLine(value, line: number)
    var types: [EntityType] = []
    let declared = try objects(&line, "types", atMost: DataModel.maximumTypes)
    // Fields may refer to types that stand below.
    let names = try declared.map { type throws(RecordingError) in
      var type = type
      return try name(&type)
    }
    try checkDistinct(names, "type", line)
    for (place, type) in declared.enumerated() {
      var type = type
      _ = try name(&type)
      var fields: [ModelField] = []
      for entry in try objects(&type, "fields", atMost: DataModel.maximumFields) {
        fields.append(try field(entry, names))
      }
      try checkDistinct(fields.map(\.name), "field", line)
      var declared = EntityType(name: names[place], count: 0, size: .fixed(1), fields: fields)
      if let summary = type.optional("summary") {
        declared.summary = try self.summary(RecordedLine(summary, line: number), fields)
      }
      try type.finish("a type")
      types.append(declared)
    }
    DataModel.setSlots(of: &types)
    var shapes: [QueryShape] = []
    for entry in try objects(&line, "queries", atMost: DataModel.maximumShapes) {
      shapes.append(try shape(entry, types))
    }
    try checkDistinct(shapes.map(\.name), "query", line)
    try line.finish("a model")
    guard !types.isEmpty, !shapes.isEmpty else {
      throw line.failure("the model has no types, or no queries", "declare what was recorded")
    }
    return DataModel(types: types, shapes: shapes)
  }

  private static func objects(
    _ line: inout RecordedLine, _ member: String, atMost limit: Int
  ) throws(RecordingError) -> [RecordedLine] {
    let values = try line.array(member)
    guard values.count <= limit else {
      throw line.failure("`\(member)` has \(values.count) entries", "at most \(limit) are read")
    }
    let number = line.number
    return try values.map { value throws(RecordingError) in
      try RecordedLine(value, line: number)
    }
  }

  private static func name(_ entry: inout RecordedLine) throws(RecordingError) -> String {
    let name = try entry.text("name")
    let isPlain = name.utf8.allSatisfy {
      $0 >= 97 && $0 <= 122 || $0 >= 48 && $0 <= 57 || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: ".")
    }
    guard isPlain, (1...64).contains(name.utf8.count) else {
      throw entry.failure(
        "`\(ScenarioReader.shortened(name))` is not a name",
        "use up to 64 lower-case letters, digits, hyphens and points")
    }
    return name
  }

  private static func checkDistinct(
    _ names: [String], _ what: String, _ line: RecordedLine
  ) throws(RecordingError) {
    for (place, name) in names.enumerated() where names[..<place].contains(name) {
      throw line.failure("the \(what) `\(name)` occurs twice", "give each its own name")
    }
  }

  private static func field(
    _ entry: RecordedLine, _ types: [String]
  ) throws(RecordingError) -> ModelField {
    var entry = entry
    let name = try name(&entry)
    let word = try entry.text("holds")
    guard let holding = Holding(rawValue: word) else {
      throw entry.unknown("kind of field", word, among: Holding.allCases.map(\.rawValue))
    }
    let content: ModelField.Content
    switch holding {
    case .integer: content = .integer(0...0)
    case .time: content = .time(meanAge: .zero)
    case .text: content = .text
    case .flag: content = .flag(share: 0)
    case .reference:
      content = .one(
        type: try place(&entry, "to", of: types, "type"), .uniform,
        isOwner: try entry.flag("owner"))
    case .references:
      content = .many(
        type: try place(&entry, "to", of: types, "type"), .uniform, count: .mean(0))
    }
    try entry.finish("a field that holds \(word)")
    return ModelField(name: name, content: content, storage: .value(0))
  }

  private static func summary(
    _ entry: RecordedLine, _ fields: [ModelField]
  ) throws(RecordingError) -> EntitySummary {
    var entry = entry
    var shown: [Int] = []
    for value in try entry.array("shows") {
      guard case .string(let name) = value else {
        throw entry.failure("a part of `shows` is not a text", "name fields of the type")
      }
      guard let field = fields.firstIndex(where: { $0.name == name }) else {
        throw entry.unknown("field of the type", name, among: fields.map(\.name))
      }
      guard !shown.contains(field) else {
        throw entry.failure("`\(name)` is named twice in `shows`", "remove one of the two")
      }
      shown.append(field)
    }
    guard !shown.isEmpty else {
      throw entry.failure("`shows` of a summary is empty", "name a field of the type")
    }
    let size: EntitySummary.Size
    if entry.optional("millionths") != nil {
      size = .share(millionths: try entry.integer("millionths", in: 1...1_000_000))
    } else {
      size = .fixed(try entry.integer("bytes", in: 1...SizeDistribution.most))
    }
    try entry.finish("a summary")
    return EntitySummary(fields: shown.sorted(), size: size)
  }

  private static func place(
    _ entry: inout RecordedLine, _ member: String, of names: [String], _ what: String
  ) throws(RecordingError) -> Int {
    let name = try entry.text(member)
    guard let place = names.firstIndex(of: name) else {
      throw entry.unknown(what, name, among: names)
    }
    return place
  }

  // MARK: Queries

  private static func shape(
    _ entry: RecordedLine, _ types: [EntityType]
  ) throws(RecordingError) -> QueryShape {
    var entry = entry
    let name = try name(&entry)
    var shape = QueryShape(
      name: name, types: [], conditions: [], order: [],
      rows: try entry.integer("rows", in: 1...1_000_000), reportClass: name)
    for value in try entry.array("lists") {
      guard case .string(let type) = value else {
        throw entry.failure("a part of `lists` is not a text", "name types")
      }
      guard let place = types.firstIndex(where: { $0.name == type }) else {
        throw entry.unknown("type", type, among: types.map(\.name))
      }
      guard !shape.types.contains(place) else {
        throw entry.failure("`\(type)` is listed twice", "remove one of the two")
      }
      shape.types.append(place)
    }
    guard !shape.types.isEmpty else {
      throw entry.failure("the query `\(name)` lists nothing", "name a type in `lists`")
    }
    if entry.optional("where") != nil {
      for var condition in try objects(&entry, "where", atMost: DataModel.maximumFields) {
        try read(&condition, into: &shape, types)
        try condition.finish("a condition")
      }
    }
    for var ordering in try objects(&entry, "order", atMost: 2) {
      let (member, content) = try self.member(&ordering, shape, types)
      guard !content.isReference else {
        throw ordering.failure(
          "`\(member.name)` is a reference, which has no order", "name another")
      }
      shape.order.append(
        QueryShape.Ordering(member, isDescending: try ordering.flag("descending")))
      try ordering.finish("an order")
    }
    guard !shape.order.isEmpty else {
      throw entry.failure("the query `\(name)` has no order", "name one field, or two")
    }
    shape.isPaged = try entry.flag("paged")
    shape.cachedFrom = try entry.integer(
      "cachedFrom", in: 0...LetterCode.maximumLetters, default: 0)
    if entry.optional("shows") != nil {
      let part = try entry.text("shows")
      guard part == "summary" || part == "whole" else {
        throw entry.unknown("part of an entity", part, among: ["summary", "whole"])
      }
      shape.showsSummaries = part == "summary"
      if shape.showsSummaries, let type = shape.types.first(where: { types[$0].summary == nil }) {
        throw entry.failure(
          "`\(types[type].name)` has no `summary`", "declare what the query `\(name)` shows of it")
      }
    }
    if entry.optional("class") != nil { shape.reportClass = try entry.text("class") }
    guard !ModelReader.otherClasses.contains(shape.reportClass) else {
      throw entry.failure(
        "`\(shape.reportClass)` is a class of all reports", "give the query another `class`")
    }
    try entry.finish("a query of the model")
    return shape
  }

  /// A field that all listed types have, and hold the same in.
  private static func member(
    _ entry: inout RecordedLine, _ shape: QueryShape, _ types: [EntityType]
  ) throws(RecordingError) -> (QueryShape.Member, ModelField.Content) {
    let name = try entry.text("field")
    var found: ModelField?
    for type in shape.types {
      guard let field = types[type].field(named: name) else {
        throw entry.unknown(
          "field of `\(types[type].name)`", name, among: types[type].fields.map(\.name))
      }
      if let found, Holding(found.content) != Holding(field.content) || found.target != field.target
      {
        throw entry.failure(
          "`\(name)` holds one thing in one listed type and another in the next",
          "give one of the two another name")
      }
      found = field
    }
    guard let found else { throw entry.failure("`field` is missing", "add it") }
    return (QueryShape.Member(name: name, storage: found.storage), found.content)
  }

  private static func read(
    _ entry: inout RecordedLine, into shape: inout QueryShape, _ types: [EntityType]
  ) throws(RecordingError) {
    func word(
      _ name: String, among words: [String], _ entry: inout RecordedLine
    ) throws(RecordingError) -> String {
      let word = try entry.text(name)
      guard words.contains(word) else {
        throw entry.unknown("word in `\(name)`", word, among: words)
      }
      return word
    }
    func beAbout(_ type: Int?, _ entry: RecordedLine) throws(RecordingError) {
      guard shape.subjectType == nil, shape.typedField == nil else {
        throw entry.failure(
          "the query `\(shape.name)` is about two things", "let one condition name what is asked")
      }
      shape.subjectType = type
    }
    if entry.optional("itself") != nil {
      let subject = try word("itself", among: ["subject", "me"], &entry)
      guard shape.types.count == 1 else {
        throw entry.failure(
          "the query `\(shape.name)` lists several types, and a subject is of one",
          "list the type that is asked about")
      }
      try beAbout(shape.types[0], entry)
      shape.isAboutMe = subject == "me"
      shape.conditions.append(.isSubjectItself)
      return
    }
    let (member, content) = try member(&entry, shape, types)
    switch content {
    case .one(let type, _, _):
      let subject = try word("is", among: ["subject", "me"], &entry)
      try beAbout(type, entry)
      shape.isAboutMe = subject == "me"
      shape.conditions.append(.isSubject(member))
    case .many(let type, _, _):
      let subject = try word("includes", among: ["subject", "me"], &entry)
      try beAbout(type, entry)
      shape.isAboutMe = subject == "me"
      shape.conditions.append(.includesSubject(member))
    case .text:
      _ = try word("begins", among: ["typed"], &entry)
      try beAbout(nil, entry)
      shape.conditions.append(.beginsWithTyped(member))
    case .flag:
      let state = try word("is", among: ["set", "unset"], &entry)
      shape.conditions.append(.flag(member, state == "set"))
    case .integer:
      let comparisons = QueryShape.Comparison.allCases.map(\.rawValue)
      let comparison = QueryShape.Comparison(
        rawValue: try word("compares", among: comparisons, &entry))
      let most: Int64 = 1 << 50
      shape.conditions.append(
        .compares(
          member, comparison ?? .equal, try entry.integer("to", in: -most...most)))
    case .time:
      throw entry.failure(
        "`\(member.name)` is a time, by which lists are ordered and not chosen",
        "name another field")
    }
  }
}

extension ModelField.Content {
  /// Whether it leads to other entities.
  fileprivate var isReference: Bool {
    switch self {
    case .one, .many: true
    case .integer, .time, .text, .flag: false
    }
  }
}
