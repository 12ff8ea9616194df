/// An index of ghosts whose fingerprints are the numbers of a trace's keys, and that all weigh one.
///
/// Four bytes per key; every operation is one access.
struct DenseGhosts: GhostIndex, ~Copyable {
  struct Ghost: GhostRecord {
    private var number: UInt32

    init(fingerprint: UInt64, weight: Int32) { number = UInt32(truncatingIfNeeded: fingerprint) }
    // Slots are signed, so no entity has the number.
    static var hole: Ghost { Ghost(fingerprint: .max, weight: 0) }
    var isHole: Bool { number == .max }
    var fingerprint: UInt64 { UInt64(number) }
    var weight: Int { 1 }
  }

  private var values = Flat<Int32>(repeating: -1, count: 0)

  init() {}

  mutating func reserve(ghosts count: Int) {}

  mutating func reserve(fingerprintsBelow limit: Int) {
    values.grow(toAtLeast: limit, filling: -1)
  }

  func prefetch(_ fingerprint: UInt64) { values.prefetch(Int(truncatingIfNeeded: fingerprint)) }

  func value(of fingerprint: UInt64) -> Int32 { values[Int(truncatingIfNeeded: fingerprint)] }

  mutating func set(_ value: Int32, of fingerprint: UInt64) {
    values[Int(truncatingIfNeeded: fingerprint)] = value
  }

  mutating func remove(_ fingerprint: UInt64, ifValue value: Int32) {
    // No two entities have one number, so nothing else was set.
    values[Int(truncatingIfNeeded: fingerprint)] = -1
  }
}
