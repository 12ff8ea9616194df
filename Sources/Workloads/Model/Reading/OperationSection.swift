import Text

/// An operation, as written in a file: one verb, and its details.
struct OperationSection: ScenarioSection {
  var verbs: [(name: String, node: SourceNode)] = []
  var by: Int?
  var prefer: SourceNode?
  var zipf: Double?
  var batch: SourceNode?
  var touch: SourceNode?
  var growth: Int?

  private static let verbNames = [
    ("create", "type", "an entity of this type appears"),
    ("set", "field", "a field gets another value"), ("add", "field", "a number grows, or falls"),
    ("toggle", "field", "a flag changes; a list gains a reference, or loses it"),
    ("link", "field", "a list gains a reference"),
    ("unlink", "field", "a list loses a reference"),
    ("delete", "type", "an entity of this type goes"),
  ]

  static let fields: [Field<OperationSection>] =
    verbNames.map { name, kind, summary in
      Field(name: name, form: .named(kind), summary: summary) { section, node, _ in
        section.verbs.append((name, node))
      }
    } + [
      Field(name: "by", form: .named("whole number"), summary: "amount to add, 1 if absent") {
        guard let text = $2.scalar($1) else { return }
        guard let value = Quantity.wholeNumber(text), value != 0, abs(value) <= 1_000_000 else {
          $2.report(
            $1.place, "`\(ScenarioReader.shortened(text))` is nothing to add",
            "write a whole number but 0, to 1,000,000")
          return
        }
        $0.by = Int(value)
      },
      .node(
        "prefer", \.prefer, "which entities are met; any if absent",
        form: .choice(["any", "popular", "newest"])),
      .real("zipf", .number, \.zipf, 0.01...4, "exponent of that preference"),
      .node(
        "batch", \.batch, "mean entities in one commit",
        form: .named("number")
      ).holding(BatchSection.self),
      .size("grow", \.growth, 1...10_000_000, "bytes by which the entity grows"),
      .node("touch", \.touch, "other fields that the same commit changes", form: .several("field")),
    ]

  /// The verbs that allow each other key; `batch` applies to all.
  static let qualifiers: [Qualifier] = {
    let all = verbNames.map(\.0)
    let onWhatExists = all.filter { $0 != "create" }
    return [
      Qualifier("by", of: ["add"]), Qualifier("prefer", of: onWhatExists),
      Qualifier("zipf", of: onWhatExists), Qualifier("batch", of: all),
      Qualifier("touch", of: all.filter { $0 != "delete" }),
      Qualifier("grow", of: onWhatExists.filter { $0 != "delete" }),
    ]
  }()
}

/// The entities of one commit in the long form.
struct BatchSection: ScenarioSection {
  var mean: SourceNode?
  var beside: SourceNode?

  static let fields: [Field<BatchSection>] = [
    .node("mean", \.mean, "mean entities in one commit", form: .named("number"))
      .required(),
    .node("beside", \.beside, "the reference that they have in common", form: .named("field"))
      .required(),
  ]
}

extension ModelReader {
  func operations(
    _ node: SourceNode, _ reader: inout ScenarioReader
  ) -> [OperationDeclaration] {
    reader.named(node, "operation", atMost: DataModel.maximumOperations)
      .compactMap { operation($0, &reader) }
  }

  private func operation(
    _ entry: SourceNode.Entry, _ reader: inout ScenarioReader
  ) -> OperationDeclaration? {
    var section = OperationSection()
    let faulty = reader.read(entry.value, into: &section)
    let place = entry.value.place
    guard section.verbs.count == 1, let verb = section.verbs.first else {
      guard faulty.isEmpty else { return nil }
      reader.report(
        place,
        section.verbs.isEmpty ? "the operation does nothing" : "the operation does two things",
        "write one of create, set, add, toggle, link, unlink and delete")
      return nil
    }
    guard let effect = effect(verb.name, verb.node, by: section.by, &reader) else { return nil }
    var operation = OperationDeclaration(name: entry.key, effect: effect)
    reader.reportUnused(
      OperationSection.qualifiers, in: entry.value, what: "operation", says: verb.name)
    operation.preference = preference(section, in: entry.value, &reader)
    operation.growth = section.growth ?? 0
    if let batch = section.batch { read(batch, into: &operation, &reader) }
    for node in section.touch.map({ reader.elements(of: $0) }) ?? [] {
      if let touch = touch(node, of: operation, &reader) { operation.touches.append(touch) }
    }
    return operation
  }

