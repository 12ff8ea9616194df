public import CacheModel

/// A pending mutation as a storage keeps it.
public struct EncodedMutation: Hashable, Sendable {
  public var token: MutationToken
  public var library: LibraryID
  /// Its edits in order, in the cache's own framing around the app's bytes.
  public var edits: [UInt8]

  public init(token: MutationToken, library: LibraryID, edits: [UInt8]) {
    self.token = token
    self.library = library
    self.edits = edits
  }
}

/// A change of the app's as bytes, before or after the app's own codec.
typealias EncodedEdit = ClientMutation<[UInt8], [UInt8]>.Edit

extension EncodedMutation {
  /// Frames edits: for each its kind, its entity's type and identifier, the length of what follows, and
  /// the app's bytes; numbers big-endian.
  init(token: MutationToken, library: LibraryID, edits: [EncodedEdit]) {
    var bytes: [UInt8] = []
    for edit in edits {
      let (kind, payload): (UInt8, [UInt8]) =
        switch edit {
        case .create(_, let payload): (1, payload)
        case .update(_, let change): (2, change)
        case .delete: (3, [])
        }
      bytes.append(kind)
      bytes.append(bigEndian: UInt64(edit.key.type.rawValue), count: 2)
      bytes.append(bigEndian: edit.key.id.high, count: 8)
      bytes.append(bigEndian: edit.key.id.low, count: 8)
      bytes.append(bigEndian: UInt64(payload.count), count: 4)
      bytes += payload
    }
    self.init(token: token, library: library, edits: bytes)
  }

  /// The edits; `nil` where the bytes are not whole ones.
  var decodedEdits: [EncodedEdit]? {
    var decoded: [EncodedEdit] = []
    var rest = edits[...]
    while let kind = rest.popFirst() {
      guard let type = rest.popBigEndian(count: 2), let high = rest.popBigEndian(count: 8),
        let low = rest.popBigEndian(count: 8), let count = rest.popBigEndian(count: 4),
        rest.count >= Int(count)
      else { return nil }
      let key = EntityKey(
        type: ResourceType(rawValue: UInt16(type)), id: UniqueID(high: high, low: low))
      let payload = Array(rest.prefix(Int(count)))
      rest = rest.dropFirst(Int(count))
      switch kind {
      case 1: decoded.append(.create(key, payload))
      case 2: decoded.append(.update(key, payload))
      case 3: decoded.append(.delete(key))
      default: return nil
      }
    }
    return decoded
  }
}

extension [UInt8] {
  /// Appends the lowest bytes of a number.
  mutating func append(bigEndian number: UInt64, count: Int) {
    for byte in stride(from: count - 1, through: 0, by: -1) {
      append(UInt8(truncatingIfNeeded: number >> UInt64(byte * 8)))
    }
  }
}

extension ArraySlice<UInt8> {
  mutating func popBigEndian(count: Int) -> UInt64? {
    guard self.count >= count else { return nil }
    let number = prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    self = dropFirst(count)
    return number
  }
}
