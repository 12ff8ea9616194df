import CPrefetch

/// Marks on a line that is written from left to right; the number of marks at a position or right of it is
/// known in constant time.
///
/// A bitmap with hierarchical counts: of the marks left of a word within its block of 32 words, left of a
/// block within its 32, and so on. A query adds one count of each level. Erasing a mark lowers the counts of
/// its right siblings, one vector per level; setting one, only at the right end, changes no counts, since a
/// word's counts are written when the line reaches it.
///
/// One of the few types with unsafe memory. Positions are checked in debug builds: callers use only those
/// that this type has returned.
package struct MarkRanks: ~Copyable {
  /// The bits of places, 64 in a word.
  private let words: UnsafeMutablePointer<UInt64>
  /// Marks in the words left of this one, within its block of 2,048 places.
  private let wordRanks: UnsafeMutablePointer<UInt16>
  /// Marks in the blocks left of this one, within its region of 65,536 places.
  private let blockRanks: UnsafeMutablePointer<UInt16>
  /// Marks in the regions left of this one, within its field of 2,097,152 places.
  private let regionRanks: UnsafeMutablePointer<UInt32>
  /// Marks in the fields left of this one.
  private let fieldRanks: UnsafeMutablePointer<UInt32>
  /// By the index of a word in its block: 1 for each word right of it.
  private let right16: UnsafeMutablePointer<SIMD32<UInt16>>
  private let right32: UnsafeMutablePointer<SIMD32<UInt32>>
  private let memory: UnsafeMutableRawPointer

  /// The number of positions; a whole number of words.
  package let capacity: Int
  package private(set) var next = 0
  package private(set) var count = 0

  package var isFull: Bool { next == capacity }

  /// Creates a line without marks.
  ///
  /// - Parameter minimum: the minimum number of positions; they use less than a quarter of a byte each.
  package init(capacity minimum: Int) {
    let word = 64
    let regions = max(1, (minimum + 65_535) / 65_536)
    capacity = max(word, (minimum + word - 1) / word * word)
    precondition(capacity < Int(Int32.max), "\(minimum) places are more than can be numbered")
    let fields = (regions + 31) / 32
    // Each table is a whole number of vectors.
    let sizes = [
      regions * 1024 * 8, regions * 1024 * 2, regions * 32 * 2, fields * 32 * 4,
      (fields * 4 + 127) / 128 * 128, 32 * 64, 32 * 128,
    ]
    memory = .allocate(byteCount: sizes.reduce(0, +), alignment: 128)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: sizes.reduce(0, +))
    var offset = 0
    var tables: [UnsafeMutableRawPointer] = []
    for size in sizes {
      tables.append(memory + offset)
      offset += size
    }
    words = tables[0].bindMemory(to: UInt64.self, capacity: regions * 1024)
    wordRanks = tables[1].bindMemory(to: UInt16.self, capacity: regions * 1024)
    blockRanks = tables[2].bindMemory(to: UInt16.self, capacity: regions * 32)
    regionRanks = tables[3].bindMemory(to: UInt32.self, capacity: fields * 32)
    fieldRanks = tables[4].bindMemory(to: UInt32.self, capacity: fields)
    right16 = tables[5].bindMemory(to: SIMD32<UInt16>.self, capacity: 32)
    right32 = tables[6].bindMemory(to: SIMD32<UInt32>.self, capacity: 32)
    for place in 0..<32 {
      for lane in 0..<32 where lane > place {
        right16[place][lane] = 1
        right32[place][lane] = 1
      }
    }
  }

  deinit {
    memory.deallocate()
  }

  /// Sets a mark at the right end, and returns its position.
  @inline(__always) package mutating func append() -> Int {
    let place = next
    assert(place < capacity, "the line is full")
    if place & 63 == 0 { openWord(place) }
    words[place &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: place & 63)
    next = place &+ 1
    count &+= 1
    return place
  }

  /// Returns the number of marks at a position or right of it.
  @inline(__always) package func count(from place: Int) -> Int {
    assert(place >= 0 && place < next, "the line has not reached \(place)")
    let left =
      words[place &>> 6] & (1 &<< UInt64(truncatingIfNeeded: place & 63) &- 1)
    return count &- left.nonzeroBitCount &- rank(ofWord: place &>> 6)
  }

  @inline(__always) package func isMarked(_ place: Int) -> Bool {
    assert(place >= 0 && place < next, "the line has not reached \(place)")
    return words[place &>> 6] &>> UInt64(truncatingIfNeeded: place & 63) & 1 == 1
  }

  /// Prefetches the memory of ``count(from:)`` and ``erase(_:)``; any position is allowed.
  @inline(__always) package func prefetch(_ place: Int) {
    tidemark_prefetch(words + place &>> 6)
    tidemark_prefetch(wordRanks + place &>> 6)
    tidemark_prefetch(blockRanks + place &>> 11)
  }

  @inline(__always) package mutating func erase(_ place: Int) {
    assert(isMarked(place), "no mark stands at \(place)")
    let word = place &>> 6
    words[word] &= ~(1 &<< UInt64(truncatingIfNeeded: place & 63))
    count &-= 1
    lower(wordRanks, word)
    lower(blockRanks, place &>> 11)
    lower(regionRanks, place &>> 16)
    var field = place &>> 21 &+ 1
    while field &<< 21 < next {
      fieldRanks[field] &-= 1
      field &+= 1
    }
  }

  /// Removes all marks, so that the line begins again.
  package mutating func removeAll() {
    // Counts are written before they are read; bits are not.
    words.update(repeating: 0, count: (next + 63) / 64)
    next = 0
    count = 0
  }

  @inline(__always) private func rank(ofWord word: Int) -> Int {
    Int(wordRanks[word]) &+ Int(blockRanks[word &>> 5])
      &+ Int(regionRanks[word &>> 10]) &+ Int(fieldRanks[word &>> 15])
  }

  /// Writes the counts of a word, and of the block and so on that begin with it: all current marks are left
  /// of it.
  private mutating func openWord(_ place: Int) {
    var rest = UInt32(truncatingIfNeeded: count)
    if place & (1 << 21 - 1) == 0 { fieldRanks[place >> 21] = rest }
    rest &-= fieldRanks[place >> 21]
    if place & (1 << 16 - 1) == 0 { regionRanks[place >> 16] = rest }
    rest &-= regionRanks[place >> 16]
    if place & (1 << 11 - 1) == 0 { blockRanks[place >> 11] = UInt16(truncatingIfNeeded: rest) }
    rest &-= UInt32(blockRanks[place >> 11])
    wordRanks[place >> 6] = UInt16(truncatingIfNeeded: rest)
  }

  /// Decrements the counts right of one within its 32.
  @inline(__always) private func lower(_ ranks: UnsafeMutablePointer<UInt16>, _ place: Int) {
    let siblings = UnsafeMutableRawPointer(ranks + (place & ~31))
    // Not generic: only for a concrete type are these single instructions.
    let former: SIMD32<UInt16> = siblings.load(as: SIMD32<UInt16>.self)
    siblings.storeBytes(of: former &- right16[place & 31], as: SIMD32<UInt16>.self)
  }

  @inline(__always) private func lower(_ ranks: UnsafeMutablePointer<UInt32>, _ place: Int) {
    let siblings = UnsafeMutableRawPointer(ranks + (place & ~31))
    let former: SIMD32<UInt32> = siblings.load(as: SIMD32<UInt32>.self)
    siblings.storeBytes(of: former &- right32[place & 31], as: SIMD32<UInt32>.self)
  }
}
