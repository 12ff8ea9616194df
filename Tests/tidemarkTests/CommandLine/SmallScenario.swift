/// A scenario that takes a tenth of a second to simulate.
enum SmallScenario {
  static let yaml = """
    name: small
    duration: 2 min
    drain: 10 s
    library: {shape: small}
    devices:
      - {name: laptop, rate: 30/min, mix: {modify: 60 %, create: 40 %}}
    sessions:
      - {name: desktop, think: 2 s, mix: {browse: 100 %}}
    network: {heartbeat: 5 s}
    policies: [lru, ttl, no-cache, unbounded]

    """
}

/// A row of a tidy table, by the name of its column.
struct TidyRow: Hashable {
  private let cells: [String: String]

  subscript(column: String) -> String { cells[column] ?? "" }

  /// The rows of a table without quoted cells.
  static func all(in csv: String) -> [TidyRow] {
    let lines = csv.split(separator: "\n").map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    guard let header = lines.first else { return [] }
    return lines.dropFirst().map { line in
      TidyRow(cells: Dictionary(zip(header, line), uniquingKeysWith: { first, _ in first }))
    }
  }

  /// Everything but the seed, to compare the results of two seeds.
  var withoutSeed: [String: String] { cells.filter { $0.key != "seed" } }
}

extension [TidyRow] {
  /// The value of a metric over all classes of queries.
  func total(_ metric: String, of policy: String) -> Double? {
    first {
      $0["policy"] == policy && $0["metric"] == metric && $0["class"] == "total"
        && $0["statistic"] == "value"
    }.flatMap { Double($0["value"]) }
  }
}
