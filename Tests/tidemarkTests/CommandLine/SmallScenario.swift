/// A scenario that takes a tenth of a second to simulate.
enum SmallScenario {
  static let yaml = """
    name: small
    duration: 2 min
    drain: 10 s
    data:
      entities:
        directory: {size: 945 B, has: {parent: {one: directory, cascade: yes}, name: text}}
        file:
          count: 5_000
          size: {table: [942 B, 951 B]}
          has:
            parent: {one: directory, tree: {depth: 2, fan-out: 8}, cascade: yes}
            name: text
            modified: {time: 200 d}
      queries:
        files.directory: {list: [file, directory], where: parent is subject, order: name, first: 1_000, class: file}
        files.recents: {list: file, order: modified descending, first: 100, class: file}
        files.search: {list: file, where: name begins with typed, order: name, first: 50, class: search}
      operations: {create: {create: file}, modify: {set: file.modified, prefer: popular}}
    writers:
      - {name: laptop, rate: 30/min, mix: {modify: 60 %, create: 40 %}}
    users:
      - name: desktop
        think: 2 s
        mix: {browse: 100 %}
        activities:
          browse: [{stroll: {through: files.directory}}]
          recents: [visit: files.recents]
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

  /// Everything except the seed, to compare the results of two seeds.
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
