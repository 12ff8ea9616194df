import CacheModel
import NormalizedCache
import Synchronization

/// One subject under a stream of events, and a screen that draws what they change.
///
/// Open loop: an event of one entity is due at an instant that was drawn, whether or not the one before
/// is done. A batch comes when the events before it are done, and the arrivals stand still meanwhile: no
/// single event waits for it. So they do while the subject prepares what comes between two events, which
/// took minutes of a user's time and takes none here.
struct Lane: Sendable {
  /// How many entities each event changes, in the order in which they come.
  var entities: [Int]
  /// Single events per second, at Poisson instants.
  var rate: Double
  var random: RandomSource
  var subject: any Subject<Handover> & Sendable
  var clock: ContinuousCacheClock

  /// Delivers every event.
  ///
  /// - Parameter start: when the arrivals are counted from.
  /// - Returns: every event in order.
  /// - Throws: what the subject throws, or `CancellationError`.
  func run(from start: Instant) async throws -> [LaneEvent] {
    let undrawn = Undrawn()
    async let drawing = draw(undrawn, from: start)
    // Whatever happens, the frames come to an end.
    defer { undrawn.end() }
    var events = try await deliver(from: start, undrawn: undrawn)
    undrawn.end()
    let (drawings, history) = try await drawing
    for (event, at) in drawings { events[event].drawn = at }
    for index in events.indices {
      events[index].frameLateness = history.lateness(after: events[index].stamps.notified)
    }
    return events
  }

  private func deliver(from start: Instant, undrawn: Undrawn) async throws -> [LaneEvent] {
    var subject = subject
    let singles = entities.count { $0 == 1 }
    var arrivals = ArrivalProcess(count: singles, perSecond: rate, random: random).offsets[...]
    var events: [LaneEvent] = []
    events.reserveCapacity(entities.count)
    var pauses: Int64 = 0
    for (index, entities) in entities.enumerated() {
      let paused = clock.now
      try await subject.prepare(1)
      let isSingle = entities == 1
      let played = clock.now
      var intended = played
      if isSingle, let arrival = arrivals.popFirst() {
        pauses += played.nanoseconds - paused.nanoseconds
        intended = start.advanced(byNanoseconds: arrival + pauses)
      }
      let isWaiting = played < intended
      if isWaiting { try await clock.sleep(until: intended) }
      try Task.checkCancellation()
      let started = clock.now
      let handover = try await subject.perform(1)
      if !isSingle { pauses += clock.now.nanoseconds - paused.nanoseconds }
      events.append(
        LaneEvent(
          stamps: EventStamps(
            // What comes while the subject is at work lies there from then on.
            intended: intended, received: isWaiting ? started : intended, started: started,
            decoded: handover.began, committed: handover.committed,
            notified: handover.notified ?? handover.committed),
          entities: entities, isTold: handover.notified != nil))
      if handover.notified != nil { undrawn.append(index) }
    }
    return events
  }

  /// Draws at 60 Hz what observers were told of, until nothing more will come.
  private func draw(
    _ undrawn: Undrawn, from start: Instant
  ) async throws -> (drawings: [(Int, Instant)], history: FrameHistory) {
    var history = FrameHistory(clock: FrameClock(origin: start))
    var drawings: [(Int, Instant)] = []
    while true {
      let due = history.clock.boundary(after: clock.now)
      try await clock.sleep(until: due)
      history.append(.init(due: due, began: clock.now))
      guard let events = undrawn.take() else { return (drawings, history) }
      guard !events.isEmpty else { continue }
      await subject.draw()
      let now = clock.now
      drawings += events.map { ($0, now) }
    }
  }
}

/// One event as far as a lane saw it.
package struct LaneEvent: Sendable {
  /// `notified` is `committed` where no observer was concerned.
  var stamps: EventStamps
  var entities = 1
  /// Whether an observer was called.
  var isTold: Bool
  /// When a screen showed it; `nil` where it concerns none.
  var drawn: Instant?
  /// By how much later than due the frame began that would have shown it, in nanoseconds.
  var frameLateness: Int64 = 0
}

/// Events of which observers were told and that no frame has shown.
private final class Undrawn: Sendable {
  private let state = Mutex((events: [Int](), isOver: false))

  func append(_ event: Int) { state.withLock { $0.events.append(event) } }

  func end() { state.withLock { $0.isOver = true } }

  /// Those there are; `nil` where none will come any more.
  func take() -> [Int]? {
    state.withLock { state in
      if state.isOver, state.events.isEmpty { return nil }
      defer { state.events = [] }
      return state.events
    }
  }
}
