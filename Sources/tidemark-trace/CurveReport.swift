import CacheModel
import CommandLineInterface
import EvictionPolicies
import Reporting
import Text
import TraceReplay

/// Miss ratio curves in all output formats.
struct CurveReport {
  private let points: [CurvePoint]
  private let hasExact: Bool

  init(points: [CurvePoint]) {
    self.points = points
    hasExact = points.contains { $0.exactMissRatio != nil }
  }

  func bytes(_ format: ResultFormat) throws -> [UInt8] {
    switch format {
    case .csv: try CSVWriter.table(of: points.map(members))
    case .json: try JSONWriter.document(.array(points.map { .object(members($0)) }))
    case .table: Console.legible(text)
    }
  }

  private static func size(_ point: CurvePoint) -> (count: Int, unit: String) {
    switch point.capacity {
    case .entities(let count): (count, "entities")
    case .bytes(let count): (count, "bytes")
    }
  }

  private static func isEstimate(_ point: CurvePoint) -> Bool {
    point.method == .onePassEstimate || point.method == .replayEstimate
  }

  private static func error(_ point: CurvePoint) -> Double? {
    point.missRatio.flatMap { ratio in point.exactMissRatio.map { ratio - $0 } }
  }

  private func members(_ point: CurvePoint) -> [JSONMember] {
    let (count, unit) = Self.size(point)
    var members = [
      JSONMember("trace", .string(point.trace)), JSONMember("policy", .string(point.policy)),
      JSONMember("capacity", .integer(count)), JSONMember("capacity_unit", .string(unit)),
      JSONMember("requests", .integer(point.requests)),
      JSONMember("misses", point.misses.map { .integer($0) } ?? .null),
      JSONMember("miss_ratio", point.missRatio.map { .real($0) } ?? .null),
      JSONMember("method", .string(point.method.rawValue)),
      JSONMember("sampled_keys", point.sampledKeys.map { .integer($0) } ?? .null),
    ]
    if hasExact {
      members.append(
        JSONMember("exact_miss_ratio", point.exactMissRatio.map { .real($0) } ?? .null))
      members.append(JSONMember("error", Self.error(point).map { .real($0) } ?? .null))
    }
    return members
  }

  /// A column for each policy, a row for each capacity, a sketch, and the error of a sample.
  private var text: String {
    var sections: [String] = []
    for unit in ["entities", "bytes"] {
      let points = points.filter { Self.size($0).unit == unit }
      guard !points.isEmpty else { continue }
      sections.append(table(points, unit).terminal(style: Console.style))
      let sketch = CurveSketch(points: points).text
      if !sketch.isEmpty { sections.append(sketch) }
    }
    let errors = points.compactMap { Self.error($0)?.magnitude }
    if let largest = errors.max() {
      let mean = errors.reduce(0, +) / Double(errors.count)
      sections.append(
        """
        error of the sample: mean \(HumanNumber.points(mean)), largest \(HumanNumber.points(largest)) \
        percentage points

        """)
    }
    if points.contains(where: { $0.method == .onePassEstimate }) {
      sections.append(
        "~ an estimate: sizes change, keys are deleted, or an entity is larger than the cache\n")
    }
    if points.contains(where: { $0.method == .replayEstimate }) {
      sections.append("~ an estimate: what knows the future knows when, not what is asked\n")
    }
    return sections.joined(separator: "\n")
  }

  private func table(_ points: [CurvePoint], _ unit: String) -> TextTable {
    var policies: [String] = []
    var sizes: [Int] = []
    // By capacity, then by policy: a complete curve has as many rows as the trace has keys.
    var cells: [Int: [String: CurvePoint]] = [:]
    for point in points {
      let size = Self.size(point).count
      if !policies.contains(point.policy) { policies.append(point.policy) }
      if cells[size] == nil { sizes.append(size) }
      cells[size, default: [:]][point.policy] = point
    }
    let title = unit == "bytes" ? "bytes" : "entities"
    var table = TextTable(
      columns: [.init(title, .right)]
        + policies.flatMap { policy -> [TextTable.Column] in
          [.init("\(policy) misses", .right)] + (hasExact ? [.init("exact", .right)] : [])
        })
    for size in sizes {
      var row = [
        unit == "bytes" ? HumanNumber.bytes(Double(size)) : HumanNumber.count(Double(size))
      ]
      for policy in policies {
        let point = cells[size]?[policy]
        let mark = point.map { Self.isEstimate($0) } == true ? "~" : ""
        row.append(point?.missRatio.map { mark + HumanNumber.percent($0) } ?? "")
        if hasExact {
          row.append(point?.exactMissRatio.map { HumanNumber.percent($0) } ?? "")
        }
      }
      table.append(row)
    }
    return table
  }
}

/// Curves as text: the capacity on a logarithmic horizontal axis, misses from 0 to the maximum on the
/// vertical one.
///
/// Each policy has a letter; if two meet, the first one is shown.
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

  /// Returns the first unused letter of each name, otherwise any unused one.
  private static func letters(for names: [String]) -> [Character] {
    var taken: [Character] = []
    for name in names {
      let candidates = name.filter(\.isLetter) + "abcdefghijklmnopqrstuvwxyz0123456789"
      taken.append(candidates.first { !taken.contains($0) } ?? "*")
    }
    return taken
  }
}
