import CacheModel
package import NormalizedCache
package import Processes
import Synchronization

/// Runs subjects alternately, including a control: what slows the machine down affects all of them equally.
package struct Driver: Sendable {
  package var clock = ContinuousCacheClock()

  package init() {}

  /// Runs blocks of operations of each subject, back to back.
  ///
  /// - Parameters:
  ///   - turns: the number of blocks of each.
  ///   - block: the number of operations in a block, which are prepared together.
  ///   - atOnce: the number of operations that one call performs, with one outcome.
  ///   - subjects: the subjects, in any order.
  ///   - beginning: called before each round.
  /// - Returns: the outcomes of each subject, in the order of the subjects.
  /// - Throws: a subject's error.
  package func inTurns<Outcome>(
    _ turns: Turns, block: Int, atOnce: Int = 1, _ subjects: inout [any Subject<Outcome>],
    beginning: (_ round: Int) -> Void = { _ in }
  ) async throws -> [[Outcome]] {
    var begun = -1
    let outcomes = try await turns.take(Array(subjects.indices)) { index, round in
      if round > begun { beginning(round) }
      begun = round
      return try await backToBack(block, block: block, atOnce: atOnce, &subjects[index])
    }
    return outcomes.map { Array($0.joined()) }
  }

  /// Runs operations of one subject, back to back.
  ///
  /// - Parameters:
  ///   - count: the number of operations, unless `limit` is reached first.
  ///   - block: the number of operations that are prepared together.
  ///   - atOnce: the number of operations that one call performs.
  ///   - limit: the time after which no block starts.
  ///   - subject: the subject.
  /// - Returns: its outcomes, in order.
  /// - Throws: the subject's error.
  func backToBack<Outcome>(
    _ count: Int, block: Int, atOnce: Int = 1, within limit: Duration? = nil,
    _ subject: inout any Subject<Outcome>
  ) async throws -> [Outcome] {
    let end = limit.map { clock.now.advanced(by: $0) }
    var outcomes: [Outcome] = []
    outcomes.reserveCapacity(count / atOnce)
    var left = count
    while left > 0 {
      if let end, clock.now >= end { break }
      let size = min(block, left)
      try await subject.prepare(size)
      for _ in 0..<size / atOnce { outcomes.append(try await subject.perform(atOnce)) }
      left -= size
    }
    return outcomes
  }

  /// Runs operations in an open loop: each is due at a random instant, whether or not the previous one is
  /// complete.
  ///
  /// Subjects alternate with every operation.
  ///
  /// - Parameters:
  ///   - subjects: the subjects, in the order of their turns.
  ///   - offsets: the due times of operations, in nanoseconds from now, in order.
  ///   - limit: the time after which no operation starts.
  /// - Returns: the outcomes and due times of each subject, in the order of the subjects.
  /// - Throws: a subject's error, or `CancellationError`.
  func openLoop(
    _ subjects: inout [any Subject<Handover>], at offsets: [Int64], within limit: Duration? = nil
  ) async throws -> [[(due: Instant, handover: Handover)]] {
    var done: [[(due: Instant, handover: Handover)]] = subjects.map { _ in [] }
    let start = clock.now
    let end = limit.map { start.advanced(by: $0) }
    for (turn, offset) in offsets.enumerated() {
      if let end, clock.now >= end { break }
      let index = turn % subjects.count
      let due = start.advanced(byNanoseconds: offset)
      try await subjects[index].prepare(1)
      if clock.now < due { try await clock.sleep(until: due) }
      done[index].append((due, try await subjects[index].perform(1)))
    }
    return done
  }
}

/// One subject with a stream of events, and a screen that draws the changes.
///
/// The loop is open: an event of one entity is due at a random instant, whether or not the previous one is
/// complete. A batch is sent when the events before it are complete, and the arrivals pause meanwhile: no
/// single event waits for it. They also pause while the subject performs the operations between two events,
/// which took minutes of a user's time and take none here.
struct Lane: Sendable {
  /// The number of entities that each event changes, in the order of events.
  var entities: [Int]
  /// The rate of single events per second, in a Poisson process.
  var rate: Double
  var random: RandomSource
  var subject: any Subject<Handover> & Sendable
  var clock: ContinuousCacheClock

  /// Delivers every event.
  ///
  /// - Parameter start: the time of origin for arrivals.
  /// - Returns: all events in order.
  /// - Throws: the subject's error, or `CancellationError`.
  func run(from start: Instant) async throws -> [LaneEvent] {
    let undrawn = Undrawn()
    async let drawing = draw(undrawn, from: start)
    // The frames end in any case.
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
            // Events that arrive while the subject is busy count as received on arrival.
            intended: intended, received: isWaiting ? started : intended, started: started,
            decoded: handover.began, committed: handover.committed,
            notified: handover.notified ?? handover.committed),
          entities: entities, isTold: handover.notified != nil))
      if handover.notified != nil { undrawn.append(index) }
    }
    return events
  }

  /// Draws the notified changes at 60 Hz, until no more will follow.
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

/// The measurements of one event in a lane.
package struct LaneEvent: Sendable {
  /// The event's stamps.
  ///
  /// `notified` equals `committed` if no observer is affected.
  var stamps: EventStamps
  var entities = 1
  /// Whether an observer was called.
  var isTold: Bool
  /// The time when a screen showed it; `nil` if it affects no observer.
  var drawn: Instant?
  /// The delay of the frame that would have shown it, in nanoseconds.
  var frameLateness: Int64 = 0
}

/// Events whose observers were notified, and which no frame has shown yet.
private final class Undrawn: Sendable {
  private let state = Mutex((events: [Int](), isOver: false))

  func append(_ event: Int) { state.withLock { $0.events.append(event) } }

  func end() { state.withLock { $0.isOver = true } }

  /// Removes and returns the events; `nil` if no more will follow.
  func take() -> [Int]? {
    state.withLock { state in
      if state.isOver, state.events.isEmpty { return nil }
      defer { state.events = [] }
      return state.events
    }
  }
}

/// The machine's own noise: the delays of a task that sleeps for a millisecond at a time, while the lanes
/// run.
///
/// Its instants are fixed in advance: a pause of 50 ms gives fifty samples, as it would delay fifty events.
enum Sleeper {
  static let interval = Duration.milliseconds(1)

  /// Returns the delay of each wake-up in nanoseconds, when the task is cancelled.
  static func lateness(clock: some CacheClock, from start: Instant) async -> [Int64] {
    var samples: [Int64] = []
    var due = start
    do {
      while true {
        due = due.advanced(by: interval)
        if clock.now < due { try await clock.sleep(until: due) }
        try Task.checkCancellation()
        samples.append(max(clock.now.nanoseconds - due.nanoseconds, 0))
      }
    } catch {
      // Cancelled: the lanes are complete.
      return samples
    }
  }
}
