/// Asks the allocator what the process holds.
package protocol AllocationCounter {
  /// The state of the allocator now.
  ///
  /// - Throws: where the allocator does not answer.
  func read() throws -> AllocationReading
}

/// What an allocator says about a process, in bytes.
package struct AllocationReading: Hashable, Sendable {
  /// In live objects, each counted at its size class.
  package var allocated: Int
  /// In pages that hold live objects.
  package var active: Int
  /// In the allocator's pages that are in physical memory.
  package var resident: Int

  package init(allocated: Int, active: Int, resident: Int) {
    self.allocated = allocated
    self.active = active
    self.resident = resident
  }
}
