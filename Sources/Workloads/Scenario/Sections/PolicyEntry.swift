import CacheModel

/// One policy of a comparison: a preset, a preset with overrides, or a cache in another process.
package struct PolicyEntry: Sendable {
  package var name: String
  package var base: Base
  /// The overridden fields of the cache section, in the order written.
  package var overrides: [(field: String, value: SourceNode)] = []
  /// The places of their keys.
  private var overridePlaces: [SourcePlace?] = []
  var place: SourcePlace?

  package enum Base: Hashable, Sendable {
    case preset(String)
    /// A shell command that uses the line protocol.
    case command(String)
  }

  /// The maximum bytes of a command.
  private static let longestCommand = 4_096

  package init(preset: String) {
    name = preset
    base = .preset(preset)
  }

  /// The preset; `nil` for a command.
  package var preset: String? {
    if case .preset(let preset) = base { preset } else { nil }
  }

  /// The command; `nil` for a preset.
  package var command: String? {
    if case .command(let command) = base { command } else { nil }
  }

  /// The presets that are bounds: the scenario's choices on axes do not apply to them.
  package static let bounds = Preset.namesOfBounds

  package var isBound: Bool { preset.map(Self.bounds.contains) ?? false }

  /// The other design of the preset; `nil`: it is a policy of the normalized cache.
  package var design: DesignPreset? { preset.flatMap(DesignPreset.named) }

  /// All presets that an entry may use.
  package static let presets = Preset.names + DesignPreset.names

  static let listField = Field<Scenario>(
    name: "policies", form: .list, summary: "the policies to compare: presets, or own ones",
    elementForm: .choice(presets), within: { outlines }
  ) {
    guard case .sequence(let nodes) = $1.content, nodes.count <= 100 else {
      $2.report($1.place, "a list of at most 100 policies is expected here", "write `[lru, ttl]`")
      return
    }
    $0.policies = []
    for node in nodes {
      guard let entry = PolicyEntry(node, &$2) else { continue }
      if $0.policies.contains(where: { $0.name == entry.name }) {
        $2.report(
          node.place, "two policies are called `\(ScenarioReader.shortened(entry.name))`",
          "give each its own name")
      }
      $0.policies.append(entry)
    }
  }

  /// The keys of an entry with overrides: its own, and those of the cache.
  private static var outlines: [FieldOutline] {
    [
      FieldOutline(name: "name", form: .text, summary: "what reports call it"),
      FieldOutline(name: "preset", form: .choice(presets), summary: "the policy to start from"),
      FieldOutline(
        name: "command", form: .text,
        summary: "instead of a preset: the shell command of an external cache"),
    ] + CacheSection.outlines
  }

  private init?(_ node: SourceNode, _ reader: inout ScenarioReader) {
    let presets = Self.presets
    guard case .mapping(let entries) = node.content else {
      guard let preset = reader.name(node, what: "policy", among: presets) else { return nil }
      self.init(preset: preset)
      return
    }
    if let command = entries.first(where: { $0.key == "command" }) {
      self.init(command: command.value, of: node, entries, &reader)
      return
    }
    let base = entries.first { $0.key == "preset" }
    var start: String?
    if case .scalar(let name)? = base?.value.content { start = name }
    let fields = CacheSection.fields(of: start, reader.model)
    let names = ["name", "preset", "command"] + fields.map(\.name)
    let unknown = entries.filter { !names.contains($0.key) }
      .map { reader.reportUnknown($0, among: names) }
    guard let base else {
      if !unknown.contains("preset") {
        reader.report(
          node.place, "the policy has no preset",
          "add `preset:`, the policy to start from, or `command:`, a cache in a process of its own")
      }
      return nil
    }
    guard let preset = reader.name(base.value, what: "preset", among: presets) else { return nil }
    self.init(preset: preset)
    place = node.place
    var scratch = CacheSection()
    var hasName = false
    for entry in entries where entry.key != "preset" {
      if entry.key == "name" {
        name = reader.scalar(entry.value) ?? name
        hasName = true
      } else if let field = fields.first(where: { $0.name == entry.key }) {
        field.assign(&scratch, entry.value, &reader)
        overrides.append((entry.key, entry.value))
        overridePlaces.append(entry.keyPlace)
      }
    }
    // The name is unknown until its key is spelt correctly.
    if unknown.contains("name") { return nil }
    if !hasName {
      reader.report(node.place, "the policy has no name", "add `name:`, for reports")
    }
  }

  /// Creates a cache in a separate process, whose options are in its command.
  private init?(
    command: SourceNode, of node: SourceNode, _ entries: [SourceNode.Entry],
    _ reader: inout ScenarioReader
  ) {
    for entry in entries where !["name", "command"].contains(entry.key) {
      reader.report(
        entry.keyPlace,
        "`\(ScenarioReader.shortened(entry.key))` cannot be combined with a command",
        "remove it, or pass it as an option of the command")
    }
    guard let text = reader.scalar(command) else { return nil }
    guard !text.allSatisfy(\.isWhitespace), text.utf8.count <= Self.longestCommand else {
      reader.report(
        command.place, "this is no command of at most \(Self.longestCommand) bytes",
        "write a shell command, such as `command: python3 Adapters/lru.py`")
      return nil
    }
    guard let name = entries.first(where: { $0.key == "name" }) else {
      reader.report(node.place, "the policy has no name", "add `name:`, for reports")
      return nil
    }
    guard let name = reader.scalar(name.value) else { return nil }
    self.name = name
    base = .command(text)
    place = node.place
  }

  /// Returns choices without effect because the base is a bound, with the places of their keys.
  ///
  /// A storage that a bound lacks is reported as for every policy.
  func unusedOverrides(hasStorage: Bool) -> [(field: String, place: SourcePlace?)] {
    guard isBound else { return [] }
    return zip(overrides, overridePlaces).compactMap { override, place in
      let isOfStorage = ["disk-bytes", "flush-window"].contains(override.field)
      guard PolicyAxis.named(override.field)?.isShared == false, hasStorage || !isOfStorage else {
        return nil
      }
      return (override.field, place)
    }
  }
}
