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
