import Text
import Yams

/// Parses YAML bytes into a tree of nodes with places; hostile input is rejected before it can expand.
///
/// - Anchors and aliases are rejected: a scenario does not need them, and a few lines of them expand to
///   billions of nodes.
/// - Size and depth are bounded.
enum YAMLSource {
  /// The maximum size of a file, in bytes.
  static let maximumBytes = 1 << 20
  static let maximumDepth = 16
  /// The maximum number of characters that may begin an anchor or an alias before the exact check.
  ///
  /// The parser hashes keys, and a key may be an alias to a tree of aliases: 16 of them can expand by less
  /// than 2⁸, so the exact check that follows stays cheap.
  static let maximumAliasCandidates = 16

  static func parse(_ bytes: [UInt8], file: String) throws(ScenarioError) -> SourceNode {
    func fail(_ place: SourcePlace, _ cause: String, _ remedy: String) -> ScenarioError {
      ScenarioError(problems: [.init(file: file, place: place, cause: cause, remedy: remedy)])
    }
    let start = SourcePlace(line: 1, column: 1)
    guard bytes.count <= maximumBytes else {
      throw fail(
        start, "the file has \(bytes.count) bytes, the limit is \(maximumBytes)",
        "shorten it, or split it into several scenarios")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw fail(
        firstInvalidPlace(in: bytes), "this is not UTF-8 text", "save the file as UTF-8")
    }
    let (candidates, first) = aliasCandidates(in: bytes)
    guard candidates <= maximumAliasCandidates else {
      throw fail(
        first ?? start, "anchors and aliases (`&`, `*`) are not allowed", "write the value out")
    }
    do {
      // The parser owns the anchors, to which nodes have weak references: it must outlive the conversion.
      let parser = try Parser(yaml: text, encoding: .utf8)
      let root = try withExtendedLifetime(parser) { () throws -> SourceNode? in
        guard let root = try parser.singleRoot() else { return nil }
        return try convert(root, depth: 0, fail: fail)
      }
      guard let root else {
        throw fail(start, "the file is empty", "begin with `name:` and `duration:`")
      }
      return root
    } catch let error as ScenarioError {
      throw error
    } catch let error as YamlError {
      throw translate(error, text: text, bytes: bytes, fail: fail)
    } catch {
      throw fail(start, "the YAML cannot be read: \(error)", "check the file")
    }
  }

  private typealias Fail = (SourcePlace, String, String) -> ScenarioError

  private static func convert(
    _ node: Node, depth: Int, fail: Fail
  ) throws(ScenarioError) -> SourceNode {
    let place = SourcePlace(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    guard node.anchor == nil else {
      throw fail(place, "anchors and aliases (`&`, `*`) are not allowed", "write the value out")
    }
    guard depth < maximumDepth else {
      throw fail(place, "the nesting is deeper than \(maximumDepth)", "flatten the file")
    }
    switch node {
    case .scalar(let scalar):
      return SourceNode(place: place, content: .scalar(scalar.string))
    case .sequence(let sequence):
      var nodes: [SourceNode] = []
      for element in sequence {
        nodes.append(try convert(element, depth: depth + 1, fail: fail))
      }
      return SourceNode(place: place, content: .sequence(nodes))
    case .mapping(let mapping):
      var entries: [SourceNode.Entry] = []
      for (key, value) in mapping {
        let keyNode = try convert(key, depth: depth + 1, fail: fail)
        guard case .scalar(let name) = keyNode.content else {
          throw fail(
            keyNode.place ?? place, "a key is \(keyNode.kindName)", "write a plain word as key")
        }
        entries.append(
          .init(
            key: name, keyPlace: keyNode.place,
            value: try convert(value, depth: depth + 1, fail: fail)))
      }
      return SourceNode(place: place, content: .mapping(entries))
    case .alias:
      throw fail(place, "anchors and aliases (`&`, `*`) are not allowed", "write the value out")
    }
  }

  private static func translate(
    _ error: YamlError, text: String, bytes: [UInt8], fail: Fail
  ) -> ScenarioError {
    let start = SourcePlace(line: 1, column: 1)
    let remedy = "check indentation, colons and quotes there"
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let where_ = SourcePlace(line: mark.line, column: mark.column)
      if problem.contains("undefined alias") {
        return fail(where_, "anchors and aliases (`&`, `*`) are not allowed", "write the value out")
      }
      let cause = [context.map { "\($0.text)" }, problem].compactMap { $0 }.joined(separator: ": ")
      return fail(where_, "this is not YAML (\(cause))", remedy)
    case .reader(let problem, let offset, _, _):
      return fail(
        SourcePlace(of: offset ?? 0, in: bytes), "this is not YAML (\(problem))",
        "remove the character")
    case .duplicatedKeysInMapping(let duplicates, let context):
      let key = duplicates.first ?? ""
      let first = SourcePlace(line: context.mark.line, column: context.mark.column)
      return fail(
        secondOccurrence(of: key, after: first, in: text),
        "`\(ScenarioReader.shortened(key))` occurs twice, first at line \(first.line)",
        "remove one of the two")
    default:
      return fail(start, "the YAML cannot be read: \(error)", "check the file")
    }
  }

