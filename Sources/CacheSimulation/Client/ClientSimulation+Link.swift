import CacheModel
import Workloads

/// The client's connection: deliveries and interruptions.
extension ClientSimulation where Cache: ~Copyable {
  /// Returns what reaches a client: pushed events, and in an app's log the answers to its own writes, in order of
  /// arrival.
  ///
  /// An answer shows the client what it wrote, whether events are pushed or not.
  static func deliveries(
    of workload: Workload, to client: Int, pushesEvents: Bool, takesAnswers: Bool
  ) -> [Delivery] {
    let author = UInt32(truncatingIfNeeded: client)
    var isOwn = [Bool](repeating: false, count: workload.mutations.count)
    for (number, mutation) in workload.mutations.enumerated() {
      isOwn[number] = takesAnswers && mutation.author == author && !mutation.items.isEmpty
    }
    var deliveries = workload.clients[client].deliveries.filter { delivery in
      guard case .event(let mutation) = delivery.content else { return pushesEvents }
      return pushesEvents || isOwn[Int(mutation)]
    }
    for case .event(let mutation) in deliveries.map(\.content) { isOwn[Int(mutation)] = false }
    let logged = deliveries.count
    for number in isOwn.indices where isOwn[number] {
      let at = workload.mutations[number].at
      let content = Delivery.Content.event(mutation: UInt32(truncatingIfNeeded: number))
      deliveries.append(Delivery(at: at, sentAt: nil, isOvertaken: false, content: content))
    }
    guard deliveries.count > logged else { return deliveries }
    return deliveries.indices.sorted { (deliveries[$0].at, $0) < (deliveries[$1].at, $1) }
      .map { deliveries[$0] }
  }

  /// Closes the connection when the process ends: nothing in flight arrives.
  mutating func closeConnection() {
    connectedSince = now.nanoseconds
    gaps.connectedSince = connectedSince
    downlink = LinkQueue(bytesPerSecond: downlink.bytesPerSecond)
    uplink = LinkQueue(bytesPerSecond: uplink.bytesPerSecond)
    lastInOrder = 0
    replies.endAll()
  }

  /// Sends a delivery: it queues behind everything sent before.
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

  /// Returns the index of a workload's mutation among the server's commits; `nil` for the client's own
  /// writes, which it receives otherwise.
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
      // An answer is not pushed.
      if mutation.author != UInt32(truncatingIfNeeded: client) {
        tally.bytesPushed += mutation.bytes
      }
      let event = merged(server.event(of: mutation))
      calls?.note(.event(event), at: now)
      store.receive(event, library: mutation.isPlaced ? nil : input.workload.library, at: now)
    case .heartbeat(let position):
      try checkViews()
      var position = position
      if server.writing != nil {
        // If users write, its position is known only now.
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

  /// Returns whether a user who waited still has actions before an instant: a visit lasts until they are
  /// done.
  func isUserLate(for end: Instant) -> Bool {
    guard script.reaction == .waits else { return false }
    if nextAction < script.actions.count, script.actions[nextAction].at < end { return true }
    guard nextAction > 0, script.actions[nextAction - 1].at < end else { return false }
    return isUserWaiting
      || script.actions[nextAction - 1].at.nanoseconds + delay >= now.nanoseconds
  }
}

/// One direction of a link, which sends in order.
struct LinkQueue: Sendable {
  /// The bandwidth; `nil`: unlimited, so sending takes no time.
  let bytesPerSecond: Int?
  /// The time when the last byte sent so far leaves, in nanoseconds.
  private var free: Int64 = 0

  init(bytesPerSecond: Int?) {
    self.bytesPerSecond = bytesPerSecond
  }

  /// Returns when the last byte of a message sent now leaves.
  ///
  /// - Precondition: calls are in order of time.
  mutating func departure(of bytes: Int, at now: Int64) -> Int64 {
    guard let bytesPerSecond else { return now }
    let transmission = Int64(Double(bytes) * 1_000_000_000 / Double(bytesPerSecond))
    free = max(free, now) + transmission
    return free
  }
}

/// Distinguishes gaps with a lost event from gaps that were only slow to close.
struct GapLedger: Sendable {
  private var mutations: [Mutation]
  /// The indices of mutations by position, ascending.
  private var byPosition: [Int]
  /// Whether the event of each mutation is ever delivered, and whether it has been.
  private var arrives: [Bool]
  private var hasArrived: [Bool]
  /// Whether the event of each of the workload's mutations is ever delivered.
  private let delivers: [Bool]
  /// The last position that has arrived; later ones need no search.
  private var lastArrival: StreamPosition?
  private(set) var falseGaps = 0
  /// The start of the current process, in nanoseconds: events sent before never arrive.
  var connectedSince = Int64.min

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

  /// Returns the indices of mutations by position, ascending; ties keep their order.
  static func order(of mutations: [Mutation]) -> [Int] {
    let places = Array(mutations.indices)
    // Only a recording may have mutations in another order.
    let isAscending = zip(mutations, mutations.dropFirst()).allSatisfy {
      $0.position < $1.position
    }
    if isAscending { return places }
    return places.sorted {
      mutations[$0].position != mutations[$1].position
        ? mutations[$0].position < mutations[$1].position : $0 < $1
    }
  }

  /// Removes the workload's mutations: they are then added one by one, with the client's writes between them.
  mutating func beginAnew() {
    mutations = []
    byPosition = []
    arrives = []
    hasArrived = []
  }

  var count: Int { mutations.count }

  /// Adds a commit.
  ///
  /// - Parameters:
  ///   - mutation: a mutation later than all others.
  ///   - origin: its index in the workload; negative for a client's write.
  ///   - ownArrives: whether the event of a client's write is delivered.
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

  /// Returns the mutation at a position whose event is ever delivered; `nil` if there is none.
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

  /// Counts a gap that has stayed open beyond the reorder window.
  ///
  /// It is a false detection if every missing event before the next waiting one arrives later. If none waits,
  /// for example when a heartbeat names an event that was never sent, all later events would count as
  /// missing. O(missing events).
  mutating func noteDetection(after cursor: StreamPosition?) {
    guard let cursor, let lastArrival else { return }
    var position = cursor
    var missing = 0
    while position < lastArrival {
      position.sequence += 1
      let mutation = delivered(at: position)
      guard let mutation, !hasArrived[mutation] else {
        // An event that has arrived waits behind the gap; one that is never delivered is a true gap.
        if missing > 0, mutation != nil { falseGaps += 1 }
        return
      }
      missing += 1
    }
  }
}
