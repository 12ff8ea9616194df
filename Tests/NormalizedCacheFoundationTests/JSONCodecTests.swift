import Foundation
import NormalizedCache
import NormalizedCacheFoundation
import Testing

@Suite("Values in a storage as JSON")
struct JSONCodecTests {
  private struct Measurement: Codable, Equatable {
    var name: String
    var value: Double
    var unit: String?
  }

  private enum Edit: Codable, Equatable {
    case rename(String)
    case clear
  }

  private let key = EntityKey(type: ResourceType(rawValue: 1), id: UniqueID(high: 0, low: 1))
  private let codec = JSONCodec<Measurement, Edit>(schemaVersion: 3)

  @Test("Values and changes come back as they were")
  func roundTrip() throws {
    let value = Measurement(name: "é \"x\"", value: 1.5, unit: nil)
    #expect(codec.schemaVersion == 3)
    let bytes = try codec.encode(value, of: key)
    #expect(try codec.decode(bytes, of: key, schemaVersion: 3) == value)
    for edit in [Edit.rename("n"), .clear] {
      let bytes = try codec.encodeChange(edit, of: key)
      #expect(try codec.decodeChange(bytes, of: key, schemaVersion: 3) == edit)
    }
  }

  @Test("An older form is read if the new parts are optional, and is an error otherwise")
  func olderForm() throws {
    let older = Array(#"{"name":"n","value":2}"#.utf8)
    let value = try codec.decode(older, of: key, schemaVersion: 1)
    #expect(value == Measurement(name: "n", value: 2, unit: nil))
    #expect(throws: DecodingError.self) {
      try codec.decode(Array(#"{"name":"n"}"#.utf8), of: key, schemaVersion: 1)
    }
  }

  @Test("A value that cannot be JSON is an error")
  func notFinite() {
    #expect(throws: EncodingError.self) {
      try codec.encode(Measurement(name: "n", value: .nan, unit: nil), of: key)
    }
  }

  @Test("A schema without changes needs no other codec")
  func withoutChanges() throws {
    let codec: any StorageCodec<Measurement, Never> = JSONCodec<Measurement, Never>()
    #expect(codec.schemaVersion == 1)
  }
}

@Suite("Identifiers from and to Foundation's")
struct UUIDTests {
  @Test(
    "Both write the same text",
    arguments: [
      "00000000-0000-0000-0000-000000000000", "01234567-89ab-cdef-fedc-ba9876543210",
      "ffffffff-ffff-ffff-ffff-ffffffffffff", "80000000-0000-0001-8000-000000000001",
    ])
  func sameText(text: String) throws {
    let uuid = try #require(UUID(uuidString: text))
    let id = UniqueID(uuid)
    #expect(id.description == text)
    #expect(UniqueID(text) == id)
    #expect(UUID(id) == uuid)
  }

  @Test("Each token is another")
  func tokens() {
    #expect(Set((0..<100).map { _ in MutationToken.random() }).count == 100)
  }
}
