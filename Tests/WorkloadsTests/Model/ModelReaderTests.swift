import CacheModel
import Testing

@testable import Workloads

@Suite("Reading a declared model")
struct ModelReaderTests {
  @Test("Fields of one name have one slot, and those of one type slots of their own")
  func slots() throws {
    let model = try ShopTests.scenario([
      ("has: {name: text}}", "has: {added: time, color: integer, name: text}}")
    ]).model
    for name in ["name", "added"] {
      let slots = model.types.compactMap { $0.field(named: name)?.slot }
      #expect(slots.count == 2)
      #expect(Set(slots).count == 1)
    }
    for type in model.types {
      #expect(Set(type.fields.map(\.slot)).count == type.fields.count)
    }
  }

  @Test("A time to live may be given for a query of the model, and none is there by default")
  func timesToLive() throws {
    let yaml =
      ShopTests.text.replacing("60 shelves", with: "60 shelfs")
      + "\ncache: {time-to-live: 60 s, time-to-live.products: 9 s}\npolicies: [ttl]\n"
    let scenario = try Scenario.parse(
      Array(yaml.utf8), file: "f.yaml", vocabulary: .unchecked)
    let composition = try #require(scenario.composition(for: "ttl"))
    let kinds = (0..<8).map { DataModel.kind(ofShape: $0).method }
    let lifetimes = kinds.map { composition.freshness.lifetimeNanoseconds(of: $0) }
    #expect(lifetimes[1] == 9_000_000_000)
    #expect(lifetimes.enumerated().allSatisfy { $0.offset == 1 || $0.element == 60_000_000_000 })
  }
}
