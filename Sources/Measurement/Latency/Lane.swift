import CacheModel
import NormalizedCache

/// One client under load: a server task sends it a script at drawn times, it decodes and delivers,
/// and every event is stamped on its way.
struct Lane: Sendable {
  /// For messages: the event class, and the door where there are several.
  let name: String
  let script: EventScript
  let arrivals: ArrivalProcess
  /// Events at the beginning that are not counted.
  let warmUp: Int
  let clock: ContinuousCacheClock

  /// One event as far as the client itself knows it.
  struct DeliveredEvent: Sendable {
    var stamps: EventStamps
    /// How many observers had been called when the delivery was done.
    var calls: Int
  }

  /// Sends, decodes and delivers the whole script.
  ///
  /// - Parameters:
  ///   - start: when the arrivals are counted from.
  ///   - stamps: where `deliver` and the observers leave their instants.
  ///   - deliver: hands a decoded event to what is measured, and returns when that is done.
  ///   - afterEach: told how many events are done.
  /// - Returns: every event in order, those of the warm-up included.
  /// - Throws: what the decoder throws, or `CancellationError`.
  func run(
    from start: Instant, stamps: ObserverStamps,
    deliver: @Sendable (EventEnvelope<FilePayload>) async -> Void,
    afterEach: @Sendable (Int) -> Void = { _ in }
  ) async throws -> [DeliveredEvent] {
    let inbox = Inbox()
    async let sent: Void = inbox.send(script, arrivals: arrivals, start: start, clock: clock)
    let decoder = WireDecoder()
    var events: [DeliveredEvent] = []
    events.reserveCapacity(arrivals.offsets.count)
    // What happened while the cache was being filled is no event's.
    _ = stamps.take()
    for await delivery in inbox.deliveries {
      let started = clock.now
      let envelope = try decoder.envelope(from: delivery.bytes)
      let decoded = clock.now
      await deliver(envelope)
      let observed = stamps.take()
      events.append(
        DeliveredEvent(
          stamps: EventStamps(
            intended: delivery.intended, received: delivery.received, started: started,
            decoded: decoded, committed: observed.committed, notified: observed.notified),
          calls: observed.calls))
      afterEach(events.count)
    }
    try await sent
    return events
  }

  /// The stamps that count, checked: every event has told all observers that it concerns.
  ///
  /// - Parameters:
  ///   - stamps: those of every event, the warm-up included.
  ///   - isToldOf: whether all observers were told of an event.
  /// - Returns: the stamps after the warm-up.
  /// - Throws: ``LatencyRunError``.
  func counted(
    _ stamps: [EventStamps], isToldOf: (Int) -> Bool
  ) throws(LatencyRunError) -> [EventStamps] {
    let untold = stamps.indices.filter { !isToldOf($0) }
    if let first = untold.first {
      throw .notificationsMissing(lane: name, count: untold.count, first: first)
    }
    if let event = stamps.firstIndex(where: { !$0.areMonotone }) {
      throw .stampsOutOfOrder(lane: name, event: event)
    }
    return Array(stamps.dropFirst(warmUp))
  }
}
