public import EvictionPolicies

/// Which places of a table are not stored as they are: a mark per place, and a list of the marked.
///
/// Marking is O(1) and, after the first mark of a place, allocates nothing; while it is off it costs
/// one test.
@usableFromInline struct ChangeLog<Key: Sendable>: ~Copyable {
  @usableFromInline struct Marks: OptionSet, BitwiseCopyable, Sendable {
    @usableFromInline let rawValue: UInt8
    @inlinable init(rawValue: UInt8) {
      self.rawValue = rawValue
    }
    /// The value, or a query's state without its members.
    @inlinable static var value: Marks { Marks(rawValue: 1) }
    @inlinable static var members: Marks { Marks(rawValue: 2) }
    /// That it was read; this alone is no reason to write.
    @inlinable static var use: Marks { Marks(rawValue: 4) }
    /// The storage may know the key in this place.
    @inlinable static var stored: Marks { Marks(rawValue: 8) }
    /// The place is in the list.
    @inlinable static var listed: Marks { Marks(rawValue: 16) }
  }

  @usableFromInline struct Change: Sendable {
    @usableFromInline var place: Int32
    @usableFromInline var marks: Marks
    @inlinable init(place: Int32, marks: Marks) {
      self.place = place
      self.marks = marks
    }
  }

  @usableFromInline var isOn = false
  @usableFromInline var marks = Fixed<Marks>(repeating: [], count: 0)
  @usableFromInline var listed: [Int32] = []
  /// The most that were ever taken at once: the list keeps its room.
  @usableFromInline var mostTaken = 0
  /// How many of the listed have changed, and were not merely read.
  @usableFromInline var changed = 0
  /// Stored keys that are gone, in order; a key may be here twice, and may have come back.
  @usableFromInline var removed: [Key] = []
  /// Whether more was removed than is remembered.
  @usableFromInline var hasOverflowed = false

  @inlinable init() {}

  @inlinable var isEmpty: Bool { changed == 0 && removed.isEmpty && !hasOverflowed }
  @inlinable var count: Int { changed + removed.count }
  /// The most places that were ever listed at once.
  var mostListed: Int { max(mostTaken, listed.count) }

  /// Notes that what is in a place changed.
  @inlinable mutating func mark(_ place: Int32, _ added: Marks = .value) {
    guard isOn else { return }
    note(place, added)
  }

  @inlinable mutating func note(_ place: Int32, _ added: Marks) {
    marks.grow(toAtLeast: Int(place) + 1, filling: [])
    var its = marks[place]
    if its.isDisjoint(with: [.value, .members]), !added.isDisjoint(with: [.value, .members]) {
      changed += 1
    }
    if !its.contains(.listed) { listed.append(place) }
    its.formUnion(added)
    its.insert(.listed)
    marks[place] = its
  }

  /// Notes that a key has left its place, which another may take.
  @inlinable mutating func didFree(_ place: Int32, key: Key) {
    guard isOn, Int(place) < marks.count, marks[place].contains(.stored) else { return }
    marks[place].remove(.stored)
    remember(removed: key)
  }

  @inlinable mutating func remember(removed key: Key) {
    guard !hasOverflowed else { return }
    removed.append(key)
    guard removed.count > StoreLimits.removedKeys else { return }
    removed = []
    hasOverflowed = true
  }

  /// Notes that the storage has, or is about to have, the key in a place.
  @inlinable mutating func noteStored(_ place: Int32) {
    marks.grow(toAtLeast: Int(place) + 1, filling: [])
    marks[place].insert(.stored)
  }

  /// Hands over the places that have changed, and begins anew.
  @inlinable mutating func takeChanges() -> [Change] {
    var changes: [Change] = []
    changes.reserveCapacity(listed.count)
    for place in listed {
      changes.append(Change(place: place, marks: marks[place]))
      marks[place].formIntersection(.stored)
    }
    mostTaken = max(mostTaken, listed.count)
    listed.removeAll(keepingCapacity: true)
    changed = 0
    return changes
  }

  /// Hands over the keys that are gone, and begins anew.
  @inlinable mutating func takeRemoved() -> [Key] {
    hasOverflowed = false
    var taken: [Key] = []
    swap(&taken, &removed)
    return taken
  }

  /// Takes back what could not be written.
  @inlinable mutating func restore(_ changes: [Change], removed keys: [Key]) {
    for change in changes {
      note(change.place, change.marks.intersection([.value, .members, .use]))
    }
    for key in keys { remember(removed: key) }
  }
}
