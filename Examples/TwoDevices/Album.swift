import Foundation
import NormalizedCache

/// The app's value.
struct Album: Equatable, Codable, CachedResource {
  static let resourceType = ResourceType(rawValue: 1)

  var name: String
}

/// A user's changes of an album.
struct AlbumChange: Sendable {
  var name: String
}

extension QueryKey {
  /// The one query of this app: all albums of a library, by name.
  static func albums(in library: LibraryID) -> QueryKey {
    QueryKey(library: library, method: QueryMethod(rawValue: 1), input: [])
  }
}

/// What the cache must know to keep the query up to date by itself: which albums it lists, and in
/// which order.
struct AlbumSchema: CacheSchema {
  func plan(for query: QueryKey) -> QueryPlan<Void> {
    QueryPlan(predicate: (), scope: .library, limit: nil, resourceTypes: [Album.resourceType])
  }
  func forEachScope(of album: Album, key: EntityKey, _ body: (QueryScope) -> Void) {
    body(.library)
  }
  func weight(of album: Album) -> Int { 64 + album.name.utf8.count }
  func areEqual(_ lhs: Album, _ rhs: Album) -> Bool { lhs == rhs }
  func belongs(_ album: Album, key: EntityKey, in predicate: Void) -> MatchResult { .member }
  func precedes(
    _ lhs: Album, key lhsKey: EntityKey, _ rhs: Album, key rhsKey: EntityKey, in predicate: Void
  ) -> Bool {
    (lhs.name, lhsKey) < (rhs.name, rhsKey)
  }
  func applying(_ change: AlbumChange, to album: Album) -> Album { Album(name: change.name) }
  func location(of album: Album) -> UniqueID? { nil }
}

extension QueryScope {
  /// Changes to any album concern every list of albums, so there is one scope.
  static let library = QueryScope(kind: 1)
}

/// An album as it travels: JSON.
struct AlbumMessage: Codable {
  var id: String
  var clock: UInt64
  var device: UInt64
  var album: Album

  init(_ entity: VersionedEntity<Album>) {
    id = entity.key.id.description
    clock = entity.version.clock
    device = entity.version.device
    album = entity.payload
  }

  /// Decodes an event's item; the registry calls it.
  static func decode(_ bytes: [UInt8]) throws -> VersionedEntity<Album> {
    let message = try JSONDecoder().decode(AlbumMessage.self, from: Data(bytes))
    guard let id = UniqueID(message.id) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "\"\(message.id)\" is no UUID"))
    }
    return VersionedEntity(
      key: EntityKey(type: Album.resourceType, id: id),
      version: Version(clock: message.clock, device: message.device), payload: message.album)
  }
}
