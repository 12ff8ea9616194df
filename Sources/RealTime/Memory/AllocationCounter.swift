/// Asks the allocator what the process holds.
package protocol AllocationCounter {
  /// The state of the allocator now.
  ///
  /// - Throws: where the allocator does not answer.
  func read() throws -> AllocationReading
}

/// What an allocator says about a process; in bytes where nothing else is said.
///
/// Pages in physical memory are not among it: beside the active ones they hold the allocator's own index,
/// which is 2 MB larger where the heap crosses a multiple of 1 GiB, and the system draws the addresses.
package struct AllocationReading: Hashable, Sendable {
  /// In live objects, each counted at its size class.
  package var allocated: Int
  /// In pages that hold live objects.
  package var active: Int
  /// How many objects it has handed out since the process began.
  package var allocations: Int

  package init(allocated: Int, active: Int, allocations: Int) {
    self.allocations = allocations
    self.allocated = allocated
    self.active = active
  }
}
