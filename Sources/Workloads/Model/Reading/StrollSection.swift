import Text

/// A stroll as it is written: which lists it leads through, and how.
struct StrollSection: ScenarioSection {
  var through: SourceNode?
  var stroll = ActivityStep.Stroll()

  static let fields: [Field<StrollSection>] = [
    .node(
      "through", \.through, "a query about a row of its own",
      form: .named("query")
    )
    .required(),
    .mean("moves", of: "moves", \.stroll.moves, 0...1_000, "mean moves from view to view"),
    .share("back", \.stroll.back, "share of moves back to a view of this stroll"),
    .share("descend", \.stroll.descend, "share of moves into a row; the rest leap elsewhere"),
    .share(
      "revisit", \.stroll.revisit, "share of beginnings and leaps to known places"
    ),
    .mean(
      "opens", of: "rows", \.stroll.opens, 0...1_000,
      "mean rows opened in each view"),
    .share("pin", \.stroll.pin, "share of places pinned at the first visit"),
  ]

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    if stroll.back + stroll.descend > 1 {
      reader.report(place, "`back` and `descend` exceed 100 %", "lower one of them")
    }
  }
}

extension ScenarioReader {
  /// A stroll, through lists that a row of another leads to.
  mutating func stroll(_ node: SourceNode, _ model: DataModel) -> ActivityStep.Stroll? {
    var section = StrollSection()
    read(node, into: &section)
    guard let through = section.through, let name = scalar(through),
      let shape = place(
        of: name, at: through.place, what: "query", among: model.shapes.map(\.name))
    else { return nil }
    guard model.shapes[shape].subjectReference != nil, model.shapes[shape].typedField == nil else {
      report(
        through.place, "`\(name)` is not about what a row of it refers to",
        "stroll through a query with a condition such as `parent is subject`")
      return nil
    }
    section.stroll.shape = shape
    return section.stroll
  }

  /// What is new of a type, and where it is opened.
  mutating func notice(
    _ name: String, _ section: StepSection, _ model: DataModel, of step: SourceNode
  ) -> ActivityStep.Notice? {
    guard
      let type = place(
        of: name, at: step.place(ofKey: "notified"), what: "type", among: model.types.map(\.name))
    else { return nil }
    var notice = ActivityStep.Notice(type: type, age: section.within)
    guard let list = section.list else {
      if let place = step.place(ofKey: "direct") {
        report(
          place, "`direct` is the share opened by itself, and there is no list for the rest",
          "add `in:` with a query, or remove it")
      }
      return notice
    }
    guard let text = scalar(list),
      let shape = place(of: text, at: list.place, what: "query", among: model.shapes.map(\.name))
    else { return nil }
    guard model.shapes[shape].types.contains(type), let field = model.shapes[shape].subjectReference
    else {
      report(
        list.place, "`\(text)` does not list \(Words.a(name)) by a reference of it",
        "name a query with a condition such as `parent is subject`, or remove `in`")
      return nil
    }
    notice.list = ActivityStep.Notice.List(shape: shape, field: field)
    notice.direct = section.direct ?? 0.7
    return notice
  }
}