  private func read(
    _ node: SourceNode, into operation: inout OperationDeclaration,
    _ reader: inout ScenarioReader
  ) {
    let type = operation.effect.type
    var mean: SourceNode? = node
    if case .mapping = node.content {
      var section = BatchSection()
      reader.read(node, into: &section)
      mean = section.mean
      if let beside = section.beside, let name = reader.scalar(beside),
        let field = field(name, ofType: type, at: beside.place, &reader)
      {
        if case .one = types[type].fields[field].content {
          operation.beside = field
        } else {
          reader.reportNoReference(name, at: beside.place)
        }
        if case .create = operation.effect {
          reader.report(
            beside.place, "`beside` chooses among what exists, and this operation creates",
            "remove it")
        }
      }
    }
    if let mean {
      operation.batch = reader.mean(mean, of: Plural.of(types[type].name), in: 1...10_000) ?? 1
    }
  }

  private func preference(
    _ section: OperationSection, in node: SourceNode, _ reader: inout ScenarioReader
  ) -> OperationDeclaration.Preference {
    guard let preferred = section.prefer else {
      return section.zipf.map { .popular($0) } ?? .any
    }
    let name = reader.name(preferred, what: "preference", among: ["any", "popular", "newest"])
    if name == "any" { reader.reportExponent(in: node) }
    switch name {
    case "popular": return .popular(section.zipf ?? 0.9)
    case "newest": return .newest(section.zipf ?? 0.9)
    default: return .any
    }
  }

  /// Reads `message` or `message.body`, as the verb requires.
  private func effect(
    _ verb: String, _ node: SourceNode, by: Int?, _ reader: inout ScenarioReader
  ) -> OperationDeclaration.Effect? {
    guard let text = reader.scalar(node) else { return nil }
    let words = text.split(separator: ".").map(String.init)
    let wantsField = verb != "create" && verb != "delete"
    guard words.count == (wantsField ? 2 : 1) else {
      reader.report(
        node.place, "`\(ScenarioReader.shortened(text))` is not what `\(verb)` is about",
        wantsField ? "write a type, a point, and its field" : "write the name of a type")
      return nil
    }
    guard
      let type = reader.place(
        of: words[0], at: node.place, what: "type", among: types.map(\.name))
    else { return nil }
    if verb == "create" { return .create(type: type) }
    if verb == "delete" { return .delete(type: type) }
    guard
      let field = field(words[1], ofType: type, at: node.place, &reader)
    else { return nil }
    let content = types[type].fields[field].content
    if verb == "set", types[type].fields[field].isPlaceBelow, types[type].fields[field].tree == nil
    {
      reader.report(
        node.place, "`\(words[1])` says where a part of the tree lies, which stays there",
        "set the field with the `tree`, or another field")
      return nil
    }
    switch (verb, content) {
    case ("set", .integer), ("set", .time), ("set", .text), ("set", .one), ("set", .flag):
      return .set(type: type, field: field)
    case ("add", .integer): return .add(type: type, field: field, Int64(by ?? 1))
    case ("toggle", .flag), ("toggle", .many): return .toggle(type: type, field: field)
    case ("link", .many): return .link(type: type, field: field)
    case ("unlink", .many): return .unlink(type: type, field: field)
    default:
      reader.report(
        node.place, "`\(verb)` does not fit \(content.word), `\(words[1])`",
        "`set` is for values, `add` for integers, `toggle` for flags and lists, `link` and `unlink` for lists"
      )
      return nil
    }
  }

  /// Reads `room.latest` of the entity that `room` refers to, or `edited` of the entity itself.
  private func touch(
    _ node: SourceNode, of operation: OperationDeclaration, _ reader: inout ScenarioReader
  ) -> OperationDeclaration.Touch? {
    let type = operation.effect.type
    guard let text = reader.scalar(node) else { return nil }
    let words = text.split(separator: ".").map(String.init)
    guard words.count <= 2 else {
      reader.report(
        node.place, "`\(ScenarioReader.shortened(text))` leads through more than one reference",
        "touch a field of the entity itself, or of one that it refers to: `room.latest`")
      return nil
    }
    var target = type
    var through: Int?
    if words.count == 2 {
      guard
        let reference = field(words[0], ofType: type, at: node.place, &reader)
      else { return nil }
      let content = types[type].fields[reference].content
      guard let other = types[type].fields[reference].target else {
        reader.reportNoReference(words[0], at: node.place)
        return nil
      }
      if case .many = content, operation.effect.field != reference {
        reader.report(
          node.place, "`\(words[0])` is a list that the operation leaves as it is",
          "touch one reference, or the list that `link`, `unlink` or `toggle` changes")
        return nil
      }
      (target, through) = (other, reference)
    }
    guard let name = words.last,
      let field = field(name, ofType: target, at: node.place, &reader)
    else { return nil }
    switch types[target].fields[field].content {
    case .time, .integer:
      return OperationDeclaration.Touch(through: through, type: target, field: field)
    case .text, .flag, .one, .many:
      reader.report(
        node.place, "`\(ScenarioReader.shortened(text))` is neither a time nor an integer",
        "touch a time, which becomes now, or an integer, which grows by one")
      return nil
    }
  }
}
