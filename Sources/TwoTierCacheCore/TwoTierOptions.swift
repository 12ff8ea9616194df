/// What a two-tier cache holds, for how long, and how it cares for its files.
public struct TwoTierOptions: Hashable, Sendable {
  /// What the memory tier keeps of a value.
  public enum MemoryForm: String, Hashable, Sendable, CaseIterable {
    /// The value itself.
    case values
    /// Its bytes, which every hit decodes: smaller where a decoded value is large.
    case bytes
  }

  /// How much the memory tier holds.
  public enum MemoryLimit: Hashable, Sendable {
    /// So many values.
    case entries(Int)
    /// So many bytes, as the values' `data` counts them, and ``TwoTierOptions/entryOverhead`` for each.
    case bytes(Int)
  }

  /// What a value counts for besides its bytes, so that a limit in bytes bounds the number of empty ones too.
  public static let entryOverhead = 128

  public var memoryForm = MemoryForm.values
  public var memoryLimit = MemoryLimit.bytes(64 << 20)
  /// The eviction order of the memory tier: a name of the registry, or such a name with an admission, as in
  /// `lru+tinylfu`.
  public var evictionOrder = "lru"
  /// How long memory serves a value without a look at its file.
  ///
  /// Afterwards what a sibling has written since is seen. `nil`: forever, for a folder that no other process writes
  /// to.
  public var memoryLifetime: Duration? = .seconds(60)

  /// The age past which a value is served no more, by either tier, and its file is cleaned up.
  ///
  /// It counts from when the value was set. `nil`: none.
  public var age: Duration? = .seconds(3600)
  /// After how many writes files are cleaned up; `nil`: not by count.
  public var cleanUpWrites: Int? = 100
  /// After how much time they are, at the next call; `nil`: not by time.
  public var cleanUpInterval: Duration?
  /// The bytes that all files may take: above, those go that were used least recently, down to nine tenths.
  ///
  /// `nil`: no limit. With a limit, each read of a file notes its time there.
  public var diskBytes: Int?

  /// Whether what is written survives a loss of power too, and not only the end of the process; each write
  /// waits for the disk then.
  public var synchronizesFiles = false
  /// The largest value, in bytes, that is written to a file, and read from one.
  public var maximumValueBytes = 256 << 20
  /// How many keys may wait to be written until `set` waits too.
  public var maximumPendingWrites = 256
  /// After how long a full disk is tried again.
  public var diskRetryInterval: Duration = .seconds(30)

  public init() {}
}

/// A setting that no cache can have.
public struct TwoTierOptionsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which setting, what is wrong with it, and what it may be.
  public var description: String

  init(_ description: String) { self.description = description }
}
