import CacheModel
import Text

/// The values of a quantity between two bounds, by a position from 0 to 1.
///
/// Written `lower..upper`, such as `1000..20000` or `60 s..10 min`: logarithmic if the lower bound is
/// positive, linear from zero. A prefix `linear:` or `log:` overrides this.
package struct FieldRange: Hashable, Sendable {
  package let field: ScenarioField
  package let lower: Double
  package let upper: Double
  package let isLogarithmic: Bool
  private let dimension: Dimension
  private let isWhole: Bool

  /// - Parameters:
  ///   - text: the range as written.
  ///   - field: the varied field.
  ///   - isWholeBetweenWholes: whether all values are whole if both bounds are written without a decimal
  ///     point, even if the field is not a count.
  /// - Throws: an error if the field is not a quantity, or a bound is not a valid value.
  package init(
    _ text: String, of field: ScenarioField, isWholeBetweenWholes: Bool = false
  ) throws(ScenarioError) {
    var reader = ScenarioReader(file: "--vary \(field.name)=\(text)", vocabulary: .unchecked)
    reader.isOnCommandLine = true
    let scales: [(prefix: String, isLogarithmic: Bool)] = [("linear:", false), ("log:", true)]
    let scale = scales.first { text.hasPrefix($0.prefix) }
    let range = text.dropFirst(scale?.prefix.count ?? 0)
    guard case .quantity(let dimension, let limits) = field.form else {
      reader.report(
        nil, "`\(field.name)` is not a quantity", "list its values, separated by commas")
      throw reader.error
    }
    guard let separator = range.firstRange(of: "..") else {
      reader.report(nil, "this is not a range", "write `lower..upper`, with at least 2 steps")
      throw reader.error
    }
    let bounds = [range[..<separator.lowerBound], range[separator.upperBound...]].compactMap {
      ScenarioField.value(
        SourceNode(place: nil, content: .scalar(String($0))), dimension, in: limits, &reader)
    }
    try reader.throwIfAnyProblem()
    guard bounds.count == 2, bounds[0] <= bounds[1] else {
      reader.report(nil, "the lower bound is above the upper", "swap them")
      throw reader.error
    }
    if scale?.isLogarithmic == true, bounds[0] <= 0 {
      reader.report(nil, "no ratio leads from zero", "begin above zero, or write `linear:`")
      throw reader.error
    }
    self.field = field
    self.dimension = dimension
    (lower, upper) = (bounds[0], bounds[1])
    isLogarithmic = scale?.isLogarithmic ?? (bounds[0] > 0)
    isWhole =
      (dimension.isWhole || isWholeBetweenWholes && !range.replacing("..", with: "").contains("."))
      && bounds.allSatisfy { Int64(exactly: $0) != nil }
  }

  /// Returns the value at a position, rounded to three digits, in the field's syntax.
  package func text(at place: Double) -> String { dimension.writing(of: value(at: place)) }

  /// Returns the value at a position, in the base unit.
  package func value(at place: Double) -> Double {
    if place <= 0 || lower == upper { return lower }
    if place >= 1 { return upper }
    let exact =
      isLogarithmic
      ? lower * PortableMath.exp(place * PortableMath.log(upper / lower))
      : lower + (upper - lower) * place
    var unit = 1.0
    while exact / unit >= 1_000 { unit *= 10 }
    while !isWhole && exact / unit < 100 { unit /= 10 }
    return min(max((exact / unit).rounded() * unit, lower), upper)
  }

  /// Returns this many values at equal distances, without duplicates from rounding.
  package func grid(steps: Int) -> [String] {
    var texts: [String] = []
    for step in 0..<steps {
      let text = text(at: Double(step) / Double(max(steps - 1, 1)))
      if texts.last != text { texts.append(text) }
    }
    return texts
  }

  /// Returns positions with this many values per doubling, including both bounds; on a linear scale, as many
  /// in total as eight doublings have.
  package func places(perDoubling count: Int) -> [Double] {
    guard upper > lower else { return [0] }
    let doublings =
      isLogarithmic ? PortableMath.log(upper / lower) / PortableMath.log(2) : 8
    let steps = max(1, Int((doublings * Double(count)).rounded(.up)))
    return (0...steps).map { Double($0) / Double(steps) }
  }
}

extension ScenarioReader {
  fileprivate var error: ScenarioError { ScenarioError(problems: problems) }
}

/// Writes a tree of nodes as YAML that parses to the same tree.
enum YAMLText {
  static func document(_ root: SourceNode) -> [UInt8] {
    var bytes: [UInt8] = []
    write(root, indent: 0, to: &bytes)
    return bytes
  }

  /// Appends a node in block style, at the current position.
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

  /// Appends the text after a key or a hyphen.
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

  /// Appends a text unquoted if no parser could misread it, otherwise in double quotes with JSON's escapes.
  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let units = Array(text.utf8)
    let isPlain =
      units.first.map { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") } == true
      && units.last != UInt8(ascii: " ")
      && units.allSatisfy { $0.isASCIILetterOrDigit || "_ -./%".utf8.contains($0) }
    if isPlain {
      bytes += units
    } else {
      JSONWriter.append(units, to: &bytes)
    }
  }
}
