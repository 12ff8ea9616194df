/// A group of similar clients of an app: each has a cache under test, a link, and a user.
package struct UsersSection: Sendable {
  package var name = "client"
  package var clients = 1
  /// The type of the user's own entity; `nil`: none.
  package var me: Int?
  package var think = ThinkTime()
  /// When the user is in front of the app; `nil`: always.
  package var visits: VisitSection?
  package var active: [ActiveWindow] = []
  /// The shapes watched during the whole session.
  package var watched: [Int] = []
  package var activities: [Activity] = []
  package var redraw: Duration?
  package var reaction = ClientScript.Reaction.none
  /// How the user's writes are sent; `nil`: the default.
  package var writes: WritesSection?
  var place: SourcePlace?
  private var mix: SourceNode?
  /// The place of `me`.
  private var mePlace: SourcePlace?

  package init() {}
}

extension UsersSection: ScenarioSection {
  static let fields: [Field<UsersSection>] = [
    .identifier("name", \.name, "name of the group"),
    .count("clients", of: "clients", \.clients, 1...1_000, "clients in the group"),
    Field(name: "me", form: .named("type"), summary: "the type of entity that the user is one of") {
      guard let name = $2.scalar($1) else { return }
      $0.mePlace = $1.place
      let names = $2.model?.types.map(\.name) ?? []
      $0.me = $2.place(of: name, at: $1.place, what: "type", among: names)
    },
    ThinkTime.field("think", \.think, "mean time between two steps"),
    .section(
      "visits", \.visits, startingFrom: VisitSection(), "when the user is in front of the app"),
    .list("active", \.active, startingFrom: ActiveWindow(), limit: 1_000, "when the user acts"),
    Field(name: "watched", form: .several("query"), summary: "queries on screen throughout") {
      let names = $2.model?.shapes.map(\.name) ?? []
      for node in $2.elements(of: $1) {
        guard let name = $2.scalar(node),
          let shape = $2.place(of: name, at: node.place, what: "query", among: names)
        else { continue }
        if $2.model?.shapes[shape].isAskedByItself == false {
          $2.report(
            node.place, "`\(name)` needs to be asked about something",
            "watch a query about nothing, or about `me`")
        } else if !$0.watched.contains(shape) {
          $0.watched.append(shape)
        }
      }
    },
    .node("mix", \.mix, "share of each activity", form: .shares("activity"))
      .required(),
    Field(name: "activities", form: .list, summary: "steps of the user") {
      for entry in $2.named($1, "activity", atMost: 40) {
        $0.activities.append(
          Activity(name: entry.key, share: 0, steps: $2.steps(entry.value)))
      }
    }.required().holding(StepSection.self, byName: true),
    .duration(
      "redraw", \.redraw, .milliseconds(100)...(.days(1)),
      "time after which views on screen are read again"),
    .choice("reaction", \.reaction, "whether the user waits for missing rows"),
    .section(
      "writes", \.writes, startingFrom: WritesSection(), "how the user's changes are made"),
  ]

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    self.place = place
    if let mix {
      let shares = reader.shares(mix, of: activities.map(\.name), what: "activity")
      for index in shares.indices { activities[index].share = shares[index] }
      self.mix = nil
    }
    reader.checkOrder(of: active, at: place)
    if let writes, !hasWrites {
      reader.report(
        writes.place, "no activity of the group writes anything",
        "add a step such as `{write: OPERATION}`, or remove `writes`")
    }
    guard let model = reader.model else { return }
    let used = watched + activities.flatMap(\.steps).compactMap(\.shape)
    for shape in used where shape < model.shapes.count {
      guard model.shapes[shape].isAboutMe, me != model.shapes[shape].subjectType else { continue }
      let type = model.shapes[shape].subjectType.map { model.types[$0].name } ?? ""
      reader.report(
        place, "`\(model.shapes[shape].name)` is about `me`, and the group has no `me`",
        "add `me: \(type)`")
      return
    }
    if let me, !isConcerned(me, model) {
      let name = model.types[me].name
      reader.report(
        mePlace,
        "no query of the group is about the user, and nothing that it creates refers to a `\(name)`",
        "remove `me`, or open a query with a condition such as `FIELD is me`")
    }
  }

  /// Returns whether it matters which entity of a type the user is.
  private func isConcerned(_ me: Int, _ model: DataModel) -> Bool {
    let steps = activities.flatMap(\.steps)
    let shapes = watched + steps.compactMap(\.shape)
    let creates = steps.contains { step in
      guard case .write(let place, _) = step.action,
        case .create(let type) = model.operations[place].effect
      else { return false }
      return model.types[type].fields.contains { $0.target == me }
    }
    return creates || shapes.contains { model.shapes[$0].isAboutMe }
  }
}

extension UsersSection {
  package var hasWrites: Bool {
    activities.flatMap(\.steps).contains { step in
      if case .write = step.action { true } else { false }
    }
  }
}

/// A stroll, as written in a file: its lists, and its moves.
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
  /// Reads a stroll, through lists whose subjects are rows of another.
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

  /// Reads the new entities of a type, and where they are opened.
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

/// How a group's writes are sent, and how the server answers.
package struct WritesSection: Sendable {
  package var through = WriteHandling.Door.outbox
  package var shown = WriteHandling.Showing.atOnce
  /// The share of writes that the server refuses.
  package var refused = 0.0
  var place: SourcePlace?

  package init() {}

  package var handling: WriteHandling {
    var handling = WriteHandling()
    handling.through = through
    handling.shown = shown
    return handling
  }
}

extension WritesSection: ScenarioSection {
  static let fields: [Field<WritesSection>] = [
    .choice("through", \.through, "whether a write is kept until it is answered, or sent once"),
    .choice("shown", \.shown, "when the change shows"),
    .share("refused", \.refused, "share of writes that the server refuses"),
  ]

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    self.place = place
  }
}
