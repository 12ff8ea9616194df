/// A priority queue of slots, least key first, in which any slot can be re-keyed or removed.
///
/// A binary heap with a table of each slot's position. Every change is O(log n), the least is O(1); only
/// ``reserve(slots:)`` allocates. Equal keys leave in unspecified order: make keys unique by a last part.
public struct SlotHeap<Key: Comparable & BitwiseCopyable>: ~Copyable {
  // Not private: Swift 6.3.1 emits broken debug code for private types in generic storage.
  @usableFromInline struct Node: BitwiseCopyable {
    @usableFromInline var key: Key
    @usableFromInline var slot: Slot

    @inlinable init(key: Key, slot: Slot) {
      self.key = key
      self.slot = slot
    }
  }

  @usableFromInline var nodes: Flat<Node>
  /// The index of each slot in `nodes`; -1: none.
  @usableFromInline var places = Flat<Int32>(repeating: -1, count: 0)
  @usableFromInline var occupied = 0

  /// The number of slots in the queue.
  @inlinable public var count: Int { occupied }
  @usableFromInline let filler: Node

  /// - Parameter filler: any key, for unused elements.
  @inlinable public init(filler: Key) {
    self.filler = Node(key: filler, slot: -1)
    nodes = Flat(repeating: Node(key: filler, slot: -1), count: 0)
  }

  @inlinable public mutating func reserve(slots: Int) {
    nodes.grow(toAtLeast: slots, filling: filler)
    places.grow(toAtLeast: slots, filling: -1)
  }

  @inlinable public func contains(_ slot: Slot) -> Bool { places[slot] >= 0 }

  /// The slot with the least key; `nil` when the heap is empty.
  @inlinable public var least: Slot? { count == 0 ? nil : nodes[0].slot }

  @inlinable public func key(of slot: Slot) -> Key {
    precondition(contains(slot), "slot \(slot) is not in the order")
    return nodes[places[slot]].key
  }

  @inlinable public mutating func insert(_ slot: Slot, key: Key) {
    precondition(!contains(slot), "slot \(slot) is in the order already")
    occupied += 1
    raise(Node(key: key, slot: slot), from: count - 1)
  }

  @inlinable public mutating func update(_ slot: Slot, key: Key) {
    precondition(contains(slot), "slot \(slot) is not in the order")
    settle(Node(key: key, slot: slot), at: Int(places[slot]))
  }

  @inlinable public mutating func remove(_ slot: Slot) {
    precondition(contains(slot), "slot \(slot) is not in the order")
    let place = Int(places[slot])
    places[slot] = -1
    occupied -= 1
    if place != count { settle(nodes[count], at: place) }
  }

  /// Puts a node in a hole, and sifts it up or down.
  @inlinable mutating func settle(_ node: Node, at place: Int) {
    if place > 0, node.key < nodes[(place - 1) / 2].key {
      raise(node, from: place)
    } else {
      sink(node, from: place)
    }
  }

  @inlinable mutating func raise(_ node: Node, from hole: Int) {
    var place = hole
    while place > 0 {
      let parent = (place - 1) / 2
      guard node.key < nodes[parent].key else { break }
      put(nodes[parent], at: place)
      place = parent
    }
    put(node, at: place)
  }

  @inlinable mutating func sink(_ node: Node, from hole: Int) {
    var place = hole
    while true {
      var child = 2 * place + 1
      guard child < count else { break }
      if child + 1 < count, nodes[child + 1].key < nodes[child].key { child += 1 }
      guard nodes[child].key < node.key else { break }
      put(nodes[child], at: place)
      place = child
    }
    put(node, at: place)
  }

  @inlinable mutating func put(_ node: Node, at place: Int) {
    nodes[place] = node
    places[node.slot] = Int32(place)
  }

  /// Traps unless the heap is consistent; O(n), for tests.
  public func checkInvariants() {
    for place in 0..<count {
      let node = nodes[place]
      precondition(Int(places[node.slot]) == place, "slot \(node.slot) lost its place")
      precondition(
        place == 0 || !(node.key < nodes[(place - 1) / 2].key), "slot \(node.slot) is too deep")
    }
  }
}
