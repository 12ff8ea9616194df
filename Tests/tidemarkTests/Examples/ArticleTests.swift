import CacheTestSupport
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

  /// An article may show a part of a file, which is indented less there.
  private static func unindented(_ code: String) -> String {
    code.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.drop { $0 == " " } }.joined(separator: "\n")
  }
}

@Suite("The example of a first list", .startsProcesses)
struct FirstListTests {
  @Test("It prints what its article says")
  func runs() async throws {
    try await withTemporaryFolder { folder in
      let example = try await TidemarkProcess.run(
        TidemarkProcess.executable(named: "FirstList"), [], in: folder)
      #expect(example.output.hasSuffix("[\"apples\", \"oat milk\"]\n1 of 2 reads were hits\n"))
      #expect(example.errors == "" && example.status == 0)
      let article = try SourceFile.top.read(
        "Sources/NormalizedCache/NormalizedCache.docc/FirstList.md")
      #expect(article.contains("```\n\(example.output)```\n"))
    }
  }

  @Test("Its article shows each of its files whole")
  func isWhole() throws {
    let article = try SourceFile.top.read(
      "Sources/NormalizedCache/NormalizedCache.docc/FirstList.md")
    for file in ["Notes", "NoteServer", "FirstList"] {
      let code = try SourceFile.top.read("Examples/FirstList/\(file).swift")
      #expect(article.contains("```swift\n\(code)```\n"), "copy \(file).swift into the article")
    }
  }
}

@Suite("The listing in Adding a policy")
struct PolicyListingTests {
  /// The code blocks of the document, in order.
  private static func listings() throws -> [Substring] {
    try SourceFile.top.read("Documentation/AddingAPolicy.md").split(separator: "```swift\n")
      .dropFirst().map { $0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex) }
  }

  @Test("The policy is a file of the sources to the letter, so it compiles")
  func policyIsCompiled() throws {
    let listing = try #require(try Self.listings().first)
    #expect(try SourceFile.top.read("Sources/EvictionPolicies/Recency/LRU.swift") == listing)
  }

  @Test("The line that registers it is in the registry")
  func lineIsCompiled() throws {
    let line = try #require(try Self.listings().dropFirst().first)
    #expect(try SourceFile.top.read("Sources/EvictionPolicies/Registry.swift").contains(line))
  }
}

@Suite("The example of two devices", .startsProcesses)
struct TwoDevicesTests {
  @Test("An album that is renamed on A is seen on B")
  func runs() async throws {
    try await withTemporaryFolder { folder in
      let example = try await TidemarkProcess.run(
        TidemarkProcess.executable(named: "TwoDevices"), [], in: folder)
      #expect(
        example.output == """
          A shows Holidays, Work
          B shows Holidays, Work
          A renames Holidays to Iceland
          A shows Iceland, Work
          B shows Iceland, Work
          queries to the server: 2, one for each device

          """)
      #expect(example.errors == "")
      #expect(example.status == 0)
    }
  }

  @Test("The README shows what the example compiles")
  func readmeIsCompiled() throws {
    let example = try SourceFile.top.read("Examples/TwoDevices/Device.swift")
    let parts = example.components(separatedBy: "// README: ")
    try #require(parts.count == 3, "the marks `README: begin` and `README: end` are not there")
    // Without its indentation, which is that of a function's body.
    let snippet = parts[1].split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
      .dropLast().map { $0.dropFirst(4) }.joined(separator: "\n")
    let readme = try SourceFile.top.read("README.md")
    #expect(readme.contains("```swift\n\(snippet)\n```\n"), "copy the marked part into the README")
  }
}
