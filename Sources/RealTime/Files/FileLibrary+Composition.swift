package import CacheModel

extension FileLibrary {
  /// A preset with room for the whole library, values living five minutes.
  ///
  /// - Returns: `nil` where no preset has that name.
  package func composition(preset name: String) -> CachePolicy? {
    Preset.named(name)?.composition(
      .init(
        capacity: Capacity(entities: fileCount), maximumQueries: directories,
        freshness: Freshness(timeToLive: .seconds(300))))
  }

  /// LRU with room for the whole library, values living five minutes.
  var leastRecentlyUsed: CachePolicy {
    CachePolicy(
      evictionOrder: "lru", capacity: Capacity(entities: fileCount), retention: .cached,
      freshness: Freshness(timeToLive: .seconds(300)), maximumQueries: directories)
  }
}

extension CachePolicy {
  /// Room for everything, forever: what costs something then is not the policy.
  static let unlimited = CachePolicy(
    evictionOrder: "lru", capacity: .unlimited, retention: .cached, freshness: .neverExpires,
    maximumQueries: nil)
}
