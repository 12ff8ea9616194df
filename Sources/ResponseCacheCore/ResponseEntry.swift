package import CacheFiles
package import CacheModel

/// The kind of a body, by its content type.
public enum ResponseKind: String, Hashable, Sendable, CaseIterable {
  case json
  case jpeg
  case png
  /// Anything else.
  case binary

  package var fileExtension: String { self == .binary ? "bin" : rawValue }

  package init?(fileExtension: String) {
    self = .binary
    guard let kind = Self.allCases.first(where: { $0.fileExtension == fileExtension }) else {
      return nil
    }
    self = kind
  }

  package init(contentType: String?) {
    let type = (contentType ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
    switch type {
    case "image/jpeg", "image/jpg": self = .jpeg
    case "image/png": self = .png
    case "application/json", "text/json": self = .json
    default: self = type.hasSuffix("+json") ? .json : .binary
    }
  }
}

/// The SHA-256 digest of a body.
package struct BodyDigest: Hashable, Sendable {
  package var words: [UInt64]

  package init(words: [UInt64]) { self.words = words }
}

/// A condition for a request (RFC 9111, section 4.3.1).
package indirect enum ResponseCondition: Hashable, Sendable {
  case etag(String)
  /// The date as the server sent it.
  case lastModified(String)
}

package struct BodyVersion: Hashable, Sendable {
  package var kind: ResponseKind
  /// When it may be used without validation, apart from its age.
  package var permission: ResponsePermission
  /// The server's status: 200, or that of a redirect.
  package var status: UInt16
  package var bytes: Int
  /// `nil`: found without a manifest, so unknown.
  package var digest: BodyDigest?
  package var etag: String?
  /// The time at which the server generated it, computed from its age: it is fresh from then on.
  package var generatedAt: Instant
  /// The time from which it is stale.
  package var staleAt: Instant
  package var header: KeptHeader

  package init(
    kind: ResponseKind, bytes: Int, digest: BodyDigest?, etag: String?, generatedAt: Instant,
    staleAt: Instant, permission: ResponsePermission = .always, status: UInt16 = 200,
    header: KeptHeader = .none
  ) {
    self.kind = kind
    self.permission = permission
    self.status = status
    self.bytes = bytes
    self.digest = digest
    self.etag = etag
    self.generatedAt = generatedAt
    self.staleAt = staleAt
    self.header = header
  }

  /// The total freshness lifetime, by the server.
  package var lifetime: Duration { generatedAt.duration(to: staleAt) }

  /// Returns whether it is fresh; `false` if the clock has been set back to before it was generated.
  package func isFresh(at now: Instant) -> Bool { generatedAt <= now && now < staleAt }

  /// Returns whether it may be used without validation.
  package func isUsable(at now: Instant) -> Bool {
    permission != .afterAsking && isFresh(at: now)
  }

  /// Returns whether it may be used if no server answers, fresh or not.
  package func isUsableUnanswered(at now: Instant) -> Bool {
    permission == .always || isUsable(at: now)
  }

  package func age(at now: Instant) -> Duration { generatedAt.duration(to: now) }

  package var condition: ResponseCondition? {
    etag.map { .etag($0) } ?? header.lastModified.map { .lastModified($0) }
  }
}

package struct ManifestEntry<Key: ResponseKey>: Hashable, Sendable {
  package var key: Key
  /// The tags in order, without duplicates.
  package var tags: [TextKey]
  package var lastRead: Instant
  /// The body in the file; while it is being replaced, also the new one, which comes first.
  package var versions: [BodyVersion]

  package init(key: Key, tags: [TextKey], lastRead: Instant, versions: [BodyVersion]) {
    self.key = key
    self.tags = tags
    self.lastRead = lastRead
    self.versions = versions
  }
}

/// A download: an issue, or a single article.
package struct DownloadRecord: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    case downloading
    case downloaded
    case removing
  }

  /// The name, which is also its tag.
  package var id: TextKey
  package var url: String
  package var state: State
  /// The number of entries, once it is complete.
  package var entries: Int
}

/// All metadata, as it is written and read.
package struct Manifest<Key: ResponseKey>: Hashable, Sendable {
  package var entries: [ManifestEntry<Key>]
  package var downloads: [DownloadRecord]

  package init(entries: [ManifestEntry<Key>] = [], downloads: [DownloadRecord] = []) {
    self.entries = entries
    self.downloads = downloads
  }
}

package struct FoundBody<Key: ResponseKey>: Hashable, Sendable {
  package var key: Key
  package var kind: ResponseKind
  package var bytes: Int
  /// The time of the last read, by the file's date.
  package var used: Instant

  package init(key: Key, kind: ResponseKind, bytes: Int, used: Instant) {
    self.key = key
    self.kind = kind
    self.bytes = bytes
    self.used = used
  }
}

struct StoredEntry<Key: ResponseKey, Body: Sendable>: Sendable {
  /// A body to be written to its file.
  struct Pending: Sendable {
    var version: BodyVersion
    var body: Body
    /// The change that brought it: once that is written, a launch can distinguish the new body from the old.
    var change: UInt64
  }

