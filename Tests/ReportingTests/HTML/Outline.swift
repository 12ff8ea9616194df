import Testing

/// The elements of a page as an outline, and the faults of its markup.
///
/// Reads only what the pages write: every element is closed, every value is in double quotes.
struct Outline {
  /// One line per element, indented by depth: its name, its classes, and how often it follows itself, with
  /// all that is in it.
  private(set) var lines: [String] = []
  private(set) var faults: [String] = []
  /// All attributes: the element's name, the attribute's, its value.
  private(set) var attributes: [(element: String, name: String, value: String)] = []
  /// The text between tags, as written.
  private(set) var texts: [String] = []

  private static let void: Set<String> = ["meta", "br"]

  init(_ bytes: [UInt8], hiding hidden: Set<String> = []) {
    var rest = Substring(String(decoding: bytes, as: UTF8.self))
    guard rest.hasPrefix("<!doctype html>\n") else {
      faults.append("no doctype")
      return
    }
    rest = rest.dropFirst("<!doctype html>\n".count)
    var open: [(name: String, line: Int)] = []
    while let start = rest.firstIndex(of: "<") {
      let text = rest[..<start]
      if !text.allSatisfy(\.isWhitespace) { texts.append(String(text)) }
      guard let end = rest[start...].firstIndex(of: ">") else {
        faults.append("a tag without end")
        return
      }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        let name = String(tag.dropFirst())
        guard let last = open.popLast(), last.name == name else {
          faults.append("</\(name)> closes another")
          continue
        }
        fold(from: last.line)
        continue
      }
      let name = String(tag.prefix { $0 != " " && $0 != "/" })
      let body = tag.dropFirst(name.count)
      let classes = read(body.hasSuffix("/") ? body.dropLast() : body, of: name)
      let line = lines.count
      if !open.contains(where: { hidden.contains($0.name) }) {
        let indent = String(repeating: " ", count: open.count)
        lines.append(indent + name + classes.map { ".\($0)" }.joined())
      }
      if Self.void.contains(name) || tag.hasSuffix("/") {
        fold(from: line)
        continue
      }
      open.append((name, line))
      if name == "style" {
        guard let close = rest.range(of: "</style>") else {
          faults.append("an open style")
          return
        }
        rest = rest[close.lowerBound...]
      }
    }
    if !open.isEmpty { faults.append("open: \(open.map(\.name))") }
  }

  private mutating func read(_ tag: Substring, of element: String) -> [String] {
    var rest = tag
    var classes: [String] = []
    while let equals = rest.range(of: "=\"") {
      let name = String(rest[..<equals.lowerBound].drop { $0 == " " })
      guard let quote = rest[equals.upperBound...].firstIndex(of: "\"") else {
        faults.append("an open quote in \(element)")
        return classes
      }
      let value = String(rest[equals.upperBound..<quote])
      attributes.append((element, name, value))
      if name == "class" { classes = value.split(separator: " ").map(String.init) }
      rest = rest[rest.index(after: quote)...]
    }
    if !rest.isEmpty { faults.append("\(rest) in a tag of \(element)") }
    return classes
  }

  /// Writes an element equal to the previous one as a number after that.
  private mutating func fold(from start: Int) {
    let length = lines.count - start
    guard length > 0, start >= length else { return }
    let former = start - length
    guard lines[(former + 1)..<start] == lines[(start + 1)...] else { return }
    let parts = lines[former].split(separator: "×", maxSplits: 1)
    guard parts[0] == lines[start] || parts[0] == lines[start] + " " else { return }
    let count = parts.count == 2 ? Int(parts[1]) ?? 1 : 1
    lines[former] = "\(lines[start]) ×\(count + 1)"
    lines.removeSubrange(start...)
  }
}

extension Substring {
  fileprivate func range(of text: String) -> Range<Index>? {
    guard !text.isEmpty else { return nil }
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
