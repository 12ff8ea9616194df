import Containers

/// How deep in the LRU stack each key stands in bytes: the weight of the distinct keys since its last
/// use, itself included.
///
/// As ``StackDistances``, with weights for marks: sums of blocks of 64 places are in a Fenwick tree, and
/// a query adds the block's own places up. A use is O(log distinct).
///
/// Source: Fenwick, "A new data structure for cumulative frequency tables", Software: Practice and
/// Experience 24(3), 1994.
struct WeightedStackDistances: ~Copyable {
  /// The place of a key's last use; -1: not in the stack.
  private var places: Fixed<Int32>
  private var weights: Fixed<Int32>
  /// Sums of the weights in blocks, as a Fenwick tree from 1.
  private var sums: Fixed<Int>
  private var total = 0
  private var next = 0

  private static let block = 64

  init(distinct: Int) {
    precondition(distinct < 1 << 30, "\(distinct) keys are more than a line can hold twice")
    places = Fixed(repeating: -1, count: distinct)
    let blocks = max(64, min(distinct * 4, Int(Int32.max) - 128) / Self.block + 1)
    weights = Fixed(repeating: 0, count: blocks * Self.block)
    sums = Fixed(repeating: 0, count: blocks + 1)
  }

  /// The depth of a key in bytes, with the weight that it had; `nil` for one that is not in the stack.
  ///
  /// It comes to the top with a weight of its own, above 0.
  mutating func use(_ id: Int, weight: Int32) -> Int? {
    if next == weights.count { compact() }
    let place = Int(places[id])
    var depth: Int?
    if place >= 0 {
      depth = sum(from: place)
      add(-Int(weights[place]), at: place)
      weights[place] = 0
    }
    places[id] = Int32(truncatingIfNeeded: next)
    weights[next] = weight
    add(Int(weight), at: next)
    next += 1
    return depth
  }

  /// Takes a key out of the stack; what is below it rises.
  mutating func delete(_ id: Int) {
    let place = Int(places[id])
    guard place >= 0 else { return }
    add(-Int(weights[place]), at: place)
    weights[place] = 0
    places[id] = -1
  }

  private func sum(from place: Int) -> Int {
    let first = place / Self.block
    var sum = total
    var node = first
    while node > 0 {
      sum -= sums[node]
      node &= node - 1
    }
    for left in first * Self.block..<place { sum -= Int(weights[left]) }
    return sum
  }

  private mutating func add(_ weight: Int, at place: Int) {
    total += weight
    var node = place / Self.block + 1
    while node < sums.count {
      sums[node] += weight
      node += node & -node
    }
  }

  /// Moves the weights together, in their order.
  private mutating func compact() {
    var kept: [(place: Int32, id: Int)] = []
    for id in 0..<places.count where places[id] >= 0 { kept.append((places[id], id)) }
    kept.sort { $0.place < $1.place }
    for node in 0..<sums.count { sums[node] = 0 }
    total = 0
    next = 0
    for (place, id) in kept {
      // Never to the right, so nothing that is still to move is overwritten.
      let weight = weights[Int(place)]
      weights[Int(place)] = 0
      weights[next] = weight
      places[id] = Int32(truncatingIfNeeded: next)
      add(Int(weight), at: next)
      next += 1
    }
  }
}
