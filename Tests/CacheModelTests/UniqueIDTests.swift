import CacheModel
import CacheTestSupport
import Foundation
import Testing

@Suite("UniqueID")
struct UniqueIDTests {
  private static let text = "01234567-89ab-cdef-fedc-ba9876543210"

  @Test("is read and written in the form of RFC 9562, whatever the case")
  func form() {
    let id = UniqueID(Self.text)
    #expect(id == UniqueID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210))
    #expect(id?.description == Self.text)
    #expect(UniqueID(Self.text.uppercased()) == id)
    #expect(UniqueID(Substring(Self.text)) == id)
  }

  @Test("every identifier survives being written and read")
  func roundTrip() {
    var random = RandomSource(seed: 1)
    for _ in 0..<500 {
      let id = UniqueID(high: random.next(), low: random.next())
      #expect(UniqueID(id.description) == id)
    }
    let ends = [UniqueID(high: 0, low: 0), UniqueID(high: .max, low: .max)]
    for id in ends { #expect(UniqueID(id.description) == id) }
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "0", text + "0", String(text.dropLast()), "{\(text)}",
      "0123456789abcdeffedcba9876543210", "01234567-89ab-cdef-fedc-ba987654321g",
      "012345678-9ab-cdef-fedc-ba9876543210", "01234567_89ab_cdef_fedc_ba9876543210",
      "01234567-89ab-cdef-fedc-ba98765432-0", "٠1234567-89ab-cdef-fedc-ba987654321",
    ])
  func malformed(text: String) {
    #expect(UniqueID(text) == nil)
  }

  @Test("order is that of the written form")
  func order() {
    var random = RandomSource(seed: 2)
    for _ in 0..<500 {
      let left = UniqueID(high: random.next() & 3, low: random.next())
      let right = UniqueID(high: random.next() & 3, low: random.next())
      #expect((left < right) == (left.description < right.description))
    }
  }
}

@Suite("Identifiers as Codable")
struct CodingTests {
  private let id = UniqueID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)

  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test("B20 An identifier is its text, in either case")
  func uniqueID() throws {
    #expect(try json(id) == "\"01234567-89ab-cdef-fedc-ba9876543210\"")
    let upper = Data("\"01234567-89AB-CDEF-FEDC-BA9876543210\"".utf8)
    #expect(try JSONDecoder().decode(UniqueID.self, from: upper) == id)
  }

  @Test("An invalid identifier is an error", arguments: ["\"0123\"", "\"\"", "7", "null", "[]"])
  func noUniqueID(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(UniqueID.self, from: Data(text.utf8))
    }
  }

  @Test("A library, a type and a key come back as they were")
  func names() throws {
    let library = LibraryID(rawValue: id)
    #expect(try json(library) == json(id))
    let key = EntityKey(type: ResourceType(rawValue: 7), id: id)
    #expect(try json(key) == "{\"id\":\(try json(id)),\"type\":7}")
    #expect(
      try JSONDecoder().decode(LibraryID.self, from: Data(try json(library).utf8)) == library)
    #expect(try JSONDecoder().decode(EntityKey.self, from: Data(try json(key).utf8)) == key)
  }
}

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
