import CacheTestSupport
import Foundation
import Testing

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
