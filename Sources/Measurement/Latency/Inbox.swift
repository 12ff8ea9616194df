import CacheModel
import FoundationEssentials
import NormalizedCache

/// Bytes that have reached a client.
struct Delivery: Sendable {
  var index: Int
  var bytes: Data
  var intended: Instant
  var received: Instant
}

/// The way from a server task to a client task in one process.
///
/// The server never waits for the client: what is not taken yet lies in the inbox, which the length
/// of the script bounds.
struct Inbox: Sendable {
  let deliveries: AsyncStream<Delivery>
  private let door: AsyncStream<Delivery>.Continuation

  init() {
    (deliveries, door) = AsyncStream.makeStream(of: Delivery.self)
  }

  /// The server's side: sends each message at its time, or at once when that has passed.
  ///
  /// It sleeps between messages and never spins, since a spinning sender takes a core from what is
  /// measured.
  func send(
    _ script: EventScript, arrivals: ArrivalProcess, start: Instant, clock: some CacheClock
  ) async throws {
    defer { door.finish() }
    for (index, offset) in arrivals.offsets.enumerated() {
      let intended = start.advanced(byNanoseconds: offset)
      if clock.now < intended { try await clock.sleep(until: intended) }
      door.yield(
        Delivery(
          index: index, bytes: script.messages[index], intended: intended, received: clock.now))
    }
  }
}
