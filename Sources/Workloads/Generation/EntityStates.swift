import CacheModel

/// The data of an app while its history is generated: the state of every entity at one instant, and the
/// catalog of all states so far.
///
/// Objects are dense numbers; a state's fields are words (``Catalog/values``).
struct EntityStates {
  static let none = Revision.noObject

  let model: DataModel
  private(set) var keys: [EntityKey] = []
  private(set) var revisions: [Revision] = []
  private(set) var values: [UInt64] = []
  private(set) var valueStarts: [UInt32] = []
  private(set) var labels: [UInt32] = []
  /// The latest state of each object; `none` once it is deleted.
  private(set) var current: [UInt32] = []
  /// The creation times of objects, in nanoseconds.
  private(set) var bornAt: [Int64] = []
  /// The objects of each type by popularity, and in order of creation.
  private(set) var ranked: [[UInt32]]
  private(set) var created: [[UInt32]]
  /// The objects that refer, or once referred, to each object as their owner or by a field shared in a batch.
  private var referrers: [[UInt32]] = []
  private let widths: [Int]
  /// The slots of each type's owner fields.
  private let ownerSlots: [[Int]]
  /// The slots of each type's owner fields and of fields shared in a batch.
  private let followedSlots: [[Int]]

  init(_ model: DataModel) {
    self.model = model
    ranked = model.types.map { _ in [] }
    created = ranked
    widths = model.types.indices.map { model.width(ofType: $0) }
    ownerSlots = model.types.map { type in
      type.fields.compactMap { field in
        if case .one(_, _, true) = field.content { field.slot } else { nil }
      }
    }
    var followedSlots = ownerSlots
    for operation in model.operations {
      let type = operation.effect.type
      guard let slot = operation.beside.map({ model.types[type].fields[$0].slot }),
        !followedSlots[type].contains(slot)
      else { continue }
      followedSlots[type].append(slot)
    }
    self.followedSlots = followedSlots
  }

  func isAlive(_ object: UInt32) -> Bool { current[Int(object)] != Self.none }

  func type(of object: UInt32) -> Int { Int(keys[Int(object)].type.rawValue) - 1 }

  func state(of object: UInt32) -> Revision { revisions[Int(current[Int(object)])] }

  /// Returns the words of a live object's latest state.
  func words(of object: UInt32) -> ArraySlice<UInt64> {
    let start = Int(valueStarts[Int(current[Int(object)])])
    return values[start..<start + widths[type(of: object)]]
  }

  func word(_ slot: Int, of object: UInt32) -> UInt64 {
    values[Int(valueStarts[Int(current[Int(object)])]) + slot]
  }

  func references(_ word: UInt64) -> ArraySlice<UInt32> { labels[LabelRange(word: word).indices] }

  /// Adds an object without a state, which ``record(_:words:)`` sets; `place`, in 0..<1, is a random position
  /// in the order of popularity.
  mutating func addObject(
    ofType type: Int, id: UniqueID, at instant: Int64, popularity place: Double
  ) -> UInt32 {
    let object = UInt32(keys.count)
    keys.append(EntityKey(type: DataModel.resourceType(ofType: type), id: id))
    current.append(Self.none)
    bornAt.append(instant)
    referrers.append([])
    created[type].append(object)
    // The object at that rank becomes the least popular: each order remains equally likely.
    let rank = Int(place * Double(ranked[type].count + 1))
    ranked[type].append(object)
    ranked[type].swapAt(rank, ranked[type].count - 1)
    return object
  }

  /// Sorts the initial objects by an instant field.
  mutating func sortCreated(ofType type: Int, by slot: Int) {
    let values = values
    let valueStarts = valueStarts
    let current = current
    func age(_ object: UInt32) -> UInt64 {
      values[Int(valueStarts[Int(current[Int(object)])]) + slot]
    }
    created[type].sort { age($0) != age($1) ? age($0) < age($1) : $0 < $1 }
  }

  /// Sets an object's latest state.
  mutating func record(_ revision: Revision, words: [UInt64]) -> UInt32 {
    let number = UInt32(revisions.count)
    let object = revision.object
    for slot in followedSlots[type(of: object)] {
      let target = UInt32(truncatingIfNeeded: words[slot])
      let isNew = !isAlive(object) || self.words(of: object)[slotOf: slot] != words[slot]
      if target != Self.none, isNew { referrers[Int(target)].append(object) }
    }
    revisions.append(revision)
    valueStarts.append(UInt32(values.count))
    values += words
    current[Int(object)] = number
    return number
  }

  /// Changes a word of an object's only state, before the run.
  mutating func correct(_ slot: Int, of object: UInt32, to word: UInt64) {
    values[Int(valueStarts[Int(current[Int(object)])]) + slot] = word
  }

  mutating func store(_ list: [UInt32]) -> UInt64 {
    guard !list.isEmpty else { return 0 }
    let range = LabelRange(start: UInt32(labels.count), count: UInt32(list.count))
    labels += list
    return range.word
  }

