import CacheModel
import NormalizedCache

/// A fingerprint of everything that a run has done: FNV-1a, word by word.
package struct Digest: Hashable, Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01b3
    // Multiplication alone never moves a high bit down.
    value ^= value >> 29
  }

  mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  mutating func add(_ key: EntityKey) { add(key.id.low) }

  mutating func add(_ key: QueryKey) {
    add(key.library.rawValue.low)
    add(UInt64(key.method.rawValue))
    for byte in key.input { add(UInt64(byte)) }
  }

  mutating func add(_ target: FetchTarget) {
    switch target {
    case .query(let key): add(key)
    case .entity(let key): add(key)
    }
  }

  mutating func add(_ position: StreamPosition) {
    add(UInt64(position.epoch))
    add(position.sequence)
  }

  /// Every counter, in the order of declaration.
  mutating func add(_ statistics: CacheStatistics) {
    withUnsafeBytes(of: statistics) { bytes in
      for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<UInt64>.size) {
        add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
    }
  }
}
