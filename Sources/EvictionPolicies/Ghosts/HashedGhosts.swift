/// An index of ghosts by 64-bit fingerprints: open addressing with linear probing, at most half full.
///
/// It has only the reserved size, and removes without tombstones, so its size and its probes depend on the
/// current ghosts, not on earlier ones. Of two ghosts of one fingerprint it finds the later.
struct HashedGhosts: GhostIndex, ~Copyable {
  struct Ghost: GhostRecord {
    var fingerprint: UInt64
    private var bytes: Int32

    init(fingerprint: UInt64, weight: Int32) {
      self.fingerprint = fingerprint
      bytes = weight
    }
    static var hole: Ghost { Ghost(fingerprint: 0, weight: -1) }
    var isHole: Bool { bytes < 0 }
    var weight: Int { Int(bytes) }
  }

  // Not private: Swift 6.3.1 emits broken debug code for private types in generic storage.
  struct Place: BitwiseCopyable {
    var fingerprint: UInt64
    var value: Int32

    static let vacant = Place(fingerprint: 0, value: -1)
  }

  private var places = Flat<Place>(repeating: .vacant, count: 2)
  private var shift: UInt64 = 63
  private(set) var count = 0

  init() {}

  mutating func reserve(ghosts count: Int) {
    var size = places.count
    while size < count * 2 { size *= 2 }
    guard size > places.count else { return }
    var former = Flat<Place>(repeating: .vacant, count: size)
    swap(&former, &places)
    shift = UInt64(64 - size.trailingZeroBitCount)
    for index in 0..<former.count where former[index].value >= 0 {
      places[place(of: former[index].fingerprint)] = former[index]
    }
  }

  mutating func reserve(fingerprintsBelow limit: Int) {}

  func prefetch(_ fingerprint: UInt64) { places.prefetch(home(of: fingerprint)) }

  func value(of fingerprint: UInt64) -> Int32 { places[place(of: fingerprint)].value }

  mutating func set(_ value: Int32, of fingerprint: UInt64) {
    let place = place(of: fingerprint)
    if places[place].value < 0 {
      precondition(count * 2 < places.count, "more ghosts than were reserved")
      count += 1
    }
    places[place] = Place(fingerprint: fingerprint, value: value)
  }

  mutating func remove(_ fingerprint: UInt64, ifValue value: Int32) {
    var hole = place(of: fingerprint)
    guard places[hole].value == value else { return }
    count -= 1
    // Later entries move up, unless that would put one before its home position.
    var next = following(hole)
    while places[next].value >= 0 {
      let home = home(of: places[next].fingerprint)
      let mask = places.count - 1
      if (next - home) & mask >= (next - hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = following(next)
    }
    places[hole] = .vacant
  }

  private func home(of fingerprint: UInt64) -> Int {
    Int(truncatingIfNeeded: (fingerprint &* 0x9e37_79b9_7f4a_7c15) &>> shift)
  }

  private func following(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

  /// Returns the position of the fingerprint, or the free position where it belongs.
  private func place(of fingerprint: UInt64) -> Int {
    var place = home(of: fingerprint)
    while places[place].value >= 0, places[place].fingerprint != fingerprint {
      place = following(place)
    }
    return place
  }
}
