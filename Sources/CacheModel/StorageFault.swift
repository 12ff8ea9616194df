/// Why a simulated storage refuses a batch.
package enum StorageFault: String, Hashable, Sendable, CaseIterable {
  case full, locked, failed, corrupt
  case readOnly = "read-only"
}

/// A half-open period in which a client's storage refuses writes, with the reason.
package struct StorageRefusal: Hashable, Sendable {
  package var during: Range<Instant>
  package var fault: StorageFault

  package init(during: Range<Instant>, fault: StorageFault) {
    self.during = during
    self.fault = fault
  }
}

/// The storage that keeps a cache for the next process: everything, written behind in whole batches, up to a size.
///
/// The cache itself does not read it: the code that runs the cache opens such a storage.
public struct DiskStorage: Hashable, Sendable {
  /// The most bytes kept; `nil`: no limit.
  public var maximumBytes: Int?
  /// How long the first change of a batch waits for others: the changes of this time are lost if the process ends.
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

/// A planted bug: a mistake that a store makes on request, to show that a search finds it.
///
/// A store has one hook, which it asks at the place of a possible mistake: `if planted(.tombstoneIgnored) { … }`.
/// In a debug build the hook has one bug or none. In any other build it takes no space and every answer is a
/// constant, so that no code of a bug is compiled.
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
