import Foundation
import Testing

@Suite("The articles on the libraries")
struct ArticleTests {
  @Test("Their Swift code is compiled in Examples")
  func codeIsCompiled() throws {
    let examples = try SourceFile.all(below: "Examples").map {
      Self.unindented(try SourceFile.top.read($0.path))
    }
    let root = SourceFile.top.appendingPathComponent("Sources")
    let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }
    var blocks = 0
    for path in (paths ?? []).sorted() where path.contains(".docc/") && path.hasSuffix(".md") {
      let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
      for part in text.components(separatedBy: "```swift\n").dropFirst() {
        let code = Self.unindented(part.components(separatedBy: "```")[0])
        blocks += 1
        #expect(
          examples.contains { $0.contains(code) },
          "\(path) shows code that no example compiles; copy it from Examples:\n\(code)")
      }
    }
    // Were they not found, none would fail.
    #expect(blocks > 10)
  }

  /// An article may show a part of a file, which stands further to the left there.
  private static func unindented(_ code: String) -> String {
    code.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.drop { $0 == " " } }.joined(separator: "\n")
  }
}
