import EvictionPolicies

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

extension TwoTierOptions {
  /// The eviction order that the options name.
  func checked() throws(TwoTierOptionsError) -> EvictionPolicyDescriptor {
    guard let order = EvictionPolicies.named(evictionOrder), !order.needsFuture else {
      let known = EvictionPolicies.forCaches.map(\.name).joined(separator: ", ")
      throw TwoTierOptionsError(
        "evictionOrder: no cache can evict by \"\(evictionOrder.prefix(64))\"; one of \(known)")
    }
    let limit =
      switch memoryLimit {
      case .entries(let entries): entries
      case .bytes(let bytes): bytes
      }
    try Self.check("memoryLimit", limit, atLeast: 0)
    try Self.check("cleanUpWrites", cleanUpWrites, atLeast: 1)
    try Self.check("diskBytes", diskBytes, atLeast: 0)
    try Self.check("maximumValueBytes", maximumValueBytes, atLeast: 0)
    try Self.check("maximumPendingWrites", maximumPendingWrites, atLeast: 1)
    try Self.check("memoryLifetime", memoryLifetime)
    try Self.check("age", age)
    try Self.check("cleanUpInterval", cleanUpInterval)
    try Self.check("diskRetryInterval", diskRetryInterval)
    return order
  }

  private static func check(
    _ name: String, _ number: Int?, atLeast minimum: Int
  ) throws(TwoTierOptionsError) {
    guard let number, number < minimum else { return }
    throw TwoTierOptionsError("\(name): \(number) is too small; at least \(minimum)")
  }

  private static func check(_ name: String, _ duration: Duration?) throws(TwoTierOptionsError) {
    guard let duration, duration < .zero else { return }
    throw TwoTierOptionsError("\(name): \(duration) is negative; at least zero")
  }
}

/// A defect that a store has on request, so that a search can show that it would be found.
///
/// In debug builds only: elsewhere no store has any.
package enum PlantedTwoTierDefect: String, Hashable, Sendable, CaseIterable {
  /// What was read takes the place of what was written meanwhile.
  case promotionOverWrite
  /// The end of a write takes the newer one of its key along.
  case newerWriteForgotten
  /// The older file stays where the newer value could not be written.
  case failedWriteKeepsFile
  /// Memory serves a value past its age.
  case ageForgottenInMemory
  /// Memory never looks at a file again.
  case siblingUnseen
  /// What was evicted before it was written is looked for in its file.
  case unwrittenForgotten
  /// A damaged file stays.
  case damageKept
  /// The files are not trimmed.
  case diskLimitIgnored
}

/// What a two-tier cache has done since it was made.
public struct TwoTierStatistics: Hashable, Sendable {
  /// Reads that memory answered, of what waited to be written too.
  public var memoryHits = 0
  /// Reads that a file answered.
  public var diskHits = 0
  public var misses = 0
  /// Values that came from a file into memory.
  public var promotions = 0
  /// Values that left memory to make space.
  public var evictions = 0

  /// Values that were set.
  public var writes = 0
  /// Files that were written: fewer than `writes` where a value was set again before it was.
  public var filesWritten = 0
  /// Their bytes, with what stands before the values.
  public var fileBytesWritten = 0
  /// Files that could not be written.
  public var failedWrites = 0
  /// Values that were larger than a file may be.
  public var tooLarge = 0

  public var cleanUps = 0
  /// Files that clean-ups removed for their age.
  public var agedFiles = 0
  /// Files that they removed for the limit on bytes.
  public var trimmedFiles = 0
  /// Files that could be read but not understood, and were removed.
  public var corruptFiles = 0
  /// Files that could not be read this time, and were left alone.
  public var unreadableFiles = 0

  /// All that was asked for.
  public var reads: Int { memoryHits + diskHits + misses }

  public init() {}
}

/// Whether a two-tier cache has files.
public enum TwoTierDisk: Hashable, Sendable {
  case available
  /// There is no space: files are read, what is set is in memory only, and the disk is tried again.
  case full
  /// There is no folder, or no right to it: memory only, until the cache is made again.
  case unavailable
}
