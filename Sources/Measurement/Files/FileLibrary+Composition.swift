package import CacheModel
package import SyncStack

extension FileLibrary {
  /// A preset with room for the whole library, values living five minutes.
  ///
  /// - Returns: `nil` where no preset has that name.
  package func composition(preset name: String) -> PolicyComposition? {
    Preset.named(name)?.composition(
      .init(
        capacity: Capacity(entities: fileCount), maximumQueries: directories,
        freshness: Freshness(timeToLive: .seconds(300))))
  }
}
