package import CacheModel

/// Every object that exists during a run, and every state that it passes through.
///
/// Flat columns over dense indices: an object is a number, a state of it is a number, and the order
/// of revisions is the order in which the server commits them.
package struct Catalog: Hashable, Sendable {
  package var objects: [EntityKey]
  package var revisions: [Revision]
  /// The first `initialCount` revisions are the state at time zero, one for each object that exists
  /// then.
  package var initialCount: Int
  /// The objects that lists of references name; a word names a range of it.
  package var labels: [UInt32]
  /// The fields of all states: the words of one lie from its ``valueStarts`` on, as many as its type has.
  ///
  /// Each word orders as its field does: numbers and times are ``OrderedWord/of(_:)``, texts letter codes,
  /// flags 0 or 1, references objects or `noObject`. A list of references is ``LabelRange`` of `labels`.
  package var values: [UInt64] = []
  /// By revision.
  package var valueStarts: [UInt32] = []

  package init(
    objects: [EntityKey], revisions: [Revision], initialCount: Int, labels: [UInt32]
  ) {
    self.objects = objects
    self.revisions = revisions
    self.initialCount = initialCount
    self.labels = labels
  }
}

/// Whole numbers as words that order alike.
package enum OrderedWord {
  package static func of(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ (1 << 63) }
  package static func number(_ word: UInt64) -> Int64 { Int64(bitPattern: word ^ (1 << 63)) }
}

/// Where the references of a list lie in `Catalog.labels`, as one word.
package struct LabelRange: Hashable, Sendable {
  package var start: UInt32
  package var count: UInt32

  package init(start: UInt32, count: UInt32) {
    self.start = start
    self.count = count
  }

  package init(word: UInt64) {
    start = UInt32(truncatingIfNeeded: word >> 32)
    count = UInt32(truncatingIfNeeded: word)
  }

  package var word: UInt64 { UInt64(start) << 32 | UInt64(count) }
  package var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

/// One state of one object, without its fields.
package struct Revision: Hashable, Sendable, BitwiseCopyable {
  /// The object, as an index of `Catalog.objects`.
  package var object: UInt32
  package var version: Version
  /// The location (a tree of directories) that holds it, as an object; `noObject` for none.
  package var location: UInt32
  /// The size of the object as compact JSON, in bytes.
  package var bytes: Int32

  package static let noObject = UInt32.max

  package init(
    object: UInt32, version: Version, location: UInt32 = Self.noObject, bytes: Int32
  ) {
    self.object = object
    self.version = version
    self.location = location
    self.bytes = bytes
  }
}
