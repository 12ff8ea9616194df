import ArgumentParser
import Foundation

/// A command line that help or a document tells the reader to type.
struct CommandExample: Sendable, CustomStringConvertible {
  /// The document and the line, or the command whose help it is.
  var place: String
  /// As a shell reads it, in one line, without the remark behind it.
  var line: String

  var description: String { "\(place): \(line)" }

  /// The arguments of `tidemark`; `nil` if the line calls something else.
  var arguments: [String]? {
    let parts = line.split(separator: "|").map { ShellWords.split($0) }
    guard let words = parts.first(where: { $0.first == "tidemark" }) else { return nil }
    // Text after a redirection is the shell's.
    return Array(words.dropFirst().prefix { $0 != ">" })
  }

  /// The arguments of `make`; `nil` if the line calls something else.
  var makeArguments: [String]? {
    let words = ShellWords.split(line[...])
    return words.first == "make" ? Array(words.dropFirst()) : nil
  }

  // MARK: Their places

  /// Those under EXAMPLES in the help of each command.
  static let ofHelp: [CommandExample] =
    CommandRoots.all.flatMap { words, command -> [CommandExample] in
      let lines = command.configuration.discussion.split(
        separator: "\n", omittingEmptySubsequences: false)
      guard let title = lines.firstIndex(of: "EXAMPLES") else { return [] }
      let examples = lines[(title + 1)...].prefix { $0.hasPrefix("  ") }
      return commands(in: examples.map { (0, $0) }) { _ in
        "tidemark \(words.joined(separator: " ")) --help"
      }
    }

  /// Those in blocks of the documents that show what to type.
  static func ofDocuments() throws -> [CommandExample] {
    let folder = SourceFile.top.appendingPathComponent("Documentation")
    let documents = try folder.entries().filter { $0.hasSuffix(".md") }
    let others = ["README.md", "CONTRIBUTING.md", "Adapters/javascript/README.md"]
    return try (others + documents.map { "Documentation/\($0)" }).flatMap { document in
      commands(in: shellLines(of: try SourceFile.top.read(document))) { "\(document):\($0)" }
    }
  }

  /// Lines of the blocks that are marked as a shell's or as plain text, with their numbers.
  private static func shellLines(of document: String) -> [(number: Int, text: Substring)] {
    var lines: [(Int, Substring)] = []
    var isInside = false
    var isShell = false
    for (index, line) in document.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      if line.hasPrefix("```") {
        isShell = !isInside && ["", "sh", "text"].contains(line.dropFirst(3))
        isInside.toggle()
      } else if isShell {
        lines.append((index + 1, line))
      }
    }
    return lines
  }

  /// The lines that call `tidemark` or `make`, those joined that end in a backslash.
  private static func commands(
    in lines: [(number: Int, text: Substring)], place: (Int) -> String
  ) -> [CommandExample] {
    var examples: [CommandExample] = []
    var begun = ""
    var first = 0
    for (number, text) in lines {
      if begun.isEmpty { first = number }
      let part = text.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
      if part.hasSuffix("\\") {
        begun += part.dropLast()
        continue
      }
      let example = CommandExample(place: place(first), line: begun + part)
      begun = ""
      if example.arguments != nil || example.makeArguments != nil { examples.append(example) }
    }
    return examples
  }
}

/// The words of a command line, as a shell splits it; nothing is expanded.
enum ShellWords {
  static func split(_ line: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
      switch (quote, character) {
      case (let open?, _) where character == open: quote = nil
      case (.some, _): word = (word ?? "") + String(character)
      case (nil, "\""), (nil, "'"):
        quote = character
        word = word ?? ""
      case (nil, " "):
        words += word.map { [$0] } ?? []
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}
