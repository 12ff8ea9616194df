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

/// What of a cache outlives its process: everything, written behind in whole batches, within a size.
///
/// The cache itself does not look at it: whoever runs it opens such a storage.
public struct DiskStorage: Hashable, Sendable {
  /// The most bytes kept; `nil`: no limit.
  public var maximumBytes: Int?
  /// How long the first change of a batch waits for others: what the end of the process may cost.
  public var window: Duration

  /// The limit of the design document that `spacedrive` follows.
  public static let defaultMaximumBytes = 50_000_000

  public init(
    maximumBytes: Int? = DiskStorage.defaultMaximumBytes, window: Duration = .milliseconds(500)
  ) {
    self.maximumBytes = maximumBytes
    self.window = window
  }
}

/// A mistake that a store makes on request, so that a search can show that it would be found.
///
/// A store has one hook, and asks it where somebody might write the mistake:
/// `if planted(.tombstoneIgnored) { … }`. In a debug build the hook has a defect or none. In any other
/// build it takes no space and every answer is a constant, so that nothing of a defect is compiled.
@usableFromInline package struct DefectHook<Defect: Equatable & Sendable>: Sendable {
  @inlinable package init() {}

  #if PLANTED_DEFECTS
    @usableFromInline package var defect: Defect?

    /// Whether the store makes this mistake.
    @inlinable package func callAsFunction(_ defect: Defect) -> Bool { self.defect == defect }
  #else
    /// `nil`, whatever is set.
    package var defect: Defect? {
      get { nil }
      set {}
    }

    @inlinable @inline(__always) package func callAsFunction(_ defect: Defect) -> Bool { false }
  #endif
}
