/// Waits on the main actor until something holds there; a test whose condition never holds fails at its time
/// limit.
///
/// - Throws: `CancellationError` at the limit.
@MainActor
func until(_ condition: () async -> Bool) async throws {
  while !(await condition()) {
    try Task.checkCancellation()
    await Task.yield()
  }
}
