package import CacheModel

/// A query as sessions ask it.
package struct QuerySpec: Sendable, Hashable {
  package var kind: QueryKind
  /// The directory, album or tag object; the name prefix of a search as a left-aligned `LetterCode`;
  /// 0 where neither.
  package var subject: UInt64
  /// The letters of a search prefix; 0 otherwise.
  package var prefixLength: UInt8
  /// The most rows in the result.
  package var limit: UInt32
  /// What its rows are ordered by; `nil`: what the kind says.
  package var order: ListOrder?

  package init(
    kind: QueryKind, subject: UInt64, prefixLength: UInt8 = 0, limit: UInt32,
    order: ListOrder? = nil
  ) {
    self.kind = kind
    self.subject = subject
    self.prefixLength = prefixLength
    self.limit = limit
    self.order = order
  }

  /// A search of fewer than three letters is answered by the server every time.
  package var isCacheable: Bool { kind != .search || prefixLength >= 3 }

  /// Whether it lists what is in one directory, album or tag.
  package var hasSubject: Bool { kind == .directory || kind == .album || kind == .tag }

  /// The directory whose content it lists; `nil` for the other kinds.
  var directory: UInt32? { kind == .directory ? UInt32(exactly: subject) : nil }

  /// The codes of the names that a search lists.
  package var nameRange: Range<UInt64> {
    LetterCode.range(ofPrefix: subject, letters: Int(prefixLength))
  }
}

/// An order of rows that a query asks for in place of its kind's own.
///
/// The raw value is the word in recordings.
package enum ListOrder: String, Sendable, Hashable, CaseIterable {
  /// By name, then key.
  case name
  /// The latest modified first, then key.
  case modifiedDescending = "modified-descending"
  /// As an app's log shows the rows, and those alone: only with ``Truth/observed``.
  case asShown = "as-shown"
}

/// What a query lists, and in which order.
///
/// The raw value is the query's method number.
package enum QueryKind: UInt16, Sendable, Hashable, CaseIterable {
  /// The files and directories in a directory, by name, then key.
  case directory = 1
  /// The files most recently modified, latest first, then key.
  case recents
  /// All media files of the library, latest first, then key.
  case media
  /// The files in an album, by name, then key.
  case album
  /// The files that carry a tag, by name, then key.
  case tag
  /// All albums, by name, then key.
  case albumList
  /// All tags, by name, then key.
  case tagList
  /// The files whose name begins with a prefix, by name, then key.
  case search

  /// The method's name in scenarios and reports.
  package var methodName: String {
    switch self {
    case .directory: "files.directory"
    case .recents: "files.recents"
    case .media: "files.media"
    case .album: "albums.files"
    case .tag: "tags.files"
    case .albumList: "albums.list"
    case .tagList: "tags.list"
    case .search: "files.search"
    }
  }

  package var method: QueryMethod { QueryMethod(rawValue: rawValue) }

  /// The class under which reports add up reads.
  package var queryClass: QueryClass {
    switch self {
    case .directory, .recents, .media: .file
    case .album, .tag, .albumList, .tagList: .albumTag
    case .search: .search
    }
  }
}

package enum QueryClass: String, Sendable, Hashable, CaseIterable {
  case file
  case albumTag = "album-tag"
  case search
}
