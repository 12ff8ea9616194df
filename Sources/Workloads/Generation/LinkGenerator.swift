import CacheModel

/// Generates the deliveries of one link: which events arrive, when, in which order, and how often.
///
/// A link delivers in order, as a stream does; `reorder` delays single events. Every event costs the same
/// number of draws whatever happens to it, so that raising one probability changes nothing else.
struct LinkGenerator {
  let network: NetworkSection
  /// The end of network faults, in nanoseconds.
  let activeEnd: Int64
  let end: Int64
  let partitions: [Range<Int64>]
  let holds: [Range<Int64>]
  /// The periods in which the server answers with errors, in nanoseconds.
  let errors: [Range<Int64>]
  /// The periods in which the server does not answer the client's writes, in nanoseconds.
  let silences: [Range<Int64>]
  /// The times at which the client's process ends and another begins, in nanoseconds, in order.
  let relaunches: [Int64]

  /// The times at which the server begins a new epoch, in nanoseconds.
  private let restarts: [Int64]
  /// Whether each delivery contains its sending time, even without a delay: if users write, the server's
  /// position at that time is known only during the run.
  private let keepsInstants: Bool

  init(scenario: Scenario, client: String, pauses: [Range<Int64>] = []) {
    network = scenario.network
    restarts = scenario.faults.filter { $0.kind == .serverRestart }.map(\.at.wholeNanoseconds)
    activeEnd = scenario.activeDuration.wholeNanoseconds
    end = scenario.duration.wholeNanoseconds
    partitions = Self.merged(Self.windows(.partition, client, scenario) + pauses)
    holds = Self.merged(Self.windows(.stall, client, scenario))
    errors = Self.merged(Self.windows(.errors, client, scenario))
    silences = Self.merged(Self.windows(.unanswered, client, scenario))
    keepsInstants = scenario.hasWrites
    relaunches = scenario.faults
      .filter { $0.kind == .appRestart && ($0.client == nil || $0.client == client) }
      .flatMap { $0.instants(before: scenario.activeDuration).map(\.wholeNanoseconds) }.sorted()
  }

  /// Returns the deliveries of a link, in order of arrival.
  func deliveries(of mutations: [Mutation], _ random: RandomSource) -> [Delivery] {
    guard network.events == .push else { return [] }
    var faults = random.substream("faults")
    var delays = random.substream("delays")
    var phase = random.substream("heartbeat-phase")
    var beatFaults = random.substream("heartbeat-faults")
    var beatDelays = random.substream("heartbeat-delays")
    var deliveries: [Delivery] = []
    deliveries.reserveCapacity(mutations.count + mutations.count / 16)
    var floor: Int64 = 0
    var next = 0
    for beat in heartbeatInstants(&phase) {
      while next < mutations.count, mutations[next].at.nanoseconds <= beat {
        deliver(
          .event(mutation: UInt32(next)), sentAt: mutations[next].at.nanoseconds, &floor, &faults,
          &delays, into: &deliveries)
        next += 1
      }
      let position = position(at: beat, after: next, of: mutations)
      deliver(
        .heartbeat(position), sentAt: beat, &floor, &beatFaults, &beatDelays, into: &deliveries)
    }
    return Self.sorted(deliveries)
  }

  /// Returns the times of heartbeats: at the scenario's interval with a random phase, at once when a link
  /// comes up or a process begins (a connecting client asks for the server's position), and at least four
  /// times in the drain.
  private func heartbeatInstants(_ random: inout RandomSource) -> [Int64] {
    let interval = network.heartbeat.wholeNanoseconds
    var instants: [Int64] = []
    var at = Int64(random.unit() * Double(interval))
    while at < activeEnd {
      instants.append(at)
      at += interval
    }
    instants =
      (instants + relaunches + partitions.map(\.upperBound).filter { $0 < activeEnd }).sorted()
    let quiet = min(interval, (end - activeEnd) / 5)
    at = activeEnd
    while at < end - quiet / 2 {
      instants.append(at)
      at += max(1, quiet)
    }
    return instants
  }

