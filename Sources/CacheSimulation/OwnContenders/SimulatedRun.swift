import Workloads

/// What one policy or cache did on one stream, all clients together.
public struct SimulatedRun: Sendable {
  /// The policy or the cache, as the rows call it.
  public let name: String
  /// One row for each metric, class and statistic, in the order of the classes and of the registry.
  public let rows: [ResultRow]
  private let records: [ReadRecord]
  private let simulation: Simulation

  init(_ result: SimulationResult, _ records: [ReadRecord], of simulation: Simulation) {
    name = result.policy
    rows = result.rows
    self.records = records
    self.simulation = simulation
  }

  /// What was measured.
  ///
  /// - Parameters:
  ///   - metric: as `.freshHitRatio`; it says its unit and which statistics it has.
  ///   - class: the reads that are meant: of the lists of a class, as `file`; `total`: of all lists;
  ///     `all`: of lists and single entities.
  ///   - statistic: which of the metric's; for most there is one.
  /// - Returns: the value; `nil` where nothing was measured, which is not zero.
  public func value(
    of metric: Metric, in class: ResultClass = .total, _ statistic: Statistic = .value
  ) -> MetricValue? {
    rows.first { $0.metric == metric && $0.class == `class` && $0.statistic == statistic }?.value
  }

  /// The rows of runs as CSV, as `tidemark simulate --format csv` writes them.
  ///
  /// - Parameter runs: in the order in which they are written.
  /// - Returns: the bytes of a file: a header, then a line for each row; an empty value is a missing one.
  /// - Throws: a description, where a value is infinite.
  public static func csv(_ runs: [SimulatedRun]) throws -> [UInt8] {
    try TidyTable.csv(runs.flatMap(\.rows))
  }

  /// What became of each read after the warm-up, client by client, in the order of the users' actions.
  ///
  /// Two runs of one stream have the same reads, so they can be compared one by one.
  public var reads: [SimulatedRead] {
    let clients = simulation.workload.clients
    return records.map { record in
      SimulatedRead(
        client: clients[record.client].name, action: record.action,
        at: Instant.zero.advanced(by: .nanoseconds(record.at)),
        subject: simulation.name(of: record.subject), outcome: record.outcome,
        waited: record.waited.map { .nanoseconds($0) }, age: record.age.map { .nanoseconds($0) },
        difference: record.difference)
    }
  }
}

/// What became of one read of a user's.
public struct SimulatedRead: Hashable, Sendable {
  public var client: String
  /// The place among the actions of the client's user.
  public var action: Int
  /// When it was made, in virtual time.
  public var at: Instant
  /// What was read, as `files.directory(17)`.
  public var subject: String
  /// The metric that counts such reads, as `.hitFresh`.
  public var outcome: Metric
  /// For how long it waited; `nil` where no answer came.
  public var waited: Duration?
  /// For how long what it was served had not been the truth; `nil` where it was.
  public var age: Duration?
  /// How what it was served differs from the truth; `nil` where it does not, and after a wait.
  public var difference: RowDifference?
}
