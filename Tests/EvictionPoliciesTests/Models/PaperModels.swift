/// The algorithms of the papers, step by step over arrays, O(capacity) per request: slow, and short
/// enough to be compared with the paper.
///
/// The young end is the end of an array.
enum PaperModel {
  static func misses(of policy: String, _ trace: [UInt32], capacity: Int) -> Int? {
    switch policy {
    case "lfu": lfu(trace, capacity)
    case "two-queue": twoQueue(trace, capacity)
    case "s3-fifo": s3FIFO(trace, capacity)
    case "arc": arc(trace, capacity)
    case "car": car(trace, capacity)
    case "lirs": lirs(trace, capacity)
    default: nil
    }
  }

  static let names = ["lfu", "two-queue", "s3-fifo", "arc", "car", "lirs"]

  private static func lfu(_ trace: [UInt32], _ capacity: Int) -> Int {
    // In the order of the last change of each count.
    var queue: [(id: UInt32, count: Int)] = []
    var misses = 0
    for id in trace {
      if let place = queue.firstIndex(where: { $0.id == id }) {
        queue.append((id, queue.remove(at: place).count + 1))
        continue
      }
      misses += 1
      if queue.count == capacity, let fewest = queue.map(\.count).min(),
        let victim = queue.firstIndex(where: { $0.count == fewest })
      {
        queue.remove(at: victim)
      }
      queue.append((id, 1))
    }
    return misses
  }

  private static func twoQueue(_ trace: [UInt32], _ capacity: Int) -> Int {
    var (arrivals, ghosts, returned): ([UInt32], [UInt32], [UInt32]) = ([], [], [])
    var misses = 0
    for id in trace where !arrivals.contains(id) {
      if let place = returned.firstIndex(of: id) {
        returned.append(returned.remove(at: place))
        continue
      }
      misses += 1
      let returns = ghosts.contains(id)
      ghosts.removeAll { $0 == id }
      if arrivals.count + returned.count == capacity {
        if arrivals.count > capacity / 4 || returned.isEmpty {
          ghosts.append(arrivals.removeFirst())
          if ghosts.count > capacity / 2 { ghosts.removeFirst() }
        } else {
          returned.removeFirst()
        }
      }
      if returns { returned.append(id) } else { arrivals.append(id) }
    }
    return misses
  }

  private static func s3FIFO(_ trace: [UInt32], _ capacity: Int) -> Int {
    var (small, main, ghosts): ([UInt32], [UInt32], [UInt32]) = ([], [], [])
    var reads: [UInt32: Int] = [:]
    let (smallSize, ghostSize) = (capacity / 10, capacity * 9 / 10)
    var misses = 0
    var wasFull = false
    func evictMain() {
      while true {
        let id = main.removeFirst()
        guard let count = reads[id], count > 0 else { return }
        reads[id] = min(count, 3) - 1
        main.append(id)
      }
    }
    func evictSmall() {
      while !small.isEmpty {
        let id = small.removeFirst()
        guard (reads[id] ?? 0) < 2 else {
          reads[id] = 0
          main.append(id)
          continue
        }
        if ghosts.count == ghostSize, ghostSize > 0 { ghosts.removeFirst() }
        if ghostSize > 0 { ghosts.append(id) }
        return
      }
    }
    for id in trace {
      if small.contains(id) || main.contains(id) {
        reads[id, default: 0] += 1
        continue
      }
      misses += 1
      let returns = ghosts.contains(id)
      ghosts.removeAll { $0 == id }
      while small.count + main.count == capacity {
        wasFull = true
        if main.count > capacity - smallSize || small.isEmpty { evictMain() } else { evictSmall() }
      }
      reads[id] = 0
      if returns || (!wasFull && small.count >= smallSize) {
        main.append(id)
      } else {
        small.append(id)
      }
    }
    return misses
  }

