import Containers

/// Answers waiting to be written: the newest of each collection, in order.
struct EmissionBuffer<Rows: Sendable>: Sendable {
  struct Emission: Sendable {
    /// The index of its collection.
    var collection: Int
    var request: RequestNumber
    var rows: Rows
  }

  private var waiting: [Int: Emission] = [:]
  /// The collections in the order in which they will be written.
  private var order: [Int] = []

  var count: Int { order.count }

  /// The tables' heap memory, at the allocator's size classes; the table does not shrink, the array has at
  /// least one element.
  var tableBytes: Int {
    guard waiting.capacity > 0 else { return 0 }
    return waiting.allocatedBytes
      + AllocationSize.array(growingTo: max(1, order.count), stride: MemoryLayout<Int>.stride)
  }

  func request(of collection: Int) -> RequestNumber? { waiting[collection]?.request }

  /// Adds an answer; it replaces a waiting one and keeps its turn.
  ///
  /// - Returns: whether it replaced another.
  mutating func put(_ emission: Emission) -> Bool {
    let replaced = waiting.updateValue(emission, forKey: emission.collection) != nil
    if !replaced { order.append(emission.collection) }
    return replaced
  }

  mutating func takeFirst() -> Emission? {
    guard !order.isEmpty else { return nil }
    return waiting.removeValue(forKey: order.removeFirst())
  }

  mutating func removeAll() {
    waiting = [:]
    order = []
  }
}
