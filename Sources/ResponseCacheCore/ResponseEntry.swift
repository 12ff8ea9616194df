package import CacheFiles
package import CacheModel

/// What a body is, told by the type of its content.
public enum ResponseKind: String, Hashable, Sendable, CaseIterable {
  case json
  case jpeg
  case png
  /// Anything else.
  case binary

  /// What the names of its files end in.
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

/// SHA-256 of a body.
package struct BodyDigest: Hashable, Sendable {
  package var words: [UInt64]

  package init(words: [UInt64]) { self.words = words }
}

/// What the server is asked to compare with (RFC 9111, section 4.3.1).
package indirect enum ResponseCondition: Hashable, Sendable {
  case etag(String)
  /// In the words of the server.
  case lastModified(String)
}

/// One body of an entry, and what the server said of it.
package struct BodyVersion: Hashable, Sendable {
  package var kind: ResponseKind
  /// When it may be used without asking, whatever its age.
  package var permission: ResponsePermission
  /// The server's word for it: 200, or that of a redirect.
  package var status: UInt16
  package var bytes: Int
  /// `nil`: found without a manifest, so not known.
  package var digest: BodyDigest?
  package var etag: String?
  /// When the server made it, as its age tells: it is fresh from then on.
  package var generatedAt: Instant
  /// From when on it is stale.
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

  /// How long it is fresh in all, as the server said.
  package var lifetime: Duration { generatedAt.duration(to: staleAt) }

  /// Whether it is young enough; not where the clock has been set back behind what made it fresh.
  package func isFresh(at now: Instant) -> Bool { generatedAt <= now && now < staleAt }

  /// Whether it may be used without asking.
  package func isUsable(at now: Instant) -> Bool {
    permission != .afterAsking && isFresh(at: now)
  }

  /// Whether it may be used where no server answers, fresh or not.
  package func isUsableUnanswered(at now: Instant) -> Bool {
    permission == .always || isUsable(at: now)
  }

  package func age(at now: Instant) -> Duration { generatedAt.duration(to: now) }

  /// What the server is asked to compare with.
  package var condition: ResponseCondition? {
    etag.map { .etag($0) } ?? header.lastModified.map { .lastModified($0) }
  }
}

/// What is written of an entry.
package struct ManifestEntry<Key: ResponseKey>: Hashable, Sendable {
  package var key: Key
  /// In order, each once.
  package var tags: [TextKey]
  package var lastRead: Instant
  /// The body in the file; before it, while that is being replaced, the one that is on its way.
  package var versions: [BodyVersion]

  package init(key: Key, tags: [TextKey], lastRead: Instant, versions: [BodyVersion]) {
    self.key = key
    self.tags = tags
    self.lastRead = lastRead
    self.versions = versions
  }
}

/// A download: an issue, or an article that is kept by itself.
package struct DownloadRecord: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    case downloading
    case downloaded
    /// Its tag is being removed.
    case removing
  }

  /// Its tag, too.
  package var id: TextKey
  package var url: String
  package var state: State
  /// How many entries it has, once it is downloaded.
  package var entries: Int

  package init(id: TextKey, url: String, state: State, entries: Int) {
    self.id = id
    self.url = url
    self.state = state
    self.entries = entries
  }
}

/// All that is known, as it is written and read.
package struct Manifest<Key: ResponseKey>: Hashable, Sendable {
  package var entries: [ManifestEntry<Key>]
  package var downloads: [DownloadRecord]

  package init(entries: [ManifestEntry<Key>] = [], downloads: [DownloadRecord] = []) {
    self.entries = entries
    self.downloads = downloads
  }
}

/// A body's file, as the start finds it.
package struct FoundBody<Key: ResponseKey>: Hashable, Sendable {
  package var key: Key
  package var kind: ResponseKind
  package var bytes: Int
  /// When it was last read, as far as its date tells.
  package var used: Instant

  package init(key: Key, kind: ResponseKind, bytes: Int, used: Instant) {
    self.key = key
    self.kind = kind
    self.bytes = bytes
    self.used = used
  }
}

