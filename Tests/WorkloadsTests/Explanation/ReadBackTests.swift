import CacheTestSupport
import Testing

@testable import WorkloadExplanation
@testable import Workloads

/// Every value of a file shows in the words of `explain`: each is changed, one at a time, and the words
/// must change with it.
@Suite("A scenario read back in words")
struct ReadBackTests {
  /// Keys whose values show in no words, each with its reason.
  static let notShown: [String: String] = [:]

  @Test("shows every key that a committed file gives, and each name")
  func everyCommittedKey() throws {
    var seen: Set<String> = []
    for file in ScenarioFiles.names {
      try expectAllShown(try ScenarioFiles.nodes(file), &seen)
    }
    #expect(seen.count > 150)
  }

  @Test("shows every key that a scenario may have, even those of no committed file")
  func everyKey() throws {
    var given: [String] = []
    for text in [Self.allOfApps, Self.allOfTrees] {
      let root = try SharedModels.shipped.scenario(Array(text.utf8), file: "f.yaml")
      var seen: Set<String> = []
      try expectAllShown(root, &seen)
      given += seen.map { Self.key(of: $0) }
    }
    // These two files have all keys of the tables.
    let tables = [
      NetworkSection.fields.map(\.name), ServerSection.fields.map(\.name),
      EventsSection.fields.map(\.name),
      FaultSection.fields.map(\.name), UsersSection.fields.map(\.name),
      WritersSection.fields.map(\.name), StepSection.fields.map(\.name),
      StrollSection.fields.map(\.name), EntitySection.fields.map(\.name),
      FieldSection.fields.map(\.name), TreeSection.fields.map(\.name),
      SizeSection.fields.map(\.name), OperationSection.fields.map(\.name),
      BatchSection.fields.map(\.name), JobSection.fields.map(\.name),
      WaveSection.fields.map(\.name), GoalSection.fields.map(\.name),
    ]
    let keys = tables.flatMap(\.self)
    let missing = keys.filter { !given.contains($0) && !Self.sections.contains($0) }
    #expect(missing == [])
  }

