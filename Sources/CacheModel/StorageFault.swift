/// Why a simulated storage refuses a batch.
package enum StorageFault: String, Hashable, Sendable, CaseIterable {
  case full, locked, failed, corrupt
  case readOnly = "read-only"
}

/// A time in which a client's storage refuses what is to be written, and why; half open.
package struct StorageRefusal: Hashable, Sendable {
  package var during: Range<Instant>
  package var fault: StorageFault

  package init(during: Range<Instant>, fault: StorageFault) {
    self.during = during
    self.fault = fault
  }
}
