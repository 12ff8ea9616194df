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

  /// - Parameter contentType: the field of that name, with or without parameters.
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
