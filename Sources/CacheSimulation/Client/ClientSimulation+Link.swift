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
      let event = server.event(of: mutation)
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

  func isLinkDown(at time: Int64) -> Bool {
    script.partitions.contains {
      $0.contains(Instant(nanoseconds: time)) && !isUserLate(for: $0.lowerBound)
    }
  }

  /// Whether a user who waited has yet to do what the script has before an instant: a visit lasts until that
  /// is done.
  func isUserLate(for end: Instant) -> Bool {
    guard script.reaction == .waits else { return false }
    if nextAction < script.actions.count, script.actions[nextAction].at < end { return true }
    guard nextAction > 0, script.actions[nextAction - 1].at < end else { return false }
    return isUserWaiting
      || script.actions[nextAction - 1].at.nanoseconds + delay >= now.nanoseconds
  }
}
