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
