import CacheModel
import NormalizedCache

/// The cache under test, as an app would set it up for so many files and queries.
///
/// It stands here because the cache is compiled for ``MeasurementSchema`` in this module: a module that
/// made one of its own would compile the whole of it once more.
package final class CacheDesign: DesignUnderTest {
  private let cache: NormalizedCache<MeasurementSchema>
  private let library: FileLibrary

  package init(library: FileLibrary) async throws {
    self.library = library
    cache = try NormalizedCache(
      composition: library.leastRecentlyUsed, schema: MeasurementSchema(),
      source: LibraryServer(library: library))
    for key in library.queryKeys { _ = try await cache.query(key) }
  }

  package func observe(directory: Int, _ observer: ObserverBoard.Observer) async {
    _ = await cache.observe(library.queryKey(ofDirectory: directory)) { _, _ in observer() }
  }

  package func apply(
    _ event: consuming FileEvent, committed: @escaping @Sendable () -> Void
  ) async {
    await cache.receive(event, committed: committed)
  }

  package func listing(ofDirectory directory: Int) async throws -> [ListedFile]? {
    try await cache.query(library.queryKey(ofDirectory: directory)).map { ListedFile($0) }
  }

  package func close() {}
}
