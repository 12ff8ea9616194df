/// Values of a cache that differ by query, or by the origin of a batch.
///
/// A file has them below their field: `time-to-live: {default: 300 s, search: 60 s}`. Everywhere else each is
/// a separate field with a path: `time-to-live.search`.
enum ValuesByName {
  /// The name for queries or origins that are not listed.
  static let others = "default"

  /// The fields with values by name.
  static let fields: [String] = CacheSection.fields(of: FieldOutline.anyModel).reduce(into: []) {
    fields, field in
    let parts = field.name.split(separator: ".")
    if parts.count > 1, let name = parts.first.map(String.init), !fields.contains(name) {
      fields.append(name)
    }
  }

  /// Splits the path of such a value into field and name; `nil` for any other field.
  static func parts(of path: String) -> (field: String, name: String)? {
    fields.first { path.hasPrefix("\($0).") }
      .map { ($0, String(path.dropFirst($0.utf8.count + 1))) }
  }
}

extension SourceNode {
  /// Returns a scenario in which each value is a separate field.
  ///
  /// - Throws: `ScenarioError` if a file already uses that form.
  func spreadingValuesByName(file: String) throws(ScenarioError) -> SourceNode {
    var reader = ScenarioReader(file: file, vocabulary: .unchecked)
    let spread = changingCaches { entries in
      entries.flatMap { entry in
        if let (field, name) = ValuesByName.parts(of: entry.key) {
          reader.report(
            entry.keyPlace, "`\(ScenarioReader.shortened(entry.key))` is not a key of its own",
            "write `\(field): {\(ScenarioReader.shortened(name)): …}`")
        }
        guard ValuesByName.fields.contains(entry.key),
          case .mapping(let values) = entry.value.content
        else { return [entry] }
        return values.map { value in
          let isOfOthers = value.key == ValuesByName.others
          return Entry(
            key: isOfOthers ? entry.key : "\(entry.key).\(value.key)", keyPlace: value.keyPlace,
            value: value.value)
        }
      }
    }
    try reader.throwIfAnyProblem()
    return spread
  }

  /// The scenario in the form of a file.
  var gatheringValuesByName: SourceNode {
    changingCaches { entries in
      entries.reduce(into: []) { gathered, entry in
        let (field, name) = ValuesByName.parts(of: entry.key) ?? (entry.key, ValuesByName.others)
        guard ValuesByName.fields.contains(field) else { return gathered.append(entry) }
        let value = Entry(key: name, keyPlace: entry.keyPlace, value: entry.value)
        guard let index = gathered.firstIndex(where: { $0.key == field }) else {
          let isAlone = name == ValuesByName.others
          return gathered.append(
            isAlone
              ? entry
              : Entry(key: field, value: SourceNode(place: nil, content: .mapping([value]))))
        }
        var values: [Entry]
        switch gathered[index].value.content {
        case .mapping(let before): values = before
        default: values = [Entry(key: ValuesByName.others, value: gathered[index].value)]
        }
        values.append(value)
        gathered[index].value = SourceNode(place: nil, content: .mapping(values))
      }
    }
  }

  /// Returns the scenario with changed entries in its section `cache`, and in each of its policies.
  private func changingCaches(_ change: ([Entry]) -> [Entry]) -> SourceNode {
    func changed(_ node: SourceNode) -> SourceNode {
      guard case .mapping(let entries) = node.content else { return node }
      return SourceNode(place: node.place, content: .mapping(change(entries)))
    }
    guard case .mapping(var entries) = content else { return self }
    for index in entries.indices {
      switch (entries[index].key, entries[index].value.content) {
      case ("cache", _):
        entries[index].value = changed(entries[index].value)
      case (PolicyEntry.listField.name, .sequence(let policies)):
        entries[index].value.content = .sequence(policies.map(changed))
      default: break
      }
    }
    return SourceNode(place: place, content: .mapping(entries))
  }
}
