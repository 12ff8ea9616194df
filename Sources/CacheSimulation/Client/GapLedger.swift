import CacheModel
import Workloads

/// Tells gaps that something was lost in from gaps that were only slow to close.
struct GapLedger: Sendable {
  private var mutations: [Mutation]
  /// The mutations by position, ascending.
  private var byPosition: [Int]
  /// Whether the event of each mutation is ever delivered, and whether it has been.
  private var arrives: [Bool]
  private var hasArrived: [Bool]
  /// Whether the event of each of the workload's mutations is ever delivered.
  private let delivers: [Bool]
  /// The last of the positions that have arrived: behind it there is nothing to look for.
  private var lastArrival: StreamPosition?
  private(set) var falseGaps = 0
  /// When the process in question began, in nanoseconds: what was sent before never arrives.
  var connectedSince = Int64.min

  /// - Parameters:
  ///   - script: what the client's link delivers.
  ///   - mutations: of the workload.
  ///   - byPosition: what ``order(of:)`` said of them.
  init(_ script: [Delivery], _ mutations: [Mutation], byPosition: [Int]) {
    self.mutations = mutations
    self.byPosition = byPosition
    var arrives = [Bool](repeating: false, count: mutations.count)
    for delivery in script {
      if case .event(let mutation) = delivery.content { arrives[Int(mutation)] = true }
    }
    delivers = arrives
    self.arrives = arrives
    hasArrived = [Bool](repeating: false, count: mutations.count)
  }

  /// The mutations by position, ascending; of two that share one, the first comes first.
  static func order(of mutations: [Mutation]) -> [Int] {
    let places = Array(mutations.indices)
    // Only a recording may tell its mutations in another order.
    let isAscending = zip(mutations, mutations.dropFirst()).allSatisfy {
      $0.position < $1.position
    }
    if isAscending { return places }
    return places.sorted {
      mutations[$0].position != mutations[$1].position
        ? mutations[$0].position < mutations[$1].position : $0 < $1
    }
  }

  /// Forgets the workload's mutations: they are noted one by one, with what the client writes between.
  mutating func beginAnew() {
    mutations = []
    byPosition = []
    arrives = []
    hasArrived = []
  }

  /// How many mutations it knows.
  var count: Int { mutations.count }

  /// Adds a commit.
  ///
  /// - Parameters:
  ///   - mutation: later than all that are known.
  ///   - origin: which of the workload's it is; negative for a write of the client's.
  ///   - ownArrives: whether the event of such a write is delivered.
  mutating func note(_ mutation: Mutation, ofWorkload origin: Int32, arrives ownArrives: Bool) {
    byPosition.append(mutations.count)
    mutations.append(mutation)
    arrives.append(origin < 0 ? ownArrives : delivers[Int(origin)])
    hasArrived.append(false)
  }

  mutating func noteArrival(ofMutation mutation: Int) {
    hasArrived[mutation] = true
    let position = mutations[mutation].position
    lastArrival = max(lastArrival ?? position, position)
  }

  /// The mutation at a position whose event is ever delivered; `nil` where there is none.
  ///
  /// O(log mutations).
  private func delivered(at position: StreamPosition) -> Int? {
    var low = 0
    var high = byPosition.count
    while low < high {
      let middle = (low + high) / 2
      if mutations[byPosition[middle]].position < position {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < byPosition.count, case let found = byPosition[low],
      mutations[found].position == position, arrives[found],
      mutations[found].at.nanoseconds > connectedSince
    else { return nil }
    return found
  }

  /// A gap has stayed open beyond the reorder window.
  ///
  /// It is false where every event that was missing in front of the next one at hand arrives later.
  /// Without one at hand, as where a heartbeat tells of what was never sent, all events to come would
  /// seem to be missing. O(missing events).
  mutating func noteDetection(after cursor: StreamPosition?) {
    guard let cursor, let lastArrival else { return }
    var position = cursor
    var missing = 0
    while position < lastArrival {
      position.sequence += 1
      let mutation = delivered(at: position)
      guard let mutation, !hasArrived[mutation] else {
        // Arrived already: it waits behind the gap. Never delivered: the gap is real.
        if missing > 0, mutation != nil { falseGaps += 1 }
        return
      }
      missing += 1
    }
  }
}