  private func deliver(
    _ content: Delivery.Content, sentAt sent: Int64, _ floor: inout Int64,
    _ faults: inout RandomSource, _ delays: inout RandomSource, into deliveries: inout [Delivery]
  ) {
    let isLost = faults.chance(network.loss)
    let isReordered = faults.chance(network.reorder)
    let isDuplicate = faults.chance(network.duplicate)
    let isHeld = faults.chance(network.stall)
    let jitter = delays.exponential(mean: Double(network.jitter.wholeNanoseconds))
    let extra = delays.exponential(mean: Double(network.reorderDelay.wholeNanoseconds))
    let again = delays.exponential(mean: Double(network.reorderDelay.wholeNanoseconds))

    let hasFaults = sent < activeEnd
    if Self.contains(partitions, sent) || hasFaults && isLost { return }
    if hasFaults && isHeld { floor = max(floor, sent + network.stallFor.wholeNanoseconds) }
    var arrival = max(floor, sent + network.delay.wholeNanoseconds + Int64(jitter))
    if let hold = Self.window(holds, around: arrival) { arrival = hold.upperBound }
    floor = max(floor, arrival)
    let isLate = hasFaults && isReordered
    if isLate { arrival += Int64(extra) }
    append(content, sentAt: sent, at: arrival, isOvertaken: isLate, to: &deliveries)
    if hasFaults && isDuplicate {
      append(
        content, sentAt: sent, at: arrival + Int64(again), isOvertaken: true, to: &deliveries)
    }
  }

  /// Adds a delivery, unless the link is down on its arrival; none is later than half of the drain.
  private func append(
    _ content: Delivery.Content, sentAt sent: Int64, at arrival: Int64, isOvertaken: Bool,
    to deliveries: inout [Delivery]
  ) {
    var at = arrival
    if case .event = content { at = min(at, activeEnd + (end - activeEnd) / 2) }
    guard at < end, !Self.contains(partitions, at) else { return }
    // Without a delay on the link, its order does not matter.
    let isQueued = network.bandwidth != nil
    deliveries.append(
      Delivery(
        at: Instant(nanoseconds: at),
        sentAt: isQueued || keepsInstants ? Instant(nanoseconds: min(sent, at)) : nil,
        isOvertaken: isQueued && isOvertaken, content: content))
  }

  /// Sorts deliveries by arrival; ties keep the order of sending.
  private static func sorted(_ deliveries: [Delivery]) -> [Delivery] {
    let order = deliveries.indices.sorted {
      deliveries[$0].at != deliveries[$1].at
        ? deliveries[$0].at < deliveries[$1].at : $0 < $1
    }
    return order.map { deliveries[$0] }
  }

  /// Returns the server's position at an instant; `next` is the first commit after it.
  private func position(
    at instant: Int64, after next: Int, of mutations: [Mutation]
  ) -> StreamPosition {
    let epoch = UInt32(1 + restarts.count { $0 <= instant })
    guard next > 0, mutations[next - 1].position.epoch == epoch else {
      return StreamPosition(epoch: epoch, sequence: 0)
    }
    return mutations[next - 1].position
  }

  /// Returns the periods of a kind of fault on a client's link.
  private static func windows(
    _ kind: FaultSection.Kind, _ client: String, _ scenario: Scenario
  ) -> [Range<Int64>] {
    scenario.faults
      .filter { $0.kind == kind && ($0.client == nil || $0.client == client) }
      .map { $0.at.wholeNanoseconds..<($0.at + $0.length).wholeNanoseconds }
  }

  /// Sorts periods, and merges overlapping ones.
  private static func merged(_ windows: [Range<Int64>]) -> [Range<Int64>] {
    var merged: [Range<Int64>] = []
    for window in windows.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, window.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, window.upperBound)
      } else {
        merged.append(window)
      }
    }
    return merged
  }

  private static func contains(_ windows: [Range<Int64>], _ instant: Int64) -> Bool {
    window(windows, around: instant) != nil
  }

  private static func window(_ windows: [Range<Int64>], around instant: Int64) -> Range<Int64>? {
    windows.first { $0.contains(instant) }
  }
}
