import Foundation
import TwoTierCache

/// A tile of a radar picture, as it is asked for.
struct TileKey: Hashable, CustomStringConvertible {
  var zoom: Int
  var x: Int
  var y: Int

  /// The name of its file: the same in every launch, and different for every tile.
  var description: String { "radar/\(zoom)/\(x)/\(y)" }
}

/// Shows a map of radar tiles twice, as a user who looks back does, and prints where they came from.
///
/// Usage: `Tiles [FOLDER]`. Run again on the same folder, the tiles come from its files.
@main
struct Tiles {
  static func main() async throws {
    let folder =
      CommandLine.arguments.dropFirst().first.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("radar-tiles")

    // Tiles of 100 kB; memory has space for half of the map.
    var options = TwoTierOptions()
    options.memoryLimit = .bytes(800_000)
    options.diskBytes = 50_000_000
    let cache = try TwoTierCache<TileKey, Data>(
      identifier: "radar", folder: folder, options: options)

    var downloads = 0
    for _ in 1...2 {
      for x in 0..<4 {
        for y in 0..<4 {
          let key = TileKey(zoom: 7, x: x, y: y)
          if await cache.value(for: key) == nil {
            downloads += 1
            await cache.set(download(key), for: key)
          }
        }
      }
    }
    await cache.close()

    let statistics = await cache.statistics
    print(
      """
      reads: \(statistics.reads), of them from memory \(statistics.memoryHits), from files \
      \(statistics.diskHits), from the server \(downloads)
      files written: \(statistics.filesWritten), in \(cache.folder.path)
      """)
  }

  /// Instead of a server's answers.
  static func download(_ key: TileKey) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: key.x * 4 + key.y), count: 100_000)
  }
}