  @Test("says which entities ran out, and which operations found none")
  func depletion() throws {
    let text = """
      name: a
      duration: 10 min
      data:
        entities: {note: {count: 9 notes, size: 100 B, has: {body: text, pinned: flag}}}
        queries: {notes: {list: note, order: body, first: 20 rows}}
        operations: {pin: {toggle: note.pinned}, drop: {delete: note}}
      writers: [{name: o, count: 1 devices, rate: 60/min, mix: {pin: 50 %, drop: 50 %}}]
      users: [{name: u, clients: 1 clients, mix: {look: 100 %}, activities: {look: [visit: notes]}}]
      policies: [lru]
      """
    let scenario = try Scenario.parse(Array(text.utf8), file: "f.yaml", vocabulary: .unchecked)
    #expect(
      Explanation(scenario, Workload.generate(scenario)).depletions == [
        "all 9 notes were deleted before the end, so `pin` and `drop` found none; delete less "
          + "often, add a `create` operation, or shorten `duration`"
      ])
  }

  /// Keys that hold others, or have another in their place here.
  private static let sections = [
    "mix", "burst", "visits", "active", "writes", "activities", "events", "name", "client",
    "minimise", "think", "jobs", "then", "stroll", "tree", "summary",
  ]

  /// Changes the value of each key that was not `seen` yet, and expects other words.
  private func expectAllShown(_ root: SourceNode, _ seen: inout Set<String>) throws {
    let text = try #require(Self.words(of: root))
    var values: [String: [String]] = [:]
    Self.collect(root, of: "", into: &values)
    Self.forEachChange(in: root, with: values) { path, value, variants in
      guard seen.insert(Self.general(path)).inserted else { return }
      let key = Self.key(of: path)
      // The first that makes sense.
      let changed = variants.lazy.compactMap { Self.words(of: $0()) }.first
      if changed == nil {
        // Nothing else may stand there: it names what others name, or is the only one of its kind.
        let words = value.prefix { $0 != " " }.split(separator: ".")
        #expect(words.allSatisfy { text.contains($0) }, "\(path) shows nowhere")
      }
      #expect(changed != text || Self.notShown[key] != nil, "\(path) shows nowhere")
    }
    for name in Self.names(in: root) {
      #expect(text.contains(name), "\(name) is not named")
    }
  }

  /// A path without places in lists, and without the names that a file gives.
  private static func general(_ path: String) -> String {
    let parts = path.split(separator: ".").map { part in part.prefix { $0 != "[" } }
    let named = ["entities", "queries", "operations", "activities", "has", "mix"]
    return parts.indices.map { index in
      index > 0 && named.contains(String(parts[index - 1])) ? "*" : String(parts[index])
    }.joined(separator: ".")
  }

  private static func key(of path: String) -> String {
    String((path.split(separator: ".").last ?? "").prefix { $0 != "[" })
  }

  /// The words for a tree; `nil` if it is not a valid scenario.
  private static func words(of root: SourceNode) -> String? {
    var reader = ScenarioReader(file: "f.yaml", vocabulary: .unchecked)
    let scenario = reader.readScenario(root)
    guard reader.problems.isEmpty else { return nil }
    return ExplanationSection.declared(in: scenario)
      .map { ([$0.title] + $0.lines).joined(separator: "\n") }.joined(separator: "\n")
  }

  // MARK: Changing a tree

  /// Values of closed lists.
  private static let words = [
    "yes", "no", "push", "none", "connected", "suspended", "waits", "uniform", "hotspot", "zipf",
    "paused", "exponential", "small", "large", "hard", "soft", "patch", "mark-stale", "blind",
    "write-allocate", "update-only", "probation", "observed", "cached", "tags", "index", "watcher",
    "full-invalidation", "replay", "lru", "refcount", "unbounded", "answer", "request", "outbox",
    "at-once", "confirmed", "ignored", "as-observed", "while-room", "popular", "newest", "any",
    "full", "locked", "hit_ratio", "reads", "p50", "mean", "sieve", "file", "total", "always",
    "tinylfu", "whole", "notice", "items", "stall", "errors", "unlimited", "albums.list",
    "tags.list",
  ]

  /// A key's values elsewhere in a file are candidates, and so are the file's own names.
  private static func collect(
    _ node: SourceNode, of key: String, into values: inout [String: [String]]
  ) {
    switch node.content {
    case .scalar(let text): values[key, default: []].append(text)
    case .sequence(let nodes): for node in nodes { collect(node, of: key, into: &values) }
    case .mapping(let entries):
      for entry in entries {
        values["", default: []].append(entry.key)
        collect(entry.value, of: entry.key, into: &values)
      }
    }
  }

  private static func forEachChange(
    in node: SourceNode, under path: String = "", with values: [String: [String]],
    _ body: (_ path: String, _ value: String, _ variants: [() -> SourceNode]) -> Void
  ) {
    switch node.content {
    case .scalar(let text):
      body(
        path, text,
        others(than: text, of: key(of: path), values).map { other in
          { SourceNode(place: node.place, content: .scalar(other)) }
        })
    case .sequence(let nodes):
      for index in nodes.indices {
        forEachChange(in: nodes[index], under: "\(path)[\(index)]", with: values) {
          path, value, variants in
          body(
            path, value,
            variants.map { variant in
              {
                var changed = nodes
                changed[index] = variant()
                return SourceNode(place: node.place, content: .sequence(changed))
              }
            })
        }
      }
    case .mapping(let entries):
      for index in entries.indices {
        let path = "\(path).\(entries[index].key)"
        forEachChange(in: entries[index].value, under: path, with: values) {
          path, value, variants in
          let changed = variants.map { variant in
            {
              var changed = entries
              changed[index].value = variant()
              return SourceNode(place: node.place, content: .mapping(changed))
            }
          }
          let exchanged = exchanges(of: index, in: entries).map { entries in
            { SourceNode(place: node.place, content: .mapping(entries)) }
          }
          body(path, value, exchanged + changed)
        }
      }
    }
  }

  /// Shares add up to one: two of them are exchanged.
  private static func exchanges(
    of index: Int, in entries: [SourceNode.Entry]
  ) -> [[SourceNode.Entry]] {
    entries.indices.compactMap { other in
      guard case .scalar(let own) = entries[index].value.content, own.hasSuffix("%"),
        case .scalar(let text) = entries[other].value.content, text.hasSuffix("%"), text != own
      else { return nil }
      var changed = entries
      changed[index].value = entries[other].value
      changed[other].value = entries[index].value
      return changed
    }
  }

  /// Another number in the same unit, or another word.
  private static func others(
    than text: String, of key: String, _ values: [String: [String]]
  ) -> [String] {
    let known = ((values[key] ?? []) + words + (values[""] ?? [])).filter { $0 != text }
    let bytes = Array(text.utf8)
    let digits = bytes.indices.filter { (48...57).contains(bytes[$0]) }
    guard let last = digits.last else { return ["\(text)x"] + known }
    // The first digit too: where the last one leads out of a range, that may not.
    return [last, digits[0]].flatMap { place in
      [Int(bytes[place]) + 1, Int(bytes[place]) - 1].compactMap { digit in
        guard (48...57).contains(digit) else { return nil }
        var changed = bytes
        changed[place] = UInt8(digit)
        return String(decoding: changed, as: UTF8.self)
      }
    } + known
  }

  /// The names that a file gives: types, fields, queries, operations and activities.
  private static func names(in root: SourceNode) -> [String] {
    func entries(_ node: SourceNode?, _ key: String) -> SourceNode? {
      guard case .mapping(let entries)? = node?.content else { return nil }
      return entries.first { $0.key == key }?.value
    }
    func keys(_ node: SourceNode?) -> [(key: String, value: SourceNode)] {
      guard case .mapping(let entries)? = node?.content else { return [] }
      return entries.map { ($0.key, $0.value) }
    }
    let model = entries(root, "data")
    let types = keys(entries(model, "entities"))
    var names = types.map(\.key) + types.flatMap { keys(entries($0.value, "has")).map(\.key) }
    names += keys(entries(model, "queries")).map(\.key)
    names += keys(entries(model, "operations")).map(\.key)
    if case .sequence(let groups)? = entries(root, "users")?.content {
      names += groups.flatMap { keys(entries($0, "activities")).map(\.key) }
    }
    return names
  }
}
