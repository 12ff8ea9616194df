import CacheModel
import Workloads

/// Tells gaps that something was lost in from gaps that were only slow to close.
struct GapLedger: Sendable {
  /// The first delivery of each mutation that is ever delivered, by position, ascending.
  private let deliveries: [(position: StreamPosition, first: Int)]
  private(set) var falseGaps = 0

  init(_ script: [Delivery], _ mutations: [Mutation]) {
    var first = [Int?](repeating: nil, count: mutations.count)
    for (index, delivery) in script.enumerated() {
      guard case .event(let mutation) = delivery.content, first[Int(mutation)] == nil else {
        continue
      }
      first[Int(mutation)] = index
    }
    // In order already, unless a recording tells its mutations in another; then two may share a
    // position, and the earlier delivery counts.
    deliveries = mutations.indices.compactMap { index in
      first[index].map { (mutations[index].position, $0) }
    }.sorted {
      $0.position != $1.position ? $0.position < $1.position : $0.first < $1.first
    }
  }

  /// The first delivery of a position; `nil` where it is never delivered.
  ///
  /// O(log deliveries).
  private func firstDelivery(of position: StreamPosition) -> Int? {
    var low = 0
    var high = deliveries.count
    while low < high {
      let middle = (low + high) / 2
      if deliveries[middle].position < position { low = middle + 1 } else { high = middle }
    }
    guard low < deliveries.count, deliveries[low].position == position else { return nil }
    return deliveries[low].first
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
      guard let delivery = firstDelivery(of: position), delivery >= next else {
        // Delivered already: it waits behind the gap. Never delivered: the gap is real.
        if missing > 0, firstDelivery(of: position) != nil { falseGaps += 1 }
        return
      }
      missing += 1
    }
  }
}
