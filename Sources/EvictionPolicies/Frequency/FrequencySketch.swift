/// Estimates how often each of many entities was used recently, in 8.5 bytes per entity.
///
/// A count-min sketch of 4-bit counters: four per fingerprint, of which the minimum is the estimate, so it is
/// never too low until counters saturate, and too high only if all four are shared. After a sample of uses,
/// every counter is halved, so old popularity fades. Halving is lazy: each block of counters stores its
/// number of halvings, and catches up at its next access, so no call visits the whole sketch.
///
/// The four counters of a fingerprint are in one block of 64 bytes. Every call is O(1), except
/// ``reserve(entities:)``.
///
/// Source: Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM
/// Transactions on Storage 13(4), 2017; Cormode and Muthukrishnan, "An improved data stream summary:
/// the count-min sketch", Journal of Algorithms 55(1), 2005.
struct FrequencySketch: ~Copyable {
  static let ceiling = 15
  /// The minimum number of entities: in a smaller cache, a sample of ten uses per entity would be forgotten
  /// before anything returns.
  static let smallest = 128
  /// The initial number of entities, unless fewer fit; larger sketches grow with the cache.
  static let firstSize = 4_096

  /// Sixteen counters per word, eight words per block.
  private var words: Flat<UInt64>
  private var halvingsOfBlock: Flat<UInt32>
  private var halvings: UInt32 = 0
  /// The number of blocks minus one; a power of two minus one.
  private var blockMask = 0
  /// The number of uses counted, halved with the counters.
  private var uses = 0
  private var sampleEnd = 0

  init() {
    words = Flat(repeating: 0, count: 8)
    halvingsOfBlock = Flat(repeating: 0, count: 1)
    reserve(entities: Self.smallest)
  }

  /// Reserves space for `count` entities; O(`count`) if that is more than before.
  ///
  /// Counts are kept: an entity's block is found by one more bit of its hash, and either half begins as a
  /// copy.
  mutating func reserve(entities count: Int) {
    while (blockMask + 1) * 8 < count {
      let blocks = blockMask + 1
      words.grow(toAtLeast: blocks * 16, filling: 0)
      halvingsOfBlock.grow(toAtLeast: blocks * 2, filling: 0)
      for index in 0..<blocks * 8 { words[blocks * 8 + index] = words[index] }
      for index in 0..<blocks { halvingsOfBlock[blocks + index] = halvingsOfBlock[index] }
      blockMask = blocks * 2 - 1
    }
  }

  /// Returns the heap memory of a sketch for this number of entities, in bytes.
  static func allocatedBytes(entities count: Int) -> Int {
    var blocks = 1
    while blocks * 8 < max(count, smallest) { blocks *= 2 }
    return AllocationSize.rounded(blocks * 8 * MemoryLayout<UInt64>.stride)
      + AllocationSize.rounded(blocks * MemoryLayout<UInt32>.stride)
  }

  /// Whether enough uses were counted to call ``age(fitting:)``.
  var isSampleOver: Bool { uses >= sampleEnd }

  /// Halves all counts, if ten uses per fitting entity were counted since.
  mutating func age(fitting entities: Int) {
    sampleEnd = 10 * min(max(entities, Self.smallest), Int(Slot.max))
    guard isSampleOver else { return }
    halvings &+= 1
    uses /= 2
  }

  mutating func count(_ fingerprint: UInt64) {
    uses += 1
    let hash = Self.mix(fingerprint)
    let block = Int(truncatingIfNeeded: hash) & blockMask
    catchUp(block)
    for row in 0..<4 {
      let (word, shift) = Self.counter(row, of: hash, in: block)
      let value = words[word]
      if (value &>> shift) & 15 < 15 { words[word] = value &+ (1 &<< shift) }
    }
  }

  /// Returns the estimated number of recent uses, 0 to ``ceiling``; rarely too high, never too low.
  func estimate(_ fingerprint: UInt64) -> Int {
    let hash = Self.mix(fingerprint)
    let block = Int(truncatingIfNeeded: hash) & blockMask
    var least: UInt64 = 15
    for row in 0..<4 {
      let (word, shift) = Self.counter(row, of: hash, in: block)
      least = min(least, (words[word] &>> shift) & 15)
    }
    let owed = halvings &- halvingsOfBlock[block]
    return owed > 3 ? 0 : Int(least &>> UInt64(owed))
  }

  private mutating func catchUp(_ block: Int) {
    let owed = halvings &- halvingsOfBlock[block]
    guard owed > 0 else { return }
    halvingsOfBlock[block] = halvings
    for word in block * 8..<block * 8 + 8 {
      guard owed <= 3 else {
        words[word] = 0
        continue
      }
      for _ in 0..<owed { words[word] = (words[word] &>> 1) & 0x7777_7777_7777_7777 }
    }
  }

  /// Returns the word of a row's counter, and the counter's first bit: 32 counters per row.
  @inline(__always) private static func counter(
    _ row: Int, of hash: UInt64, in block: Int
  ) -> (word: Int, shift: UInt64) {
    // The low bits select the block, up to 32 of them.
    let bits = hash &>> UInt64(32 + 5 * row)
    return (block * 8 + 2 * row + Int(truncatingIfNeeded: bits & 1), ((bits &>> 1) & 15) &* 4)
  }

  /// Spreads fingerprints over all 64 bits: they may be small numbers.
  @inline(__always) private static func mix(_ fingerprint: UInt64) -> UInt64 {
    var z = fingerprint &+ 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
