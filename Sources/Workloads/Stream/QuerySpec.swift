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

  /// The codes of the names that a search lists.
  package var nameRange: Range<UInt64> {
    LetterCode.range(ofPrefix: subject, letters: Int(prefixLength))
  }
}

/// A form of query, by its number in the workload's ``DataModel``; that of its method is the same.
package struct QueryKind: Sendable, Hashable {
  package let rawValue: UInt16

  init(number: UInt16) { rawValue = number }

  /// The kind of a method's number; `nil` for one that no model has.
  package init?(rawValue: UInt16) {
    guard (1...UInt16(DataModel.maximumShapes)).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  package var method: QueryMethod { QueryMethod(rawValue: rawValue) }
}
