import Text

/// A step of an activity, as written in a file: one verb, and its details.
struct StepSection: ScenarioSection {
  var verbs: [(name: String, node: SourceNode)] = []
  var of: SourceNode?
  var prefer: SourceNode?
  var zipf: Double?
  var revisit: Double?
  var chance = 1.0
  var optional: Double?
  var letters = 5.0
  var keystroke = Duration.milliseconds(240)
  var askFrom = 1
  var pause = Duration.milliseconds(500)
  var within = Duration.hours(1)
  var list: SourceNode?
  var direct: Double?

  fileprivate static let verbs: [(name: String, form: FieldForm, summary: String)] = [
    ("visit", .named("query"), "a query that is opened"),
    ("follow", .named("query"), "a query about a row on screen"),
    (
      "open", .count("rows", 0...1_000),
      "mean rows on screen that are opened as single entities"
    ),
    (
      "page-on", .count("pages", 0...1_000),
      "mean number of further pages"
    ),
    ("type", .named("query"), "a query that is asked by typing"),
    ("stroll", .section, "a walk through lists that lead to each other"),
    (
      "scroll", .count("rows", 0...10_000),
      "mean rows on screen that are opened one after the other"
    ),
    ("notified", .named("type"), "an entity of this type is opened because it is new"),
    (
      "stay", .duration(.nanoseconds(1) ... .days(1)),
      "mean time that the user looks"
    ),
    ("back", .share, "how often the user goes back to the view before"),
    ("pin", .share, "how often the view on screen is marked, to keep it"),
    (
      "pull", .share,
      "how often the view on screen is pulled to refresh"
    ),
    ("write", .named("operation"), "an operation that the user performs"),
  ]

  static let fields: [Field<StepSection>] =
    verbs.map { verb in
      let field = Field<StepSection>(name: verb.name, form: verb.form, summary: verb.summary) {
        section, node, _ in section.verbs.append((verb.name, node))
      }
      return verb.form == .section ? field.holding(StrollSection.self) : field
    } + [
      .node(
        "of", \.of, "the field of the row that is followed",
        form: .named("field")),
      .node(
        "prefer", \.prefer, "which subject is chosen; popular if absent",
        form: .choice(["any", "popular", "newest"])),
      .real(
        "zipf", .number, \.zipf, 0.01...4,
        "exponent of the choice; if absent, 0.9 of a subject, 1 of a row"),
      .real("revisit", .share, \.revisit, 0...1, "share of visits to recently visited rows"),
      .share("chance", \.chance, "how often the activity goes on here; else it ends"),
      .real(
        "optional", .share, \.optional, 0...1,
        "how often the step is done; else the next one follows"),
      .mean("letters", of: "letters", \.letters, 1...12, "mean letters typed"),
      .duration(
        "keystroke", \.keystroke, .milliseconds(1)...(.minutes(1)), "time between two letters"),
      .count(
        "ask-from", of: "letters", \.askFrom, 1...12, "first letter at which the query is asked"),
      .duration(
        "pause", \.pause, .milliseconds(1)...(.hours(1)), "time between two rows of a scroll"),
      .duration("within", \.within, .seconds(1)...(.days(30)), "younger than this is new"),
      .node("in", \.list, "the list in which new entities may be opened", form: .named("query")),
      .real(
        "direct", .share, \.direct, 0...1, "share of new entities opened alone, not in the list"),
    ]

  /// The verbs that allow each other key; `chance` and `optional` apply to all.
  static let qualifiers = [
    Qualifier("of", of: ["follow"]), Qualifier("prefer", of: ["visit", "type"]),
    Qualifier("zipf", of: ["visit", "follow", "open", "type", "write"]),
    Qualifier("revisit", of: ["visit"]),
    Qualifier("letters", of: ["type"]), Qualifier("keystroke", of: ["type"]),
    Qualifier("ask-from", of: ["type"]), Qualifier("pause", of: ["scroll"]),
    Qualifier("within", of: ["notified"]), Qualifier("in", of: ["notified"]),
    Qualifier("direct", of: ["notified"]), Qualifier("chance", of: verbs.map(\.name)),
    Qualifier("optional", of: verbs.map(\.name)),
  ]
}

