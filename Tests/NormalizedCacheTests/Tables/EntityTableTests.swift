import Testing

@testable import NormalizedCache

@Suite("What is known of entities")
struct EntityTableTests {
  @Test("What is known of one beside its value is one line of the processor's cache")
  func record() {
    #expect(MemoryLayout<EntityRecord>.stride == 64)
    #expect(MemoryLayout<Listing>.stride == 16)
  }
}
