import Foundation
import Testing

@Suite("The promises of the cache")
struct PromiseTests {
  private static func document() throws -> String {
    try String(
      contentsOf: SourceFile.top.appendingPathComponent("Documentation/Behaviours.md"),
      encoding: .utf8)
  }

  @Test("Each has a test that bears its number, and each number is one of theirs")
  func eachHasATest() throws {
    let tests = try SourceFile.all(below: "Tests")
    #expect(tests.count > 100, "the tests were not found")
    let promises = Promises(document: try Self.document(), tests: tests)
    for complaint in promises.complaints { Issue.record("\(complaint)") }
  }

  @Test(
    "What is missing is named", arguments: [1, 27, Promises.count])
  func namesWhatIsMissing(number: Int) throws {
    #expect(Self.complaints() == [])
    #expect(
      Self.complaints(without: number) == [
        "B\(number) has no test: no display name begins with it",
        "B\(number) is not shown by Sample.swift: no display name there has it",
      ])
    #expect(
      Self.complaints(unstated: number).last
        == "Tests/Sample.swift:\(number): the document states no B\(number): \"B\(number) It holds\""
    )
  }

  @Test("Several numbers may stand before one name, on a line of its own too")
  func readsSeveralNumbers() {
    #expect(
      Self.complaints(without: 16, extra: "@Test(\n  \"B15 B16 Both hold\", arguments: [1])") == [])
    #expect(Self.complaints(without: 16, extra: "@Test(\"It is no B16 promise\")").count == 2)
  }

  /// The complaints about a sample in which every promise is stated and shown, but for what is left out.
  private static func complaints(
    without untested: Int? = nil, unstated: Int? = nil, extra: String = ""
  ) -> [String] {
    let numbers = 1...Promises.count
    let document = numbers.filter { $0 != unstated }
      .map { "**B\($0).** It holds. Shown by `Sample.swift`." }.joined(separator: "\n\n")
    let code = numbers.map { $0 == untested ? "" : "@Test(\"B\($0) It holds\")" }
      .joined(separator: "\n")
    return Promises(
      document: document, tests: [SourceFile(path: "Tests/Sample.swift", code: code + extra)]
    ).complaints
  }
}
