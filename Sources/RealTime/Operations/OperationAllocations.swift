package import ResultModel

/// How often each operation asks the allocator.
package struct OperationAllocations: Sendable {
  package init() {}

  /// One row for each operation: allocations of one, over so many that what grows by doubling counts for
  /// its share.
  ///
  /// - Throws: what an operation throws, or the counter.
  package func rows(counter: some AllocationCounter & Sendable) async throws -> [ResultRow] {
    var rows: [ResultRow] = []
    for operation in HotOperation.allCases {
      var prepared = try await operation.prepared(
        2 * operation.counted, clock: StandingClock())
      _ = try await prepared.perform(operation.counted)
      let before = try counter.read().allocations
      _ = try await prepared.perform(operation.counted)
      let count = try counter.read().allocations - before
      rows.append(
        ResultRow(
          scenario: HotOperation.scenario, policy: "", seed: HotOperation.seed,
          class: operation.class, metric: operation.allocations,
          value: .real(Double(count) / Double(operation.counted)),
          sampleCount: operation.counted))
    }
    return rows
  }
}
