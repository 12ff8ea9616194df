package import CacheModel
package import FoundationEssentials

extension UniqueID {
  package init(_ uuid: UUID) {
    self = withUnsafeBytes(of: uuid.uuid) { bytes in
      UniqueID(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }
}
