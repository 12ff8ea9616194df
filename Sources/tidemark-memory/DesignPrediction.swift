import DesignSimulation
import RealTime
import ResultModel

/// Compares what the simulator predicts of a design with what its core takes.
///
/// Apart are the tables, since values of some kilobytes would hide any error in them.
struct DesignPrediction {
  private let scenario: String
  private let design: String
  private let core: DesignCore

  init(_ scenario: String, _ design: String, _ core: DesignCore) {
    self.scenario = scenario
    self.design = design
    self.core = core
  }

  /// Rows of the whole and of the tables: what is predicted, what is taken, and how far the two are apart.
  func rows(seed: UInt64, counter: some AllocationCounter) throws -> [ResultRow] {
    let (tables, values) = try count(counter)
    func rows(of part: ResultClass, _ predicted: Int, _ measured: Int) -> [ResultRow] {
      MemoryPrediction(predicted: predicted, measured: measured, entries: core.entries)
        .rows(scenario: scenario, policy: design, seed: seed, class: part)
    }
    return rows(of: .total, core.predicted, tables + values)
      + rows(of: "tables", core.predictedTables, tables)
  }

  /// What values of the core's sizes take, by making them; and what its tables do, by letting it go.
  private func count(_ counter: some AllocationCounter) throws -> (tables: Int, values: Int) {
    func value(_ size: Int) -> [UInt8] { [UInt8](repeating: 0, count: size) }
    var (values, lists): ([[UInt8]], [[[UInt8]]]) = ([], [])
    values.reserveCapacity(core.values.count)
    lists.reserveCapacity(core.lists.count)
    let bare = try counter.read().allocated
    for size in core.values { values.append(value(size)) }
    for list in core.lists { lists.append(list.map(value)) }
    let full = try withExtendedLifetime((values, lists)) { try counter.read().allocated }
    core.close()
    let closed = try withExtendedLifetime((values, lists)) { try counter.read().allocated }
    return (full - closed, full - bare)
  }
}
