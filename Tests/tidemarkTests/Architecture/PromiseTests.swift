import Foundation
import Testing

@Suite("The promises of the cache")
struct PromiseTests {
  private static func document() throws -> String {
    try String(
      contentsOf: SourceFile.top.appendingPathComponent("Documentation/Behaviours.md"),
      encoding: .utf8)
  }

  @Test("Each promise has a test with its number, and each number is a promise's")
  func eachHasATest() throws {
    let tests = try SourceFile.all(below: "Tests")
    #expect(tests.count > 100, "the tests were not found")
    let promises = Promises(document: try Self.document(), tests: tests)
    for complaint in promises.complaints { Issue.record("\(complaint)") }
  }

  @Test(
    "Missing promises are named", arguments: [1, 27, Promises.count])
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

  @Test("Several numbers may precede one name, on a line of its own too")
  func readsSeveralNumbers() {
    #expect(
      Self.complaints(without: 16, extra: "@Test(\n  \"B15 B16 Both hold\", arguments: [1])") == [])
    #expect(Self.complaints(without: 16, extra: "@Test(\"It is no B16 promise\")").count == 2)
  }

  /// The complaints about a sample in which every promise is stated and shown, except the parts left out.
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

/// The promises of a document, numbered behind a letter, and the tests that show them.
struct Promises {
  /// The faults, a sentence each; empty if every promise has a test and every number a promise.
  private(set) var complaints: [String] = []

  /// How many promises `Documentation/Behaviours.md` makes, numbered from 1.
  static let count = 57

  /// - Parameters:
  ///   - document: the text of the document.
  ///   - tests: the sources of the tests.
  ///   - letter: the letter before the numbers.
  ///   - count: how many promises there are.
  init(document: String, tests: [SourceFile], letter: String = "B", count: Int = count) {
    let stated = Self.statements(in: document, letter)
    let numbers = stated.map(\.number)
    if numbers != Array(1...count) {
      complaints.append(
        "the document states \(letter)\(numbers), not \(letter)1 to \(letter)\(count) in order")
    }
    var files: [Int: Set<String>] = [:]
    for file in tests {
      for (name, line) in file.testNames {
        for number in Self.numbers(of: name, letter) {
          files[number, default: []].insert(file.name)
          if !numbers.contains(number) {
            complaints.append(
              "\(file.path):\(line): the document states no \(letter)\(number): \"\(name)\"")
          }
        }
      }
    }
    for statement in stated {
      let shownBy = files[statement.number] ?? []
      if shownBy.isEmpty {
        complaints.append(
          "\(letter)\(statement.number) has no test: no display name begins with it")
      }
      if statement.files.isEmpty {
        complaints.append("\(letter)\(statement.number) names no file of tests")
      }
      for name in statement.files where !shownBy.contains(name) {
        complaints.append(
          "\(letter)\(statement.number) is not shown by \(name): no display name there has it")
      }
    }
  }

  /// The paragraphs that begin with a bold number, and the files that each names as showing it.
  private static func statements(
    in document: String, _ letter: String
  ) -> [(number: Int, files: [String])] {
    document.components(separatedBy: "\n\n").compactMap { paragraph in
      guard let match = paragraph.prefixMatch(of: #/\*\*([A-Z])(\d+)\.\*\* /#),
        match.1 == letter, let number = Int(match.2)
      else { return nil }
      return (number, paragraph.matches(of: #/`(\w+\.swift)`/#).map { String($0.1) })
    }
  }

  /// The numbers that a display name begins with: of `B16 B53 Closed …`, 16 and 53.
  private static func numbers(of name: String, _ letter: String) -> [Int] {
    name.split(separator: " ").lazy.map { word in
      word.wholeMatch(of: #/([A-Z])(\d+)/#).flatMap { $0.1 == letter ? Int($0.2) : nil }
    }
    .prefix { $0 != nil }.compactMap(\.self)
  }
}

extension SourceFile {
  fileprivate var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The display names of tests, and the lines that they begin in.
  fileprivate var testNames: [(name: String, line: Int)] {
    tokens.indices.dropLast(3).compactMap { index in
      guard tokens[index].text == "@", tokens[index + 1].text == "Test",
        tokens[index + 2].text == "(", tokens[index + 3].kind == .text
      else { return nil }
      return (tokens[index + 3].text, tokens[index + 3].line)
    }
  }
}

@Suite("The promises of the other cache designs")
struct DesignPromiseTests {
  /// The letters of the designs in `Documentation/Designs.md`, and how many promises each makes.
  private static let designs = [("R", 21), ("S", 13), ("T", 13)]

  @Test(
    "Each promise has a test with its number, and each number is a promise's", arguments: designs)
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
