import CacheModel
import Testing

/// Ties in lists are broken by keys, and places compared, by caches and their oracles alike.
@Suite("The order of keys and of places in a stream")
struct OrderTests {
  private static func isAscending<Value: Comparable>(_ values: [Value]) -> Bool {
    values.indices.allSatisfy { left in
      values.indices.allSatisfy { (values[left] < values[$0]) == (left < $0) }
    }
  }

  @Test("The type of a key decides, then its identifier")
  func keys() {
    func key(_ type: UInt16, _ high: UInt64, _ low: UInt64) -> EntityKey {
      EntityKey(type: ResourceType(rawValue: type), id: UniqueID(high: high, low: low))
    }
    #expect(
      Self.isAscending([key(1, 0, 0), key(1, 0, 9), key(1, 7, 1), key(2, 0, 5), key(300, 0, 1)]))
  }

  @Test("The epoch of a place decides, then its sequence")
  func positions() {
    let places = [(1, 1), (1, 900), (2, 1), (2, 2), (7, 0)].map {
      StreamPosition(epoch: $0.0, sequence: $0.1)
    }
    #expect(Self.isAscending(places))
  }
}
