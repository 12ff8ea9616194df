import Foundation
import Testing

@Suite("Oracles and their subjects")
struct OracleTests {
  private static let sources: Result<[SourceFile], any Error> = Result {
    try SourceFile.all(below: "Sources")
  }

  private static func files(below places: [String]) throws -> [SourceFile] {
    try sources.get().filter { file in
      places.contains { file.path == "Sources/\($0)" || file.path.hasPrefix("Sources/\($0)/") }
    }
  }

  @Test("An oracle shares with its subject what is listed, and nothing else", arguments: Oracle.all)
  func sharesWhatIsListed(oracle: Oracle) throws {
    let own = try Self.files(below: oracle.files)
    let subject = try Self.files(below: oracle.subject)
    #expect(own.count >= oracle.files.count && subject.count >= oracle.subject.count)
    let paths = Set(own.map(\.path))
    let seen = Set(own.flatMap { $0.imports.map(\.module) } + (own + subject).map(\.module))
    let others = try Self.sources.get().filter { !paths.contains($0.path) }
    let declared = Set(
      others.filter { seen.contains($0.module) }.flatMap(\.typeDeclarations).map(\.name))
    let mentioned = Set(own.flatMap(\.words)).intersection(subject.flatMap(\.words))
    let types = mentioned.intersection(declared).subtracting(own.flatMap(\.namesOfTypes))
    #expect(types.sorted() == oracle.types.sorted())

    let both = Set((own + subject).map(\.path))
    let known = Set(others.filter { !both.contains($0.path) }.flatMap(\.labelledFunctions))
    let called = Set(own.flatMap(\.labelledCalls)).intersection(subject.flatMap(\.labelledCalls))
    let functions = called.intersection(known)
      .subtracting((own + subject).flatMap(\.labelledFunctions))
    #expect(functions.sorted() == oracle.functions.sorted())
  }

  @Test("Every shared piece has a guard, and every guard a piece")
  func everyPieceIsGuarded() {
    let pieces = Oracle.all.reduce(into: Set<String>()) {
      $0.formUnion($1.types.union($1.functions))
    }
    #expect(pieces.sorted() == Oracle.guards.keys.sorted())
  }

  @Test("A guard is what it says", arguments: Oracle.guards.keys.sorted())
  func guardHolds(piece: String) throws {
    let declaring = try Self.sources.get().filter { file in
      file.typeDeclarations.contains { $0.name == piece } || file.labelledFunctions.contains(piece)
    }
    let users = Oracle.all.filter { $0.types.contains(piece) || $0.functions.contains(piece) }
    switch Oracle.guards[piece] {
    case .values:
      let bodies = declaring.flatMap { file in
        file.typeDeclarations.filter { $0.name == piece && $0.kind != "protocol" }.map(\.body)
      }
      for body in bodies {
        let decides = zip(body, body.dropFirst()).contains {
          $0.text == "func" && $1.kind == .word && $1.text != "hash"
        }
        #expect(!decides, "\(piece) has a function: give it a mutant")
      }
    case .constants(let names):
      for file in try Self.files(below: users.flatMap(\.files)) {
        for (index, token) in file.tokens.enumerated() where token.text == piece {
          let next = file.tokens[min(index + 2, file.tokens.count - 1)].text
          #expect(names.contains(next), "\(file.path):\(token.line) uses \(piece).\(next)")
        }
      }
    case .mutant(let name):
      let path = SourceFile.top.appendingPathComponent("Tests/Mutants/\(name).patch")
      let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
      let changed = lines.filter { $0.hasPrefix("+++ b/") }.map { String($0.dropFirst(6)) }
      #expect(changed.contains { place in declaring.contains { $0.path == place } })
      let tests = try #require(lines.first { $0.hasPrefix("Tests: ") })
      let suite = tests.split(separator: ".").last.map(String.init)
      #expect(tests.contains("."), "it names a suite")
      #expect(!users.contains { $0.suites.contains(suite ?? "") }, "\(suite ?? "") is an oracle's")
    case nil: Issue.record("\(piece) has no guard")
    }
  }
}

extension Oracle: CustomTestStringConvertible {
  var testDescription: String { name }
}

extension SourceFile {
  fileprivate var module: String {
    path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
  }

  /// The words of its code that stand for themselves: not members, nor the modules that it imports.
  fileprivate var words: [String] {
    tokens.indices.filter { index in
      tokens[index].kind == .word
        && (index == 0 || ![".", "import"].contains(tokens[index - 1].text))
    }.map { tokens[$0].text }
  }

  private static let kinds: Set = ["struct", "enum", "class", "protocol", "actor", "typealias"]

  /// The types that it declares, nested ones included.
  fileprivate var namesOfTypes: [String] {
    zip(tokens, tokens.dropFirst()).filter { Self.kinds.contains($0.0.text) && $0.0.kind == .word }
      .map(\.1.text)
  }

  /// The types that others can name by one word, with what stands in them.
  fileprivate var typeDeclarations: [(name: String, kind: String, body: ArraySlice<SwiftToken>)] {
    var found: [(name: String, kind: String, body: ArraySlice<SwiftToken>)] = []
    var depth = 0
    for (index, token) in tokens.enumerated().dropLast() where token.kind != .text {
      if token.text == "{" { depth += 1 }
      if token.text == "}" { depth -= 1 }
      guard depth == 0, Self.kinds.contains(token.text),
        !tokens[max(0, index - 3)..<index].contains(where: { $0.text.hasSuffix("private") })
      else { continue }
      found.append((tokens[index + 1].text, token.text, block(after: index)))
    }
    return found
  }

  private func block(after start: Int) -> ArraySlice<SwiftToken> {
    var depth = 0
    for index in tokens[start...].indices where tokens[index].kind == .sign {
      if tokens[index].text == "{" { depth += 1 }
      if tokens[index].text == "}" {
        depth -= 1
        if depth == 0 { return tokens[start...index] }
      }
    }
    return []
  }

  /// Names that are followed by a parenthesis and a first label: `advanced(by:)`.
  private func labelled(afterFunc isDeclaration: Bool) -> [String] {
    tokens.indices.dropFirst().dropLast(3).compactMap { index in
      guard tokens[index].kind == .word, (tokens[index - 1].text == "func") == isDeclaration else {
        return nil
      }
      var next = index + 1
      if isDeclaration, tokens[next].text == "<" {
        next = tokens[next...].firstIndex { $0.text == ">" }.map { $0 + 1 } ?? next
      }
      guard next + 2 < tokens.count, tokens[next].text == "(", tokens[next + 1].kind == .word,
        isDeclaration || tokens[next + 2].text == ":"
      else { return nil }
      return "\(tokens[index].text)(\(tokens[next + 1].text):)"
    }
  }

  fileprivate var labelledFunctions: [String] { labelled(afterFunc: true) }
  fileprivate var labelledCalls: [String] { labelled(afterFunc: false) }
}
