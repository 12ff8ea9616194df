import EvictionPolicies

/// What a response cache keeps, for how long, and how it cares for its files.
public struct ResponseOptions: Hashable, Sendable {
  /// Where what is known of entries is written.
  public enum MetadataLayout: String, Hashable, Sendable, CaseIterable {
    /// One file for all: read at once at the start, written whole at every flush.
    case manifest
    /// A file beside each body: a flush writes those of the entries that changed.
    case sidecars
  }

  /// What may go wrong with a request, for which a stale body is better than none.
  public enum Fault: String, Hashable, Sendable, CaseIterable {
    /// The server answers with a status from 500 on.
    case serverError
    /// The server does not answer in time.
    case timeOut
    /// The connection fails, or what comes over it cannot be right.
    case transport
  }

  /// What becomes of a download that a start finds unfinished.
  public enum UnfinishedDownloads: String, Hashable, Sendable, CaseIterable {
    /// It goes on when a ``DownloadManager`` is made.
    case resume
    /// Its tag is removed from what was fetched.
    case giveUp
  }

  /// How many entries without a tag a sweep leaves.
  public var maximumEntries = 200
  /// How many bodies are held in memory.
  public var memoryEntries = 20
  /// How many bytes memory may take: bodies, each as one piece of memory, and all tables.
  ///
  /// `nil`: no limit, but for the number of bodies. Tables take about 1 kB for an entry; above the limit bodies leave.
  public var memoryBytes: Int?
  /// How many bytes all bodies may take in files, tagged ones included, with ``entryOverhead`` for each entry.
  ///
  /// `nil`: no limit, but for the number of entries. Above, entries without a tag leave before anything more is written;
  /// what has a tag stays, even where that alone is above.
  public var diskBytes: Int?
  /// What an entry counts for besides the bytes of its body: what is written of it.
  public static let entryOverhead = 384
  /// The order in which entries without a tag leave, and bodies leave memory: a name of the
  /// registry; `lru`: least recently read first.
  public var evictionOrder = "lru"

  public var metadataLayout = MetadataLayout.manifest
  /// After how long a change of what is known of entries is written; changes of tags are at once.
  public var flushInterval: Duration = .seconds(10)
  /// After how long entries are swept again; `nil`: at the start, and where the app says so.
  public var sweepInterval: Duration? = .seconds(60)

  /// What a stale body is served after; it is marked as stale then.
  public var servesStaleAfter: Set<Fault> = [.serverError]
  public var unfinishedDownloads = UnfinishedDownloads.resume

  /// The largest body, in bytes, that is accepted from a server.
  public var maximumBodyBytes = 32 << 20
  /// How many tags an entry may have.
  public static let maximumTags = 64
  /// How many bytes a tag may have in UTF-8; the names of downloads are tags.
  public static let maximumTagBytes = 256

  public init() {}
}

/// A setting that no cache can have.
public struct ResponseOptionsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which setting, what is wrong with it, and what it may be.
  public var description: String

  init(_ description: String) { self.description = description }
}

extension ResponseOptions {
  /// The eviction order that the options name.
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

  /// An interval of no length would have the shell do the same again and again.
  private static func check(_ name: String, _ interval: Duration?) throws(ResponseOptionsError) {
    guard let interval, interval < .milliseconds(1) else { return }
    throw ResponseOptionsError("\(name): \(interval) is too short; at least a millisecond")
  }
}

/// What a response cache has done since it was made.
public struct ResponseStatistics: Hashable, Sendable {
  /// Fetches of what may be stored, however they ended, but for those that another's request answered.
  public var fetches = 0
  /// Fetches that joined another of the same URL.
  public var joined = 0
  /// Fetches that memory answered without a request.
  public var memoryHits = 0
  /// Fetches that a file answered without a request.
  public var diskHits = 0
  /// Of both, those that were answered because no server could be reached.
  public var offlineHits = 0
  /// Requests to servers for what may be stored.
  public var requests = 0
  /// Answers that said that the stored body is the present one.
  public var revalidations = 0
  /// Stale bodies that were served since the server failed.
  public var staleServed = 0
  /// Fetches that ended in an error.
  public var failures = 0

  /// Bodies that were written to files, and their bytes.
  public var bodiesWritten = 0
  public var bodyBytesWritten = 0
  /// Flushes of what is known of entries, and the entries that they wrote.
  public var flushes = 0
  public var entriesFlushed = 0
  /// What could not be written.
  public var failedWrites = 0

  public var sweeps = 0
  /// Entries that sweeps removed.
  public var sweptEntries = 0
  /// Entries that had to leave for the limit on bytes in files.
  public var evictedEntries = 0
  /// Bodies that were not what was written, and were removed.
  public var damagedBodies = 0

  public init() {}
}

/// A defect that a store has on request, so that a search can show that it would be found.
///
/// In debug builds only: elsewhere no store has any.
package enum PlantedResponseDefect: String, Hashable, Sendable, CaseIterable {
  /// A fetch on its way brings back a tag that was removed.
  case tagOutlivesRemoval
  /// A body that is stored again is deleted by what was decided about the one before.
  case deletionsBlind
  /// A tagged body is replaced before what is written tells of the new one.
  case replacementUntold
  /// A tag counts as kept as soon as memory has it.
  case keptInMemory
  /// A sweep takes what has a tag.
  case tagNotHeld
  /// That a body is the present one is believed of another than was asked about.
  case confirmsAnyBody
  /// The order of use is not written.
  case readsForgotten
  /// What was on its way when everything was removed is stored.
  case clearedComesBack
  /// Unknown files stay.
  case orphansStay
  /// A body is served that is not what was written.
  case damageServed
  /// What is written of entries counts for nothing in the limit on bytes.
  case metadataUncounted
  /// An answer counts its lifetime from when it arrived.
  case ageIgnored
  /// A 304 allows what it does not forbid.
  case permissionForgotten
  /// A body is served to a request that it is no answer to.
  case selectionIgnored
  /// What a request may have changed is served without asking.
  case invalidationForgotten
}
