package enum StorageFault: String, Hashable, Sendable, CaseIterable {
  case full, locked, failed, corrupt
  case readOnly = "read-only"
}

/// A half-open period in which a client's storage rejects writes, with the reason.
package struct StorageRefusal: Hashable, Sendable {
  package var during: Range<Instant>
  package var fault: StorageFault

  package init(during: Range<Instant>, fault: StorageFault) {
    self.during = during
    self.fault = fault
  }
}

/// Storage that keeps a cache for the next process: everything, written behind in whole batches, up to a
/// size.
///
/// The cache itself does not read this setting: the code that runs the cache opens such a storage.
public struct DiskStorage: Hashable, Sendable {
  /// The maximum bytes stored; `nil`: no limit.
  public var maximumBytes: Int?
  /// The time for which the first change of a batch waits for others; if the process ends, these changes are
  /// lost.
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

/// A planted bug: a defect that a store has on request, to show that a search finds it.
///
/// A store has one hook, which it checks at the place of a possible mistake: `if planted(.tombstoneIgnored) {
/// … }`. In a debug build the hook has one bug or none. In any other build it takes no space and every check
/// is constant, so that no code of a bug is compiled.
@usableFromInline package struct DefectHook<Defect: Equatable & Sendable>: Sendable {
  @inlinable package init() {}

  #if PLANTED_DEFECTS
    @usableFromInline package var defect: Defect?

    /// Returns whether the store has this defect.
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
