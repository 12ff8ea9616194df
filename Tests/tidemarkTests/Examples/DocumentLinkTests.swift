import Foundation
import Testing

@Suite("The links of the documents")
struct DocumentLinkTests {
  /// The paths of all documents but those of the libraries, which DocC checks.
  private static func documents() -> [String] {
    var paths = ["README.md", "CONTRIBUTING.md"]
    for folder in ["Adapters", "Documentation", "Examples", "Scenarios", "Tests"] {
      let root = SourceFile.top.appendingPathComponent(folder)
      let below = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }
      // Neither an example's build products nor an adapter's packages are ours.
      let own = (below ?? []).filter {
        $0.hasSuffix(".md") && !$0.contains(".build/") && !$0.contains("node_modules/")
      }
      paths += own.sorted().map { "\(folder)/\($0)" }
    }
    return paths
  }

  @Test("Each leads to a file that is there, and to a heading in it")
  func leadSomewhere() throws {
    var count = 0
    for path in Self.documents() {
      let file = SourceFile.top.appendingPathComponent(path)
      for link in MarkdownText(try SourceFile.top.read(path)).links where !link.hasPrefix("http") {
        count += 1
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let target =
          parts[0].isEmpty
          ? file
          : file.deletingLastPathComponent().appendingPathComponent(String(parts[0]))
            .standardizedFileURL
        guard FileManager.default.fileExists(atPath: target.path) else {
          Issue.record("\(path): \(link) is not there")
          continue
        }
        guard parts.count == 2, target.pathExtension == "md" else { continue }
        let text = MarkdownText(try String(contentsOf: target, encoding: .utf8))
        #expect(text.anchors.contains(String(parts[1])), "\(path): \(link) names no heading")
      }
    }
    // Were they not found, none would fail.
    #expect(count > 100)
  }

  @Test("A part of a document that a comment of a scenario names is a heading in it")
  func commentsOfScenarios() throws {
    let folder = SourceFile.top.appendingPathComponent("Scenarios")
    let below = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    var count = 0
    for path in (below ?? []).filter({ $0.hasSuffix(".yaml") }).sorted() {
      for line in try SourceFile.top.read("Scenarios/\(path)").split(separator: "\n") {
        guard let comment = line.firstIndex(of: "#").map({ line[$0...] }) else { continue }
        for name in comment.matches(of: #/([A-Z][A-Za-z]+)(?:\.md)?, ([A-Za-z ]*[a-z])/#) {
          let document = SourceFile.top.appendingPathComponent("Documentation/\(name.1).md")
          guard FileManager.default.fileExists(atPath: document.path) else { continue }
          count += 1
          let text = MarkdownText(try String(contentsOf: document, encoding: .utf8))
          #expect(text.hasHeading(name.2), "\(path): there is no heading \(name.2) in \(name.1)")
        }
      }
    }
    #expect(count > 10)
  }

  @Test("Links are read outside of code, and headings are named as GitHub names them")
  func readsMarkdown() {
    let text = MarkdownText(
      "## What is *there*: a `b`?\n[one](A.md#b) and [two](#c)\n```sh\n# no [link](D.md)\n```\n")
    #expect(text.links == ["A.md#b", "#c"])
    #expect(text.anchors == ["what-is-there-a-b"])
  }
}

/// A Markdown document, as far as links lead from and to it.
private struct MarkdownText {
  /// Those outside of blocks of code.
  private var lines: [Substring] = []

  init(_ text: String) {
    var isCode = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if !isCode {
        lines.append(line)
      }
    }
  }

  var links: [String] {
    lines.flatMap { line in line.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.1) } }
  }

  /// The anchors that a link may have after `#`.
  var anchors: Set<String> {
    Set(lines.filter { $0.hasPrefix("#") }.map { Self.anchor(of: $0) })
  }

  func hasHeading(_ title: Substring) -> Bool { anchors.contains(Self.anchor(of: title)) }

  private static func anchor(of heading: Substring) -> String {
    let title = heading.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
    return title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
      .replacing(" ", with: "-")
  }
}
