import Foundation
import Testing

@Suite("Oracles and their subjects")
struct OracleTests {
  private static let sources: Result<[Mentions], any Error> = Result {
    try SourceFile.all(below: "Sources").map { Mentions(of: $0) }
  }

  private static func files(below places: [String]) throws -> [Mentions] {
    try sources.get().filter { file in
      places.contains { file.path == "Sources/\($0)" || file.path.hasPrefix("Sources/\($0)/") }
    }
  }

  @Test("An oracle shares only the listed code with its subject", arguments: Oracle.all)
  func sharesWhatIsListed(oracle: Oracle) throws {
    let own = try Self.files(below: oracle.files)
    let subject = try Self.files(below: oracle.subject)
    #expect(own.count >= oracle.files.count && subject.count >= oracle.subject.count)
    let paths = Set(own.map(\.path))
    let seen = Set(own.flatMap(\.imports) + (own + subject).map(\.module))
    let others = try Self.sources.get().filter { !paths.contains($0.path) }
    let declared = Set(
      others.filter { seen.contains($0.module) }.flatMap(\.types).map(\.name))
    let mentioned = Set(own.flatMap(\.words)).intersection(subject.flatMap(\.words))
    let types = mentioned.intersection(declared).subtracting(own.flatMap(\.namesOfTypes))
    #expect(types.sorted() == oracle.types.sorted())

    let both = Set((own + subject).map(\.path))
    let known = Set(others.filter { !both.contains($0.path) }.flatMap(\.functions))
    let called = Set(own.flatMap(\.calls)).intersection(subject.flatMap(\.calls))
    let functions = called.intersection(known).subtracting((own + subject).flatMap(\.functions))
    #expect(functions.sorted() == oracle.functions.sorted())
  }

  @Test("Every shared piece has a guard, and every guard a piece")
  func everyPieceIsGuarded() {
    let pieces = Oracle.all.reduce(into: Set<String>()) {
      $0.formUnion($1.types.union($1.functions))
    }
    #expect(pieces.sorted() == Oracle.guards.keys.sorted())
  }

  @Test("A guard does what it says", arguments: Oracle.guards.keys.sorted())
  func guardHolds(piece: String) throws {
    let declaring = try Self.sources.get().filter { file in
      file.types.contains { $0.name == piece } || file.functions.contains(piece)
    }
    let users = Oracle.all.filter { $0.types.contains(piece) || $0.functions.contains(piece) }
    switch Oracle.guards[piece] {
    case .values:
      let bodies = declaring.flatMap { file in
        file.types.filter { $0.name == piece && $0.kind != "protocol" }.map(\.body)
      }
      for body in bodies {
        var depth = 0
        for (token, next) in zip(body, body.dropFirst()) where token.kind != .text {
          depth += token.text == "{" ? 1 : token.text == "}" ? -1 : 0
          // A hash tells nothing apart; equality does.
          let decides = depth == 1 && token.text == "func" && next.kind == .word
          #expect(!decides || next.text == "hash", "\(piece) has a function: give it a mutant")
        }
      }
    case .constants(let names):
      for file in try Self.files(below: users.flatMap(\.files)) {
        for (index, token) in file.file.tokens.enumerated() where token.text == piece {
          let next = file.file.tokens[min(index + 2, file.file.tokens.count - 1)].text
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

/// The imports, mentions, declarations and calls of a file.
private struct Mentions: Sendable {
  let file: SourceFile
  let module: String
  let imports: [String]
  /// The words of its code that are names by themselves: not members, nor the modules that it imports.
  let words: Set<String>
  /// The types that it declares, nested ones included.
  let namesOfTypes: [String]
  /// The types that others can name by one word, with their content.
  let types: [(name: String, kind: String, body: ArraySlice<SwiftToken>)]
  /// The functions that it declares, and those that it calls, with a first label: `advanced(by:)`.
  let functions: Set<String>
  let calls: Set<String>

  var path: String { file.path }

  init(of file: SourceFile) {
    self.file = file
    let tokens = file.tokens
    module = file.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    imports = file.imports.map(\.module)
    words = Set(
      tokens.indices.filter { index in
        tokens[index].kind == .word
          && (index == 0 || ![".", "import"].contains(tokens[index - 1].text))
      }.map { tokens[$0].text })
    var names: [String] = []
    var types: [(name: String, kind: String, body: ArraySlice<SwiftToken>)] = []
    var depth = 0
    for (index, token) in tokens.enumerated().dropLast() where token.kind != .text {
      if token.text == "{" { depth += 1 }
      if token.text == "}" { depth -= 1 }
      guard token.kind == .word, Self.kinds.contains(token.text) else { continue }
      names.append(tokens[index + 1].text)
      guard depth == 0,
        !tokens[max(0, index - 3)..<index].contains(where: { $0.text.hasSuffix("private") })
      else { continue }
      types.append((tokens[index + 1].text, token.text, Self.block(after: index, tokens)))
    }
    (namesOfTypes, self.types) = (names, types)
    functions = Self.labelled(tokens, afterFunc: true)
    calls = Self.labelled(tokens, afterFunc: false)
  }

  private static let kinds: Set = ["struct", "enum", "class", "protocol", "actor", "typealias"]

  private static func block(after start: Int, _ tokens: [SwiftToken]) -> ArraySlice<SwiftToken> {
    var depth = 0
    for index in tokens.indices[start...] where tokens[index].kind == .sign {
      if tokens[index].text == "{" { depth += 1 }
      if tokens[index].text == "}" {
        depth -= 1
        if depth == 0 { return tokens[start...index] }
      }
    }
    return []
  }

  private static func labelled(_ tokens: [SwiftToken], afterFunc isDeclaration: Bool) -> Set<String>
  {
    var found: Set<String> = []
    for index in tokens.indices.dropFirst().dropLast(3) where tokens[index].kind == .word {
      guard (tokens[index - 1].text == "func") == isDeclaration else { continue }
      var next = index + 1
      if isDeclaration, tokens[next].text == "<" {
        next = tokens[next...].firstIndex { $0.text == ">" }.map { $0 + 1 } ?? next
      }
      guard next + 2 < tokens.count, tokens[next].text == "(", tokens[next + 1].kind == .word,
        isDeclaration || tokens[next + 2].text == ":"
      else { continue }
      found.insert("\(tokens[index].text)(\(tokens[next + 1].text):)")
    }
    return found
  }
}
