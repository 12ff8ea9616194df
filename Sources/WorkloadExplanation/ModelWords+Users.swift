import Workloads

/// The steps of an app's users, in sentences.
extension ModelWords {
  func people(_ group: UsersSection) -> [String] {
    var lines = [
      TrainWords.people(
        group.name, group.clients, group.visits, group.active, group.think, group.reaction)
    ]
    if let me = group.me { lines.append("  Each user is one \(model.types[me].name).") }
    if !group.watched.isEmpty {
      let watched = group.watched.map { model.shapes[$0].name }
      lines.append("  Always on screen: \(Words.list(watched)).")
    }
    if let redraw = group.redraw {
      lines.append("  Views on screen are read again every \(Words.duration(redraw)).")
    }
    if group.hasWrites { lines.append(writes(group.writes ?? WritesSection())) }
    return lines
      + group.activities.map { activity in
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
    let chance =
      (step.chance < 1 ? "in \(Words.share(step.chance)) goes on and " : "")
      + (step.optional.map { "in \(Words.share($0)) " } ?? "")
    let what =
      switch step.action {
      case .visit(let shape, let preference, let revisit):
        "opens \(model.shapes[shape].name)\(subject(shape, preference))"
          + (revisit > 0 ? ", in \(Words.share(revisit)) one visited lately" : "")
      case .follow(let shape, let field, let exponent):
        "picks a row\(byPlace(exponent)) and opens \(model.shapes[shape].name) about "
          + (field.map { "its \($0.name)" } ?? "it")
      case .open(let mean, let exponent):
        "opens \(Words.count(mean, "row")) by \(mean == 1 ? "itself" : "themselves"), on average"
          + byPlace(exponent)
      case .pageOn(let mean): "asks for \(Words.count(mean, "further page")), on average"
      case .type(let typing): typed(typing)
      case .stroll(let stroll): walked(stroll)
      case .scroll(let mean, let pause):
        "scrolls past \(Words.count(mean, "row")) on average, one every \(Words.duration(pause)), "
          + "and opens each"
      case .notified(let notice): told(notice)
      case .stay(let mean): "stays for \(Words.duration(mean)) on average"
      case .back(let share): "in \(Words.share(share)) goes back"
      case .pin(let share): "in \(Words.share(share)) marks the view, to keep it at hand"
      case .pull(let share): "in \(Words.share(share)) pulls the view down, to have it again"
      case .write(let operation, let exponent):
        "writes: \(written(model.operations[operation], exponent))"
      }
    return chance + what
  }

  private func typed(_ typing: ActivityStep.Typing) -> String {
    let shape = model.shapes[typing.shape]
    let ofWhat = shape.types.first.map { subject(ofType: $0, typing.preference) } ?? ""
    return
      "types \(Words.count(typing.letters, "letter")) into \(shape.name) on average\(ofWhat), one "
      + "every \(Words.duration(typing.keystroke)), and asks from letter \(typing.askFrom) on"
  }

  private func walked(_ stroll: ActivityStep.Stroll) -> String {
    let pins =
      stroll.pin > 0 ? "; pins \(Words.share(stroll.pin)) of the places, at the first visit" : ""
    return
      "strolls through \(model.shapes[stroll.shape].name), \(Words.count(stroll.moves, "move")) on "
      + "average: \(Words.share(stroll.back)) back, \(Words.share(stroll.descend)) down into a row, the "
      + "rest elsewhere; \(Words.share(stroll.revisit)) of what is elsewhere was visited before; "
      + "opens \(Words.count(stroll.opens, "row")) in each view, on average" + pins
  }

  private func told(_ notice: ActivityStep.Notice) -> String {
    let name = model.types[notice.type].name
    let list = notice.list.map {
      ", in \(Words.share(notice.direct)) by itself, else in \(model.shapes[$0.shape].name)"
    }
    return "is called by \(Words.a(name)) younger than \(Words.duration(notice.age)), and opens it"
      + (list ?? "")
  }

  private func byPlace(_ exponent: Double) -> String {
    " (Zipf \(Words.number(exponent)) by place)"
  }

  /// Returns a user's change of a visible row.
  private func written(_ operation: OperationDeclaration, _ exponent: Double) -> String {
    let type = model.types[operation.effect.type]
    func field(_ place: Int) -> String { type.fields[place].name }
    let row = "\(Words.a(type.name)) on screen\(byPlace(exponent))"
    let what =
      switch operation.effect {
      case .create: "a new \(type.name)"
      case .set(_, let place), .add(_, let place, _): "another \(field(place)) of \(row)"
      case .toggle(_, let place) where type.fields[place].isList:
        "one more or one less of the \(field(place)) of \(row)"
      case .toggle(_, let place): "\(field(place)) of \(row), or no longer"
      case .link(_, let place): "one more of the \(field(place)) of \(row)"
      case .unlink(_, let place): "one less of the \(field(place)) of \(row)"
      case .delete: "\(row) goes, with what belongs to it"
      }
    return "\(what) (\(operation.name))"
  }

  private func subject(_ shape: Int, _ preference: OperationDeclaration.Preference) -> String {
    guard let type = model.shapes[shape].subjectType, !model.shapes[shape].isAboutMe else {
      return ""
    }
    return subject(ofType: type, preference, " about")
  }

  private func subject(
    ofType type: Int, _ preference: OperationDeclaration.Preference, _ word: String = " of"
  ) -> String {
    let name = model.types[type].name
    return switch preference {
    case .any: "\(word) any \(name)"
    case .popular(let exponent):
      "\(word) \(Words.a(name)) by popularity (Zipf \(Words.number(exponent)))"
    case .newest(let exponent):
      "\(word) a new \(name) rather (Zipf \(Words.number(exponent)) by age)"
    }
  }
}
