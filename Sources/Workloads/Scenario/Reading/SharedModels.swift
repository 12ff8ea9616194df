/// Data models shared by several scenarios, by name: `data: {use: NAME}` extends one.
package struct SharedModels: Sendable {
  /// The names in order.
  package var names: [String]
  /// Returns the file and the bytes of a model with one of the names.
  package var source:
    @Sendable (_ name: String) throws(ScenarioError) -> (file: String, yaml: [UInt8])

  package init(
    names: [String],
    source: @escaping @Sendable (String) throws(ScenarioError) -> (file: String, yaml: [UInt8])
  ) {
    self.names = names
    self.source = source
  }

  /// - Parameter models: the bytes of each, by name; errors use `NAME.yaml`.
  package init(_ models: [String: [UInt8]]) {
    self.init(names: models.keys.sorted()) { name in ("\(name).yaml", models[name] ?? []) }
  }

  package static let none = SharedModels([:])

  static let key = "use"

  /// Returns the nodes of a scenario's file, merged with the model that its data extend.
  ///
  /// The file's values replace the model's: sections are merged key by key; a size, a list and a scalar are
  /// replaced. Values by query become separate fields.
  func scenario(_ yaml: [UInt8], file: String) throws(ScenarioError) -> SourceNode {
    try written(yaml, file: file).spreadingValuesByName(file: file)
  }

  private func written(_ yaml: [UInt8], file: String) throws(ScenarioError) -> SourceNode {
    var root = try YAMLSource.parse(yaml, file: file)
    guard let own = root.node(at: [.key(Scenario.modelKey)]),
      let use = own.node(at: [.key(Self.key)])
    else { return root }
    var reader = ScenarioReader(file: file, vocabulary: .unchecked)
    guard let name = reader.scalar(use),
      reader.place(of: name, at: use.place, what: "model", among: names) != nil
    else { throw ScenarioError(problems: reader.problems) }
    let (modelFile, bytes) = try source(name)
    var model = try YAMLSource.parse(bytes, file: modelFile)
    model.setFile(modelFile)
    if let place = model.place(ofKey: Self.key) {
      reader.report(
        place, "a model builds on no other one", "write out here what it takes from there")
    } else if case .mapping = model.content {
      var own = own
      own.remove(Self.key)
      root.set(own.merged(over: model).content, at: [.key(Scenario.modelKey)])
      return root
    } else {
      reader.report(
        model.place, "a model is expected here, not \(model.kindName)",
        "write `entities:` and `queries:` in it")
    }
    throw ScenarioError(problems: reader.problems)
  }
}

extension SourceNode {
  fileprivate mutating func setFile(_ file: String) {
    place?.file = file
    switch content {
    case .scalar: break
    case .sequence(var nodes):
      for index in nodes.indices { nodes[index].setFile(file) }
      content = .sequence(nodes)
    case .mapping(var entries):
      for index in entries.indices {
        entries[index].keyPlace?.file = file
        entries[index].value.setFile(file)
      }
      content = .mapping(entries)
    }
  }

  /// Returns this section, with the entries of another that it lacks.
  fileprivate func merged(over base: SourceNode) -> SourceNode {
    guard case .mapping(let own) = content, case .mapping(var entries) = base.content else {
      return self
    }
    for entry in own {
      guard let index = entries.firstIndex(where: { $0.key == entry.key }) else {
        entries.append(entry)
        continue
      }
      // The keys of a size determine its distribution.
      let value =
        entry.key == "size" ? entry.value : entry.value.merged(over: entries[index].value)
      entries[index] = Entry(key: entry.key, keyPlace: entry.keyPlace, value: value)
    }
    return SourceNode(place: place, content: .mapping(entries))
  }
}

/// Finds the nearest candidate to a word, ignoring case and separators, for suggestions in errors.
package enum NearestName {
  /// Returns the nearest candidate, the first of several; `nil` if none is near enough to be a typing error
  /// (more than a third of the letters differ, and more than two, or more than half of a short word).
  package static func suggestion(for word: String, among candidates: [String]) -> String? {
    // A longer word is not a typing error; this also bounds the table.
    guard word.utf8.count <= 64 else { return nil }
    if let same = candidates.first(where: { folded($0) == folded(word) }) { return same }
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let distance = editDistance(
        Array(word.lowercased().utf8), Array(candidate.lowercased().utf8))
      if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    if let best, best.distance <= max(2, word.utf8.count / 3),
      2 * best.distance <= word.utf8.count
    {
      return best.name
    }
    // A name's beginning means that name.
    if word.utf8.count > 3,
      let longer = candidates.first(where: { folded($0).hasPrefix(folded(word)) })
    {
      return longer
    }
    // A class's name, as in `LruCache`, means its beginning.
    return candidates.filter { $0.utf8.count > 2 && folded(word).hasPrefix(folded($0)) }
      .max { $0.utf8.count < $1.utf8.count }
  }

  /// The word as `camelCase`, `UPPER_CASE` and `parts-joined` have it in common.
  static func folded(_ word: String) -> String {
    word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
  }

  /// Returns the number of insertions, deletions, substitutions and swaps of neighbours (optimal string
  /// alignment).
  static func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var previous: [Int] = []
    var row = Array(0...b.count)
    for i in a.indices {
      var next = [i + 1]
      for j in b.indices {
        var cost = min(row[j + 1] + 1, next[j] + 1, row[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, previous[j - 1] + 1)
        }
        next.append(cost)
      }
      previous = row
      row = next
    }
    return row[b.count]
  }
}
