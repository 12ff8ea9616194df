public import CacheModel

/// What an app knows of resource types: the server's name of each, the cache's, and how a value is
/// decoded.
///
/// An app registers each type once, when it starts. A registry is a value: a copy that a task holds
/// does not change under it.
///
/// ```swift
/// var registry = ResourceTypeRegistry<Item>()
/// try registry.register("album", as: .album) { bytes in
///   let album = try JSONDecoder().decode(Album.self, from: Data(bytes))
///   return VersionedEntity(
///     key: EntityKey(type: .album, id: album.id), version: album.version, payload: .album(album))
/// }
/// ```
public struct ResourceTypeRegistry<Payload: Sendable>: Sendable {
  /// Decodes an item's bytes; an error costs that item alone.
  ///
  /// The entity must be of the type under which the decoder is registered.
  public typealias Decoder = @Sendable ([UInt8]) throws -> VersionedEntity<Payload>

  @usableFromInline struct Entry: Sendable {
    @usableFromInline var type: ResourceType
    @usableFromInline var decode: Decoder

    @usableFromInline init(type: ResourceType, decode: @escaping Decoder) {
      self.type = type
      self.decode = decode
    }
  }

  @usableFromInline var entries: [TextKey: Entry] = [:]
  private var names: [ResourceType: String] = [:]

  public init() {}

  /// Adds a resource type.
  ///
  /// - Parameters:
  ///   - name: what the server calls it; compared byte for byte in UTF-8.
  ///   - type: what the cache calls it.
  ///   - decoder: makes an entity of an item's bytes; called off the cache's actor.
  /// - Throws: ``ResourceTypeRegistryError`` where the name or the type is taken; the registry is as
  ///   before.
  public mutating func register(
    _ name: String, as type: ResourceType, decoder: @escaping Decoder
  ) throws(ResourceTypeRegistryError) {
    if let entry = entries[TextKey(name)] { throw .duplicateName(name, registeredAs: entry.type) }
    if let other = names[type] { throw .duplicateType(type, name: name, registeredAs: other) }
    entries[TextKey(name)] = Entry(type: type, decode: decoder)
    names[type] = name
  }

  /// The cache's name of a resource type; `nil` where it is not registered.
  @inlinable public func type(named name: String) -> ResourceType? { entries[TextKey(name)]?.type }

  /// The server's name of a resource type; `nil` where it is not registered.
  public func name(of type: ResourceType) -> String? { names[type] }

  @inlinable func entry(named name: String) -> Entry? { entries[TextKey(name)] }
}

/// Why a resource type cannot be registered.
public enum ResourceTypeRegistryError: Error, Hashable, Sendable, CustomStringConvertible {
  case duplicateName(String, registeredAs: ResourceType)
  case duplicateType(ResourceType, name: String, registeredAs: String)

  public var description: String {
    switch self {
    case .duplicateName(let name, let type):
      "\"\(name)\" is registered already, as resource type \(type.rawValue); register a name once"
    case .duplicateType(let type, let name, let other):
      "resource type \(type.rawValue) cannot be registered as \"\(name)\": it is registered as "
        + "\"\(other)\"; give each type a number of its own"
    }
  }
}
