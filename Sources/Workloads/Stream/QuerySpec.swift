package import CacheModel

/// A query as sessions ask it.
package struct QuerySpec: Sendable, Hashable {
  package var kind: QueryKind
  /// The object that it is about, as a directory, album or tag; the letters typed for a search as a
  /// left-aligned `LetterCode`; 0 where neither.
  package var subject: UInt64
  /// The letters of a search prefix; 0 otherwise.
  package var prefixLength: UInt8
  /// The most rows in the result.
  package var limit: UInt32
  /// The state of an object behind which the rows begin, as a cursor; ``Revision/noObject``: the first.
  package var after = Revision.noObject

  package init(
    kind: QueryKind, subject: UInt64, prefixLength: UInt8 = 0, limit: UInt32,
    after: UInt32 = Revision.noObject
  ) {
    self.after = after
    self.kind = kind
    self.subject = subject
    self.prefixLength = prefixLength
    self.limit = limit
  }

  /// The directory whose content it lists; `nil` for the other kinds.
  var directory: UInt32? { kind == .directory ? UInt32(exactly: subject) : nil }

  /// The codes of the names that a search lists.
  package var nameRange: Range<UInt64> {
    LetterCode.range(ofPrefix: subject, letters: Int(prefixLength))
  }
}

/// A form of query, by its number in the workload's ``DataModel``; that of its method is the same.
///
/// Those that are named here are the library of files'.
package struct QueryKind: Sendable, Hashable {
  package let rawValue: UInt16

  init(number: UInt16) { rawValue = number }

  /// The kind of a method's number; `nil` for one that no model has.
  package init?(rawValue: UInt16) {
    guard (1...UInt16(DataModel.maximumShapes)).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  /// The files and directories in a directory, by name, then key.
  package static let directory = QueryKind(number: 1)
  /// The files most recently modified, latest first, then key.
  package static let recents = QueryKind(number: 2)
  /// All media files of the library, latest first, then key.
  package static let media = QueryKind(number: 3)
  /// The files in an album, by name, then key.
  package static let album = QueryKind(number: 4)
  /// The files that carry a tag, by name, then key.
  package static let tag = QueryKind(number: 5)
  /// All albums, by name, then key.
  package static let albumList = QueryKind(number: 6)
  /// All tags, by name, then key.
  package static let tagList = QueryKind(number: 7)
  /// The files whose name begins with a prefix, by name, then key.
  package static let search = QueryKind(number: 8)

  /// Those of the library of files, in the order of their numbers.
  package static let allCases = [
    directory, recents, media, album, tag, albumList, tagList, search,
  ]

  /// The method's name in scenarios and recordings of the library of files.
  package var methodName: String {
    DataModel.fileLibrary.shape(of: self)?.name ?? "\(rawValue)"
  }

  /// Whether a query of the library of files is about one directory, album or tag.
  var hasSubject: Bool { DataModel.fileLibrary.shape(of: self)?.hasSubject ?? false }

  package var method: QueryMethod { QueryMethod(rawValue: rawValue) }
}
