import CacheModel
import Text

/// A declared app in sentences.
struct ModelWords {
  let model: DataModel

  init(_ model: DataModel) {
    self.model = model
  }

  // MARK: What there is

  func type(_ place: Int) -> String {
    let type = model.types[place]
    let fields = type.fields.map { "\($0.name) (\(content($0)))" }
    let has = fields.isEmpty ? "" : " Each has \(Words.list(fields))."
    return "\(Words.count(type.count, type.name)), \(size(type.size)).\(has)"
  }

  private func size(_ size: SizeDistribution) -> String {
    switch size {
    case .fixed(let bytes): "\(Words.size(bytes)) each"
    case .normal(let mean, let deviation):
      "\(Words.size(Int(mean))) on average, give or take \(Words.size(Int(deviation)))"
    case .logNormal(let median, let p99):
      "half of them under \(Words.size(Int(median))), one in a hundred over "
        + Words.size(Int(p99))
    case .table(let sizes):
      "from \(Words.size(sizes[0])) to \(Words.size(sizes[sizes.count - 1])) by a table of "
        + "\(sizes.count) sizes"
    }
  }

  private func content(_ field: ModelField) -> String {
    switch field.content {
    case .integer(let bounds):
      return "a number from \(Words.grouped(Int(bounds.lowerBound))) to "
        + Words.grouped(Int(bounds.upperBound))
    case .time(let age): return "a time, \(Words.duration(age)) ago on average at the beginning"
    case .text: return "a text"
    case .flag(let share): return "a flag, set in \(Words.share(share))"
    case .one(let type, let choice, let isOwner):
      return "one \(model.types[type].name), \(self.choice(choice))"
        + (isOwner ? ", with which it goes" : "")
    case .many(let type, let choice, .mean(let mean)):
      return "\(Words.number(mean)) \(Plural.of(model.types[type].name)) on average, "
        + self.choice(choice)
    case .many(let type, _, .copied(let through, let list)):
      let owner = model.types.first { $0.fields.contains(field) }
      let reference = owner?.fields[through]
      let other = reference?.target.map { model.types[$0].fields[list].name } ?? ""
      return
        "the \(Plural.of(model.types[type].name)) that `\(reference?.name ?? "").\(other)` has "
        + "when it is created"
    }
  }

  private func choice(_ choice: Choice) -> String {
    switch choice {
    case .uniform: "any alike"
    case .zipf(let exponent): "by popularity (Zipf \(Words.number(exponent)))"
    }
  }

  // MARK: What is asked

  func shape(_ shape: QueryShape) -> String {
    let types = Words.list(shape.types.map { Plural.of(model.types[$0].name) })
    let conditions = shape.conditions.map { condition($0, shape) }
    let filter = conditions.isEmpty ? "all \(types)" : "\(types) whose \(Words.list(conditions))"
    let order = shape.order.map { ordering in
      "\(ordering.member.name)\(ordering.isDescending ? ", the highest or latest first" : "")"
    }
    let rows = "\(Words.grouped(shape.rows)) rows\(shape.isPaged ? " a page" : " at most")"
    let kept = shape.cachedFrom > 1 ? "; kept from \(shape.cachedFrom) letters on" : ""
    let name = shape.reportClass == shape.name ? "" : " Reports call it \(shape.reportClass)."
    return
      "\(shape.name): \(filter), by \(order.joined(separator: ", then ")), \(rows)\(kept).\(name)"
  }

  private func condition(_ condition: QueryShape.Condition, _ shape: QueryShape) -> String {
    let subject =
      shape.isAboutMe
      ? "the user" : "the \(shape.subjectType.map { model.types[$0].name } ?? "") asked about"
    return switch condition {
    case .isSubject(let member): "\(member.name) is \(subject)"
    case .includesSubject(let member): "\(member.name) include \(subject)"
    case .beginsWithTyped(let member): "\(member.name) begins with what was typed"
    case .flag(let member, let isSet): "\(member.name) is \(isSet ? "set" : "not set")"
    case .compares(let member, let comparison, let constant):
      "\(member.name) \(comparison.rawValue) \(constant)"
    }
  }

  // MARK: Who does what

  func others(_ group: OthersSection, _ scenario: Scenario) -> [String] {
    let hours = Double(scenario.activeDuration.wholeNanoseconds) / 3.6e12
    var perHour = group.rate * 3_600
    var text = "\(group.name): \(Words.count(group.count, "device")), each "
    text += group.rate > 0 ? "\(Words.rate(group.rate)) at random" : ""
    if let burst = group.burst {
      text +=
        (group.rate > 0 ? " and " : "") + "\(burst.operations) in a burst every "
        + "\(Words.duration(burst.every))"
      perHour +=
        Double(burst.operations) / (Double(burst.every.wholeNanoseconds) / 3.6e12)
    }
    let total = perHour * Double(group.count)
    text +=
      ". Together \(Words.number(total)) an hour, \(Words.grouped(Int(total * hours))) in the run."
    return [text]
      + zip(model.operations, group.mix).filter { $0.1 > 0 }.map { operation, share in
        "  \(Words.share(share)) \(operation.name): \(effect(operation)); "
          + "\(Words.grouped(Int(total * hours * share)))"
      }
  }

