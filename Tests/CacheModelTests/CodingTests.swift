import CacheModel
import Foundation
import Testing

@Suite("Identifiers as Codable")
struct CodingTests {
  private let id = UniqueID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)

  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test("B20 An identifier is its text, in whatever case it was written")
  func uniqueID() throws {
    #expect(try json(id) == "\"01234567-89ab-cdef-fedc-ba9876543210\"")
    let upper = Data("\"01234567-89AB-CDEF-FEDC-BA9876543210\"".utf8)
    #expect(try JSONDecoder().decode(UniqueID.self, from: upper) == id)
  }

  @Test("What is no identifier is an error", arguments: ["\"0123\"", "\"\"", "7", "null", "[]"])
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
