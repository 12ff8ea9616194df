import CacheModel
import NormalizedCache
import Processes
package import ResultModel

/// The cache's own share of an update: from a decoded event to the last of ten observers.
///
/// Back to back, where everything that an event needs lies in the processor's caches, and paced, where a
/// thread wakes, decodes one event and hands it over, as in an app. Three subjects take turns, each
/// with a script of its own: the store alone, the cache (its actor included), and a control that makes
/// the same path to an actor and the same ten calls.
package struct EventCostRun: Sendable {
  /// How the events of one class come.
  struct Schedule {
    var eventClass: EventClass
    /// Events that are not counted, of each subject.
    var warmUp: Int
    /// Blocks of events back to back of each subject, and events in a block.
    var blocks: Int
    var blockLength: Int
    /// Paced events of each subject, and per second of all three together.
    var paced: Int
    var rate: Double
  }

  var single = Schedule(
    eventClass: .single, warmUp: 200, blocks: 110, blockLength: 100, paced: 10_500, rate: 4_000)
  var batch = Schedule(
    eventClass: .batch1000, warmUp: 2, blocks: 40, blockLength: 1, paced: 40, rate: 45)
  private let library: FileLibrary
  private let seed: UInt64
  private let driver = Driver()
  private let progress: @Sendable (String) -> Void

  package init(
    seed: UInt64, library: FileLibrary? = nil,
    progress: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.seed = seed
    self.library = library ?? .standard(seed: seed)
    self.progress = progress
  }

  /// A second or two: p99 of single events, the longest of a few batches.
  package mutating func makeQuick() {
    (single.blocks, single.paced) = (12, 1_200)
    (batch.blocks, batch.paced) = (3, 3)
  }

  /// One distribution for each subject and pace.
  ///
  /// The class `single` is the cache, paced; `/store` stands for the store alone, `/hot` for back to
  /// back.
  ///
  /// - Throws: `CachePolicyError`, what the decoder throws, or `CancellationError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    progress(
      "event cost: \(single.paced) single events of each subject, \(Int(single.rate)) per second")
    let singles = try await rows(scenario, single)
    progress("event cost: \(batch.blocks + batch.paced) batches of 1,000 of each subject")
    return singles + (try await rows(scenario, batch))
  }

  private func rows(_ scenario: String, _ schedule: Schedule) async throws -> [ResultRow] {
    let script = try EventScript(
      library: library, eventClass: schedule.eventClass,
      count: schedule.warmUp + schedule.blocks * schedule.blockLength + schedule.paced)
    let times = try await measure(
      [
        try await CacheEvents(library: library, script: script, clock: driver.clock),
        try StoreEvents(library: library, script: script, clock: driver.clock),
        ControlEvents(script: script, clock: driver.clock),
      ], schedule)
    let name = ResultClass(schedule.eventClass.rawValue)
    let rows = RunRows(scenario: scenario, seed: seed)
    let subjects = [
      (Metric.eventCost, name), (.eventCost, name.by(.store)), (.controlEventCost, name),
    ]
    return zip(subjects, times).flatMap { subject, times in
      let (metric, name) = subject
      return rows.distribution(times.paced, metric, class: name)
        + rows.distribution(times.backToBack, metric, class: name.at(.backToBack))
    }
  }

  /// Times of each subject, in nanoseconds.
  private func measure(
    _ subjects: [any Subject<Handover>], _ schedule: Schedule
  ) async throws -> [(backToBack: [Int64], paced: [Int64])] {
    var subjects = subjects
    for index in subjects.indices {
      _ = try await driver.backToBack(
        schedule.warmUp, block: schedule.warmUp, &subjects[index])
    }
    let backToBack = try await driver.inTurns(
      Turns(rounds: schedule.blocks), block: schedule.blockLength, &subjects)
    let arrivals = ArrivalProcess(
      count: schedule.paced * subjects.count, perSecond: schedule.rate,
      random: RandomSource(seed: seed).substream("event-cost"))
    let paced = try await driver.openLoop(
      &subjects, at: arrivals.offsets, isPreparedOnWaking: true)
    return zip(backToBack, paced).map { backToBack, paced in
      (backToBack.map(\.nanoseconds), paced.map(\.handover.nanoseconds))
    }
  }
}

