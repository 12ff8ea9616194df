/// Why a simulated storage refuses a batch.
package enum StorageFault: String, Hashable, Sendable, CaseIterable {
  case full, locked, failed, corrupt
  case readOnly = "read-only"
}