  /// Returns an object and the objects that it owns, owners first; at most about `limit` are searched.
  func possessions(of object: UInt32, limit: Int = .max) -> [UInt32] {
    var found = [object]
    var isFound: Set<UInt32> = [object]
    var next = 0
    while next < found.count, found.count <= limit {
      let owner = found[next]
      next += 1
      for child in referrers[Int(owner)] where isAlive(child) {
        let words = words(of: child)
        let isOwned = ownerSlots[type(of: child)].contains { words[slotOf: $0] == UInt64(owner) }
        if isOwned, isFound.insert(child).inserted { found.append(child) }
      }
    }
    return found
  }

  /// Returns a live object and at most this many others of its type that refer to the same object by a field,
  /// in their order from a random position in 0..<1.
  ///
  /// O(objects that ever referred to that object).
  func neighbours(
    of object: UInt32, by slot: Int, count: Int, from place: Double
  ) -> [UInt32] {
    let word = word(slot, of: object)
    guard count > 1, word != UInt64(Self.none) else { return [object] }
    let all = referrers[Int(word)]
    var found = [object]
    var isFound: Set<UInt32> = [object]
    let start = Int(place * Double(all.count))
    for step in 0..<all.count where found.count < count {
      let other = all[(start + step) % all.count]
      if isAlive(other), type(of: other) == type(of: object), self.word(slot, of: other) == word,
        isFound.insert(other).inserted
      {
        found.append(other)
      }
    }
    return found
  }

  mutating func remove(_ objects: [UInt32]) {
    for object in objects { current[Int(object)] = Self.none }
  }
}

extension ArraySlice<UInt64> {
  /// The word of a slot, whatever the slice's start index.
  subscript(slotOf slot: Int) -> UInt64 { self[startIndex + slot] }
}

/// A tree of directories that grows as files are added.
///
/// The depth of a file is uniform over the levels, and on each level it goes to one of `fanOut` directories,
/// so deep directories have few files and shallow ones have many.
struct DirectoryTree {
  let depth: Int
  let fanOut: Int
  /// The location of each first-level directory, and of everything below it.
  let locations: [UInt32]
  /// Directories by their position in the full tree; absent until a file needs them.
  private var directories: [Int: UInt32] = [:]

  init(depth: Int, fanOut: Int, locations: [UInt32]) {
    self.depth = depth
    self.fanOut = fanOut
    self.locations = locations
  }

  /// Draws the directory of a file, and creates missing directories on the path to it.
  ///
  /// - Parameters:
  ///   - random: the random source of the path.
  ///   - make: creates a directory in a parent (`none` on the first level) and a location.
  /// - Returns: the directory and its location.
  mutating func place(
    _ random: inout RandomSource, make: (_ parent: UInt32, _ location: UInt32) -> UInt32
  ) -> (directory: UInt32, location: UInt32) {
    let levels = 1 + random.below(depth)
    var address = 0
    var parent = Revision.noObject
    var location = Revision.noObject
    for level in 0..<levels {
      let branch = random.below(fanOut)
      // The children of address a are a · fanOut + 1 ... a · fanOut + fanOut, as in a heap.
      address = address * fanOut + 1 + branch
      if level == 0, !locations.isEmpty { location = locations[branch % locations.count] }
      if let known = directories[address] {
        parent = known
      } else {
        let made = make(parent, location)
        directories[address] = made
        parent = made
      }
    }
    return (parent, location)
  }
}

/// Generates file names from syllables, so that a prefix search finds a plausible number of files.
///
/// A name has three to six syllables of a consonant and a vowel. Syllables follow a Zipf distribution
/// (exponent 0.7 over 80 of them; an assumption), so three letters match from about 1 file in 100 to 1 in
/// several thousand.
struct NameSource: Sendable {
  private static let consonants = Array("rtnslcdpmbghfvkz".utf8)
  private static let vowels = Array("eaiou".utf8)
  private let syllables = Zipf(count: 80, exponent: 0.7)

  func name(_ random: inout RandomSource) -> UInt64 {
    var code: UInt64 = 0
    let count = 3 + random.below(4)
    for syllable in 0..<count {
      let rank = syllables.sample(&random)
      let letters = [Self.consonants[rank % 16], Self.vowels[rank / 16]]
      for (index, letter) in letters.enumerated() {
        let shift = UInt64(60 - LetterCode.bitsPerLetter * (2 * syllable + index + 1))
        code |= UInt64(letter - UInt8(ascii: "a") + 1) << shift
      }
    }
    return code
  }
}

/// The bytes of events as compact JSON, as captured from a local-first file manager.
enum ObjectSizes {
  static let envelope = 100
  /// The bytes of a key in a list of deletions: a UUID in quotes, its type, punctuation.
  static let deletedKey = 60
  static let bulkNotice = 160
  static let infrastructure = 180
}
