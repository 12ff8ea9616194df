import CacheFiles
import CacheModel
import ResponseCacheCore
import Testing

@testable import DesignSimulation

@Suite("The folder of a simulated response cache")
struct ResponseFolderTests {
  @Test("It takes as many bytes as its manifest has as text, after any changes")
  func manifestBytes() {
    let folder = ResponseFolder([], .manifest)
    var entries = (0..<6).map { Self.entry($0) }
    func check() {
      let manifest = Manifest(entries: entries)
      _ = folder.perform(.writeManifest(manifest), at: .zero)
      #expect(folder.bytes == ManifestText.bytes(manifest).count)
    }
    check()
    entries[2].lastRead = Instant(nanoseconds: 1_000_000_000)
    check()
    entries.remove(at: 3)
    check()
    entries.append(Self.entry(9))
    entries[0].tags = ["kept"]
    check()
    entries.insert(Self.entry(7), at: 1)
    check()
    entries = []
    check()
  }

  private static func entry(_ number: Int) -> ManifestEntry<FileName> {
    let version = BodyVersion(
      kind: .json, bytes: 10 << number, digest: BodyDigest(words: [1, 2, 3, UInt64(number)]),
      etag: "\"1-\(number)\"", generatedAt: .zero, staleAt: Instant(nanoseconds: 1 << number))
    return ManifestEntry(
      key: FileName(digest: [UInt8](repeating: UInt8(number), count: FileName.digestBytes)),
      tags: [], lastRead: .zero, versions: [version])
  }
}
