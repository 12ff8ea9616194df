import Text

struct QuerySection: ScenarioSection {
  var list: SourceNode?
  var filter: SourceNode?
  var order: SourceNode?
  var first: Int?
  var page: Int?
  var reportClass: String?
  var cachedFrom: Int?
  var shows: SourceNode?

  static let fields: [Field<QuerySection>] = [
    .node("list", \.list, "the type that it lists, or several", form: .several("type")).required(),
    .node(
      "where", \.filter, "conditions that all rows meet", form: .several("condition")),
    .node(
      "order", \.order, "the fields that rows are ordered by, at most two", form: .several("order")
    ).required(),
    .count("first", of: "rows", \.first, 1...1_000_000, "rows that it returns at most"),
    .count("page", of: "rows", \.page, 1...1_000_000, "rows on a page"),
    Field(name: "class", form: .text, summary: "name under which reports add up its reads") {
      $0.reportClass = $2.scalar($1)
    },
    .count(
      "cached-from", of: "letters", \.cachedFrom, 0...12,
      "typed letters from which on an answer is kept"),
    .node(
      "shows", \.shows, "how much of each row it returns; all if absent",
      form: .choice(["summary", "whole"])),
  ]
}

extension ModelReader {
  /// Reserved classes of reports.
  static let otherClasses = ["entity", "total", "all", "first", "redraw", "worst-client"]

  func shapes(_ node: SourceNode, _ reader: inout ScenarioReader) -> [QueryShape] {
    let entries = reader.named(node, "query", atMost: DataModel.maximumShapes)
    if entries.isEmpty { reader.report(node.place, "no query is declared", "add a list") }
    return entries.map { shape($0, &reader) }
  }

  private func shape(_ entry: SourceNode.Entry, _ reader: inout ScenarioReader) -> QueryShape {
    var section = QuerySection()
    let faulty = reader.read(entry.value, into: &section)
    let place = entry.value.place
    var shape = QueryShape(
      name: entry.key, types: [], conditions: [], order: [], rows: 1, reportClass: entry.key)
    if reader.keys(of: entry.value, among: ["first", "page"]).count != 1,
      !faulty.contains("first"), !faulty.contains("page")
    {
      reader.report(
        place, "a query has either `first` or `page`", "write how many rows: `first: 50 rows`")
    }
    shape.rows = section.first ?? section.page ?? 1
    shape.isPaged = section.page != nil
    if let name = section.reportClass { shape.reportClass = name }
    if Self.otherClasses.contains(shape.reportClass) {
      reader.report(
        place, "`\(shape.reportClass)` is a class of all reports",
        "give the query another name, or a `class`")
    }
    for node in section.list.map({ reader.elements(of: $0) }) ?? [] {
      guard let name = reader.scalar(node),
        let type = reader.place(
          of: name, at: node.place, what: "type", among: types.map(\.name))
      else { continue }
      if shape.types.contains(type) {
        reader.report(node.place, "`\(name)` is listed twice", "remove one of the two")
      } else {
        shape.types.append(type)
      }
    }
    guard !shape.types.isEmpty else { return shape }
    if let shows = section.shows {
      shape.showsSummaries = showsSummaries(shows, shape, &reader)
    }
    let filters = section.filter.map { reader.elements(of: $0) } ?? []
    for node in filters {
      if let condition = condition(node, &shape, &reader) { shape.conditions.append(condition) }
    }
    let orders = section.order.map { reader.elements(of: $0) } ?? []
    if orders.count > 2 {
      reader.report(section.order?.place, "an order has at most two fields", "remove the others")
    }
    for node in orders {
      if let ordering = ordering(node, shape, &reader) { shape.order.append(ordering) }
    }
    shape.cachedFrom = section.cachedFrom ?? (shape.typedField == nil ? 0 : 1)
    let areFiltersKnown =
      shape.conditions.count == filters.count && !faulty.contains("where")
    if section.cachedFrom != nil, shape.typedField == nil, areFiltersKnown {
      reader.report(
        place, "`cached-from` counts typed letters, and nothing is typed here",
        "remove it, or add `where: FIELD begins with typed`")
    }
    return shape
  }

