import CacheModel
package import NormalizedCache
package import Processes
import Synchronization

/// Runs subjects in turns, a control among them: what slows the machine down falls on all of them alike.
package struct Driver: Sendable {
  package var clock = ContinuousCacheClock()

  package init() {}

  /// Blocks of operations of each subject, back to back.
  ///
  /// - Parameters:
  ///   - turns: how many blocks of each.
  ///   - block: operations in a block, which are prepared together.
  ///   - atOnce: how many of them are performed by one call, and give one outcome.
  ///   - subjects: in any order.
  ///   - beginning: called before each round.
  /// - Returns: the outcomes of each subject, in the order of the subjects.
  /// - Throws: what a subject throws.
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

  /// Operations of one subject, back to back.
  ///
  /// - Parameters:
  ///   - count: how many, unless `limit` is over first.
  ///   - block: how many are prepared together.
  ///   - atOnce: how many of them are performed by one call.
  ///   - limit: after which no block begins.
  ///   - subject: whose they are.
  /// - Returns: its outcomes, in order.
  /// - Throws: what the subject throws.
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

  /// Open loop: an operation is due at an instant that was drawn, whether or not the one before is done.
  ///
  /// Each is another subject's than the one before.
  ///
  /// - Parameters:
  ///   - subjects: in the order of their turns.
  ///   - offsets: when operations are due, in nanoseconds from now, in order.
  ///   - limit: after which none is begun.
  /// - Returns: what each subject did and when it was due, in the order of the subjects.
  /// - Throws: what a subject throws, or `CancellationError`.
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

/// One subject under a stream of events, and a screen that draws what they change.
///
/// Open loop: an event of one entity is due at an instant that was drawn, whether or not the one before
/// is done. A batch comes when the events before it are done, and the arrivals pause meanwhile: no single event
/// waits for it. They also pause while the subject prepares the time between two events, which took minutes of a
/// user's time and takes none here.
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
    // Whatever happens, the frames end.
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

  /// Draws at 60 Hz the changes that observers were notified of, until nothing more will come.
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
  /// When a screen showed it; `nil` if it concerns none.
  var drawn: Instant?
  /// By how much later than due the frame began that would have shown it, in nanoseconds.
  var frameLateness: Int64 = 0
}

/// Events that observers were notified of and no frame has shown.
private final class Undrawn: Sendable {
  private let state = Mutex((events: [Int](), isOver: false))

  func append(_ event: Int) { state.withLock { $0.events.append(event) } }

  func end() { state.withLock { $0.isOver = true } }

  /// Those there are; `nil` if none will come any more.
  func take() -> [Int]? {
    state.withLock { state in
      if state.isOver, state.events.isEmpty { return nil }
      defer { state.events = [] }
      return state.events
    }
  }
}

/// The machine's own noise: a task that wants to wake each millisecond, while the lanes run.
///
/// Its instants are fixed beforehand: a pause of 50 ms is fifty samples, as fifty events would feel it.
enum Sleeper {
  static let interval = Duration.milliseconds(1)

  /// By how many nanoseconds it woke late each time, until the task is cancelled.
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
      // Cancelled: the lanes are done.
      return samples
    }
  }
}
