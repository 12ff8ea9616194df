import CacheModel
import Workloads

/// The effects of links on events.
struct NetworkFit {
  /// The delay in nanoseconds, as for the others.
  private(set) var delay: Estimate
  private(set) var jitter: Estimate
  private(set) var heartbeat: Estimate
  private(set) var loss: Estimate
  private(set) var duplicate: Estimate
  private(set) var reorder: Estimate

  init(_ workload: Workload) {
    var delays: [Int64] = []
    /// Whether events have the time at which their changes happened.
    var isDated = true
    var beats: [Int64] = []
    var (sent, lost, twice, late) = (0, 0, 0, 0)
    for client in workload.clients {
      var arrivals = [Int](repeating: 0, count: workload.mutations.count)
      var lastBeat: Instant?
      var newest: UInt32?
      for delivery in client.deliveries {
        switch delivery.content {
        case .event(let mutation):
          arrivals[Int(mutation)] += 1
          guard arrivals[Int(mutation)] == 1 else { continue }
          let isLate = newest.map { mutation < $0 } ?? false
          if isLate { late += 1 }
          newest = max(newest ?? 0, mutation)
          guard !isLate else { continue }
          let delay = workload.mutations[Int(mutation)].at.duration(to: delivery.at)
            .wholeNanoseconds
          // The app that recorded it knew only when it came.
          if workload.truth == .observed, delay == 0 {
            isDated = false
          } else {
            delays.append(delay)
          }
        case .heartbeat:
          // A link with an interruption in between has no information, and one that resumes sends a heartbeat
          // immediately.
          let wasUp = !client.partitions.contains {
            lastBeat ?? .zero <= $0.upperBound && $0.lowerBound <= delivery.at
          }
          if let lastBeat, lastBeat < delivery.at, wasUp {
            beats.append(lastBeat.duration(to: delivery.at).wholeNanoseconds)
          }
          lastBeat = delivery.at
        }
      }
      var window = 0
      for (number, mutation) in workload.mutations.enumerated() {
        while window < client.partitions.count, client.partitions[window].upperBound <= mutation.at
        {
          window += 1
        }
        let isDown =
          window < client.partitions.count && client.partitions[window].contains(mutation.at)
        // A change that an app saw in an answer was never sent as an event.
        guard !isDown, mutation.isPlaced || arrivals[number] > 0 else { continue }
        sent += 1
        if arrivals[number] == 0 { lost += 1 }
        if arrivals[number] > 1 { twice += 1 }
      }
    }
    let network = NetworkSection()
    delays.sort()
    let shortest = delays.first ?? 0
    // The median of an exponential distribution is 0.693 of its mean; a few events wait for buffered ones.
    let middle = SortedList.quantile(0.5, of: delays) ?? 0
    func duration(_ value: Double?, _ count: Int, _ noun: String, _ standIn: Duration) -> Estimate {
      Estimate(
        value, from: count, noun, needed: 50, default: Double(standIn.wholeNanoseconds))
    }
    func way(_ value: Double, _ standIn: Duration) -> Estimate {
      var estimate = duration(value, delays.count, "delivery", standIn)
      if !isDated { estimate.lack = "the log dates changes by their arrival" }
      return estimate
    }
    delay = way(Double(shortest), network.delay)
    jitter = way(Double(middle - shortest) / 0.693_147, network.jitter)
    heartbeat = duration(
      SortedList.quantile(0.5, of: beats.sorted()).map(Double.init), beats.count, "heartbeat",
      network.heartbeat)
    func share(_ part: Int, _ noun: String) -> Estimate {
      Estimate(
        Double(part) / Double(max(1, sent)), from: sent, noun, needed: 100, default: 0)
    }
    loss = share(lost, "sent event")
    duplicate = share(twice, "sent event")
    reorder = share(late, "sent event")
  }
}

extension NetworkFit {
  func write(for workload: Workload, to text: inout FittedText) {
    let asked = workload.network
    text.gap()
    text.add(0, "network:")
    func minute(_ nanoseconds: Double) -> String { FittedText.duration(min(nanoseconds, 60e9)) }
    text.add(2, "round-trip: \(minute(Double(asked.minimumRoundTrip)))")
    text.add(2, "round-trip-jitter: \(minute(Double(asked.meanExtra)))")
    if let bandwidth = asked.bytesPerSecond { text.add(2, "bandwidth: \(bandwidth) B/s") }
    guard workload.pushesEvents else {
      text.add(2, "events: none")
      return
    }
    text.add(2, "delay", delay, minute)
    text.add(2, "jitter", jitter, minute)
    text.add(2, "heartbeat", heartbeat) {
      FittedText.duration(min(max($0, 1e8), 86_400e9))
    }
    // A few events are in flight when a link goes down.
    for (name, share) in [
      ("loss", loss), ("duplicate", duplicate), ("reorder", reorder),
    ] where share.isMeasured && share.value > 0.005 {
      text.add(2, name, share) { FittedText.share(min($0, 0.99)) }
    }
    let carried = workload.mutations.filter { $0.kind == .changed || $0.kind == .batchChanged }
      .map(\.carries)
    // A scenario has one value for all events: the most frequent one.
    let usual = EventContents.allCases.max { one, other in
      carried.count { $0 == one } < carried.count { $0 == other }
    }
    if let usual, usual != .whole, !carried.isEmpty {
      text.gap()
      text.add(0, "events: {carry: \(usual.rawValue)}")
    }
  }
}
