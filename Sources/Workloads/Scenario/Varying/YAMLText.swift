import Text

/// Writes a tree of nodes as YAML that reads back as the same tree.
enum YAMLText {
  static func document(_ root: SourceNode) -> [UInt8] {
    var bytes: [UInt8] = []
    write(root, indent: 0, to: &bytes)
    return bytes
  }

  /// Appends a node in block style; the place for it has been begun.
  private static func write(_ node: SourceNode, indent: Int, to bytes: inout [UInt8]) {
    let margin = String(repeating: " ", count: indent)
    switch node.content {
    case .scalar(let text):
      append(text, to: &bytes)
      bytes.append(contentsOf: "\n".utf8)
    case .sequence(let nodes):
      for node in nodes {
        bytes.append(contentsOf: "\(margin)- ".utf8)
        if case .mapping(let entries) = node.content, !entries.isEmpty {
          write(entries, indent: indent + 2, isBegun: true, to: &bytes)
        } else {
          value(node, indent: indent + 2, isInList: true, to: &bytes)
        }
      }
    case .mapping(let entries):
      write(entries, indent: indent, isBegun: false, to: &bytes)
    }
  }

  private static func write(
    _ entries: [SourceNode.Entry], indent: Int, isBegun: Bool, to bytes: inout [UInt8]
  ) {
    for (index, entry) in entries.enumerated() {
      if index > 0 || !isBegun {
        bytes.append(contentsOf: String(repeating: " ", count: indent).utf8)
      }
      append(entry.key, to: &bytes)
      bytes.append(contentsOf: ":".utf8)
      value(entry.value, indent: indent + 2, isInList: false, to: &bytes)
    }
  }

  /// Appends what stands behind a key or a hyphen.
  private static func value(
    _ node: SourceNode, indent: Int, isInList: Bool, to bytes: inout [UInt8]
  ) {
    switch node.content {
    case .mapping(let entries) where entries.isEmpty:
      bytes.append(contentsOf: "\(isInList ? "" : " "){}\n".utf8)
    case .sequence(let nodes) where nodes.isEmpty:
      bytes.append(contentsOf: "\(isInList ? "" : " ")[]\n".utf8)
    case .scalar:
      if !isInList { bytes.append(contentsOf: " ".utf8) }
      write(node, indent: indent, to: &bytes)
    default:
      bytes.append(contentsOf: "\n".utf8)
      write(node, indent: indent, to: &bytes)
    }
  }

  /// A text as it is where no reader could take it for anything else, else in double quotes, in which
  /// YAML takes what JSON does.
  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let units = Array(text.utf8)
    let isPlain =
      units.first.map(isWordByte) == true && units.last != UInt8(ascii: " ")
      && units.allSatisfy { isWordByte($0) || " -./%".utf8.contains($0) }
    if isPlain {
      bytes += units
    } else {
      JSONWriter.append(units, to: &bytes)
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
