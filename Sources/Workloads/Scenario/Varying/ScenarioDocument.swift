import Text

/// A scenario file as written, in which any field can be set by its path.
///
/// A changed document is read like a file: no path can set what a file may not say, and fields that are added
/// later can be varied at once.
package struct ScenarioDocument: Sendable {
  /// Its name, for errors.
  package let file: String
  private(set) var root: SourceNode

  /// - Parameters:
  ///   - yaml: the bytes of the file.
  ///   - file: its name, for errors.
  ///   - models: the models that its data may extend; the document then contains all of its model.
  /// - Throws: `ScenarioError` if the bytes are not YAML, or the model cannot be read.
  package init(
    _ yaml: [UInt8], file: String, models: SharedModels = .none
  ) throws(ScenarioError) {
    self.file = file
    root = try models.scenario(yaml, file: file)
  }

  /// Returns the scenario; errors begin with `subject`, or with the file.
  ///
  /// - Throws: all problems, as ``Scenario/parse(_:file:vocabulary:)``.
  package func scenario(
    vocabulary: Vocabulary, subject: String? = nil
  ) throws(ScenarioError) -> Scenario {
    var reader = ScenarioReader(file: subject ?? file, vocabulary: vocabulary)
    let scenario = reader.readScenario(root)
    try reader.throwIfAnyProblem()
    return scenario
  }

  /// Returns the field with a path, such as `network.loss` or `sessions.desktop.think`; an element of a list
  /// is addressed by its name, or by its index from 0.
  ///
  /// - Throws: `ScenarioError` with the nearest valid path.
  package func field(_ path: String) throws(ScenarioError) -> ScenarioField {
    let found = try place(of: path)
    return ScenarioField(
      name: path, summary: found.outline.summary,
      form: found.outline.scalarForm ?? found.outline.form)
  }

  /// Returns the document with a field set; it is checked when it is read.
  ///
  /// - Throws: `ScenarioError` if there is no such field.
  package func setting(_ path: String, to text: String) throws(ScenarioError) -> ScenarioDocument {
    var steps = try place(of: path).steps
    // If the field may also be a section, set its first key.
    if let outline = try? place(of: path).outline, outline.scalarForm != nil,
      case .mapping = root.node(at: steps)?.content, let first = outline.within.first
    {
      steps.append(.key(first.name))
    }
    var copy = self
    copy.root.set(.scalar(text), at: steps[...])
    return copy
  }

  /// An entry of its list: a name, what it starts from, and what it says of itself.
  package typealias Policy = (
    name: String, base: PolicyEntry.Base, fields: [(field: String, value: String)]
  )

  /// The document with these policies instead of its list.
  package func replacingPolicies(by policies: [Policy]) -> ScenarioDocument {
    var copy = self
    copy.root.set(.sequence(policies.map(Self.node)), at: [.key("policies")])
    // A target binds policies that are no longer there.
    copy.root.remove("targets")
    return copy
  }

  /// The document with one more policy in its list, or with it in place of the one of its name.
  package func addingPolicy(_ policy: Policy) -> ScenarioDocument {
    var copy = self
    var nodes: [SourceNode] = []
    if case .sequence(let own) = root.node(at: [.key("policies")])?.content { nodes = own }
    let names = elementNames(at: [.key("policies")])
    if let place = nodes.indices.first(where: { place in
      if case .scalar(policy.name) = nodes[place].content { return true }
      return names[place] == policy.name
    }) {
      nodes[place] = Self.node(of: policy)
    } else {
      nodes.append(Self.node(of: policy))
    }
    copy.root.set(.sequence(nodes), at: [.key("policies")])
    return copy
  }

  private static func node(of policy: Policy) -> SourceNode {
    func entry(_ key: String, _ text: String) -> SourceNode.Entry {
      SourceNode.Entry(key: key, value: SourceNode(place: nil, content: .scalar(text)))
    }
    let base =
      switch policy.base {
      case .preset(let preset): entry("preset", preset)
      case .command(let command): entry("command", command)
      }
    let isPreset = policy.base == .preset(policy.name) && policy.fields.isEmpty
    return SourceNode(
      place: nil,
      content: isPreset
        ? .scalar(policy.name)
        : .mapping(
          [entry("name", policy.name), base] + policy.fields.map { entry($0.field, $0.value) }))
  }

  /// What the list of the document says of a policy; `nil` if it names none of that name.
  package func policy(
    _ name: String
  ) -> (preset: String, fields: [(field: String, value: String)])? {
    guard case .sequence(let nodes) = root.node(at: [.key("policies")])?.content else { return nil }
    for node in nodes {
      switch node.content {
      case .scalar(name): return (name, [])
      case .mapping(let entries):
        var own: [String: String] = [:]
        let values = entries.compactMap { entry -> (field: String, value: String)? in
          guard case .scalar(let text) = entry.value.content else { return nil }
          own[entry.key] = text
          return (entry.key, text)
        }
        guard own["name"] == name, let preset = own["preset"] else { continue }
        return (preset, values.filter { !["name", "preset"].contains($0.field) })
      default: continue
      }
    }
    return nil
  }

  /// The document as YAML, without the comments of the file.
  package var yaml: [UInt8] { YAMLText.document(root.gatheringValuesByName) }

  // MARK: Paths

  private func place(
    of path: String
  ) throws(ScenarioError) -> (steps: [SourceNode.Step], outline: FieldOutline) {
    var reader = ScenarioReader(file: file, vocabulary: .unchecked)
    var outlines = Scenario.outlines
    var steps: [SourceNode.Step] = []
    var rest = path[...]
    while true {
      // A key may contain points itself: `time-to-live.files.search`.
      let known = outlines.filter { rest == $0.name || rest.hasPrefix("\($0.name).") }
      guard let outline = known.max(by: { $0.name.utf8.count < $1.name.utf8.count }) else {
        let word = String(rest.prefix { $0 != "." })
        let section = outlines.first { $0.within.contains { $0.name == word } }
        reader.report(
          nil, "no field `\(ScenarioReader.shortened(path))`",
          section.map { "did you mean `\($0.name).\($0.form == .list ? "NAME." : "")\(word)`?" }
            ?? reader.remedy(for: word, among: outlines.map(\.name)))
        throw ScenarioError(problems: reader.problems)
      }
      steps.append(.key(outline.name))
      rest = rest.dropFirst(outline.name.count + 1)
      var within = outline.within
      if outline.holdsNames, !rest.isEmpty {
        let names = entryNames(at: steps)
        guard
          let name = names.filter({ rest == $0 || rest.hasPrefix("\($0).") })
            .max(by: { $0.utf8.count < $1.utf8.count })
        else {
          let word = String(rest.prefix { $0 != "." })
          reader.report(
            nil, "`\(outline.name)` has no `\(ScenarioReader.shortened(word))`",
            reader.remedy(for: word, among: names))
          throw ScenarioError(problems: reader.problems)
        }
        steps.append(.key(name))
        rest = rest.dropFirst(name.count + 1)
        within = within.map { $0.counting(Plural.of(name)) }
      }
      if outline.form == .list, !rest.isEmpty {
        let word = String(rest.prefix { $0 != "." })
        let names = elementNames(at: steps)
        guard let index = names.firstIndex(of: word) ?? Int(word), names.indices.contains(index)
        else {
          reader.report(
            nil, "`\(outline.name)` has no `\(ScenarioReader.shortened(word))`",
            reader.remedy(for: word, among: names))
          throw ScenarioError(problems: reader.problems)
        }
        steps.append(.element(index))
        rest = rest.dropFirst(word.count + 1)
      }
      if case .shares(let kind) = outline.form {
        let names = entryNames(at: steps)
        if names.contains(String(rest)) {
          return (
            steps + [.key(String(rest))],
            FieldOutline(name: String(rest), form: .quantity(.share, 0...1), summary: "share of it")
          )
        }
        let isWhole = rest.isEmpty
        reader.report(
          nil,
          isWhole
            ? "`\(ScenarioReader.shortened(path))` is a section"
            : "`\(outline.name)` has no \(kind) `\(ScenarioReader.shortened(String(rest)))`",
          isWhole
            ? "name a field of it: \(names.prefix(8).joined(separator: ", "))"
            : reader.remedy(for: String(rest), among: names))
        throw ScenarioError(problems: reader.problems)
      }
      if rest.isEmpty, !path.hasSuffix(".") {
        guard case (.section, nil) = (outline.form, outline.scalarForm) else {
          if outline.form != .list { return (steps, outline) }
          reader.report(
            nil, "`\(ScenarioReader.shortened(path))` is a list",
            "name an element and a field of it: "
              + (elementNames(at: steps) + entryNames(at: steps)).prefix(8)
              .joined(separator: ", "))
          throw ScenarioError(problems: reader.problems)
        }
        reader.report(
          nil, "`\(ScenarioReader.shortened(path))` is a section",
          "name a field of it: " + outline.within.prefix(8).map(\.name).joined(separator: ", "))
        throw ScenarioError(problems: reader.problems)
      }
      outlines = steps == [.key("cache")] ? cacheOutlines : within
    }
  }

  /// The keys of the cache section, some of which are named after queries.
  private var cacheOutlines: [FieldOutline] {
    let model = try? scenario(vocabulary: .unchecked).model
    return CacheSection.fields(of: model).map { FieldOutline($0) }
  }

  private func entryNames(at steps: [SourceNode.Step]) -> [String] {
    guard case .mapping(let entries) = root.node(at: steps)?.content else { return [] }
    return entries.map(\.key)
  }

  private func elementNames(at steps: [SourceNode.Step]) -> [String] {
    guard case .sequence(let nodes) = root.node(at: steps)?.content else { return [] }
    return nodes.enumerated().map { index, node in
      guard case .mapping(let entries) = node.content,
        case .scalar(let name)? = entries.first(where: { $0.key == "name" })?.value.content
      else { return "\(index)" }
      return name
    }
  }
}

