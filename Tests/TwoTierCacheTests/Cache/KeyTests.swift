import CacheFiles
import CacheModel
import CacheTestSupport
import FileHashing
import Foundation
import Testing
import TwoTierCache

@Suite("Texts that name values and caches", .timeLimit(.minutes(30)))
struct KeyTests {
  @Test("T7 A key is its bytes: in memory, in files, and in the next launch", arguments: 0..<2)
  func keys(seed: Int) async throws {
    var random = RandomSource(seed: UInt64(seed))
    let keys = RandomText.distinct(120, hasNUL: true, &random)
    let bench = try Bench()
    let first = try bench.open()
    for key in keys { await first.set(Data(key), for: key) }
    for key in keys { #expect(await first.value(for: key) == Data(key)) }
    await first.flush()
    #expect(bench.base.files.count == keys.count)
    await first.remove(keys[0])
    #expect(await !first.contains(keys[0]))
    for key in keys[1...] { #expect(await first.contains(key)) }
    await first.flush()
    let second = try bench.open()
    #expect(await !second.containsOnDisk(keys[0]))
    #expect(await second.value(for: keys[0]) == nil)
    for key in keys[1...] { #expect(await second.value(for: key) == Data(key)) }
  }

  @Test("T1 A key is its description, however else two of them may be equal")
  func descriptions() async throws {
    struct Tile: Hashable, CustomStringConvertible {
      var layer: String
      var description: String { "\(layer)/1" }
    }
    let bench = try Bench()
    let cache = try TwoTierCache<Tile, Data>(
      identifier: "tiles", folder: bench.base.url, logger: bench.logger)
    let (composed, decomposed) = (Tile(layer: "caf\u{E9}"), Tile(layer: "cafe\u{301}"))
    #expect(composed == decomposed)
    await cache.set(Data("1"), for: composed)
    #expect(await cache.value(for: decomposed) == nil)
    await cache.set(Data("2"), for: decomposed)
    #expect(await cache.value(for: composed) == Data("1"))
  }

  @Test("T6 Caches whose identifiers differ in bytes never meet")
  func identifiers() async throws {
    var random = RandomSource(seed: 6)
    let known = ["a", "A", "../a", "a/b", ""]
    let identifiers =
      known + RandomText.distinct(20, hasNUL: true, &random).filter { !known.contains($0) }
    let bench = try Bench()
    for identifier in identifiers {
      let cache = try bench.open(identifier)
      await cache.set(Data(identifier), for: "key")
      await cache.close()
      #expect(cache.folder.deletingLastPathComponent().path == bench.base.url.path)
    }
    for identifier in identifiers {
      #expect(try await bench.open(identifier).value(for: "key") == Data(identifier))
    }
    #expect(Set(identifiers.map { FileName(hashing: $0) }).count == identifiers.count)
  }

  @Test("T10 A folder whose path has a NUL character is refused: nothing is made before it either")
  func folder() async throws {
    let bench = try Bench()
    let cache = try TwoTierCache<String, Data>(
      FileFolder(path: bench.base.url.path + "/cut\0off"), options: bench.options,
      logger: bench.logger)
    await cache.set(Data("value"), for: "key")
    await cache.flush()
    #expect(await cache.disk == .unavailable)
    #expect(await cache.value(for: "key") == Data("value"))
    #expect(!FileManager.default.fileExists(atPath: bench.base.url.path + "/cut"))
  }
}
