import Text

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

  /// A size, or a section.
  static func read(_ node: SourceNode, _ reader: inout ScenarioReader) -> SizeDistribution? {
    if case .mapping = node.content {
      var section = SizeSection()
      reader.read(node, into: &section)
      return section.distribution
    }
    return reader.whole(node, .size, in: bytes).map { .fixed(Int($0)) }
  }
}
