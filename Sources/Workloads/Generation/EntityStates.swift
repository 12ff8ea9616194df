import CacheModel

/// The data of an app while its history is drawn: the state of every entity at one instant, and
/// the catalog of all states so far.
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
  /// When an object came, in nanoseconds.
  private(set) var bornAt: [Int64] = []
  /// Every object of each type, the most popular first, and in order of creation.
  private(set) var ranked: [[UInt32]]
  private(set) var created: [[UInt32]]
  /// What refers to each object as its owner or as what a batch has in common, or once did.
  private var referrers: [[UInt32]] = []
  private let widths: [Int]
  /// The slots of the fields of each type that name an owner.
  private let ownerSlots: [[Int]]
  /// Those, and the slots of the fields that batches have in common.
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

  /// The latest state of a live object.
  func state(of object: UInt32) -> Revision { revisions[Int(current[Int(object)])] }

  /// The words of a live object's latest state.
  func words(of object: UInt32) -> ArraySlice<UInt64> {
    let start = Int(valueStarts[Int(current[Int(object)])])
    return values[start..<start + widths[type(of: object)]]
  }

  func word(_ slot: Int, of object: UInt32) -> UInt64 {
    values[Int(valueStarts[Int(current[Int(object)])]) + slot]
  }

  func references(_ word: UInt64) -> ArraySlice<UInt32> { labels[LabelRange(word: word).indices] }

  /// Adds an object without a state, which ``record(_:words:)`` gives it; `place`, in 0..<1, is drawn for
  /// its place in the order of popularity.
  mutating func addObject(
    ofType type: Int, id: UniqueID, at instant: Int64, popularity place: Double
  ) -> UInt32 {
    let object = UInt32(keys.count)
    keys.append(EntityKey(type: DataModel.resourceType(ofType: type), id: id))
    current.append(Self.none)
    bornAt.append(instant)
    referrers.append([])
    created[type].append(object)
    // Whose place it takes becomes the least popular: each order stays as likely as the next.
    let rank = Int(place * Double(ranked[type].count + 1))
    ranked[type].append(object)
    ranked[type].swapAt(rank, ranked[type].count - 1)
    return object
  }

  /// Puts what exists at the beginning in order of an instant that it has.
  mutating func sortCreated(ofType type: Int, by slot: Int) {
    let values = values
    let valueStarts = valueStarts
    let current = current
    func age(_ object: UInt32) -> UInt64 {
      values[Int(valueStarts[Int(current[Int(object)])]) + slot]
    }
    created[type].sort { age($0) != age($1) ? age($0) < age($1) : $0 < $1 }
  }

  /// Makes a state the latest of its object.
  ///
  /// - Returns: The number of the revision.
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

  /// Replaces the words of an object's only state, before anything has happened.
  mutating func correct(_ slot: Int, of object: UInt32, to word: UInt64) {
    values[Int(valueStarts[Int(current[Int(object)])]) + slot] = word
  }

  /// Stores a list of references for a word to name.
  mutating func store(_ list: [UInt32]) -> UInt64 {
    guard !list.isEmpty else { return 0 }
    let range = LabelRange(start: UInt32(labels.count), count: UInt32(list.count))
    labels += list
    return range.word
  }

  /// An object and whatever it owns, owners first; more than `limit` are not all found.
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

  /// A live object and others of its type that refer to the same by a field, at most this many, in their
  /// order from a place on that is drawn from 0..<1.
  ///
  /// O(what ever referred to that).
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
  /// The word of a slot, whatever the slice begins at.
  subscript(slotOf slot: Int) -> UInt64 { self[startIndex + slot] }
}

/// A tree of directories that grows as files are placed in it.
///
/// The depth of a file is uniform over the levels, and on each level it goes to one of `fanOut`
/// directories, so few files are alone in deep directories and many are together in shallow ones.
struct DirectoryTree {
  let depth: Int
  let fanOut: Int
  /// The location of a directory on the first level, and of all below it.
  let locations: [UInt32]
  /// Directories by their place in the full tree; absent until a file needs them.
  private var directories: [Int: UInt32] = [:]

  init(depth: Int, fanOut: Int, locations: [UInt32]) {
    self.depth = depth
    self.fanOut = fanOut
    self.locations = locations
  }

  /// Draws the directory of a file, and makes what is missing on the way to it.
  ///
  /// - Parameters:
  ///   - random: Draws the way.
  ///   - make: Makes a directory in a parent (`none` on the first level) and a location.
  /// - Returns: The directory and its location.
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

/// File names out of syllables, so that a prefix search finds a plausible number of files.
///
/// A name is three to six syllables of a consonant and a vowel. Common syllables are commoner than
/// rare ones (Zipf with exponent 0.7 over 80 of them; an assumption), so three letters leave from
/// about 1 file in 100 to 1 in several thousand.
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

/// Bytes of events as compact JSON, as captured from a local-first file manager.
enum ObjectSizes {
  static let envelope = 100
  /// A key in a list of deletions: a UUID in quotes, its type, punctuation.
  static let deletedKey = 60
  static let bulkNotice = 160
  static let infrastructure = 180
}
