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
  /// The labels (album and tag objects) of all revisions; a revision names a range of it.
  package var labels: [UInt32]
  /// Fields of declared types: a state's words lie from its ``valueStarts`` on, as many as its type has.
  ///
  /// Each word orders as its field does: numbers and times are ``OrderedWord/of(_:)``, texts letter codes,
  /// flags 0 or 1, references objects or `noObject`. A list of references is ``LabelRange`` of `labels`.
  package var values: [UInt64] = []
  /// By revision; empty where all fields lie in the revisions, as those of the library of files.
  package var valueStarts: [UInt32] = []

  package init(
    objects: [EntityKey], revisions: [Revision], initialCount: Int, labels: [UInt32]
  ) {
    self.objects = objects
    self.revisions = revisions
    self.initialCount = initialCount
    self.labels = labels
  }

  package func labels(of revision: Revision) -> ArraySlice<UInt32> {
    labels[labelRange(of: revision)]
  }

  /// Where the labels of a state lie: who looks at each in place copies no slice of them.
  package func labelRange(of revision: Revision) -> Range<Int> {
    Int(revision.labelStart)..<Int(revision.labelStart) + Int(revision.labelCount)
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

/// One state of one object.
package struct Revision: Hashable, Sendable, BitwiseCopyable {
  /// The object, as an index of `Catalog.objects`.
  package var object: UInt32
  package var version: Version
  /// The directory that holds it, as an object; `noObject` at the root.
  package var parent: UInt32
  /// The location (a tree of directories) that holds it, as an object; `noObject` for none.
  package var location: UInt32
  /// The name as up to twelve letters of five bits, first letter highest: order of numbers is order
  /// of names, and a prefix is a range.
  package var name: UInt64
  /// When the content last changed, in milliseconds of the run's own calendar (may be negative).
  package var modified: Int64
  /// Whether the file is an image or a film: what the media view lists.
  package var isMedia: Bool
  /// The size of the object as compact JSON, in bytes.
  package var bytes: Int32
  package var labelStart: UInt32
  package var labelCount: UInt32

  package static let noObject = UInt32.max

  package init(
    object: UInt32, version: Version, parent: UInt32, location: UInt32, name: UInt64,
    modified: Int64, isMedia: Bool, bytes: Int32, labelStart: UInt32, labelCount: UInt32
  ) {
    self.object = object
    self.version = version
    self.parent = parent
    self.location = location
    self.name = name
    self.modified = modified
    self.isMedia = isMedia
    self.bytes = bytes
    self.labelStart = labelStart
    self.labelCount = labelCount
  }
}
