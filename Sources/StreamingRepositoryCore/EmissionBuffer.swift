import Containers

/// Answers that wait to be written: of each collection the newest, in order.
struct EmissionBuffer<Rows: Sendable>: Sendable {
  struct Emission: Sendable {
    /// The place of its collection.
    var collection: Int
    var request: RequestNumber
    var rows: Rows
  }

  private var waiting: [Int: Emission] = [:]
  /// Collections in the order in which they are to be written.
  private var order: [Int] = []

  var count: Int { order.count }

  /// What the tables take, at the allocator's size classes; the table stays as large as it has been, the array no less than one.
  var tableBytes: Int {
    guard waiting.capacity > 0 else { return 0 }
    return waiting.allocatedBytes
      + AllocationSize.array(growingTo: max(1, order.count), stride: MemoryLayout<Int>.stride)
  }

  /// The request whose answer waits.
  func request(of collection: Int) -> RequestNumber? { waiting[collection]?.request }

  /// Puts an answer instead of the one that waits, whose turn it takes.
  ///
  /// - Returns: whether another waited.
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