  private static func arc(_ trace: [UInt32], _ capacity: Int) -> Int {
    var (t1, t2, b1, b2): ([UInt32], [UInt32], [UInt32], [UInt32]) = ([], [], [], [])
    let c = Double(capacity)
    var p = 0.0
    var misses = 0
    func replace(_ isInB2: Bool) {
      let size = Double(t1.count)
      if !t1.isEmpty, size > p || (isInB2 && size == p) {
        b1.append(t1.removeFirst())
      } else {
        b2.append(t2.removeFirst())
      }
    }
    for id in trace {
      if t1.contains(id) || t2.contains(id) {
        t1.removeAll { $0 == id }
        t2.removeAll { $0 == id }
        t2.append(id)
        continue
      }
      misses += 1
      if b1.contains(id) {
        p = min(p + max(1, Double(b2.count) / Double(b1.count)), c)
        replace(false)
        b1.removeAll { $0 == id }
        t2.append(id)
      } else if b2.contains(id) {
        p = max(p - max(1, Double(b1.count) / Double(b2.count)), 0)
        replace(true)
        b2.removeAll { $0 == id }
        t2.append(id)
      } else {
        if t1.count + b1.count == capacity {
          if t1.count < capacity {
            b1.removeFirst()
            replace(false)
          } else {
            t1.removeFirst()
          }
        } else if t1.count + t2.count + b1.count + b2.count >= capacity {
          if t1.count + t2.count + b1.count + b2.count == 2 * capacity { b2.removeFirst() }
          replace(false)
        }
        t1.append(id)
      }
    }
    return misses
  }

  private static func car(_ trace: [UInt32], _ capacity: Int) -> Int {
    var (t1, t2, b1, b2): ([UInt32], [UInt32], [UInt32], [UInt32]) = ([], [], [], [])
    var wasRead: Set<UInt32> = []
    let c = Double(capacity)
    var p = 0.0
    var misses = 0
    func replace() {
      while true {
        if Double(t1.count) >= max(1, p) {
          let id = t1.removeFirst()
          guard wasRead.remove(id) != nil else { return b1.append(id) }
          t2.append(id)
        } else {
          let id = t2.removeFirst()
          guard wasRead.remove(id) != nil else { return b2.append(id) }
          t2.append(id)
        }
      }
    }
    for id in trace {
      if t1.contains(id) || t2.contains(id) {
        wasRead.insert(id)
        continue
      }
      misses += 1
      let isGhost = b1.contains(id) || b2.contains(id)
      if t1.count + t2.count == capacity {
        replace()
        if !isGhost {
          if t1.count + b1.count == capacity {
            b1.removeFirst()
          } else if t1.count + t2.count + b1.count + b2.count == 2 * capacity {
            b2.removeFirst()
          }
        }
      }
      if b1.contains(id) {
        p = min(p + max(1, Double(b2.count) / Double(b1.count)), c)
        b1.removeAll { $0 == id }
        t2.append(id)
      } else if b2.contains(id) {
        p = max(p - max(1, Double(b1.count) / Double(b2.count)), 0)
        b2.removeAll { $0 == id }
        t2.append(id)
      } else {
        t1.append(id)
      }
    }
    return misses
  }

  private static func lirs(_ trace: [UInt32], _ capacity: Int) -> Int {
    let nearSize = max(0, capacity - max(2, capacity / 100))
    var (stack, queue): ([UInt32], [UInt32]) = ([], [])
    var near: Set<UInt32> = []
    var latest: UInt32?
    var misses = 0
    func prune() {
      while let bottom = stack.first, !near.contains(bottom) { stack.removeFirst() }
    }
    for id in trace where id != latest {
      latest = id
      let wasInStack = stack.contains(id)
      let isFar = queue.contains(id)
      if !near.contains(id), !isFar {
        misses += 1
        if near.count + queue.count == capacity { queue.removeFirst() }
      }
      queue.removeAll { $0 == id }
      stack.removeAll { $0 == id }
      stack.append(id)
      if near.contains(id) {
      } else if nearSize > 0, wasInStack {
        near.insert(id)
        if near.count > nearSize {
          prune()
          queue.append(stack.removeFirst())
          near.subtract(queue)
        }
      } else if near.count < nearSize, !isFar {
        near.insert(id)
      } else {
        queue.append(id)
      }
      prune()
    }
    return misses
  }
}
