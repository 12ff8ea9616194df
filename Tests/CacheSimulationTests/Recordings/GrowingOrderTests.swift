import CacheModel
import Testing

@testable import CacheSimulation

@Suite("A growing order", .timeLimit(.minutes(30)))
struct GrowingOrderTests {
  /// A plain list gives the expected order.
  private static func check(_ order: GrowingOrder, _ line: [Int32]) {
    #expect(order.count == line.count)
    let places = order.places
    for (place, node) in line.enumerated() { #expect(places[Int(node)] == Int32(place)) }
    for (node, next) in zip(line, line.dropFirst()) {
      #expect(order.precedes(node, next))
      #expect(!order.precedes(next, node))
    }
  }

  @Test("Nodes inserted anywhere have the same order as in a plain list", arguments: 1...4)
  func anywhere(seed: UInt64) {
    var random = RandomSource(seed: seed).substream("order")
    var order = GrowingOrder()
    var line: [Int32] = []
    for _ in 0..<2_000 {
      // Behind one, or before all.
      let place = random.below(line.count + 1)
      let node = order.insert(behind: place == 0 ? nil : line[place - 1])
      line.insert(node, at: place)
    }
    Self.check(order, line)
  }

  @Test(
    "It does not run out of labels at one place, however many nodes are put there",
    arguments: [0, 1, 2])
  func onePlace(place: Int) {
    var order = GrowingOrder()
    var line: [Int32] = []
    for _ in 0..<3 { line.append(order.insert(behind: line.last)) }
    for _ in 0..<20_000 {
      let node = order.insert(behind: place == 0 ? nil : line[place - 1])
      line.insert(node, at: place)
    }
    Self.check(order, line)
  }

  @Test("Put into another order it has that one, and grows on from there", arguments: 1...4)
  func reordered(seed: UInt64) {
    var random = RandomSource(seed: seed).substream("reorder")
    var order = GrowingOrder()
    order.reorder(to: [])
    var line: [Int32] = []
    for _ in 0..<5 {
      for _ in 0..<200 {
        let place = random.below(line.count + 1)
        let node = order.insert(behind: place == 0 ? nil : line[place - 1])
        line.insert(node, at: place)
      }
      for index in line.indices { line.swapAt(index, random.below(index + 1)) }
      var places = [Int32](repeating: 0, count: line.count)
      for (place, node) in line.enumerated() { places[Int(node)] = Int32(place) }
      order.reorder(to: places)
      Self.check(order, line)
    }
  }

  @Test("It grows at its end")
  func atTheEnd() {
    var order = GrowingOrder()
    var line: [Int32] = []
    for _ in 0..<20_000 { line.append(order.insert(behind: line.last)) }
    Self.check(order, line)
  }
}