extension SourceNode {
  enum Step: Hashable {
    case key(String)
    case element(Int)
  }

  func node(at steps: [Step]) -> SourceNode? {
    var node = self
    for step in steps {
      switch (step, node.content) {
      case (.key(let key), .mapping(let entries)):
        guard let entry = entries.first(where: { $0.key == key }) else { return nil }
        node = entry.value
      case (.element(let index), .sequence(let nodes)) where nodes.indices.contains(index):
        node = nodes[index]
      default: return nil
      }
    }
    return node
  }

  /// Sets content at the end of a path; missing sections are created.
  mutating func set(_ content: Content, at steps: ArraySlice<Step>) {
    guard let step = steps.first else {
      self.content = content
      return
    }
    switch (step, self.content) {
    case (.key(let key), .mapping(var entries)):
      if let index = entries.firstIndex(where: { $0.key == key }) {
        entries[index].value.set(content, at: steps.dropFirst())
      } else {
        var node = SourceNode(place: nil, content: .mapping([]))
        node.set(content, at: steps.dropFirst())
        entries.append(Entry(key: key, value: node))
      }
      self.content = .mapping(entries)
    case (.element(let index), .sequence(var nodes)) where nodes.indices.contains(index):
      nodes[index].set(content, at: steps.dropFirst())
      self.content = .sequence(nodes)
    default:
      // A scalar instead of a section: the reader reports it.
      return
    }
  }

  mutating func remove(_ key: String) {
    guard case .mapping(let entries) = content else { return }
    content = .mapping(entries.filter { $0.key != key })
  }
}
