/// The type of an entity: file, album, tag.
///
/// An app gives each type a number and a name.
public struct ResourceType: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
  public var rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  public static func < (lhs: ResourceType, rhs: ResourceType) -> Bool {
    lhs.rawValue < rhs.rawValue
  }
}

/// The key of an entity: its resource type and its identifier.
public struct EntityKey: Hashable, Comparable, Codable, Sendable, BitwiseCopyable {
  public var id: UniqueID
  public var type: ResourceType

  public init(type: ResourceType, id: UniqueID) {
    self.id = id
    self.type = type
  }

  public static func < (lhs: EntityKey, rhs: EntityKey) -> Bool {
    lhs.type != rhs.type ? lhs.type < rhs.type : lhs.id < rhs.id
  }
}

/// The identifier of a library: a set of data that is isolated from others.
public struct LibraryID: RawRepresentable, Hashable, Comparable, Sendable {
  public var rawValue: UniqueID

  public init(rawValue: UniqueID) {
    self.rawValue = rawValue
  }

  public static func < (lhs: LibraryID, rhs: LibraryID) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A query's method, such as `files.directory`.
///
/// An app gives each method a number and a name.
public struct QueryMethod: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }
}

/// The key of a query: library, method and input, all compared.
///
/// The caller creates the input as canonical bytes, so that two spellings of one input (another order of
/// arguments, another case of a UUID) are one key. Keys are equal only if all their bytes are; hashes do not
/// decide.
public struct QueryKey: Hashable, Sendable {
  public var library: LibraryID
  public var method: QueryMethod
  public var input: [UInt8]

  public init(library: LibraryID, method: QueryMethod, input: [UInt8]) {
    self.library = library
    self.method = method
    self.input = input
  }

  /// Hashes one word mixed from all parts: every read and every notification looks up a query.
  @inlinable public func hash(into hasher: inout Hasher) {
    var mixed = library.rawValue.high ^ UInt64(method.rawValue)
    @inline(__always) func mix(_ word: UInt64) {
      mixed = (mixed ^ (mixed >> 32) ^ word) &* 0xd6e8_feb8_6659_fd93
    }
    mix(library.rawValue.low)
    let bytes = input.span.bytes
    var offset = 0
    while offset <= bytes.byteCount - 8 {
      mix(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    // The remaining bytes, and the length, which distinguishes them from zeros.
    var rest: UInt64 = 0
    for index in offset..<input.count { rest = rest << 8 | UInt64(input[index]) }
    mix(rest ^ UInt64(input.count) << 56)
    hasher.combine(mixed ^ (mixed >> 32))
  }
}
