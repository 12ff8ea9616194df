import Foundation
import Testing

@Suite("The promises of the other cache designs")
struct DesignPromiseTests {
  /// The letters of the designs in `Documentation/Designs.md`, and how many promises each makes.
  private static let designs = [("R", 21), ("S", 13), ("T", 13)]

  @Test(
    "Each has a test that bears its number, and each number is one of theirs", arguments: designs)
  func eachHasATest(letter: String, count: Int) throws {
    let document = try String(
      contentsOf: SourceFile.top.appendingPathComponent("Documentation/Designs.md"),
      encoding: .utf8)
    let promises = Promises(
      document: document, tests: try SourceFile.all(below: "Tests"), letter: letter, count: count)
    for complaint in promises.complaints { Issue.record("\(complaint)") }
  }

  @Test("A promise of another letter shows nothing")
  func keepsLettersApart() {
    let sample = SourceFile(path: "Tests/Sample.swift", code: "@Test(\"B1 It holds\")")
    let promises = Promises(
      document: "**T1.** It holds. Shown by `Sample.swift`.\n\n**B1.** So does this.",
      tests: [sample], letter: "T", count: 1)
    #expect(
      promises.complaints == [
        "T1 has no test: no display name begins with it",
        "T1 is not shown by Sample.swift: no display name there has it",
      ])
  }
}
