/// The lines of a trace as columns; a column that the trace lacks is empty and costs nothing.
///
/// Every other column has one element per line.
package struct OperationTrace: Hashable, Sendable {
  /// The entity of each line, numbered from 0 by first appearance.
  package var ids: [UInt32]
  /// Above every id.
  package var distinct: Int
  /// Empty: every line is a get.
  package var operations: [TraceOperation]
  /// Bytes; 0 where the line does not know, and empty where every entity weighs 1.
  package var weights: [Int32]
  /// Nanoseconds until what the line fetches or writes expires; 0 for none, and empty for no line.
  package var lifetimes: [Int64]
  /// Nanoseconds from any origin; empty where the trace does not say.
  package var times: [Int64]

  package init(
    ids: [UInt32], distinct: Int, operations: [TraceOperation] = [], weights: [Int32] = [],
    lifetimes: [Int64] = [], times: [Int64] = []
  ) {
    for count in [operations.count, weights.count, lifetimes.count, times.count] {
      precondition(count == 0 || count == ids.count, "a column has \(count) of \(ids.count) lines")
    }
    self.ids = ids
    self.distinct = distinct
    self.operations = operations
    self.weights = weights
    self.lifetimes = lifetimes
    self.times = times
  }
}