/// The whole cache: its actor, and ten observers of each query that it calls back.
struct CacheEvents: Subject {
  private let cache: NormalizedCache<MeasurementSchema>
  private let board: ObserverBoard
  private let clock: ContinuousCacheClock
  private var supply: EventSupply

  init(library: FileLibrary, script: EventScript, clock: ContinuousCacheClock) async throws {
    self.clock = clock
    supply = EventSupply(script: script)
    board = ObserverBoard(listings: library.directories, clock: clock)
    cache = try await NormalizedCache.filled(with: library, clock: clock)
    for (directory, key) in library.queryKeys.enumerated() {
      for index in 0..<ObserverBoard.observersPerListing {
        let observer = board.observer(index, of: directory)
        _ = await cache.observe(key) { _, _ in observer() }
      }
      // What happened while the cache was being filled is no event's.
      board.begin(directory)
    }
  }

  mutating func prepare(_ count: Int) throws { try supply.prepare(count) }

  mutating func perform(_ count: Int) async -> Handover {
    precondition(count == 1, "the board holds one event")
    let (event, directories) = supply.next()
    let before = clock.now
    await cache.receive(event)
    return Handover(
      began: before, committed: before,
      notified: Instant(nanoseconds: board.takeInstant(of: directories)))
  }
}

/// The store alone: what an event costs without an actor to wait for, and without observers.
final class StoreEvents: Subject {
  private var store: CacheStore<MeasurementSchema>
  private var actions: [CacheAction] = []
  private let clock: ContinuousCacheClock
  private var supply: EventSupply

  init(library: FileLibrary, script: EventScript, clock: ContinuousCacheClock) throws {
    self.clock = clock
    supply = EventSupply(script: script)
    store = try CacheStore.filled(with: library)
  }

  func prepare(_ count: Int) throws { try supply.prepare(count) }

  func perform(_ count: Int) -> Handover {
    precondition(count == 1, "what an event changed is looked at before the next")
    let (event, directories) = supply.next()
    let before = clock.now
    store.receive(event, at: before)
    store.takeActions(into: &actions)
    let committed = clock.now
    precondition(
      actions.count == directories.count,
      "an event changed \(actions.count) of \(directories.count) queries")
    return Handover(began: before, committed: committed)
  }
}

/// The control: the way to an actor, and ten calls.
struct ControlEvents: Subject {
  private let notifier: Notifier
  private let board: ObserverBoard
  private let clock: ContinuousCacheClock
  private var supply: EventSupply

  init(script: EventScript, clock: ContinuousCacheClock) {
    self.clock = clock
    supply = EventSupply(script: script)
    let board = ObserverBoard(listings: 1, clock: clock)
    self.board = board
    notifier = Notifier([
      (0..<ObserverBoard.observersPerListing).map { index in
        let observer = board.observer(index, of: 0)
        return { observer() }
      }
    ])
  }

  mutating func prepare(_ count: Int) throws { try supply.prepare(count) }

  mutating func perform(_ count: Int) async -> Handover {
    precondition(count == 1, "the board holds one event")
    let event = supply.next().event
    let before = clock.now
    await notifier.receive(event, of: 0)
    return Handover(
      began: before, committed: before,
      notified: Instant(nanoseconds: board.takeInstant(of: [0])))
  }
}

/// The events of a script in turn, decoded as a client would decode them, a block at a time.
struct EventSupply {
  typealias Event = (event: FileEvent, directories: [Int])

  private let script: EventScript
  private let decoder = WireDecoder()
  private var taken = 0
  /// The next is the last.
  private var decoded: [Event] = []

  init(script: EventScript) {
    self.script = script
  }

  /// Decodes the next events, and says whose listings each changes.
  ///
  /// - Throws: `DecodingError`, `SyncProtocolError`.
  /// - Precondition: the script has as many left, and those decoded before are taken.
  mutating func prepare(_ count: Int) throws {
    precondition(
      taken + count <= script.messages.count && decoded.isEmpty, "the script is too short")
    decoded = try (taken..<taken + count).reversed().map {
      (try decoder.envelope(from: script.messages[$0]), script.directories(ofEvent: $0))
    }
    taken += count
  }

  /// The next, handed over, not shared, as it comes from a decoder.
  ///
  /// - Precondition: it is prepared.
  mutating func next() -> Event {
    guard let event = decoded.popLast() else { preconditionFailure("no event is left") }
    return event
  }
}
