import CacheModel
import NormalizedCacheCore
import Workloads

/// The client's connection: what comes over it, and when it is down.
extension ClientSimulation where Cache: ~Copyable {
  /// The process ends, and its connection with it: what is under way does not arrive.
  mutating func closeConnection() {
    connectedSince = now.nanoseconds
    gaps.connectedSince = connectedSince
    downlink = LinkQueue(bytesPerSecond: downlink.bytesPerSecond)
    uplink = LinkQueue(bytesPerSecond: uplink.bytesPerSecond)
    lastInOrder = 0
    replies.endAll()
  }

  /// The server puts something on the link: it takes its turn behind all that was sent before.
  mutating func send(delivery index: Int) {
    let delivery = script.deliveries[index]
    guard let sent = delivery.sentAt?.nanoseconds else {
      return put(.delivery(index), at: delivery.at.nanoseconds)
    }
    let bytes =
      switch delivery.content {
      case .event(let mutation):
        commit(ofMutation: mutation).map { server.mutations[$0].bytes } ?? 0
      case .heartbeat: TransferSize.heartbeat
      }
    let queued = downlink.departure(of: bytes, at: sent) - sent
    var arrival = delivery.at.nanoseconds + queued
    if !delivery.isOvertaken {
      arrival = max(arrival, lastInOrder)
      lastInOrder = arrival
    }
    put(.delivery(index), at: arrival)
  }

  /// The place of a mutation of the workload among the server's commits; `nil` for what the client writes
  /// itself, of which it hears otherwise.
  private func commit(ofMutation mutation: UInt32) -> Int? {
    guard let place = server.writing?.places[Int(mutation)] else { return Int(mutation) }
    return place < 0 ? nil : Int(place)
  }

  mutating func deliver(_ delivery: Delivery) throws {
    tally.operations += 1
    switch delivery.content {
    case .event(let index):
      guard let place = commit(ofMutation: index) else { return }
      let mutation = server.mutations[place]
      guard mutation.at.nanoseconds > connectedSince else { return }
      gaps.noteArrival(ofMutation: place)
      tally.bytesPushed += mutation.bytes
      let event = merged(server.event(of: mutation))
      calls?.note(.event(event), at: now)
      store.receive(event, library: mutation.isPlaced ? nil : input.workload.library, at: now)
    case .heartbeat(let position):
      try checkViews()
      var position = position
      if server.writing != nil {
        // With own writes in the stream, what it says is known only now.
        position = server.position(at: delivery.sentAt ?? delivery.at)
      } else {
        server.note(announced: position)
      }
      calls?.note(.heartbeat(server.place(position)), at: now)
      store.receiveHeartbeat(server.place(position), at: now)
    }
  }

  var isLinkDown: Bool { isLinkDown(at: now.nanoseconds) }

  /// Whether the link is down now, or at a later time.
  func isLinkDown(at time: Int64) -> Bool {
    let instant = Instant(nanoseconds: time)
    // They come in order, and those before the next have ended.
    var place = nextPartition
    while place < script.partitions.count, script.partitions[place].lowerBound <= instant {
      let partition = script.partitions[place]
      if partition.contains(instant), !isUserLate(for: partition.lowerBound) { return true }
      place += 1
    }
    return false
  }

  /// Whether a user who waited still has actions of the script before an instant: a visit lasts until they are
  /// done.
  func isUserLate(for end: Instant) -> Bool {
    guard script.reaction == .waits else { return false }
    if nextAction < script.actions.count, script.actions[nextAction].at < end { return true }
    guard nextAction > 0, script.actions[nextAction - 1].at < end else { return false }
    return isUserWaiting
      || script.actions[nextAction - 1].at.nanoseconds + delay >= now.nanoseconds
  }
}

/// One direction of a link: what is sent takes its turn.
struct LinkQueue: Sendable {
  /// `nil`: no limit, so nothing takes time to send.
  let bytesPerSecond: Int?
  /// When the last byte of what was sent so far leaves, in nanoseconds.
  private var free: Int64 = 0

  init(bytesPerSecond: Int?) {
    self.bytesPerSecond = bytesPerSecond
  }

  /// When the last byte of what is sent now leaves.
  ///
  /// - Precondition: calls come in order of time.
  mutating func departure(of bytes: Int, at now: Int64) -> Int64 {
    guard let bytesPerSecond else { return now }
    let transmission = Int64(Double(bytes) * 1_000_000_000 / Double(bytesPerSecond))
    free = max(free, now) + transmission
    return free
  }
}

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
    // Only a recording may have its mutations in another order.
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

  /// The mutation at a position whose event is ever delivered; `nil` if there is none.
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
  /// It is false if every missing event before the next one that waits arrives later. If none waits, such as when a
  /// heartbeat names an event that was never sent, all later events would seem to be missing. O(missing events).
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
