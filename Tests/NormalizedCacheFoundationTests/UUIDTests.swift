import Foundation
import NormalizedCache
import NormalizedCacheFoundation
import Testing

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
