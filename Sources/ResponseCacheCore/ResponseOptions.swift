import EvictionPolicies

/// What a response cache keeps, for how long, and how it manages its files.
public struct ResponseOptions: Hashable, Sendable {
  /// Where metadata of entries is written.
  public enum MetadataLayout: String, Hashable, Sendable, CaseIterable {
    /// One file for all: read at launch, rewritten at every flush.
    case manifest
    /// A sidecar file for each body: a flush writes those of changed entries.
    case sidecars
  }

  /// Failures after which a stale body may be served.
  public enum Fault: String, Hashable, Sendable, CaseIterable {
    /// The server answers with a status of 500 or above.
    case serverError
    /// The server does not answer in time.
    case timeOut
    /// The connection fails, or the answer is malformed.
    case transport
  }

  /// What happens at launch to unfinished downloads.
  public enum UnfinishedDownloads: String, Hashable, Sendable, CaseIterable {
    /// It is resumed when a ``DownloadManager`` is created.
    case resume
    /// Its tag is removed from the fetched bodies.
    case giveUp
  }

  /// The maximum number of untagged entries after a sweep.
  public var maximumEntries = 200
  /// The maximum number of bodies in memory.
  public var memoryEntries = 20
  /// The maximum memory in bytes: bodies, each as one allocation, and all tables.
  ///
  /// `nil`: only the number of bodies is limited. Tables take about 1 kB per entry; above the limit bodies
  /// are evicted.
  public var memoryBytes: Int?
  /// The maximum size of all bodies in files, in bytes, including tagged ones, plus ``entryOverhead`` for
  /// each entry.
  ///
  /// `nil`: only the number of entries is limited. Above the limit, untagged entries are removed before
  /// anything more is written; tagged ones remain, even if they alone exceed it.
  public var diskBytes: Int?
  /// The bytes counted for the metadata of an entry.
  public static let entryOverhead = 384
  /// The eviction order of untagged entries and of bodies in memory: a name of the registry; `lru`: least
  /// recently read first.
  public var evictionOrder = "lru"

  public var metadataLayout = MetadataLayout.manifest
  /// The maximum delay before metadata is written; changes of tags are written at once.
  public var flushInterval: Duration = .seconds(10)
  /// The interval between sweeps; `nil`: at launch, and when the app requests it.
  public var sweepInterval: Duration? = .seconds(60)

  /// The failures after which a stale body is served; it is then marked as stale.
  public var servesStaleAfter: Set<Fault> = [.serverError]
  public var unfinishedDownloads = UnfinishedDownloads.resume

  /// The maximum size of a body from a server, in bytes.
  public var maximumBodyBytes = 32 << 20
  /// The maximum number of tags of an entry.
  public static let maximumTags = 64
  /// The maximum length of a tag, in bytes of UTF-8; names of downloads are tags.
  public static let maximumTagBytes = 256

  public init() {}
}

/// An invalid option.
public struct ResponseOptionsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The option, what is wrong with it, and which values are valid.
  public var description: String

  init(_ description: String) { self.description = description }
}

extension ResponseOptions {
  /// Returns the options' eviction order, after checking all of them.
  func checked() throws(ResponseOptionsError) -> EvictionPolicyDescriptor {
    guard let order = EvictionPolicies.named(evictionOrder), !order.needsFuture, order.isBounded
    else {
      let known = EvictionPolicies.forCaches.filter(\.isBounded).map(\.name)
      throw ResponseOptionsError(
        "evictionOrder: no cache can evict by \"\(evictionOrder.prefix(64))\"; one of "
          + known.joined(separator: ", "))
    }
    try Self.check("maximumEntries", maximumEntries)
    try Self.check("memoryEntries", memoryEntries)
    try Self.check("memoryBytes", memoryBytes ?? 0)
    try Self.check("diskBytes", diskBytes ?? 0)
    try Self.check("maximumBodyBytes", maximumBodyBytes)
    try Self.check("flushInterval", flushInterval)
    try Self.check("sweepInterval", sweepInterval)
    return order
  }

  private static func check(_ name: String, _ number: Int) throws(ResponseOptionsError) {
    guard number < 0 else { return }
    throw ResponseOptionsError("\(name): \(number) is too small; at least 0")
  }

  /// With a zero interval the shell would repeat the operation endlessly.
  private static func check(_ name: String, _ interval: Duration?) throws(ResponseOptionsError) {
    guard let interval, interval < .milliseconds(1) else { return }
    throw ResponseOptionsError("\(name): \(interval) is too short; at least a millisecond")
  }
}

/// The counts of a response cache since its creation.
public struct ResponseStatistics: Hashable, Sendable {
  /// Fetches of cacheable requests, whatever their result, except those answered by another's request.
  public var fetches = 0
  /// Fetches that joined another of the same URL.
  public var joined = 0
  /// Fetches answered from memory without a request.
  public var memoryHits = 0
  /// Fetches answered from a file without a request.
  public var diskHits = 0
  /// Of both, those answered because no server could be reached.
  public var offlineHits = 0
  /// Requests to servers for cacheable answers.
  public var requests = 0
  /// Answers that validated the stored body.
  public var revalidations = 0
  /// Stale bodies served because the server failed.
  public var staleServed = 0
  /// Fetches that ended with an error.
  public var failures = 0

  /// Bodies written to files, and their bytes.
  public var bodiesWritten = 0
  public var bodyBytesWritten = 0
  /// Flushes of metadata, and the entries that they wrote.
  public var flushes = 0
  public var entriesFlushed = 0
  /// Failed writes.
  public var failedWrites = 0

  public var sweeps = 0
  /// Entries removed by sweeps.
  public var sweptEntries = 0
  /// Entries removed because of the limit on bytes in files.
  public var evictedEntries = 0
  /// Bodies that differed from what was written, and were removed.
  public var damagedBodies = 0

  public init() {}
}

/// A defect that a store has on request, to show that a search would find it.
///
/// In debug builds only: elsewhere no store has any.
package enum PlantedResponseDefect: String, Hashable, Sendable, CaseIterable {
  /// A fetch in flight restores a removed tag.
  case tagOutlivesRemoval
  /// A body that is stored again is deleted because of a decision about the previous one.
  case deletionsBlind
  /// A tagged body is replaced before the metadata contains the new one.
  case replacementUntold
  /// A tag counts as stored as soon as it is in memory.
  case keptInMemory
  /// A sweep removes tagged entries.
  case tagNotHeld
  /// "Not modified" is applied to a different body than the one in the condition.
  case confirmsAnyBody
  /// The order of use is not written.
  case readsForgotten
  /// A fetch in flight when everything was removed is stored.
  case clearedComesBack
  /// Unknown files are kept.
  case orphansStay
  /// A damaged body is served.
  case damageServed
  /// Metadata does not count towards the limit on bytes.
  case metadataUncounted
  /// An answer's lifetime counts from its arrival.
  case ageIgnored
  /// A 304 permits what it does not forbid.
  case permissionForgotten
  /// A body is served to a request that it does not match.
  case selectionIgnored
  /// A body that a request may have changed is served without validation.
  case invalidationForgotten
}
