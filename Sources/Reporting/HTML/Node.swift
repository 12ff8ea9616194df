import Text

/// A part of an HTML or SVG document.
///
/// Text from a scenario or a file never becomes markup: names of elements and attributes are literals, and
/// text and attribute values are escaped when written. A link has its own type, so that no text becomes an
/// address.
indirect enum Node: Sendable {
  case text(String)
  case element(StaticString, [Attribute], [Node])
  case group([Node])
  /// The only style sheet, a literal.
  case styleSheet(StaticString)

  static func tag(
    _ name: StaticString, _ attributes: [Attribute] = [], _ children: [Node] = []
  ) -> Node {
    .element(name, attributes, children)
  }

  static func tag(
    _ name: StaticString, _ attributes: [Attribute] = [], _ text: String
  ) -> Node {
    .element(name, attributes, [.text(text)])
  }

  static let nothing = Node.group([])

  /// Returns a table with optional head cells, and rows.
  static func table(_ attributes: [Attribute] = [], head: [Node] = [], rows: [Node]) -> Node {
    let titles: [Node] = head.isEmpty ? [] : [.tag("thead", [], [.tag("tr", [], head)])]
    return .tag("table", attributes, titles + [.tag("tbody", [], rows)])
  }

  /// Returns a table that scrolls horizontally if it is too wide.
  static func wideTable(_ attributes: [Attribute] = [], head: [Node], rows: [Node]) -> Node {
    .tag("div", [.class("wide")], [.table(attributes, head: head, rows: rows)])
  }

  static func heads(_ titles: [String]) -> [Node] {
    titles.map { .tag("th", [Attribute("scope", "col")], $0) }
  }

  static func row(_ texts: [String]) -> Node { .tag("tr", [], texts.map { .tag("td", [], $0) }) }
}

struct Attribute: Sendable {
  fileprivate let name: StaticString
  fileprivate let value: String

  /// - Precondition: the name is not that of an address, a style or a script.
  init(_ name: StaticString, _ value: String) {
    precondition(!Self.isDangerous("\(name)"), "\(name) is not set from a text")
    self.name = name
    self.value = value
  }

  /// Creates a length or a position in a chart.
  init(_ name: StaticString, _ value: Double) {
    self.init(name, Coordinate.text(value))
  }

  static func `class`(_ value: String) -> Attribute { Attribute("class", value) }
  static func id(_ anchor: Anchor) -> Attribute { Attribute("id", anchor.name) }
  static func href(_ link: Link) -> Attribute { Attribute(href: link.address) }

  private init(href address: String) {
    name = "href"
    value = address
  }

  private static func isDangerous(_ name: String) -> Bool {
    name.hasPrefix("on") || ["href", "src", "style", "action", "data"].contains(name)
  }
}

struct Anchor: Hashable, Sendable {
  let name: String

  init(_ name: StaticString) { self.name = "\(name)" }

  /// Creates an anchor in a scenario's section: by its name if that is a plain word, otherwise by its number.
  init(scenario: String, number: Int, part: StaticString? = nil) {
    let isPlain = scenario.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
    let base = isPlain && !scenario.isEmpty ? "s-\(scenario)" : "scenario.\(number)"
    name = part.map { "\(base).\($0)" } ?? base
  }
}

/// The target of a link: an anchor of the page, or an adjacent file.
enum Link: Sendable {
  case anchor(Anchor)
  case file(StaticString)

  fileprivate var address: String {
    switch self {
    case .anchor(let anchor): "#\(anchor.name)"
    case .file(let name): "\(name)"
    }
  }
}

/// The numbers of charts: whole units of about a pixel, since half of a page consists of such numbers.
enum Coordinate {
  static func text(_ value: Double) -> String { String(whole(value)) }

  static func whole(_ value: Double) -> Int {
    value.isFinite && value.magnitude < 1e9 ? Int(value.rounded()) : 0
  }
}

extension Node {
  func document() -> [UInt8] {
    var bytes = Array("<!doctype html>\n".utf8)
    render(into: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  /// Returns whether an element is void: without end tag and content.
  private static func isVoid(_ name: String) -> Bool {
    ["meta", "br", "hr", "link", "img", "input", "col", "wbr"].contains(name)
  }

  /// Returns whether an element is an SVG shape, which is usually empty and then self-closing.
  private static func isShape(_ name: String) -> Bool {
    ["path", "use", "rect", "circle"].contains(name)
  }

  func render(into bytes: inout [UInt8]) {
    switch self {
    case .text(let text): Self.append(text, to: &bytes)
    case .group(let nodes): for node in nodes { node.render(into: &bytes) }
    case .styleSheet(let rules):
      bytes += Array("<style>".utf8)
      bytes += Array("\(rules)".utf8)
      bytes += Array("</style>".utf8)
    case .element(let name, let attributes, let children):
      let name = "\(name)"
      bytes += Array("<\(name)".utf8)
      for attribute in attributes {
        bytes += Array(" \(attribute.name)=\"".utf8)
        Self.append(attribute.value, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
      }
      if children.isEmpty, Self.isShape(name) {
        bytes += Array("/>".utf8)
        return
      }
      bytes.append(UInt8(ascii: ">"))
      guard !Self.isVoid(name) else { return }
      for child in children { child.render(into: &bytes) }
      bytes += Array("</\(name)>".utf8)
    }
  }

  /// Appends a text with markup characters as references, and with invisible or direction-changing characters
  /// as their numbers.
  private static func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.legible.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
      case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
      case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
      case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
      case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
      default: bytes.append(byte)
      }
    }
  }
}
