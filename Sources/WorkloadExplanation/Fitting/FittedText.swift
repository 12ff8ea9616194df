import CacheModel
import Text
import Workloads

/// The text of a scenario while it is written: a value a line, and behind it where it comes from.
struct FittedText {
  private(set) var lines: [String] = []

  /// Comments begin here where the value leaves room.
  private static let commentColumn = 34
  private static let width = 100

  mutating func add(_ indent: Int, _ text: String, _ note: String? = nil) {
    let line = String(repeating: " ", count: indent) + text
    guard let note else {
      lines.append(line)
      return
    }
    let padding = max(2, Self.commentColumn - line.count)
    let whole = line + String(repeating: " ", count: padding) + "# " + note
    if whole.count <= Self.width {
      lines.append(whole)
    } else {
      comment(indent, note)
      lines.append(line)
    }
  }

  /// A field with an estimate.
  mutating func add(
    _ indent: Int, _ key: String, _ estimate: Estimate, _ text: (Double) -> String
  ) {
    add(indent, "\(key): \(text(estimate.value))", estimate.origin)
  }

  mutating func comment(_ indent: Int, _ text: String) {
    let margin = String(repeating: " ", count: indent) + "# "
    for line in Words.wrapped(text, indent: 0, width: Self.width - margin.count) {
      lines.append(margin + line.drop { $0 == " " })
    }
  }

  mutating func gap() { lines.append("") }

  // MARK: Values

  /// Four digits that count, without an exponent.
  static func number(_ value: Double) -> String {
    guard value.isFinite, value != 0 else { return "0" }
    var scale: Int64 = 1
    while scale < 1_000_000_000, abs(value) * Double(scale) < 1_000 { scale *= 10 }
    var units = Int64((abs(value) * Double(scale)).rounded())
    while scale > 1, units % 10 == 0 {
      scale /= 10
      units /= 10
    }
    var digits = "\(units % scale)"
    while digits.count < "\(scale)".count - 1 { digits = "0" + digits }
    return (value < 0 ? "-" : "") + "\(units / scale)" + (scale > 1 ? ".\(digits)" : "")
  }

  /// In the largest unit of which there is one at least; days aside, which are few digits of much.
  static func duration(_ nanoseconds: Double) -> String {
    let unit =
      Dimension.duration.units.last { nanoseconds >= Double($0.factor) && $0.name != "d" }
      ?? ("ns", 1)
    return unit.name == "ns"
      ? "\(Int64(nanoseconds.rounded())) ns"
      : "\(number(nanoseconds / Double(unit.factor))) \(unit.name)"
  }

  static func rate(_ perSecond: Double) -> String {
    guard perSecond > 0 else { return "0/s" }
    let unit =
      Dimension.rate.units.first { perSecond * Double($0.factor) >= 1 } ?? ("/d", 86_400)
    return number(perSecond * Double(unit.factor)) + unit.name
  }

  static func share(_ share: Double) -> String { number(share * 100) + " %" }

  static func count(_ value: Double, _ noun: String) -> String { "\(number(value)) \(noun)" }

  /// Shares that add up to 100 %, in flow style; what is none is left out.
  static func mix(_ names: [String], _ shares: [Double]) -> String {
    var tenths = shares.map { Int(($0 * 1_000).rounded()) }
    // What rounding took or gave goes to the largest.
    if let largest = tenths.indices.max(by: { tenths[$0] < tenths[$1] }) {
      tenths[largest] += 1_000 - tenths.reduce(0, +)
    }
    let parts = zip(names, tenths).filter { $0.1 > 0 }
      .map { "\($0.0): \(number(Double($0.1) / 10)) %" }
    return "{" + parts.joined(separator: ", ") + "}"
  }
}
