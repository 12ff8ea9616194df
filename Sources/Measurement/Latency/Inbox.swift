import CacheModel
import FoundationEssentials
import NIOCore
import NIOPosix
import NormalizedCache

/// Bytes that have reached a client.
struct Delivery: Sendable {
  var index: Int
  var bytes: Data
  var intended: Instant
  var received: Instant
}

/// The path from a server to a client task in one process.
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
  /// It sends from the thread of an event loop. A task would share the threads of the pool with what
  /// is measured, and send only when that leaves one free: the wait would go unseen. Between messages
  /// the thread sleeps, since one that spins takes a core from what is measured.
  ///
  /// - Throws: `CancellationError`.
  func send(
    _ script: EventScript, arrivals: ArrivalProcess, start: Instant, clock: some CacheClock
  ) async throws {
    defer { door.finish() }
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let sent = loop.makePromise(of: Void.self)
    let instants = arrivals.offsets.map { start.advanced(byNanoseconds: $0) }

    /// Sends what is due, and sleeps until the next is.
    @Sendable func sendDue(from first: Int) {
      var next = first
      while next < instants.count, instants[next] <= clock.now {
        let delivery = Delivery(
          index: next, bytes: script.messages[next], intended: instants[next],
          received: clock.now)
        guard case .enqueued = door.yield(delivery) else {
          return sent.fail(CancellationError())
        }
        next += 1
      }
      guard next < instants.count else { return sent.succeed() }
      let wait = instants[next].nanoseconds - clock.now.nanoseconds
      loop.scheduleTask(in: .nanoseconds(max(wait, 0))) { [next] in sendDue(from: next) }
    }

    loop.execute { sendDue(from: 0) }
    try await withTaskCancellationHandler {
      try await sent.futureResult.get()
    } onCancel: {
      door.finish()
      sent.fail(CancellationError())
    }
  }
}
