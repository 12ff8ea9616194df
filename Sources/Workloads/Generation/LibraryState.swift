import CacheModel

/// The library while its history is being drawn: the state of every object at one instant, and the
/// catalog of all states so far.
///
/// Objects are dense numbers. Children of a directory form a doubly linked list in arrays, so that a
/// move costs O(1) and a deletion O(subtree).
struct LibraryState {
  static let none = Revision.noObject
  /// The time of the calendar at which a run begins, in milliseconds: ten years, so that files can
  /// be older than the run and versions still count from zero.
  static let calendarOrigin: Int64 = 315_360_000_000

  private(set) var keys: [EntityKey] = []
  private(set) var kinds: [EntityKind] = []
  private(set) var revisions: [Revision] = []
  private(set) var labels: [UInt32] = []
  /// The latest state of each object; `none` once it is deleted.
  private(set) var current: [UInt32] = []
  /// When an object came and went, in nanoseconds.
  private(set) var bornAt: [Int64] = []
  private(set) var goneAt: [Int64] = []

  private(set) var firstChild: [UInt32] = []
  private(set) var nextSibling: [UInt32] = []
  private var previousSibling: [UInt32] = []

  /// Every file that ever was, in order of creation; likewise the others.
  private(set) var files: [UInt32] = []
  private(set) var directories: [UInt32] = []
  private(set) var albums: [UInt32] = []
  private(set) var tags: [UInt32] = []
  private(set) var locations: [UInt32] = []

  mutating func reserve(objects: Int, revisions count: Int) {
    keys.reserveCapacity(objects)
    kinds.reserveCapacity(objects)
    current.reserveCapacity(objects)
    bornAt.reserveCapacity(objects)
    goneAt.reserveCapacity(objects)
    firstChild.reserveCapacity(objects)
    nextSibling.reserveCapacity(objects)
    previousSibling.reserveCapacity(objects)
    revisions.reserveCapacity(count)
  }

  func isAlive(_ object: UInt32) -> Bool { current[Int(object)] != Self.none }

  func isAlive(_ object: UInt32, at instant: Int64) -> Bool {
    bornAt[Int(object)] <= instant && instant < goneAt[Int(object)]
  }

  /// The latest state of a live object.
  func state(of object: UInt32) -> Revision { revisions[Int(current[Int(object)])] }

  func labels(of revision: Revision) -> ArraySlice<UInt32> {
    labels[Int(revision.labelStart)..<Int(revision.labelStart) + Int(revision.labelCount)]
  }

  /// Adds an object without a state; `record` gives it its first.
  mutating func addObject(_ kind: EntityKind, id: UniqueID, at instant: Int64) -> UInt32 {
    let object = UInt32(keys.count)
    keys.append(EntityKey(type: kind.resourceType, id: id))
    kinds.append(kind)
    current.append(Self.none)
    bornAt.append(instant)
    goneAt.append(.max)
    firstChild.append(Self.none)
    nextSibling.append(Self.none)
    previousSibling.append(Self.none)
    switch kind {
    case .file: files.append(object)
    case .directory: directories.append(object)
    case .album: albums.append(object)
    case .tag: tags.append(object)
    case .location: locations.append(object)
    }
    return object
  }

  /// Makes a state the latest of its object, and keeps the tree in step.
  ///
  /// - Returns: The number of the revision.
  mutating func record(_ revision: Revision) -> UInt32 {
    let object = Int(revision.object)
    let number = UInt32(revisions.count)
    let before = current[object]
    let oldParent = before == Self.none ? Self.none : revisions[Int(before)].parent
    revisions.append(revision)
    current[object] = number
    if oldParent != revision.parent {
      if oldParent != Self.none { unlink(revision.object, from: oldParent) }
      if revision.parent != Self.none { link(revision.object, into: revision.parent) }
    }
    return number
  }

  /// Stores a list of labels for a revision to name.
  mutating func store(labels list: [UInt32]) -> (start: UInt32, count: UInt32) {
    guard !list.isEmpty else { return (0, 0) }
    let start = UInt32(labels.count)
    labels.append(contentsOf: list)
    return (start, UInt32(list.count))
  }

  /// Removes an object and, for a directory, all that it holds.
  ///
  /// - Returns: The removed objects, the given one first.
  mutating func remove(_ object: UInt32, at instant: Int64) -> [UInt32] {
    let removed = subtree(of: object, limit: .max)
    let parent = state(of: object).parent
    if parent != Self.none { unlink(object, from: parent) }
    for gone in removed {
      current[Int(gone)] = Self.none
      goneAt[Int(gone)] = instant
    }
    return removed
  }

  /// A directory and all that it holds, parents before children; at most one more than `limit`.
  func subtree(of object: UInt32, limit: Int) -> [UInt32] {
    var found = [object]
    var next = 0
    while next < found.count, found.count <= limit {
      var child = firstChild[Int(found[next])]
      while child != Self.none, found.count <= limit {
        found.append(child)
        child = nextSibling[Int(child)]
      }
      next += 1
    }
    return found
  }

  /// A live file of a directory by a draw in 0..<1; `nil` if it has none, or is gone.
  ///
  /// O(children).
  func file(in directory: UInt32, at unit: Double) -> UInt32? {
    guard isAlive(directory) else { return nil }
    var files: [UInt32] = []
    var child = firstChild[Int(directory)]
    while child != Self.none {
      if kinds[Int(child)] == .file { files.append(child) }
      child = nextSibling[Int(child)]
    }
    return files.isEmpty ? nil : files[Int(unit * Double(files.count))]
  }

  private mutating func link(_ object: UInt32, into parent: UInt32) {
    let head = firstChild[Int(parent)]
    nextSibling[Int(object)] = head
    previousSibling[Int(object)] = Self.none
    if head != Self.none { previousSibling[Int(head)] = object }
    firstChild[Int(parent)] = object
  }

  private mutating func unlink(_ object: UInt32, from parent: UInt32) {
    let previous = previousSibling[Int(object)]
    let next = nextSibling[Int(object)]
    if previous == Self.none {
      firstChild[Int(parent)] = next
    } else {
      nextSibling[Int(previous)] = next
    }
    if next != Self.none { previousSibling[Int(next)] = previous }
  }
}