extension ScenarioReader {
  /// Reads the steps of an activity, and checks each against the current view.
  mutating func steps(_ node: SourceNode) -> [ActivityStep] {
    guard let model else { return [] }
    let nodes = elements(of: node)
    guard nodes.count <= 40 else {
      report(node.place, "\(nodes.count) steps, the limit is 40", "remove some")
      return []
    }
    var steps: [ActivityStep] = []
    var onScreen: [Int] = []
    // After a view that may not have been opened, or left, no row is known.
    var isUncertain = false
    for node in nodes {
      guard
        let step = step(node, onScreen: onScreen.last, isUncertain: isUncertain, model)
      else { return steps }
      switch step.action {
      case .follow(let shape, _, _): onScreen.append(shape)
      case .back(let share): if share == 1 { onScreen.removeLast() }
      // A stroll may have ended where it began, so there is no view of it to go back to.
      default: if let shape = step.shape { onScreen = [shape] }
      }
      if case .back = step.action, onScreen.isEmpty {
        report(node.place, "there is no view to go back to", "follow something first")
        return steps
      }
      if step.optional != nil, step.changesView {
        (onScreen, isUncertain) = ([], true)
      } else if !onScreen.isEmpty {
        isUncertain = false
      }
      steps.append(step)
    }
    return steps
  }

  private mutating func step(
    _ node: SourceNode, onScreen: Int?, isUncertain: Bool, _ model: DataModel
  ) -> ActivityStep? {
    var section = StepSection()
    let faulty = read(node, into: &section)
    guard section.verbs.count == 1, let verb = section.verbs.first else {
      guard faulty.isEmpty else { return nil }
      report(
        node.place, section.verbs.isEmpty ? "the step does nothing" : "the step does two things",
        "write one of \(Words.list(StepSection.verbs.map(\.name), "or")) in each step"
      )
      return nil
    }
    // Without the field the target of a row is unknown.
    if faulty.contains("of") { return nil }
    reportUnused(StepSection.qualifiers, in: node, what: "step", says: verb.name)
    if onScreen == nil, !["visit", "type", "stroll", "notified"].contains(verb.name) {
      if isUncertain {
        report(
          node.place, "which view is on screen behind an optional step is not known",
          "write `chance` there, or begin here with `visit`, `type` or `stroll`")
      } else {
        report(node.place, "no view is on screen yet", "begin with `visit`, `type` or `stroll`")
      }
      return nil
    }
    guard let action = action(verb, section, onScreen: onScreen, model, of: node) else {
      return nil
    }
    var step = ActivityStep(action)
    step.chance = section.chance
    step.optional = section.optional
    return step
  }

  private mutating func action(
    _ verb: (name: String, node: SourceNode), _ section: StepSection, onScreen: Int?,
    _ model: DataModel, of step: SourceNode
  ) -> ActivityStep.Action? {
    let form = StepSection.verbs.first { $0.name == verb.name }?.form
    if case .quantity(let dimension, let range) = form {
      return ScenarioField.value(verb.node, dimension, in: range, &self).flatMap {
        action(verb, $0, section, onScreen: onScreen, model)
      }
    }
    switch verb.name {
    case "stroll": return stroll(verb.node, model).map { .stroll($0) }
    case "notified":
      return scalar(verb.node).flatMap { notice($0, section, model, of: step) }
        .map { .notified($0) }
    case "write": return write(verb.node, section, onScreen: onScreen, model, of: step)
    default: break
    }
    guard let name = scalar(verb.node),
      let place = place(
        of: name, at: verb.node.place, what: "query", among: model.shapes.map(\.name))
    else { return nil }
    let shape = model.shapes[place]
    switch verb.name {
    case "type":
      guard shape.typedField != nil else {
        report(verb.node.place, "nothing is typed for `\(name)`", "visit it")
        return nil
      }
      return .type(
        ActivityStep.Typing(
          shape: place, preference: preference(section, in: step), letters: section.letters,
          keystroke: section.keystroke, askFrom: section.askFrom))
    case "follow":
      return follow(place, shape, section, from: onScreen ?? place, model, at: verb.node.place)
    default:
      guard shape.typedField == nil else {
        report(verb.node.place, "`\(name)` is asked by typing", "write `type: \(name)`")
        return nil
      }
      reportChoice(of: shape, in: step)
      return .visit(shape: place, preference(section, in: step), revisit: section.revisit ?? 0)
    }
  }

