import CacheModel
import FoundationEssentials
import NormalizedCache

/// Files as they are stored: in the JSON that a server would send.
struct FileCodec: StorageCodec {
  let schemaVersion = 1

  func encode(_ payload: FilePayload, of key: EntityKey) throws -> [UInt8] {
    Array(try WireEncoder().bytes(of: payload))
  }

  func decode(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> FilePayload {
    try WireDecoder().file(from: Data(bytes))
  }

  func encodeChange(_ change: FileChange, of key: EntityKey) throws -> [UInt8] {
    Array(change.name.utf8)
  }

  func decodeChange(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> FileChange {
    FileChange(name: String(decoding: bytes, as: UTF8.self))
  }
}
