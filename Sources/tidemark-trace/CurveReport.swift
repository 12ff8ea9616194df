import CommandLineInterface
import EvictionPolicies
import Reporting
import Text
import TraceReplay

/// Miss ratio curves in each form.
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
    // By capacity, then by policy: a whole curve has as many rows as the trace has keys.
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
