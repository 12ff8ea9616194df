/// What code of some modules must not say, and what it says instead.
struct SourceRule: Sendable {
  /// Its number in `Documentation/Architecture.md`.
  var number: Int
  /// Where it holds: folders below `Sources/`.
  var folders: [String]
  var offence: Offence
  /// What to write instead.
  var replacement: String
  /// Files below `Sources/` that may, with the reason.
  var exemptions: [String: String] = [:]

  enum Offence: Sendable {
    /// These tokens, one after the other.
    case code(String)
    /// A call of a free function; a member or a declaration of that name is another thing.
    case call(String)
    /// A loop, or a chain, over what the file itself calls a dictionary or a set.
    case unorderedIteration
  }

  /// The lines of a file that break the rule.
  func lines(brokenIn file: SourceFile) -> [Int] {
    switch offence {
    case .code(let code): file.lines(saying: code)
    case .call(let name): file.lines(calling: name)
    case .unorderedIteration: UnorderedIteration(file.tokens).lines
    }
  }

  /// One message for each broken line: place, cause, replacement.
  func complaints(about file: SourceFile) -> [String] {
    lines(brokenIn: file).map {
      "\(file.path):\($0): \(cause) breaks rule \(number); \(replacement)"
    }
  }

  private var cause: String {
    switch offence {
    case .code(let code): "`\(code)`"
    case .call(let name): "`\(name)(`"
    case .unorderedIteration: "iterating over a dictionary or a set"
    }
  }

  func governs(_ path: String) -> Bool {
    folders.contains { path.hasPrefix("Sources/\($0)/") }
  }
}