  var key: Key
  var tags: [TextKey] = []
  var lastRead: Instant
  var onDisk: BodyVersion?
  /// Other possible contents: the process ended while a body of the same size was replaced.
  var alternatives: [BodyVersion] = []
  var pending: Pending?
  /// A number that changes each time the key is stored again.
  let origin: UInt64
  /// A number that changes with each body.
  var number: UInt64
  /// The change that created it; 0: it was there at launch.
  var created: UInt64 = 0
  var change: UInt64 = 0
  /// The last change of the tags, or of the file's body.
  var promised: UInt64 = 0

  var current: BodyVersion? { pending?.version ?? onDisk }

  /// All bodies that its file may contain now.
  var fileVersions: [BodyVersion] { (onDisk.map { [$0] } ?? []) + alternatives }

  /// All that it may hold before long.
  var versions: [BodyVersion] {
    if let onDisk, pending == nil, alternatives.isEmpty { return [onDisk] }
    var versions = alternatives
    if let onDisk { versions.insert(onDisk, at: 0) }
    if let pending { versions.append(pending.version) }
    return versions
  }

  init(key: Key, lastRead: Instant, number: UInt64) {
    self.key = key
    self.lastRead = lastRead
    origin = number
    self.number = number
  }

  /// Requires validation before any of its bodies is used again.
  mutating func forbidUse() {
    onDisk?.permission = .afterAsking
    pending?.version.permission = .afterAsking
    for index in alternatives.indices { alternatives[index].permission = .afterAsking }
  }

  mutating func add(_ tag: TextKey) -> Bool {
    let place = tags.firstIndex { $0 >= tag } ?? tags.endIndex
    guard place == tags.endIndex || tags[place] != tag else { return false }
    tags.insert(tag, at: place)
    return true
  }

  mutating func remove(_ tag: TextKey) -> Bool {
    guard let place = tags.firstIndex(of: tag) else { return false }
    tags.remove(at: place)
    return true
  }
}

struct BodyFile<Key: ResponseKey>: Hashable, Sendable {
  var key: Key
  var kind: ResponseKind
}

/// A queue without duplicates, from which elements can be removed.
struct UniqueQueue<Element: Hashable & Sendable>: Sendable {
  private var queue: [Element] = []
  private var head = 0
  private var waiting: Set<Element> = []

  var count: Int { waiting.count }

  mutating func append(_ element: Element) {
    if waiting.insert(element).inserted { queue.append(element) }
  }

  mutating func remove(_ element: Element) { waiting.remove(element) }

  mutating func removeAll() { self = UniqueQueue() }

  /// Returns the first element without removing it.
  mutating func first() -> Element? {
    while head < queue.count, !waiting.contains(queue[head]) { head += 1 }
    guard head < queue.count else {
      removeAll()
      return nil
    }
    if head > 1_024 {
      queue.removeFirst(head)
      head = 0
    }
    return queue[head]
  }

  mutating func popFirst() -> Element? {
    guard let element = first() else { return nil }
    head += 1
    waiting.remove(element)
    return element
  }
}

/// An operation that a store requests from its shell; one at a time, in order.
package enum StoreOperation<Key: ResponseKey, Body: Sendable>: Sendable {
  /// Create and lock the folder, remove orphans, read the metadata, and list the files.
  case open
  case writeBody(Key, ResponseKind, Body)
  /// Delete a body's file; then its sidecar too, if the entry no longer exists.
  case deleteBody(Key, ResponseKind, isForgotten: Bool)
  case writeManifest(Manifest<Key>)
  /// Write the metadata of some entries, one file each, after the downloads if given.
  case writeSidecars([ManifestEntry<Key>], downloads: [DownloadRecord]?)
}

package enum StoreResult<Key: ResponseKey>: Sendable {
  case done
  /// - manifest: `nil`: there is none, or it is unusable.
  case opened(Manifest<Key>?, isDamaged: Bool, bodies: [FoundBody<Key>])
  /// Another cache uses the folder.
  case inUse
  case failed(FileFailure)
}

/// Whether fetched bodies are stored.
public enum ResponseDisk: Hashable, Sendable {
  /// The folder is being opened.
  case opening
  case available
  /// There is no space; each write is attempted nevertheless.
  case full
  /// Another cache uses the folder: nothing is read or stored.
  case inUse
  /// The folder cannot be created or accessed: nothing is stored until a new cache is created.
  case unavailable
}

package enum ResponseNotice<Key: ResponseKey>: Sendable {
  case inUse
  case unavailable(FileFailure)
  case diskFull(FileFailure)
  case damagedManifest
  case damaged(Key)
  case notWritten(Key, FileFailure)
  case metadataNotWritten(FileFailure)
  /// The repairs made at launch.
  case reconciled(orphans: Int, missing: Int, rebuilt: Int)
  case swept(Int)
}
