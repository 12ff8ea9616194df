import CacheModel
import NormalizedCache

extension NormalizedCache<MeasurementSchema> {
  /// A cache that holds every listing of a library.
  static func filled(
    with library: FileLibrary, clock: any CacheClock
  ) async throws -> NormalizedCache<MeasurementSchema> {
    let cache = try NormalizedCache(
      composition: library.leastRecentlyUsed, schema: MeasurementSchema(),
      source: LibraryServer(library: library), clock: clock)
    for key in library.queryKeys { _ = try await cache.query(key) }
    return cache
  }
}

extension CacheStore {
  /// Asks a query for the first time, and has it answered.
  mutating func fill(_ key: QueryKey, with response: FetchResponse<Schema.Payload>) {
    guard let fetch = read(key, at: .zero).fetch else {
      preconditionFailure("a query that was never asked is fetched")
    }
    completeFetch(fetch, with: response, at: .zero)
    _ = takeActions()
  }
}

extension CacheStore<MeasurementSchema> {
  /// The same without an actor; every listing has an observer.
  static func filled(with library: FileLibrary) throws -> CacheStore<MeasurementSchema> {
    var store = try CacheStore(
      composition: library.leastRecentlyUsed, schema: MeasurementSchema())
    for (directory, key) in library.queryKeys.enumerated() {
      store.addObserver(of: key, at: .zero)
      store.fill(key, with: library.response(toDirectory: directory))
    }
    return store
  }
}