/// What a store knows of an entry.
struct StoredEntry<Key: ResponseKey, Body: Sendable>: Sendable {
  /// A body on its way to its file.
  struct Pending: Sendable {
    var version: BodyVersion
    var body: Body
    /// The change that brought it: once that is written, the start can tell the new body from the old.
    var change: UInt64
  }

  var key: Key
  var tags: [TextKey] = []
  var lastRead: Instant
  /// What its file holds.
  var onDisk: BodyVersion?
  /// What it may hold instead: the process ended while a body of the same size was replaced.
  var alternatives: [BodyVersion] = []
  var pending: Pending?
  /// Another for each time that its key was stored again.
  let origin: UInt64
  /// Another for each body that it has had.
  var number: UInt64
  /// The change that brought it; 0: it was there at the start.
  var created: UInt64 = 0
  /// The last change of anything.
  var change: UInt64 = 0
  /// The last change of the tags, or of the file's body.
  var promised: UInt64 = 0

  /// The body that is served.
  var current: BodyVersion? { pending?.version ?? onDisk }

  /// All that its file may hold now.
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

  /// Has the server asked before any of its bodies is used again.
  mutating func forbidUse() {
    onDisk?.permission = .afterAsking
    pending?.version.permission = .afterAsking
    for index in alternatives.indices { alternatives[index].permission = .afterAsking }
  }

  /// - Returns: whether it had not been there.
  mutating func add(_ tag: TextKey) -> Bool {
    let place = tags.firstIndex { $0 >= tag } ?? tags.endIndex
    guard place == tags.endIndex || tags[place] != tag else { return false }
    tags.insert(tag, at: place)
    return true
  }

  /// - Returns: whether it had been there.
  mutating func remove(_ tag: TextKey) -> Bool {
    guard let place = tags.firstIndex(of: tag) else { return false }
    tags.remove(at: place)
    return true
  }
}

/// The file of a body.
struct BodyFile<Key: ResponseKey>: Hashable, Sendable {
  var key: Key
  var kind: ResponseKind
}

/// A queue in which each thing waits once, and from which it may be taken.
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

  /// The first; it stays.
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

/// What a store asks of its shell; one at a time, in order.
package enum StoreOperation<Key: ResponseKey, Body: Sendable>: Sendable {
  /// Make the folder and lock it, remove orphans, read what was written of entries, and list the files.
  case open
  /// Write a body, whole or not at all, and so that it lasts.
  case writeBody(Key, ResponseKind, Body)
  /// Remove a body's file; and then the one beside it, if nothing is known of the entry any more.
  case deleteBody(Key, ResponseKind, isForgotten: Bool)
  /// Write all that is known.
  case writeManifest(Manifest<Key>)
  /// Write what is known of some entries, each to a file of its own, after the downloads if there are any.
  case writeSidecars([ManifestEntry<Key>], downloads: [DownloadRecord]?)
}

/// What came of it.
package enum StoreResult<Key: ResponseKey>: Sendable {
  case done
  /// - manifest: `nil`: there is none, or nothing can be made of it.
  case opened(Manifest<Key>?, isDamaged: Bool, bodies: [FoundBody<Key>])
  /// Another cache has the folder.
  case inUse
  case failed(FileFailure)
}

/// Whether what is fetched is stored.
public enum ResponseDisk: Hashable, Sendable {
  /// The folder is being opened.
  case opening
  case available
  /// There is no space; each write is tried nevertheless.
  case full
  /// Another cache uses the folder: nothing is read from it and nothing stored.
  case inUse
  /// There is no folder, or no right to it: nothing is stored, until the cache is made again.
  case unavailable
}

/// What an app's developer wants to know, said as it happens.
package enum ResponseNotice<Key: ResponseKey>: Sendable {
  case inUse
  case unavailable(FileFailure)
  case diskFull(FileFailure)
  case damagedManifest
  case damaged(Key)
  case notWritten(Key, FileFailure)
  case metadataNotWritten(FileFailure)
  /// What the start put right.
  case reconciled(orphans: Int, missing: Int, rebuilt: Int)
  case swept(Int)
}
