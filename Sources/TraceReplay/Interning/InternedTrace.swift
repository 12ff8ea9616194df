package import EvictionPolicies

/// A trace whose keys are numbered from 0 in the order of their first appearance.
///
/// Columns that it lacks are empty; see ``OperationTrace``.
package struct InternedTrace: Hashable, Sendable {
  package let name: String
  /// One number per line, each below ``distinct``.
  package let ids: [UInt32]
  /// How many keys the trace names.
  package let distinct: Int
  package let operations: [TraceOperation]
  package let weights: [Int32]
  package let lifetimes: [Int64]
  package let times: [Int64]
  /// What it is a sample of; `nil`: it is whole.
  package var sampledFrom: SampledFrom?

  package init(
    name: String, ids: [UInt32], distinct: Int, operations: [TraceOperation] = [],
    weights: [Int32] = [], lifetimes: [Int64] = [], times: [Int64] = []
  ) {
    self.name = name
    self.ids = ids
    self.distinct = distinct
    self.operations = operations
    self.weights = weights
    self.lifetimes = lifetimes
    self.times = times
  }

  /// What it says besides keys.
  package var columns: TraceColumns {
    var columns: TraceColumns = []
    if !operations.isEmpty { columns.insert(.operations) }
    if !weights.isEmpty { columns.insert(.weights) }
    if !lifetimes.isEmpty { columns.insert(.lifetimes) }
    if !times.isEmpty { columns.insert(.times) }
    return columns
  }

  /// The columns as a replay of operations takes them.
  package var lines: OperationTrace {
    OperationTrace(
      ids: ids, distinct: distinct, operations: operations, weights: weights,
      lifetimes: lifetimes, times: times)
  }

  /// The bytes that the columns take.
  package var bytes: Int {
    4 * ids.count + operations.count + 4 * weights.count + 8 * (lifetimes.count + times.count)
  }
}