  /// Returns the number of characters that may begin an anchor or an alias, and the first place.
  ///
  /// Includes those in comments and quotes, so that no quoting hides one.
  private static func aliasCandidates(in bytes: [UInt8]) -> (count: Int, first: SourcePlace?) {
    var count = 0
    var firstOffset: Int?
    for index in bytes.indices
    where bytes[index] == UInt8(ascii: "&") || bytes[index] == UInt8(ascii: "*") {
      let isInsideWord = index > 0 && bytes[index - 1].isASCIILetterOrDigit
      let isFollowed = index + 1 < bytes.count && bytes[index + 1] > UInt8(ascii: " ")
      if !isInsideWord && isFollowed {
        count += 1
        firstOffset = firstOffset ?? index
      }
    }
    return (count, firstOffset.map { SourcePlace(of: $0, in: bytes) })
  }

  private static func firstInvalidPlace(in bytes: [UInt8]) -> SourcePlace {
    var parser = Unicode.UTF8.ForwardParser()
    var input = bytes.makeIterator()
    var place = SourcePlace(line: 1, column: 1)
    while case .valid(let scalar) = parser.parseScalar(from: &input) {
      if Unicode.UTF8.decode(scalar) == "\n" {
        place = SourcePlace(line: place.line + 1, column: 1)
      } else {
        place.column += 1
      }
    }
    return place
  }

  /// Returns the next line on which a key begins at the same column, or the next place on its own line.
  private static func secondOccurrence(
    of key: String, after first: SourcePlace, in text: String
  ) -> SourcePlace {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard first.line >= 1, first.line <= lines.count else { return first }
    for spelling in [key, "\"\(key)\"", "'\(key)'"] {
      for line in first.line..<lines.count {
        let rest = lines[line].unicodeScalars.dropFirst(first.column - 1)
        if rest.starts(with: "\(spelling):".unicodeScalars) {
          return SourcePlace(line: line + 1, column: first.column)
        }
      }
    }
    let own = Array(lines[first.line - 1].unicodeScalars)
    let wanted = Array("\(key):".unicodeScalars)
    var column = first.column
    while column + wanted.count <= own.count {
      if Array(own[column..<column + wanted.count]) == wanted {
        return SourcePlace(line: first.line, column: column + 1)
      }
      column += 1
    }
    return first
  }
}

extension SourcePlace {
  /// Creates the place of a byte in UTF-8 text.
  init(of offset: Int, in bytes: [UInt8]) {
    self.init(line: 1, column: 1)
    for byte in bytes.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }
}

/// A node of a parsed file, with its place: the parsers' only view of YAML.
package struct SourceNode: Sendable {
  package var place: SourcePlace?
  package var content: Content

  package enum Content: Sendable {
    case scalar(String)
    case sequence([SourceNode])
    case mapping([Entry])
  }

  package struct Entry: Sendable {
    package var key: String
    package var keyPlace: SourcePlace?
    package var value: SourceNode
  }

  package var kindName: String {
    switch content {
    case .scalar: "a single value"
    case .sequence: "a list"
    case .mapping: "a section"
    }
  }
}
