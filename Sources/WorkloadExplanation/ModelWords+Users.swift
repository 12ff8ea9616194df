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
    let shown = section.shown == .atOnce ? "show at once" : "show when confirmed"
    let sent =
      switch section.through {
      case .outbox: "are kept in an outbox and sent in order until the server answers"
      case .request: "are sent once, and fail without an answer"
      }
    let refused =
      section.refused > 0 ? "; the server refuses \(Words.share(section.refused))" : ""
    return "  Writes \(shown) and \(sent)\(refused)."
  }

  private func step(_ step: ActivityStep) -> String {
    let chance =
      (step.chance < 1 ? "continues in \(Words.share(step.chance)) of cases: " : "")
      + (step.optional.map { "in \(Words.share($0)) of cases " } ?? "")
    let what =
      switch step.action {
      case .visit(let shape, let preference, let revisit):
        "opens \(model.shapes[shape].name)\(subject(shape, preference))"
          + (revisit > 0 ? ", in \(Words.share(revisit)) of cases one visited lately" : "")
      case .follow(let shape, let field, let exponent):
        "picks a row\(byPosition(exponent)) and opens \(model.shapes[shape].name) about "
          + (field.map { "its \($0.name)" } ?? "it")
      case .open(let mean, let exponent):
        "opens \(Words.count(mean, "row")) on average\(byPosition(exponent))"
      case .pageOn(let mean): "asks for \(Words.count(mean, "more page")) on average"
      case .type(let typing): typed(typing)
      case .stroll(let stroll): walked(stroll)
      case .scroll(let mean, let pause):
        "scrolls past \(Words.count(mean, "row")) on average, one every \(Words.duration(pause)), "
          + "and opens each"
      case .notified(let notice): notified(notice)
      case .stay(let mean): "stays for \(Words.duration(mean)) on average"
      case .back(let share): "goes back in \(Words.share(share)) of cases"
      case .pin(let share): "marks the view to keep it in \(Words.share(share)) of cases"
      case .pull(let share): "pulls to refresh in \(Words.share(share)) of cases"
      case .write(let operation, let exponent): written(model.operations[operation], exponent)
      }
    return chance + what
  }

  private func typed(_ typing: ActivityStep.Typing) -> String {
    let shape = model.shapes[typing.shape]
    let ofWhat = shape.types.first.map { subject(ofType: $0, typing.preference) } ?? ""
    return
      "types \(Words.count(typing.letters, "letter")) on average\(ofWhat) into \(shape.name), one "
      + "every \(Words.duration(typing.keystroke)), and asks from letter \(typing.askFrom) on"
  }

  private func walked(_ stroll: ActivityStep.Stroll) -> String {
    let pins =
      stroll.pin > 0 ? "; pins \(Words.share(stroll.pin)) of places at the first visit" : ""
    return
      "walks through \(model.shapes[stroll.shape].name), \(Words.count(stroll.moves, "move")) on "
      + "average: \(Words.share(stroll.back)) back, \(Words.share(stroll.descend)) down into a row, the "
      + "others elsewhere (\(Words.share(stroll.revisit)) of them to a place visited before); "
      + "opens \(Words.count(stroll.opens, "row")) in each view on average" + pins
  }

  private func notified(_ notice: ActivityStep.Notice) -> String {
    let name = model.types[notice.type].name
    let list = notice.list.map {
      ", in \(Words.share(notice.direct)) of cases alone, else in \(model.shapes[$0.shape].name)"
    }
    return "is notified of \(Words.a(name)) younger than \(Words.duration(notice.age)) and opens it"
      + (list ?? "")
  }

  private func byPosition(_ exponent: Double) -> String {
    " (Zipf \(Words.number(exponent)) by position)"
  }

  /// Returns a user's change of a visible row.
  private func written(_ operation: OperationDeclaration, _ exponent: Double) -> String {
    let type = model.types[operation.effect.type]
    func field(_ place: Int) -> String { type.fields[place].name }
    let row = "\(Words.a(type.name)) on screen\(byPosition(exponent))"
    let what =
      switch operation.effect {
      case .create: "creates \(Words.a(type.name))"
      case .set(_, let place), .add(_, let place, _): "changes the \(field(place)) of \(row)"
      case .toggle(_, let place) where type.fields[place].isList:
        "adds or removes one of the \(field(place)) of \(row)"
      case .toggle(_, let place): "sets or clears \(field(place)) of \(row)"
      case .link(_, let place): "adds one to the \(field(place)) of \(row)"
      case .unlink(_, let place): "removes one of the \(field(place)) of \(row)"
      case .delete: "deletes \(row) and what belongs to it"
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
      "\(word) \(Words.a(name)), mostly new ones (Zipf \(Words.number(exponent)) by age)"
    }
  }
}
