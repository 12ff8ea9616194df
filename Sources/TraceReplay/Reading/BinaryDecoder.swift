/// Records of one length, each with an integer key at a fixed place.
struct BinaryLayout: Sendable {
  let name: String
  let recordBytes: Int
  let keyOffset: Int
  let keyBytes: Int
  let isBigEndian: Bool

  static let be32 = BinaryLayout(
    name: "be32", recordBytes: 4, keyOffset: 0, keyBytes: 4, isBigEndian: true)
  static let be64 = BinaryLayout(
    name: "be64", recordBytes: 8, keyOffset: 0, keyBytes: 8, isBigEndian: true)
  /// Packed little-endian: 32-bit time, 64-bit object, 32-bit size, 64-bit next access.
  ///
  /// Source: libCacheSim, `traceReader/customizedReader/oracle/oracleGeneralBin.h`.
  static let oracleGeneral = BinaryLayout(
    name: "oracle-general", recordBytes: 24, keyOffset: 4, keyBytes: 8, isBigEndian: false)
}

/// Decodes any ``BinaryLayout``.
struct BinaryDecoder: TraceDecoder {
  private let layout: BinaryLayout
  /// How many bytes came before those in hand.
  private var consumed = 0
  /// The bytes of the key so far, and where in its record the next byte stands.
  private var key: UInt64 = 0
  private var place = 0

  init(layout: BinaryLayout) {
    self.layout = layout
  }

  mutating func consume(_ bytes: Span<UInt8>, into keys: inout KeyInterner) throws(TraceError) {
    let keyPlaces = layout.keyOffset..<layout.keyOffset + layout.keyBytes
    for index in bytes.indices {
      if keyPlaces.contains(place) {
        let byte = UInt64(bytes[index])
        if layout.isBigEndian {
          key = key << 8 | byte
        } else {
          key |= byte << UInt64(8 * (place - layout.keyOffset))
        }
      }
      place += 1
      guard place == layout.recordBytes else { continue }
      try keys.append(key)
      key = 0
      place = 0
    }
    consumed += bytes.count
  }

  mutating func finish(into keys: inout KeyInterner) throws(TraceError) {
    guard place == 0 else {
      throw .truncatedRecord(
        format: layout.name, offset: consumed - place, found: place,
        recordBytes: layout.recordBytes)
    }
  }
}
