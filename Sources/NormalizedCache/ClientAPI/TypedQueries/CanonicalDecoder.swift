import CacheModel

/// Decodes values from canonical input.
struct CanonicalDecoder: Decoder {
  /// - Throws: ``QueryInputError`` if the bytes have another form, `DecodingError` if they do not match the
  ///   type, and the value's own errors.
  static func value<Value: Decodable>(_ type: Value.Type, of bytes: [UInt8]) throws -> Value {
    try decode(type, from: try CanonicalReader.value(of: bytes), at: [])
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, from value: CanonicalValue, at path: [any CodingKey]
  ) throws -> Value {
    guard let leaf = type as? any CanonicalLeaf.Type else {
      return try Value(from: CanonicalDecoder(value: value, codingPath: path))
    }
    guard let decoded = leaf.init(value) as? Value else { throw mismatch(type, value, path) }
    return decoded
  }

  private static func mismatch(
    _ type: Any.Type, _ value: CanonicalValue, _ path: [any CodingKey]
  ) -> DecodingError {
    .typeMismatch(
      type,
      DecodingError.Context(
        codingPath: path, debugDescription: "\(type) is expected, and not \(value.kindName)"))
  }

  let value: CanonicalValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else {
      throw Self.mismatch([String: Any].self, value, codingPath)
    }
    let values = Dictionary(members.map { (TextKey($0.name), $0.value) }) { first, _ in first }
    return KeyedDecodingContainer(Members<Key>(values: values, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let values) = value else {
      throw Self.mismatch([Any].self, value, codingPath)
    }
    return Elements(values: values, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    Single(value: value, codingPath: codingPath)
  }

  private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let values: [TextKey: CanonicalValue]
    let codingPath: [any CodingKey]
    var allKeys: [Key] { values.keys.sorted().compactMap { Key(stringValue: $0.text) } }

    func contains(_ key: Key) -> Bool { values[TextKey(key.stringValue)] != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
      if case .null = try value(of: key) { true } else { false }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try CanonicalDecoder.decode(type, from: try value(of: key), at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      try decoder(for: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder(for: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
      CanonicalDecoder(value: values["super"] ?? .null, codingPath: codingPath)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(for: key) }

    private func decoder(for key: Key) throws -> CanonicalDecoder {
      CanonicalDecoder(value: try value(of: key), codingPath: codingPath + [key])
    }

    private func value(of key: Key) throws -> CanonicalValue {
      guard let value = values[TextKey(key.stringValue)] else {
        throw DecodingError.keyNotFound(
          key,
          DecodingError.Context(
            codingPath: codingPath, debugDescription: "the query has no such member"))
      }
      return value
    }
  }

  private struct Elements: UnkeyedDecodingContainer {
    let values: [CanonicalValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex == values.count }

    mutating func decodeNil() throws -> Bool {
      guard currentIndex < values.count, case .null = values[currentIndex] else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      let decoded = try CanonicalDecoder.decode(type, from: try current(), at: codingPath)
      currentIndex += 1
      return decoded
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
      try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
      let value = try current()
      currentIndex += 1
      return CanonicalDecoder(value: value, codingPath: codingPath)
    }

    private func current() throws -> CanonicalValue {
      guard currentIndex < values.count else {
        throw DecodingError.valueNotFound(
          Any.self,
          DecodingError.Context(
            codingPath: codingPath, debugDescription: "the list has no more elements"))
      }
      return values[currentIndex]
    }
  }

  private struct Single: SingleValueDecodingContainer {
    let value: CanonicalValue
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool {
      if case .null = value { true } else { false }
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try CanonicalDecoder.decode(type, from: value, at: codingPath)
    }
  }
}
