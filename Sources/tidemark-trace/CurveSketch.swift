import CacheModel
import CommandLineInterface
import EvictionPolicies
import Reporting
import TraceReplay

/// Curves drawn in letters: capacity from left to right on a logarithmic scale, misses from 0 to the
/// largest.
///
/// Each policy has a letter; where two meet, the first named stands.
struct CurveSketch {
  var points: [CurvePoint]

  private static let width = 64
  private static let height = 12

  var text: String {
    var policies: [String] = []
    for point in points where !policies.contains(point.policy) { policies.append(point.policy) }
    let sizes = points.map { PortableMath.log(Double(size($0))) }
    guard let low = sizes.min(), let high = sizes.max(), high > low,
      let top = points.compactMap(\.missRatio).max(), top > 0
    else { return "" }
    let letters = Self.letters(for: policies)
    var rows = Array(
      repeating: [Character](repeating: " ", count: Self.width), count: Self.height)
    for (policy, letter) in zip(policies, letters).reversed() {
      let curve = zip(points, sizes).filter { $0.0.policy == policy }
        .compactMap { point, size in
          point.missRatio.map { (x: (size - low) / (high - low), ratio: $0) }
        }
        .sorted { $0.x < $1.x }
      guard let first = curve.first, let last = curve.last else { continue }
      for column in 0..<Self.width {
        let x = Double(column) / Double(Self.width - 1)
        guard x >= first.x - 1e-9, x <= last.x + 1e-9 else { continue }
        let right = curve.first { $0.x >= x - 1e-9 } ?? last
        let left = curve.last { $0.x <= x + 1e-9 } ?? first
        let share = right.x > left.x ? (x - left.x) / (right.x - left.x) : 0
        let ratio = left.ratio + (right.ratio - left.ratio) * share
        let row = Int(((1 - ratio / top) * Double(Self.height - 1)).rounded())
        rows[min(max(row, 0), Self.height - 1)][column] = letter
      }
    }
    let label = HumanNumber.percent(top)
    let margin = String(repeating: " ", count: label.count)
    var lines = rows.enumerated().map { index, row in
      (index == 0 ? label : index == Self.height - 1 ? pad("0", to: label.count) : margin)
        + " ┤" + String(row)
    }
    let (smallest, largest) = (points.map(size).min() ?? 0, points.map(size).max() ?? 0)
    let ends = (HumanNumber.count(Double(smallest)), HumanNumber.count(Double(largest)))
    let gap = max(1, Self.width - ends.0.count - ends.1.count)
    lines.append(margin + " └" + String(repeating: "─", count: Self.width))
    lines.append(margin + "  " + ends.0 + String(repeating: " ", count: gap) + ends.1)
    lines.append(
      margin + "  " + zip(letters, policies).map { "\($0) \($1)" }.joined(separator: "   "))
    return lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
      .joined(separator: "\n") + "\n"
  }

  private func size(_ point: CurvePoint) -> Int {
    switch point.capacity {
    case .entities(let count), .bytes(let count): count
    }
  }

  private func pad(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// The first letter of each name that is not taken, or else any.
  private static func letters(for names: [String]) -> [Character] {
    var taken: [Character] = []
    for name in names {
      let candidates = name.filter(\.isLetter) + "abcdefghijklmnopqrstuvwxyz0123456789"
      taken.append(candidates.first { !taken.contains($0) } ?? "*")
    }
    return taken
  }
}
