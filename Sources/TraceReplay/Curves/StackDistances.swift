import Containers

/// How deep in the LRU stack each key stands: the number of distinct keys since its last use, itself
/// included.
///
/// An LRU cache of `c` entities holds exactly the keys at depths 1 to `c`, whatever `c` is, so one pass
/// tells the misses at every capacity. The last uses are marks on a line of places (``MarkRanks``); the
/// depth of a key is how many marks stand at its own or right of it. When the line is full, the marks
/// are moved together at its left end, in their order.
///
/// A deletion leaves a hole, so that deletions keep the pass exact: a cache that holds the hole has
/// room for one more entity. What comes to the top from below a hole fills it, and leaves one where it
/// stood. A hole is a mark that no key owns.
///
/// Source: Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2),
/// 1970; for marks in the order of time, Bennett & Kruskal, "LRU stack processing", IBM Journal of
/// Research and Development 19(4), 1975; for holes, Thompson & Smith, "Efficient (stack) algorithms
/// for analysis of write-back and sector memories", ACM TOCS 7(1), 1989.
struct StackDistances: ~Copyable {
  /// The place of a key's last use; -1: not in the stack.
  private var places: Fixed<Int32>
  private var marks: MarkRanks
  /// The places of holes, a heap whose first is the rightmost.
  private var holes: [Int32] = []

  /// - Parameters:
  ///   - distinct: above every id.
  ///   - slack: places of the line per key; more make it longer between clearings, and larger.
  init(distinct: Int, slack: Int = 4) {
    precondition(distinct < 1 << 30, "\(distinct) keys are more than a line can hold twice")
    places = Fixed(repeating: -1, count: distinct)
    marks = MarkRanks(capacity: min(Int(Int32.max) - 128, max(distinct * slack, 1 << 12)))
  }

  /// Asks for where a key's place stands; to be followed by ``prefetchMark(_:)``, some uses later.
  @inline(__always) func prefetchPlace(_ id: Int) { places.prefetch(id) }

  /// Asks for the marks at a key's place, which a use will need soon.
  @inline(__always) func prefetchMark(_ id: Int) { marks.prefetch(Int(places[id])) }

  /// The depth of a key, which comes to the top; `nil` for one that is not in the stack.
  @inline(__always) mutating func use(_ id: Int) -> Int? {
    if marks.isFull { compact() }
    let place = Int(places[id])
    let depth = place >= 0 ? marks.count(from: place) : nil
    if !holes.isEmpty, Int(holes[0]) > place {
      fillHole(from: place)
    } else if place >= 0 {
      marks.erase(place)
    }
    places[id] = Int32(truncatingIfNeeded: marks.append())
    return depth
  }

  /// Takes a key out of the stack, if it is there, and leaves a hole.
  mutating func delete(_ id: Int) {
    guard places[id] >= 0 else { return }
    holes.append(places[id])
    places[id] = -1
    var child = holes.count - 1
    while child > 0, holes[(child - 1) / 2] < holes[child] {
      holes.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Fills the topmost hole by what comes from a place below it, which becomes one; -1: from outside.
  private mutating func fillHole(from place: Int) {
    marks.erase(Int(holes[0]))
    if place >= 0 {
      holes[0] = Int32(truncatingIfNeeded: place)
    } else {
      let last = holes.removeLast()
      guard !holes.isEmpty else { return }
      holes[0] = last
    }
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < holes.count else { return }
      if child + 1 < holes.count, holes[child + 1] > holes[child] { child += 1 }
      guard holes[child] > holes[parent] else { return }
      holes.swapAt(child, parent)
      parent = child
    }
  }

  /// Moves the marks together; O(distinct), and due after as many uses as the line has places to
  /// spare.
  private mutating func compact() {
    let count = marks.count
    func moved(_ place: Int32) -> Int32 {
      Int32(truncatingIfNeeded: count - marks.count(from: Int(place)))
    }
    for id in 0..<places.count where places[id] >= 0 { places[id] = moved(places[id]) }
    // In the same order, so the heap stays one.
    for index in holes.indices { holes[index] = moved(holes[index]) }
    marks.removeAll()
    for _ in 0..<count { _ = marks.append() }
  }
}
