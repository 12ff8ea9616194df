import Testing

@testable import Workloads

/// One slip of the pen in a sound file is one problem: its consequences are not reported too.
@Suite("One mistake in a scenario")
struct OneMistakeTests {
  /// Scenarios of apps, and one of files with most of its sections.
  static let files = [
    "chat.yaml", "issue-tracker.yaml", "notes-on-a-phone.yaml", "shop.yaml", "social-feed.yaml",
    "flaky-network.yaml", "index-storm.yaml", "media-scroll.yaml",
  ]

  @Test("is one error, wherever it is made", arguments: files)
  func oneError(file: String) throws {
    let root = try ScenarioFiles.nodes(file)
    #expect(Self.problems(of: root) == [])
    var mistakes = 0
    Self.forEachMistake(in: root) { name, wrong in
      mistakes += 1
      let problems = Self.problems(of: wrong)
      // A name in a file may be wrong at its definition, or at each use.
      let isName = Self.isName(name)
      #expect(problems.count <= (isName ? 2 : 1), "\(name): \(problems.joined(separator: "\n"))")
    }
    #expect(mistakes > 100)
  }

  private static func isName(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return parts.count == 3 && parts[0] == "data"
  }

  private static func problems(of root: SourceNode) -> [String] {
    var reader = ScenarioReader(file: "f.yaml", vocabulary: .unchecked)
    _ = reader.readScenario(root)
    return reader.problems.map(\.description)
  }

  /// Spells each key and each value wrong, one at a time.
  private static func forEachMistake(
    in node: SourceNode, under name: String = "", _ body: (String, SourceNode) -> Void
  ) {
    switch node.content {
    case .scalar(let text):
      // A value as a slip leaves it, and one that is nothing at all.
      for wrong in ["\(text)x", "?"] {
        body("\(name): \(wrong)", SourceNode(place: node.place, content: .scalar(wrong)))
      }
    case .sequence(let nodes):
      for index in nodes.indices {
        forEachMistake(in: nodes[index], under: "\(name)[\(index)]") { name, wrong in
          var changed = nodes
          changed[index] = wrong
          body(name, SourceNode(place: node.place, content: .sequence(changed)))
        }
      }
    case .mapping(let entries):
      for index in entries.indices {
        var changed = entries
        changed[index].key += "x"
        body(
          "\(name)/\(changed[index].key)",
          SourceNode(place: node.place, content: .mapping(changed)))
        forEachMistake(in: entries[index].value, under: "\(name)/\(entries[index].key)") {
          var changed = entries
          changed[index].value = $1
          body($0, SourceNode(place: node.place, content: .mapping(changed)))
        }
      }
    }
  }
}
