import EvictionPolicies

/// What a two-tier cache keeps, for how long, and how it manages its files.
public struct TwoTierOptions: Hashable, Sendable {
  /// The representation of values in memory.
  public enum MemoryForm: String, Hashable, Sendable, CaseIterable {
    /// The value itself.
    case values
    /// The encoded bytes, decoded at every hit: for decoded values that are large.
    case bytes
  }

  /// The limit of the memory tier.
  public enum MemoryLimit: Hashable, Sendable {
    /// The maximum number of values.
    case entries(Int)
    /// The maximum bytes of the values' `data`, plus ``TwoTierOptions/entryOverhead`` for each.
    case bytes(Int)
  }

  /// The bytes counted for a value besides its data, so that a byte limit also bounds the number of empty
  /// values.
  public static let entryOverhead = 128

  public var memoryForm = MemoryForm.values
  public var memoryLimit = MemoryLimit.bytes(64 << 20)
  /// The eviction order of the memory tier: a name of the registry, optionally with an admission, as in
  /// `lru+tinylfu`.
  public var evictionOrder = "lru"
  /// How long memory serves a value without checking its file.
  ///
  /// Afterwards writes of other caches with the same identifier become visible. `nil`: forever, for a folder
  /// without other writers.
  public var memoryLifetime: Duration? = .seconds(60)

  /// The maximum age of a value; older ones are served by neither tier, and their files are cleaned up.
  ///
  /// The age counts from when the value was set. `nil`: unlimited.
  public var age: Duration? = .seconds(3600)
  /// The number of writes between clean-ups; `nil`: not by count.
  public var cleanUpWrites: Int? = 100
  /// The time between clean-ups, checked at each call; `nil`: not by time.
  public var cleanUpInterval: Duration?
  /// The maximum size of all files in bytes: above it the least recently used are removed, down to nine
  /// tenths.
  ///
  /// `nil`: no limit. With a limit, each read of a file updates its date.
  public var diskBytes: Int?

  /// Whether written values survive a power failure, not only the end of the process; each write then waits
  /// for the disk.
  public var synchronizesFiles = false
  /// The maximum size of a value in a file, in bytes.
  public var maximumValueBytes = 256 << 20
  /// The number of keys waiting to be written above which `set` waits.
  public var maximumPendingWrites = 256
  /// The interval after which a full disk is tried again.
  public var diskRetryInterval: Duration = .seconds(30)

  public init() {}
}

/// An invalid option.
public struct TwoTierOptionsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The option, what is wrong with it, and which values are valid.
  public var description: String

  init(_ description: String) { self.description = description }
}

extension TwoTierOptions {
  /// Returns the options' eviction order, after checking all of them.
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

/// A defect that a store has on request, to show that a search would find it.
///
/// In debug builds only: elsewhere no store has any.
package enum PlantedTwoTierDefect: String, Hashable, Sendable, CaseIterable {
  /// A value read from a file replaces one written meanwhile.
  case promotionOverWrite
  /// The end of a write discards a newer pending one of its key.
  case newerWriteForgotten
  /// The older file remains if the newer value could not be written.
  case failedWriteKeepsFile
  /// Memory serves a value above its maximum age.
  case ageForgottenInMemory
  /// Memory never checks a file again.
  case siblingUnseen
  /// A value that was evicted before it was written is read from its file.
  case unwrittenForgotten
  /// A damaged file is kept.
  case damageKept
  /// The files are not trimmed.
  case diskLimitIgnored
}

/// The counts of a two-tier cache since its creation.
public struct TwoTierStatistics: Hashable, Sendable {
  /// Reads answered from memory, including pending writes.
  public var memoryHits = 0
  /// Reads answered from a file.
  public var diskHits = 0
  public var misses = 0
  /// Values put in memory from a file.
  public var promotions = 0
  /// Values evicted from memory.
  public var evictions = 0

  /// Values that were set.
  public var writes = 0
  /// Files written: fewer than `writes` if values were set again before they were written.
  public var filesWritten = 0
  /// The bytes of these files, including headers.
  public var fileBytesWritten = 0
  /// Files that could not be written.
  public var failedWrites = 0
  /// Values above the maximum file size.
  public var tooLarge = 0

  public var cleanUps = 0
  /// Files removed by clean-ups for their age.
  public var agedFiles = 0
  /// Files removed by clean-ups for the size limit.
  public var trimmedFiles = 0
  /// Files with invalid contents, which were removed.
  public var corruptFiles = 0
  /// Files that could not be read at the time, and were left in place.
  public var unreadableFiles = 0

  /// The number of all reads.
  public var reads: Int { memoryHits + diskHits + misses }

  public init() {}
}

/// The state of a two-tier cache's files.
public enum TwoTierDisk: Hashable, Sendable {
  case available
  /// The disk is full: files are read, new values are in memory only, and the disk is tried again.
  case full
  /// The folder cannot be created or accessed: memory only, until a new cache is created.
  case unavailable
}
