/// A line of nodes with insertion anywhere and comparison in constant time.
///
/// Each node has a label; a new one gets the middle between its neighbours' labels. If there is no space, the
/// smallest neighbourhood that is not too dense is relabelled evenly: O(log² n) per insertion on average
/// (Bender, Cole, Demaine, Farach-Colton and Zito, "Two simplified algorithms for maintaining order in a
/// list", ESA 2002, section 2).
struct GrowingOrder: Sendable {
  private var labels: [UInt64] = []
  /// The neighbours of each node; −1 at the ends.
  private var after: [Int32] = []
  private var before: [Int32] = []
  private var first: Int32 = -1

  private static let labelBits = 62
  /// How much sparser a neighbourhood of twice the size must be to be relabelled; between 1 and 2.
  private static let slack = 1.5

  var count: Int { labels.count }

  func precedes(_ left: Int32, _ right: Int32) -> Bool {
    labels[Int(left)] < labels[Int(right)]
  }

  /// Returns the node before another; `nil`: it is the first.
  func node(before node: Int32) -> Int32? {
    let previous = before[Int(node)]
    return previous >= 0 ? previous : nil
  }

  /// Inserts a node after another, or first if that is `nil`.
  ///
  /// - Returns: the node; they are numbered from 0.
  mutating func insert(behind node: Int32?) -> Int32 {
    let next = node.map { after[Int($0)] } ?? first
    let new = Int32(labels.count)
    labels.append(0)
    after.append(next)
    before.append(node ?? -1)
    if next >= 0 { before[Int(next)] = new }
    if let node { after[Int(node)] = new } else { first = new }
    if !takeLabel(of: new), let neighbour = node ?? (next >= 0 ? next : nil) {
      spread(around: neighbour, leavingOut: new)
      let hasRoom = takeLabel(of: new)
      precondition(hasRoom, "more nodes than labels")
    }
    return new
  }

  /// Gives a node the middle of its neighbours' labels, and returns whether there is one.
  private mutating func takeLabel(of node: Int32) -> Bool {
    let (previous, next) = (before[Int(node)], after[Int(node)])
    // One beyond the labels on either side.
    let low = previous >= 0 ? labels[Int(previous)] + 1 : 0
    let high = next >= 0 ? labels[Int(next)] : 1 << UInt64(Self.labelBits)
    guard low < high else { return false }
    labels[Int(node)] = low + (high - low) / 2
    return true
  }

  /// Relabels nodes around one evenly, in doubled ranges until one is sparse enough.
  private mutating func spread(around node: Int32, leavingOut new: Int32) {
    let label = labels[Int(node)]
    var (left, right) = (node, node)
    var members = 1
    var limit = 1.0
    for bits in 1...UInt64(Self.labelBits) {
      limit *= 2 / Self.slack
      let low = (label >> bits) << bits
      let high = low + (1 << bits)
      while let next = neighbour(of: left, in: before, but: new), labels[Int(next)] >= low {
        left = next
        members += 1
      }
      while let next = neighbour(of: right, in: after, but: new), labels[Int(next)] < high {
        right = next
        members += 1
      }
      // There must be space for the new one, on either side of the node.
      guard Double(members) <= limit, UInt64(members) * 2 < (1 << bits) else { continue }
      let step = (1 << bits) / UInt64(members + 1)
      var (current, next) = (left, low + step)
      for _ in 0..<members {
        labels[Int(current)] = next
        next += step
        current = neighbour(of: current, in: after, but: new) ?? current
      }
      return
    }
  }

  /// Reorders all nodes, with even labels.
  ///
  /// - Parameter places: the new position of each node, from 0.
  mutating func reorder(to places: [Int32]) {
    precondition(places.count == count)
    var nodes = [Int32](repeating: 0, count: count)
    for (node, place) in places.enumerated() { nodes[Int(place)] = Int32(node) }
    let step = (1 << UInt64(Self.labelBits)) / UInt64(count + 1)
    var previous: Int32 = -1
    for (place, node) in nodes.enumerated() {
      labels[Int(node)] = step * UInt64(place + 1)
      before[Int(node)] = previous
      after[Int(node)] = place + 1 < count ? nodes[place + 1] : -1
      previous = node
    }
    first = nodes.first ?? -1
  }

  private func neighbour(of node: Int32, in links: [Int32], but new: Int32) -> Int32? {
    let next = links[Int(node)]
    let found = next == new ? links[Int(new)] : next
    return found >= 0 ? found : nil
  }

  /// The position of each node, from 0.
  var places: [Int32] {
    var places = [Int32](repeating: 0, count: count)
    var (node, place) = (first, Int32(0))
    while node >= 0 {
      places[Int(node)] = place
      place += 1
      node = after[Int(node)]
    }
    return places
  }
}
