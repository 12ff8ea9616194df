/// Several doubly linked lists of slots, each from its old end to its young end, in one flat array.
///
/// For policies with several parts: a slot is in at most one list, so one node per slot serves all of them,
/// with the list and the slot's weight. Every operation is O(1), and only ``reserve(slots:)`` allocates.
public struct SlotQueues: ~Copyable {
  // Not private: Swift 6.3.1 emits broken debug code for private types in generic storage.
  @usableFromInline struct Node: BitwiseCopyable {
    @usableFromInline var older: Int32
    @usableFromInline var younger: Int32
    /// The list; -1: none.
    @usableFromInline var queue: Int32
    @usableFromInline var weight: Int32

    @inlinable init(older: Int32, younger: Int32, queue: Int32, weight: Int32) {
      self.older = older
      self.younger = younger
      self.queue = queue
      self.weight = weight
    }

    @inlinable static var absent: Node { Node(older: -1, younger: -1, queue: -1, weight: 0) }
  }

  /// The sentinel of list `q` at `q`, the node of slot `s` after all sentinels.
  @usableFromInline var nodes: Flat<Node>
  @usableFromInline var weights: Flat<Int>
  @usableFromInline let sentinels: Int32
  @usableFromInline var occupied = 0

  /// The number of slots in all lists.
  @inlinable public var count: Int { occupied }

  /// - Parameter count: the number of lists.
  @inlinable public init(count: Int) {
    sentinels = Int32(count)
    nodes = Flat(repeating: .absent, count: count)
    weights = Flat(repeating: 0, count: count)
    for queue in 0..<sentinels {
      nodes[queue] = Node(older: queue, younger: queue, queue: -1, weight: 0)
    }
  }

  @inlinable public mutating func reserve(slots: Int) {
    precondition(slots < Int(Int32.max - sentinels), "\(slots) slots are more than lists can link")
    nodes.grow(toAtLeast: slots + Int(sentinels), filling: .absent)
  }

  /// Returns the list of a slot; -1: none.
  @inlinable public func queue(of slot: Slot) -> Int32 { nodes[slot + sentinels].queue }

  @inlinable public func weight(of queue: Int32) -> Int { weights[queue] }

  /// Returns the old end of a list; `nil` when it is empty.
  @inlinable public func oldest(of queue: Int32) -> Slot? {
    let place = nodes[queue].younger
    return place < sentinels ? nil : place - sentinels
  }

  @inlinable public mutating func pushYoung(_ slot: Slot, weight: Int32, to queue: Int32) {
    precondition(self.queue(of: slot) < 0, "slot \(slot) is in the order already")
    link(slot + sentinels, weight: weight, to: queue)
    occupied += 1
  }

  @inlinable public mutating func remove(_ slot: Slot) {
    precondition(queue(of: slot) >= 0, "slot \(slot) is not in the order")
    unlink(slot + sentinels)
    nodes[slot + sentinels] = .absent
    occupied -= 1
  }

  /// Moves a slot to the young end of a list, its own or another.
  @inlinable public mutating func move(_ slot: Slot, toYoungOf queue: Int32) {
    move(slot, weight: nodes[slot + sentinels].weight, toYoungOf: queue)
  }

  /// Moves a slot whose weight may have changed.
  @inlinable public mutating func move(_ slot: Slot, weight: Int32, toYoungOf queue: Int32) {
    let place = slot + sentinels
    let node = nodes[place]
    precondition(node.queue >= 0, "slot \(slot) is not in the order")
    guard node.queue == queue, node.weight == weight else {
      unlink(place)
      link(place, weight: weight, to: queue)
      return
    }
    // The usual case: only the position in the list changes, and for the most popular slots not even that.
    let youngest = nodes[queue].older
    guard youngest != place else { return }
    nodes[node.older].younger = node.younger
    nodes[node.younger].older = node.older
    nodes[place].older = youngest
    nodes[place].younger = queue
    nodes[youngest].younger = place
    nodes[queue].older = place
  }

  /// Moves a slot to the young end of a list with a limited weight, which moves its oldest to the young end
  /// of another list while it is over the limit.
  ///
  /// O(1), unless the slot has become heavier, which may move several.
  @inlinable public mutating func move(
    _ slot: Slot, weight: Int32, toYoungOf queue: Int32, limit: Int, overflowingTo other: Int32
  ) {
    move(slot, weight: weight, toYoungOf: queue)
    while self.weight(of: queue) > limit, let oldest = oldest(of: queue) {
      move(oldest, toYoungOf: other)
    }
  }

  @inlinable mutating func link(_ place: Int32, weight: Int32, to queue: Int32) {
    let youngest = nodes[queue].older
    nodes[place] = Node(older: youngest, younger: queue, queue: queue, weight: weight)
    nodes[youngest].younger = place
    nodes[queue].older = place
    weights[queue] += Int(weight)
  }

  @inlinable mutating func unlink(_ place: Int32) {
    let node = nodes[place]
    nodes[node.older].younger = node.younger
    nodes[node.younger].older = node.older
    weights[node.queue] -= Int(node.weight)
  }

  /// Traps unless every link points back and every list's weight is the sum of its members'; O(n), for tests.
  public func checkInvariants() {
    var seen = 0
    for queue in 0..<sentinels {
      var before = queue
      var place = nodes[queue].younger
      var weight = 0
      while place >= sentinels {
        let node = nodes[place]
        precondition(node.older == before, "slot \(place - sentinels) does not point back")
        precondition(node.queue == queue, "slot \(place - sentinels) strayed from its list")
        weight += Int(node.weight)
        seen += 1
        precondition(seen <= count, "a list has a cycle")
        before = place
        place = node.younger
      }
      precondition(place == queue && nodes[queue].older == before, "a list lost its end")
      precondition(weight == weights[queue], "a list miscounts what it weighs")
    }
    precondition(seen == count, "the lists lost a slot")
  }
}