  private func effect(_ operation: OperationDeclaration) -> String {
    let type = model.types[operation.effect.type]
    func field(_ place: Int) -> String { type.fields[place].name }
    let what =
      switch operation.effect {
      case .create: "a \(type.name) appears"
      case .set(_, let place): "the \(field(place)) of a \(type.name) changes"
      case .add(_, let place, let amount):
        "the \(field(place)) of a \(type.name) changes by \(amount)"
      case .toggle(_, let place): "\(field(place)) of a \(type.name) is set, or is no longer"
      case .link(_, let place): "the \(field(place)) of a \(type.name) gain one"
      case .unlink(_, let place): "the \(field(place)) of a \(type.name) lose one"
      case .delete: "a \(type.name) goes, with what belongs to it"
      }
    var parts = [what]
    switch operation.preference {
    case .any: break
    case .popular(let exponent):
      parts.append("popular ones rather (Zipf \(Words.number(exponent)))")
    case .newest(let exponent):
      parts.append("new ones rather (Zipf \(Words.number(exponent)) by age)")
    }
    if operation.batch > 1 { parts.append("\(Words.number(operation.batch)) at a time") }
    for touch in operation.touches {
      let name = model.types[touch.type].fields[touch.field].name
      let owner = touch.through.map { "\(field($0))." } ?? ""
      parts.append("\(owner)\(name) is brought up to date with it")
    }
    return parts.joined(separator: ", ")
  }

  func people(_ group: PeopleSection) -> [String] {
    var text = "\(group.name): \(Words.count(group.clients, "client"))"
    if let me = group.me { text += ", each of them one \(model.types[me].name)" }
    if let visits = group.visits {
      text +=
        "; visits \(Words.rate(visits.rate)) of \(Words.duration(visits.length)) on average, "
        + (visits.between == .suspended
          ? "nothing is heard between them" : "connected between them")
    }
    text += "; \(Words.duration(group.think.mean)) between two steps."
    if !group.watched.isEmpty {
      text += " Always on screen: \(Words.list(group.watched.map { model.shapes[$0].name }))."
    }
    let writes = group.hasWrites ? [self.writes(group.writes ?? WritesSection())] : []
    return [text] + writes
      + group.activities.filter { $0.share > 0 }.map { activity in
        "  \(Words.share(activity.share)) \(activity.name): "
          + activity.steps.map { step($0) }.joined(separator: "; ") + "."
      }
  }

  private func writes(_ section: WritesSection) -> String {
    let shown = section.shown == .atOnce ? "shows at once" : "shows when it is confirmed"
    let sent =
      switch section.through {
      case .outbox: "is kept in an outbox and sent in order, until the server has answered"
      case .request: "is sent once, and fails where no answer comes"
      }
    let refused =
      section.refused > 0 ? "; the server refuses \(Words.share(section.refused))" : ""
    return "  What is written \(shown) and \(sent)\(refused)."
  }

  private func step(_ step: ActivityStep) -> String {
    let chance = step.chance < 1 ? "in \(Words.share(step.chance)) goes on and " : ""
    let what =
      switch step.action {
      case .visit(let shape, let preference, let again):
        "opens \(model.shapes[shape].name)\(subject(shape, preference))"
          + (again > 0 ? ", in \(Words.share(again)) one visited lately" : "")
      case .follow(let shape, let field, let exponent):
        "picks a row (Zipf \(Words.number(exponent)) by place) and opens \(model.shapes[shape].name) "
          + "about \(field.map { "its \($0.name)" } ?? "it")"
      case .open(let mean, _): "opens \(Words.number(mean)) rows by themselves, on average"
      case .pageOn(let mean): "asks for \(Words.number(mean)) further pages, on average"
      case .type(let shape, let letters, _, _):
        "types \(Words.number(letters)) letters into \(model.shapes[shape].name)"
      case .stay(let mean): "stays for \(Words.duration(mean))"
      case .back(let share): "in \(Words.share(share)) goes back"
      case .write(let operation, _): "writes: \(written(model.operations[operation]))"
      }
    return chance + what
  }

  /// What a user does to a row on screen.
  private func written(_ operation: OperationDeclaration) -> String {
    let type = model.types[operation.effect.type]
    func field(_ place: Int) -> String { type.fields[place].name }
    let what =
      switch operation.effect {
      case .create: "a new \(type.name)"
      case .set(_, let place), .add(_, let place, _):
        "another \(field(place)) of a \(type.name) on screen"
      case .toggle(_, let place): "\(field(place)) of a \(type.name) on screen, or no longer"
      case .link(_, let place): "one more of the \(field(place)) of a \(type.name) on screen"
      case .unlink(_, let place): "one less of the \(field(place)) of a \(type.name) on screen"
      case .delete: "a \(type.name) on screen goes, with what belongs to it"
      }
    return "\(what) (\(operation.name))"
  }

  private func subject(_ shape: Int, _ preference: OperationDeclaration.Preference) -> String {
    guard let type = model.shapes[shape].subjectType, !model.shapes[shape].isAboutMe else {
      return ""
    }
    let name = model.types[type].name
    return switch preference {
    case .any: " about any \(name)"
    case .popular(let exponent): " about a \(name) by popularity (Zipf \(Words.number(exponent)))"
    case .newest(let exponent):
      " about a new \(name) rather (Zipf \(Words.number(exponent)) by age)"
    }
  }
}