  /// Reads a step that is described by a number.
  private mutating func action(
    _ verb: (name: String, node: SourceNode), _ amount: Double, _ section: StepSection,
    onScreen: Int?, _ model: DataModel
  ) -> ActivityStep.Action? {
    switch verb.name {
    case "open": return .open(amount, zipf: section.zipf ?? 1)
    case "scroll": return .scroll(amount, pause: section.pause)
    case "stay": return .stay(.nanoseconds(Int64(amount)))
    case "back": return .back(amount)
    case "pin": return .pin(amount)
    case "pull": return .pull(amount)
    default:
      if let onScreen, !model.shapes[onScreen].isPaged {
        report(
          verb.node.place, "`\(model.shapes[onScreen].name)` has no pages",
          "write `page:` instead of its `first:`")
        return nil
      }
      return .pageOn(amount)
    }
  }

  /// Reads a write: it changes a row of the current view, or creates an entity.
  private mutating func write(
    _ node: SourceNode, _ section: StepSection, onScreen: Int?, _ model: DataModel,
    of step: SourceNode
  ) -> ActivityStep.Action? {
    guard let name = scalar(node),
      let place = place(
        of: name, at: node.place, what: "operation", among: model.operations.map(\.name))
    else { return nil }
    let operation = model.operations[place]
    if operation.batch > 1 {
      report(
        node.place, "`\(name)` changes several entities at a time, and a user one",
        "declare an operation without `batch` for it")
      return nil
    }
    if case .create = operation.effect {
      if section.zipf != nil {
        report(
          step.place(ofKey: "zipf"), "`zipf` chooses a row, and `\(name)` creates one",
          "remove `zipf`")
      }
      return .write(operation: place, zipf: 1)
    }
    if let onScreen, !model.shapes[onScreen].types.contains(operation.effect.type) {
      let listed = model.shapes[onScreen].types.map { "`\(model.types[$0].name)`" }
      report(
        node.place,
        "`\(name)` changes `\(model.types[operation.effect.type].name)`, and the view on screen lists "
          + listed.joined(separator: ", "),
        "visit or follow a query that lists it first")
      return nil
    }
    return .write(operation: place, zipf: section.zipf ?? 1)
  }

  /// Reports a choice of the subject, if a query has none or the user's own entity.
  private mutating func reportChoice(of shape: QueryShape, in step: SourceNode) {
    guard !shape.hasSubject || shape.isAboutMe else { return }
    for key in ["prefer", "zipf", "revisit"] {
      guard let place = step.place(ofKey: key) else { continue }
      report(
        place,
        "`\(key)` chooses what a query is asked about, and `\(shape.name)` is about "
          + (shape.isAboutMe ? "the user" : "nothing"), "remove `\(key)`")
    }
  }

  private mutating func preference(
    _ section: StepSection, in step: SourceNode
  ) -> OperationDeclaration.Preference {
    let names = ["any", "popular", "newest"]
    let name = section.prefer.flatMap { self.name($0, what: "preference", among: names) }
    switch name {
    case "any":
      reportExponent(in: step)
      return .any
    case "newest": return .newest(section.zipf ?? 0.9)
    default: return .popular(section.zipf ?? 0.9)
    }
  }

  /// Checks that the followed entity has the type of the query's subject.
  private mutating func follow(
    _ place: Int, _ shape: QueryShape, _ section: StepSection, from onScreen: Int,
    _ model: DataModel, at source: SourcePlace?
  ) -> ActivityStep.Action? {
    guard let subject = shape.subjectType, !shape.isAboutMe else {
      report(source, "`\(shape.name)` is not about a row", "visit it, or filter by `is subject`")
      return nil
    }
    let listed = model.shapes[onScreen].types
    var field: QueryShape.Member?
    var targets = listed
    if let node = section.of, let name = scalar(node) {
      for type in listed {
        let own = model.types[type]
        guard
          let index = self.place(
            of: name, at: node.place, what: "field of `\(own.name)`", among: own.fields.map(\.name))
        else { return nil }
        guard case .one(let target, _, _) = own.fields[index].content else {
          reportNoReference(name, at: node.place)
          return nil
        }
        field = QueryShape.Member(own.fields[index])
        targets = [target]
      }
    }
    guard targets == [subject] else {
      report(
        source,
        "`\(shape.name)` is about `\(model.types[subject].name)`, and the row leads to "
          + targets.map { "`\(model.types[$0].name)`" }.joined(separator: ", "),
        "follow a query about that, or add `of:` with a field that leads there")
      return nil
    }
    return .follow(shape: place, field: field, section.zipf ?? 1)
  }
}
