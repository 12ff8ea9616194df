import CacheFiles
import CacheModel
import CacheTestSupport
import FileHashing
import Testing

@Suite("Names of cached files")
struct FileNameTests {
  @Test("T7 A name is the SHA-256 of the text, in lower case")
  func isSHA256() {
    #expect(
      FileName(hashing: "abc").description
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(FileName(hashing: "abc").fingerprint == 0xba78_16bf_8f01_cfea)
    #expect(FileName(hashing: "", extension: "jpg").description.hasSuffix("7852b855.jpg"))
  }

  @Test("T7 R8 Two texts have one name if and only if their bytes are the same")
  func bytes() {
    var random = RandomSource(seed: 7)
    let texts = RandomText.distinct(300, hasNUL: true, &random)
    #expect(Set(texts.map { FileName(hashing: $0) }).count == texts.count)
    let names = (0..<10_000).map { FileName(hashing: "https://example.org/\($0)") }
    #expect(Set(names).count == names.count)
  }

  @Test(
    "A file with another name is not a file of the cache",
    arguments: [
      "", "..", "draft-1f", String(repeating: "a", count: 63), String(repeating: "A", count: 64),
      String(repeating: "a", count: 65), String(repeating: "a", count: 64) + ".",
      String(repeating: "a", count: 64) + ".JPG", String(repeating: "a", count: 64) + "./../x",
    ])
  func refusesOthers(name: String) {
    #expect(FileName(found: name) == nil)
  }

  @Test("A name that was found is the one that was made")
  func findsItsOwn() {
    for name in [FileName(hashing: "x"), FileName(hashing: "x", extension: "json")] {
      #expect(FileName(found: name.description) == name)
    }
  }

  @Test("A name has a stem and an extension, and a single file has one that no listing shows")
  func parts() {
    let name = FileName(hashing: "x", extension: "json")
    #expect(name.fileExtension == "json")
    #expect(name.stem == FileName(hashing: "x"))
    #expect(name.stem.with(extension: "json") == name)
    #expect(FileName(hashing: "x").fileExtension == nil)
    #expect(FileName(found: FileName(single: "manifest.json").description) == nil)
  }
}