  /// Returns a field that all listed types have, of a suitable kind.
  private func member(
    _ name: String, of shape: QueryShape, at place: SourcePlace?,
    _ reader: inout ScenarioReader
  ) -> (QueryShape.Member, ModelField.Content)? {
    var found: ModelField?
    for type in shape.types {
      guard
        let index = field(name, ofType: type, at: place, &reader)
      else { return nil }
      let field = types[type].fields[index]
      if let found, found.content.word != field.content.word || found.target != field.target {
        reader.report(
          place,
          "`\(name)` is \(found.content.word) in one listed type and "
            + "\(field.content.word) in another", "give one of the two another name")
        return nil
      }
      found = field
    }
    return found.map { (QueryShape.Member($0), $0.content) }
  }

  private func ordering(
    _ node: SourceNode, _ shape: QueryShape, _ reader: inout ScenarioReader
  ) -> QueryShape.Ordering? {
    guard let text = reader.scalar(node) else { return nil }
    let words = text.split(separator: " ").map(String.init)
    guard let name = words.first, words.count == 1 || words.count == 2 && words[1] == "descending"
    else {
      reader.report(
        node.place, "`\(ScenarioReader.shortened(text))` is not an order",
        "write a field, and `descending` behind it for the largest or latest first")
      return nil
    }
    guard let (member, content) = member(name, of: shape, at: node.place, &reader) else {
      return nil
    }
    guard content.target == nil else {
      reader.report(
        node.place, "`\(name)` is a reference, which has no order", "name another field")
      return nil
    }
    return QueryShape.Ordering(member, isDescending: words.count == 2)
  }

  /// Reads `id is subject`, `F is subject`, `F includes me`, `F begins with typed`, `F`, `not F`, or `F >=
  /// 3`.
  private func condition(
    _ node: SourceNode, _ shape: inout QueryShape, _ reader: inout ScenarioReader
  ) -> QueryShape.Condition? {
    guard let text = reader.scalar(node) else { return nil }
    let words = text.split(separator: " ").map(String.init)
    func fail(_ cause: String, _ remedy: String) -> QueryShape.Condition? {
      reader.report(node.place, cause, remedy)
      return nil
    }
    if words.first == "id" {
      guard words.count == 3, words[1] == "is", ["subject", "me"].contains(words[2]) else {
        return fail(
          "`\(ScenarioReader.shortened(text))` is not a condition on an entity's identity",
          "write `id is subject` or `id is me`")
      }
      guard shape.types.count == 1 else {
        return fail(
          "several types are listed, and a subject is of one", "list the type that is asked about")
      }
      guard shape.subjectType == nil, shape.typedField == nil else {
        return fail("the query is about two things", "let one condition name what is asked")
      }
      shape.subjectType = shape.types[0]
      shape.isAboutMe = words[2] == "me"
      return .isSubjectItself
    }
    if words.first == "itself", shape.types.allSatisfy({ types[$0].field(named: "itself") == nil })
    {
      return fail("`itself` is not a field", "it is now `id`")
    }
    let isNegated = words.count == 2 && words[0] == "not"
    guard let name = isNegated ? words.last : words.first,
      let (member, content) = member(name, of: shape, at: node.place, &reader)
    else { return nil }
    let rest = isNegated ? [] : Array(words.dropFirst())
    switch (rest.joined(separator: " "), content) {
    case ("", .flag): return .flag(member, !isNegated)
    case ("is subject", .one(let type, _, _)), ("is me", .one(let type, _, _)),
      ("includes subject", .many(let type, _, _)), ("includes me", .many(let type, _, _)):
      if shape.subjectType != nil || shape.typedField != nil {
        return fail("the query is about two things", "let one condition name what is asked")
      }
      shape.subjectType = type
      shape.isAboutMe = rest.last == "me"
      return rest.first == "is" ? .isSubject(member) : .includesSubject(member)
    case ("begins with typed", .text):
      if shape.subjectType != nil || shape.typedField != nil {
        return fail("the query is about two things", "let one condition name what is asked")
      }
      return .beginsWithTyped(member)
    default: break
    }
    if rest.count == 2, let comparison = QueryShape.Comparison(rawValue: rest[0]),
      let constant = Quantity.wholeNumber(rest[1]), case .integer = content
    {
      return .compares(member, comparison, constant)
    }
    let remedy =
      switch content {
      case .integer: "compare it: `\(name) >= 3`"
      case .text: "write `\(name) begins with typed`"
      case .flag: "write `\(name)` or `not \(name)`"
      case .one: "write `\(name) is subject` or `\(name) is me`"
      case .many: "write `\(name) includes subject` or `\(name) includes me`"
      default: "order by it; a filter by \(content.kind) is not there"
      }
    return fail(
      "`\(ScenarioReader.shortened(text))` is not a condition on \(content.word)", remedy)
  }
}
