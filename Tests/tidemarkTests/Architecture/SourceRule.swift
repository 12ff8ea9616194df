/// Code that some modules must not contain, and the alternative.
struct SourceRule: Sendable {
  /// Its number in `Documentation/Architecture.md`.
  var number: Int
  /// The folders below `Sources/` to which it applies.
  var folders: [String]
  var offence: Offence
  /// The alternative.
  var replacement: String
  /// Files below `Sources/` that may, with the reason.
  var exemptions: [String: String] = [:]

  enum Offence: Sendable {
    /// These tokens, one after the other.
    case code(String)
    /// A call of a free function; a member or a declaration of that name is another thing.
    case call(String)
    /// A loop, or a chain, over a dictionary or a set by the file's own declarations.
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

/// Finds iterations over dictionaries and sets by their look.
///
/// Types are not known here, so this sees what one file shows: names that the file declares as a
/// dictionary or a set (`a: [K: V]`, `a: Set<T>`, `a = Dictionary(…)`, `a = Set(…)`), and `.keys` and
/// `.values` of them. It sees them in the head of a `for`, and before a member that walks over all
/// elements (`map`, `first`, …). It does not see a dictionary that another file declares, that a
/// function returns, or that has been renamed; reviews and the runs in two processes are for those.
struct UnorderedIteration {
  /// In ascending order.
  private(set) var lines: [Int] = []

  private let tokens: [SwiftToken]
  private var names: Set<String> = []

  /// Members whose result depends on the order of the elements.
  private static let walks: Set<String> = [
    "map", "compactMap", "flatMap", "filter", "forEach", "reduce", "first", "prefix", "dropFirst",
    "joined", "enumerated", "lazy", "makeIterator", "popFirst", "randomElement",
  ]
  /// Members whose result does not: they sort, or ignore the order.
  private static let harmless: Set<String> = [
    "sorted", "contains", "count", "isEmpty", "min", "max", "allSatisfy", "subtracting",
  ]

  init(_ tokens: [SwiftToken]) {
    self.tokens = tokens
    names = declaredNames()
    var found: Set<Int> = []
    for index in tokens.indices {
      if isWord(index, "for"), let line = lineOfLoop(from: index) { found.insert(line) }
      if isUnordered(at: index), isText(index + 1, "."), let member = text(index + 2),
        Self.walks.contains(member)
      {
        found.insert(tokens[index].line)
      }
    }
    lines = found.sorted()
  }

  private func text(_ index: Int) -> String? {
    tokens.indices.contains(index) && tokens[index].kind != .text ? tokens[index].text : nil
  }

  private func isText(_ index: Int, _ wanted: String) -> Bool { text(index) == wanted }

  private func isWord(_ index: Int, _ wanted: String) -> Bool {
    isText(index, wanted) && tokens[index].kind == .word
  }

  /// The names declared as a dictionary or a set, with `:` or with `=`.
  private func declaredNames() -> Set<String> {
    var names: Set<String> = []
    for index in tokens.indices where tokens[index].kind == .word {
      guard isText(index + 1, ":") || isText(index + 1, "="), let next = text(index + 2) else {
        continue
      }
      let isCollection =
        (next == "Set" || next == "Dictionary")
        && (isText(index + 3, "<") || isText(index + 3, "("))
      if isCollection || isText(index + 1, ":") && isDictionaryType(from: index + 2) {
        names.insert(tokens[index].text)
      }
    }
    return names
  }

  /// `[K: V]`: a colon at the depth of the bracket.
  private func isDictionaryType(from start: Int) -> Bool {
    guard isText(start, "[") else { return false }
    var depth = 0
    for index in start..<tokens.count {
      switch text(index) {
      case "[", "(", "<": depth += 1
      case "]", ")", ">": depth -= 1
      case ":" where depth == 1: return true
      default: break
      }
      if depth == 0 { return false }
    }
    return false
  }

  /// Whether the word ends an expression that is a dictionary, a set, or a dictionary's view.
  private func isUnordered(at index: Int) -> Bool {
    guard let word = text(index), tokens[index].kind == .word else { return false }
    if word == "keys" || word == "values" {
      return isText(index - 1, ".") && text(index - 2).map(names.contains) == true
    }
    // A member of that name of something else is not the one declared here.
    guard names.contains(word) else { return false }
    return !isText(index - 1, ".") || isText(index - 2, "self")
  }

  /// The line of a loop whose sequence is unordered.
  private func lineOfLoop(from start: Int) -> Int? {
    guard let keyword = (start..<tokens.count).first(where: { isWord($0, "in") }) else {
      return nil
    }
    let head = (keyword + 1)..<tokens.count
    let end = head.first { isText($0, "{") || isWord($0, "where") } ?? tokens.count
    guard end > keyword + 1 else { return nil }
    let sequence = (keyword + 1)..<end
    if isText(sequence.lowerBound, "Set") || isText(sequence.lowerBound, "Dictionary") {
      return isMadeOrdered(sequence) ? nil : tokens[sequence.lowerBound].line
    }
    let last = sequence.upperBound - 1
    // The views of a dictionary in the head of a loop, wherever it was declared.
    let isView = (isText(last, "keys") || isText(last, "values")) && isText(last - 1, ".")
    return isView || isUnordered(at: last) ? tokens[last].line : nil
  }

  private func isMadeOrdered(_ sequence: Range<Int>) -> Bool {
    sequence.contains { isText($0, ".") && text($0 + 1).map(Self.harmless.contains) == true }
  }
}
