import CacheModel
import Workloads

/// Tells gaps that something was lost in from gaps that were only slow to close.
struct GapLedger: Sendable {
  /// For each position in the stream that is ever delivered, its first and its last delivery.
  private let deliveries: [StreamPosition: (first: Int, last: Int)]
  private(set) var falseGaps = 0

  init(_ script: [Delivery], _ mutations: [Mutation]) {
    var deliveries: [StreamPosition: (first: Int, last: Int)] = [:]
    for (index, delivery) in script.enumerated() {
      guard case .event(let mutation) = delivery.content else { continue }
      let position = mutations[Int(mutation)].position
      deliveries[position] = (deliveries[position]?.first ?? index, index)
    }
    self.deliveries = deliveries
  }

  /// A gap has stayed open beyond the reorder window.
  ///
  /// It is false where every event that was missing in front of the next one at hand arrives later.
  mutating func noteDetection(after cursor: StreamPosition?, deliveredUpTo next: Int) {
    guard let cursor else { return }
    var position = cursor
    var missing = 0
    while true {
      position.sequence += 1
      guard let delivery = deliveries[position], delivery.first >= next else {
        // Delivered already: it waits behind the gap. Never delivered: the gap is real.
        if missing > 0, deliveries[position] != nil { falseGaps += 1 }
        return
      }
      missing += 1
    }
  }
}
