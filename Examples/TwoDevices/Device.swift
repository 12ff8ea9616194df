import NormalizedCache

/// One device: a cache, the events that keep it up to date, and what a view shows.
@MainActor
final class Device {
  let cache: NormalizedCache<AlbumSchema>
  let albums: CachedQueryClient<AlbumSchema, Album>
  private let library: LibraryID
  private let following: Task<Void, Never>

  init(server: Server, library: LibraryID) async throws {
    self.library = library

    // README: begin
    // How values are decoded: each resource type is registered once.
    var registry = ResourceTypeRegistry<Album>()
    try registry.register("album", as: Album.resourceType, decoder: AlbumMessage.decode)

    // The cache asks the server for what it does not have.
    let policy = CachePolicy(
      evictionOrder: "lru", capacity: Capacity(entities: 10_000), retention: .observed,
      freshness: .neverExpires, maximumQueries: 100)
    cache = try NormalizedCache(composition: policy, schema: AlbumSchema(), source: server)

    // Events keep it up to date, by any transport.
    let updater = EventCacheUpdater(cache: cache, registry: registry)
    let events = await server.connect()
    following = Task { await updater.consume(events) }

    // What a view holds: `data`, `isLoading`, `isStale`, `error`.
    albums = CachedQueryClient(.albums(in: library), in: cache, as: Album.self)
    // README: end
  }

  deinit {
    following.cancel()
  }

  /// Shows the new name at once; if the server refuses, takes it back and throws.
  func rename(_ album: UniqueID, to name: String, token: MutationToken) async throws {
    let key = EntityKey(type: Album.resourceType, id: album)
    try await cache.mutate(
      ClientMutation(
        token: token, library: library, edits: [.update(key, AlbumChange(name: name))]))
  }
}
