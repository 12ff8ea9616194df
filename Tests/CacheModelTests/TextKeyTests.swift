import CacheModel
import CacheTestSupport
import Testing

@Suite("Texts that are keys")
struct TextKeyTests {
  @Test("Two are one key if and only if their bytes are the same", arguments: 0..<4)
  func identity(seed: Int) {
    var random = RandomSource(seed: UInt64(seed))
    let texts = RandomText.distinct(100, hasNUL: true, &random)
    var places: [TextKey: Int] = [:]
    for (place, text) in texts.enumerated() { places[TextKey(text)] = place }
    #expect(places.count == texts.count)
    for (place, text) in texts.enumerated() {
      #expect(places[TextKey(String(decoding: text.bytes, as: UTF8.self))] == place)
      #expect(TextKey(text).text.bytes == text.bytes)
    }
    // Otherwise nothing was shown.
    #expect(Set(texts).count < texts.count)
  }

  @Test("They are in the order of their bytes")
  func order() {
    var random = RandomSource(seed: 1)
    let texts = RandomText.distinct(200, hasNUL: true, &random)
    let ordered = texts.map { TextKey($0) }.sorted().map(\.text.bytes)
    #expect(ordered == texts.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
  }
}
