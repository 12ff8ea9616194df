import CacheModel

/// Encodes values as canonical input.
struct CanonicalEncoder: Encoder {
  /// - Throws: `EncodingError` if a number is not finite, and the value's own errors.
  static func bytes(of value: some Encodable) throws -> [UInt8] {
    let node = Node()
    try node.encode(value, at: [])
    return node.value.bytes
  }

  /// A value under construction, which several of an encoder's containers may share.
  final class Node {
    private enum Content {
      case leaf(CanonicalValue)
      case list([Node])
      case object([TextKey: Node])
    }

    private var content = Content.object([:])

    var count: Int {
      if case .list(let nodes) = content { nodes.count } else { 0 }
    }

    var value: CanonicalValue {
      switch content {
      case .leaf(let value): value
      case .list(let nodes): .list(nodes.map(\.value))
      case .object(let members):
        .object(members.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value.value) })
      }
    }

    func becomeList() {
      if case .list = content { return }
      content = .list([])
    }

    func append() -> Node {
      let node = Node()
      guard case .list(var nodes) = content else { preconditionFailure("this value is no list") }
      // The array is not shared then, so it is not copied for each element.
      content = .leaf(.null)
      nodes.append(node)
      content = .list(nodes)
      return node
    }

    func member(_ name: String) -> Node {
      let node = Node()
      var members: [TextKey: Node] = [:]
      if case .object(let known) = content {
        members = known
        content = .leaf(.null)
      }
      members[TextKey(name)] = node
      content = .object(members)
      return node
    }

    func encodeNil() { content = .leaf(.null) }

    func encode(_ value: some Encodable, at path: [any CodingKey]) throws {
      guard let leaf = value as? any CanonicalLeaf else {
        try value.encode(to: CanonicalEncoder(node: self, codingPath: path))
        return
      }
      guard let canonical = leaf.canonical else {
        throw EncodingError.invalidValue(
          value,
          EncodingError.Context(
            codingPath: path, debugDescription: "a number in a query must be finite"))
      }
      content = .leaf(canonical)
    }
  }

  let node: Node
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Members<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeList()
    return Elements(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    Single(node: node, codingPath: codingPath)
  }

  private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { node.member(key.stringValue).encodeNil() }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      try node.member(key.stringValue).encode(value, at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      encoder(for: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder(for: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
      CanonicalEncoder(node: node.member("super"), codingPath: codingPath)
    }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }

    private func encoder(for key: Key) -> CanonicalEncoder {
      CanonicalEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }
  }

  private struct Elements: UnkeyedEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    func encodeNil() { node.append().encodeNil() }

    func encode<Value: Encodable>(_ value: Value) throws {
      try node.append().encode(value, at: codingPath)
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
      encoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder }

    private var encoder: CanonicalEncoder {
      CanonicalEncoder(node: node.append(), codingPath: codingPath)
    }
  }

  private struct Single: SingleValueEncodingContainer {
    let node: Node
    let codingPath: [any CodingKey]

    func encodeNil() { node.encodeNil() }

    func encode<Value: Encodable>(_ value: Value) throws { try node.encode(value, at: codingPath) }
  }
}
