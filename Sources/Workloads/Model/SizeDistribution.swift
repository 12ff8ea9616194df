import CacheModel
import Text

/// The distribution of entity sizes, in bytes of compact JSON.
package enum SizeDistribution: Hashable, Sendable {
  case fixed(Int)
  /// Cut off below one byte.
  case normal(mean: Double, deviation: Double)
  /// Given by its median and 99th percentile.
  case logNormal(median: Double, p99: Double)
  /// The quantiles at equal steps from the minimum to the maximum, with linear interpolation.
  case table([Int])
  /// The probability of exceeding x is proportional to x to the power of −exponent, between two bounds; an
  /// entity keeps its size.
  case pareto(least: Int, most: Int, exponent: Double)

  package static let most = 10_000_000

  /// The 99th percentile of the standard normal distribution.
  package static let normal99 = 2.326_347_874_040_841

  /// Whether a new text does not change an entity's size.
  var isKept: Bool {
    if case .pareto = self { true } else { false }
  }

  /// Draws a size; each costs the same number of sub-streams, whatever the distribution.
  func draw(_ random: inout RandomSource) -> Int32 {
    let size: Double
    switch self {
    case .fixed(let bytes): return Int32(bytes)
    case .normal(let mean, let deviation): size = mean + deviation * random.normal()
    case .logNormal(let median, let p99):
      let deviation = PortableMath.log(p99 / median) / Self.normal99
      size = median * PortableMath.exp(deviation * random.normal())
    case .table, .pareto: size = quantile(random.unit())
    }
    return Int32(min(max(size, 1), Double(Self.most)))
  }

  /// Returns the size that a share of the entities does not exceed; any share for a table or a Pareto
  /// distribution, only 50 and 99 % for the others.
  package func quantile(_ share: Double) -> Double {
    switch self {
    case .fixed(let bytes): return Double(bytes)
    case .normal(let mean, let deviation):
      return mean + (share > 0.5 ? Self.normal99 * deviation : 0)
    case .logNormal(let median, let p99): return share > 0.5 ? p99 : median
    case .table(let sizes):
      let place = share * Double(sizes.count - 1)
      let lower = min(Int(place), sizes.count - 1)
      let upper = min(lower + 1, sizes.count - 1)
      return Double(sizes[lower])
        + (place - Double(lower)) * Double(sizes[upper] - sizes[lower])
    case .pareto(let least, let most, let exponent):
      // By inversion of the distribution function.
      let (low, high) = (Double(least), Double(most))
      let beyond = PortableMath.pow(low / high, exponent)
      let size = low * PortableMath.pow(1 - share * (1 - beyond), -1 / exponent)
      return min(max(size, low), high)
    }
  }

  /// Returns the share of smaller entities; for table distributions.
  package func share(below limit: Int) -> Double? {
    guard case .table(let sizes) = self else { return nil }
    let shares = zip(sizes, sizes.dropFirst()).map { lower, upper in
      upper == lower
        ? lower < limit ? 1 : 0
        : min(max(Double(limit - lower) / Double(upper - lower), 0), 1)
    }
    return shares.reduce(0, +) / Double(shares.count)
  }
}

extension RandomSource {
  /// Returns a draw from the standard normal distribution, by the polar method (Marsaglia and Bray, 1964).
  mutating func normal() -> Double {
    while true {
      let x = 2 * unit() - 1
      let y = 2 * unit() - 1
      let square = x * x + y * y
      if square > 0, square < 1 {
        return x * (-2 * PortableMath.log(square) / square).squareRoot()
      }
    }
  }
}

/// A distribution of sizes: one size, or the parameters of one of four distributions.
struct SizeSection: ScenarioSection {
  private var mean: Double?
  private var deviation: Double?
  private var median: Double?
  private var p99: Double?
  private var table: [Int] = []
  private var least: Int?
  private var most: Int?
  private var exponent: Double?
  /// `nil` until the section is checked.
  private(set) var distribution: SizeDistribution?

  private static let bytes: ClosedRange<Int64> = 1...Int64(SizeDistribution.most)

  static let fields: [Field<SizeSection>] = [
    size("median", \.median, "half of them are smaller, log-normal"),
    size("p99", \.p99, "99 of 100 are smaller, log-normal"),
    size("mean", \.mean, "their mean, normal"),
    size("deviation", \.deviation, "their standard deviation, normal"),
    Field(name: "table", form: .list, summary: "sizes at equal steps from the smallest on") {
      guard case .sequence(let nodes) = $1.content, (2...1_000).contains(nodes.count) else {
        $2.report(
          $1.place, "a list of 2 to 1,000 sizes is expected here", "write `[100 B, 300 B, 9 kB]`")
        return
      }
      for node in nodes {
        if let size = $2.whole(node, .size, in: bytes) { $0.table.append(Int(size)) }
      }
      if $0.table != $0.table.sorted() {
        $2.report($1.place, "the sizes do not ascend", "write the smallest first")
      }
    },
    .size("least", \.least, bytes, "the smallest, Pareto"),
    .size("most", \.most, bytes, "the largest, Pareto"),
    .real("exponent", .number, \.exponent, 0.01...4, "the lower, the more large ones, Pareto"),
  ]

  private static func size(
    _ name: String, _ path: FieldPath<SizeSection, Double?>, _ summary: String
  ) -> Field<SizeSection> {
    .whole(name, .size, bytes, summary) { $0[keyPath: path] = Double($1) }
  }

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    let others = [median, p99, mean, deviation].compactMap(\.self).count
    let hasPareto = least != nil || most != nil || exponent != nil
    switch (median, p99, mean, deviation) {
    case (let median?, let p99?, nil, nil) where table.isEmpty && !hasPareto:
      distribution = .logNormal(median: median, p99: p99)
      if p99 < median {
        reader.report(place, "the 99th percentile is below the median", "raise `p99`")
      }
    case (nil, nil, let mean?, let deviation?) where table.isEmpty && !hasPareto:
      distribution = .normal(mean: mean, deviation: deviation)
    default:
      if others == 0, !table.isEmpty, !hasPareto {
        distribution = .table(table)
      } else if others == 0, table.isEmpty, let least, let most, let exponent {
        distribution = .pareto(least: least, most: most, exponent: exponent)
        if least >= most {
          reader.report(
            place, "the smallest is not smaller than the largest", "lower `least`, or raise `most`")
        }
      } else {
        reader.report(
          place, "this is not one distribution of sizes",
          "write `300 B`, `{median: 200 B, p99: 4 kB}`, `{mean: 1 kB, deviation: 200 B}`, "
            + "`{table: [100 B, 9 kB]}` or `{least: 1 kB, most: 2 MB, exponent: 0.9}`")
      }
    }
  }

  static func read(_ node: SourceNode, _ reader: inout ScenarioReader) -> SizeDistribution? {
    if case .mapping = node.content {
      var section = SizeSection()
      reader.read(node, into: &section)
      return section.distribution
    }
    return reader.whole(node, .size, in: bytes).map { .fixed(Int($0)) }
  }
}
