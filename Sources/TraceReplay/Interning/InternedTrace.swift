package import EvictionPolicies

/// A trace whose keys are numbered from 0 in the order of their first appearance.
///
/// Columns that it lacks are empty; see ``OperationTrace``.
package struct InternedTrace: Hashable, Sendable {
  package let name: String
  /// The columns, as a replay of operations takes them.
  package let lines: OperationTrace
  /// What it is a sample of; `nil`: it is whole.
  package var sampledFrom: SampledFrom?

  package init(
    name: String, ids: [UInt32], distinct: Int, operations: [TraceOperation] = [],
    weights: [Int32] = [], lifetimes: [Int64] = [], times: [Int64] = []
  ) {
    self.name = name
    lines = OperationTrace(
      ids: ids, distinct: distinct, operations: operations, weights: weights,
      lifetimes: lifetimes, times: times)
  }

  /// One number per line, each below ``distinct``.
  package var ids: [UInt32] { lines.ids }
  /// How many keys the trace names.
  package var distinct: Int { lines.distinct }
  package var operations: [TraceOperation] { lines.operations }
  package var weights: [Int32] { lines.weights }
  package var lifetimes: [Int64] { lines.lifetimes }
  package var times: [Int64] { lines.times }

  /// What it says besides keys.
  package var columns: TraceColumns {
    var columns: TraceColumns = []
    if !operations.isEmpty { columns.insert(.operations) }
    if !weights.isEmpty { columns.insert(.weights) }
    if !lifetimes.isEmpty { columns.insert(.lifetimes) }
    if !times.isEmpty { columns.insert(.times) }
    return columns
  }

  /// The bytes that the columns take.
  package var bytes: Int {
    4 * ids.count + operations.count + 4 * weights.count + 8 * (lifetimes.count + times.count)
  }
}
