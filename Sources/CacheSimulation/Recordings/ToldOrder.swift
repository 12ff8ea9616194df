import HeapModule

/// Two nodes of a line, the left one before the right one.
struct NodePair: Hashable {
  var left: Int32
  var right: Int32
}

/// A line of nodes brought into accord with what is known of pairs of them.
enum ToldOrder {
  /// The place of each node: as in the line where that agrees with all pairs, else the order next to it that
  /// does.
  ///
  /// Where pairs contradict each other, the line decides. O((nodes + pairs) log nodes).
  static func places(of line: GrowingOrder, _ isBefore: [NodePair]) -> [Int32] {
    let places = line.places
    if isBefore.allSatisfy({ places[Int($0.left)] < places[Int($0.right)] }) { return places }
    var followers = [[Int32]](repeating: [], count: places.count)
    var awaited = [Int32](repeating: 0, count: places.count)
    for pair in isBefore {
      followers[Int(pair.left)].append(pair.right)
      awaited[Int(pair.right)] += 1
    }
    var nodes = [Int32](repeating: 0, count: places.count)
    for (node, place) in places.enumerated() { nodes[Int(place)] = Int32(node) }
    var ready = Heap(places.indices.filter { awaited[$0] == 0 }.map { places[$0] })
    var isPlaced = [Bool](repeating: false, count: places.count)
    var sorted = places
    var next: Int32 = 0
    var first = 0
    while Int(next) < places.count {
      if ready.isEmpty {
        // A contradiction.
        while isPlaced[Int(nodes[first])] { first += 1 }
        ready.insert(Int32(first))
      }
      let node = nodes[Int(ready.removeMin())]
      if isPlaced[Int(node)] { continue }
      isPlaced[Int(node)] = true
      sorted[Int(node)] = next
      next += 1
      for follower in followers[Int(node)] {
        awaited[Int(follower)] -= 1
        if awaited[Int(follower)] == 0 { ready.insert(places[Int(follower)]) }
      }
    }
    return sorted
  }
}
