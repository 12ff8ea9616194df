import CacheModel
import NormalizedCache

extension Alternative {
  static let ours = Alternative(
    name: "ours",
    summary:
      "NormalizedCache, the cache under test: an actor, observers called on the committing path."
  ) { library, _ in try await OurCache(library: library) }
}

/// The cache under test, configured as by an app with this number of files and queries.
private final class OurCache: AlternativeCache {
  private let cache: NormalizedCache<MeasurementSchema>
  private let library: FileLibrary

  init(library: FileLibrary) async throws {
    self.library = library
    cache = try await .filled(with: library, clock: ContinuousCacheClock())
  }

  func observe(directory: Int, _ observer: ObserverBoard.Observer) async {
    _ = await cache.observe(library.queryKey(ofDirectory: directory)) { _, _ in observer() }
  }

  func apply(
    _ event: consuming FileEvent, committed: @escaping @Sendable () -> Void
  ) async {
    await cache.receive(event, committed: committed)
  }

  func listing(ofDirectory directory: Int) async throws -> [ListedFile]? {
    try await cache.query(library.queryKey(ofDirectory: directory)).map { ListedFile($0) }
  }
}
