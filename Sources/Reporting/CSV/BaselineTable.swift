import Analysis
package import ResultModel
package import Text

/// `baseline.csv`: for each policy of a scenario, one line over the seeds, followed by one for each seed.
///
/// A seed's line has the digest of all exact figures of that run, and the main figures in plain text. The
/// line over the seeds (`all`) has their means, and the digest of the seeds' lines, which detects an edited
/// or truncated file. `-` means that there was nothing to observe; an empty cell, that the policy lacks the
/// figure.
package struct BaselineTable: Sendable {
  package static let fileName = "baseline.csv"

  /// One policy of a scenario on one seed.
  package struct Run: Hashable, Sendable {
    package var digest: RunDigest
    var cells: [Cell]
  }

  enum Cell: Hashable, Sendable {
    case absent
    case nothingObserved
    case value(MetricValue)
  }

  package let figures: [MainFigure]
  /// The runs, with the seeds of each policy together.
  package var runs: [Run]

  private static let firstColumns = ["scenario", "policy", "seed", "digest"]
  private static let allSeeds = "all"

  private init(figures: [MainFigure], runs: [Run]) {
    self.figures = figures
    self.runs = runs
  }

  /// Creates the table of a run.
  ///
  /// - Parameters:
  ///   - rows: all exact rows, seed by seed.
  ///   - targets: targets, whose figures are included.
  /// - Throws: ``ExportError`` if a main figure was not measured.
  package init(_ rows: [ResultRow], targets: [Target]) throws(ExportError) {
    let figures = Self.figures(targets)
    let wanted = Set(figures)
    var values: [RunDigest.Run: [MainFigure: Cell]] = [:]
    for row in rows where wanted.contains(MainFigure(of: row)) {
      let cell: Cell
      if let value = row.value {
        _ = try row.number(value)
        cell = .value(value)
      } else {
        guard row.sampleCount == 0 else {
          throw .value(of: row.identity.description, problem: "it was not measured")
        }
        cell = .nothingObserved
      }
      values[RunDigest.Run(row), default: [:]][MainFigure(of: row)] = cell
    }
    let digests = RunDigest.all(of: rows)
    let byPolicy = Dictionary(grouping: digests) { [$0.scenario, $0.policy] }
    let inOrder = digests.distinct { [$0.scenario, $0.policy] }.flatMap { byPolicy[$0] ?? [] }
    self.init(
      figures: figures,
      runs: inOrder.map { digest in
        Run(
          digest: digest, cells: figures.map { values[digest.run]?[$0] ?? .absent })
      })
  }

  /// Returns the figures compared by name: the main ones, and those of targets.
  package static func figures(_ targets: [Target]) -> [MainFigure] {
    let targeted = targets.filter { $0.metric.noiseClass == .exact }.map {
      MainFigure($0.metric, $0.statistic, class: $0.class)
    }
    return (MainFigure.ofBaseline + targeted).distinct { $0 }
  }

  /// The main figures as rows, seed by seed.
  package var rows: [ResultRow] {
    runs.flatMap { run in figures.indices.compactMap { row(run, $0) } }
  }

  /// The main figures over the seeds: one row each, for several seeds the mean with its interval.
  package var means: [ResultRow] { policies.flatMap(means) }

  /// - Returns: `nil` for a figure that the policy lacks.
  private func row(_ run: Run, _ column: Int) -> ResultRow? {
    let figure = figures[column]
    var row = ResultRow(
      scenario: run.digest.scenario, policy: run.digest.policy, seed: run.digest.seed,
      class: figure.class, metric: figure.metric, statistic: figure.statistic, value: nil)
    switch run.cells[column] {
    case .absent: return nil
    case .nothingObserved: row.sampleCount = 0
    case .value(let value): row.value = value
    }
    return row
  }

  private func means(of policy: [Run]) -> [ResultRow] {
    let shared = figures.indices.filter { column in
      policy.allSatisfy { $0.cells[column] != .absent }
    }
    var seeds = RowsOverSeeds()
    for run in policy { seeds.append(shared.compactMap { row(run, $0) }) }
    return seeds.means
  }

  // MARK: Writing

  package func csv() throws(ExportError) -> [UInt8] {
    var writer = CSVWriter(columns: Self.firstColumns + figures.map(\.label))
    var bytes = writer.bytes
    for policy in policies {
      writer = CSVWriter()
      for run in policy {
        try write(run.digest, run.digest.seed.map(String.init) ?? "", run.cells, to: &writer)
      }
      var own = CSVWriter()
      var digest = policy[0].digest
      digest.text = Fingerprint(of: writer.bytes).text
      // Looked up, never iterated.
      let overSeeds = Dictionary(
        means(of: policy).map { row in
          (MainFigure(of: row), row.value.map(Cell.value) ?? .nothingObserved)
        }, uniquingKeysWith: { first, _ in first })
      try write(digest, Self.allSeeds, figures.map { overSeeds[$0] ?? .absent }, to: &own)
      bytes += own.bytes + writer.bytes
    }
    return bytes
  }

  private var policies: [[Run]] {
    let byPolicy = Dictionary(grouping: runs) { [$0.digest.scenario, $0.digest.policy] }
    return runs.distinct { [$0.digest.scenario, $0.digest.policy] }.compactMap { byPolicy[$0] }
  }

  private func write(
    _ digest: RunDigest, _ seed: String, _ cells: [Cell], to writer: inout CSVWriter
  ) throws(ExportError) {
    writer.text(digest.scenario)
    writer.text(digest.policy)
    writer.plain(seed)
    writer.plain(digest.text)
    for cell in cells {
      switch cell {
      case .absent: writer.plain("")
      case .nothingObserved: writer.plain("-")
      case .value(let value):
        do {
          writer.plain(try MachineNumber.text(value))
        } catch {
          throw .value(of: "\(digest.scenario)/\(digest.policy)", problem: error.description)
        }
      }
    }
    writer.endLine()
  }

  // MARK: Reading

  /// Reads the output of ``csv()``, and nothing else.
  package static func read(_ bytes: [UInt8]) throws(CSVError) -> BaselineTable {
    var reader = try CSVReader(bytes)
    let header = try reader.next()?.cells ?? []
    let labels = header.dropFirst(firstColumns.count)
    let figures = labels.compactMap { MainFigure(label: $0) }
    guard Array(header.prefix(firstColumns.count)) == firstColumns, !labels.isEmpty,
      figures.count == labels.count
    else {
      throw CSVError(
        line: 1,
        cause: .header(expected: firstColumns.joined(separator: ",") + ",… of this version"))
    }
    var table = BaselineTable(figures: figures, runs: [])
    while let record = try reader.next() {
      guard record.cells.count == header.count else {
        throw CSVError(
          line: record.line,
          cause: .cellCount(found: record.cells.count, expected: header.count))
      }
      if let own = try run(record, header) { table.runs.append(own) }
    }
    // A checkout may have changed line endings.
    let carriageReturn = UInt8(ascii: "\r")
    let (found, again) = (
      bytes.filter { $0 != carriageReturn },
      ((try? table.csv()) ?? []).filter { $0 != carriageReturn }
    )
    guard again == found else {
      let lines = [found, again].map { $0.split(separator: UInt8(ascii: "\n")) }
      let same = zip(lines[0], lines[1]).prefix { $0 == $1 }.count
      throw CSVError(
        line: min(same, max(lines[0].count - 1, 0)) + 1,
        cause: .content("it does not agree with the digests; the file was edited or is incomplete"))
    }
    return table
  }

  private static func run(
    _ record: CSVReader.Record, _ header: [String]
  ) throws(CSVError) -> Run? {
    func fault(_ column: Int, _ expected: String) -> CSVError {
      CSVError(
        line: record.line,
        cause: .cell(column: header[column], text: record.cells[column], expected: expected))
    }
    var cells: [Cell] = []
    for column in header.indices.dropFirst(firstColumns.count) {
      switch record.cells[column] {
      case "": cells.append(.absent)
      case "-": cells.append(.nothingObserved)
      case let text:
        guard let value = MachineNumber.value(text) else {
          throw fault(column, "a number of at most 1e100")
        }
        cells.append(.value(value))
      }
    }
    let seed = record.cells[2]
    if seed == allSeeds { return nil }
    guard seed.isEmpty || UInt64(seed).map(String.init) == seed else {
      throw fault(2, "a whole number, or \(allSeeds)")
    }
    return Run(
      digest: RunDigest(
        scenario: CSVReader.unguarded(record.cells[0]),
        policy: CSVReader.unguarded(record.cells[1]), seed: UInt64(seed), text: record.cells[3]),
      cells: cells)
  }
}
