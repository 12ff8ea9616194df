import CacheModel
import NormalizedCache

/// Runs one alternative with the events of a workload, and checks its results.
///
/// The events arrive back to back first, then in an open loop. They are created in blocks before they are
/// timed.
package struct AlternativeRun: Sendable {
  package var workload: AlternativeWorkload
  package var seed: UInt64
  /// The index of the round.
  ///
  /// Each round has its own events, the same for every alternative.
  package var round = 0
  /// The number of events that warm up.
  package var warmUp = 200
  package var hot = 1_500
  package var paced = 500
  /// The rate of the open loop, in events per second.
  package var rate = 1_000.0
  /// The time limit of each of the two parts; a slow alternative processes fewer events.
  package var limit = Duration.seconds(4)

  /// The number of files in a block, few enough for the processor's caches.
  private static let filesPerBlock = 100
  /// The driver, whose clock is the subject's: instants of two clocks cannot be compared.
  private let driver = Driver()

  package init(workload: AlternativeWorkload, seed: UInt64) {
    self.workload = workload
    self.seed = seed
  }

  /// Runs an alternative, and closes it.
  ///
  /// - Throws: ``AlternativeRunError``, or the alternative's error.
  package func run(
    _ make: (FileLibrary) async throws -> any AlternativeCache
  ) async throws -> AlternativeSamples {
    let library = workload.library(seed: seed)
    let script = AlternativeScript(
      library: library, workload: workload,
      random: RandomSource(seed: seed).substream("design-events", UInt64(round)))
    var subjects = [
      try await driver.subject(try await make(library), under: script, of: workload)
    ]
    do {
      let samples = try await measure(&subjects)
      try await subjects[0].close()
      return samples
    } catch {
      try? await subjects[0].close()
      throw error
    }
  }

  private func measure(
    _ subjects: inout [any Subject<Handover>]
  ) async throws -> AlternativeSamples {
    let block = max(1, Self.filesPerBlock / workload.filesPerEvent)
    _ = try await driver.backToBack(warmUp, block: block, within: limit, &subjects[0])
    var samples = AlternativeSamples()
    samples.hot = try await driver.backToBack(hot, block: block, within: limit, &subjects[0])
      .map { .init($0, due: nil) }
    let arrivals = ArrivalProcess(
      count: paced, perSecond: rate,
      random: RandomSource(seed: seed).substream("design-arrivals", UInt64(round)))
    samples.paced = try await driver.openLoop(
      &subjects, at: arrivals.offsets, within: limit
    ).joined().map { .init($0.handover, due: $0.due) }
    return samples
  }
}

extension Driver {
  /// Returns an alternative with the events of a script, on the driver's clock; closes it on failure.
  ///
  /// - Throws: the alternative's error.
  func subject(
    _ cache: some AlternativeCache, under script: AlternativeScript,
    of workload: AlternativeWorkload
  ) async throws -> any Subject<Handover> {
    do {
      return try await AlternativeSubject(cache, script: script, of: workload, clock: clock)
    } catch {
      try? await cache.close()
      throw error
    }
  }
}

extension AlternativeSamples.Event {
  fileprivate init(_ handover: Handover, due: Instant?) {
    let notified = handover.notified ?? handover.committed
    // Another thread may have notified observers before this one read the clock.
    let committed = min(handover.committed, notified)
    self.init(
      apply: committed.nanoseconds - handover.began.nanoseconds,
      notify: notified.nanoseconds - committed.nanoseconds,
      response: due.map { notified.nanoseconds - $0.nanoseconds })
  }
}

/// The reason why a design has no figures: a wrong result invalidates its time.
package enum AlternativeRunError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Not all ten observers of a listing were called for an event.
  case observersNotCalled(event: Int, directory: Int)
  /// The design did not report the commit of an event.
  case notCommitted(event: Int)
  /// A listing differs from the expected result of the events.
  case wrongListing(directory: Int)

  package var description: String {
    switch self {
    case .observersNotCalled(let event, let directory):
      "event \(event) changed directory \(directory), and not all of its observers were called "
        + "within 5 seconds; what the design does is wrong, so it has no figures"
    case .notCommitted(let event):
      "event \(event) was not committed when its observers had been called; see `AlternativeCache`"
    case .wrongListing(let directory):
      "the listing of directory \(directory) is not what the events make of it; what the design "
        + "does is wrong, so it has no figures"
    }
  }
}

/// An alternative with the events of a script, and ten observers of each listing that they change.
struct AlternativeSubject<Cache: AlternativeCache>: Subject {
  private let cache: Cache
  private let workload: AlternativeWorkload
  private let board: ObserverBoard
  private let clock: ContinuousCacheClock
  private let committed: @Sendable () -> Void
  private var script: AlternativeScript
  /// The prepared events, the next one last.
  private var prepared: [AlternativeScript.Event] = []
  private var events = 0

  /// - Throws: the alternative's error.
  init(
    _ cache: Cache, script: AlternativeScript, of workload: AlternativeWorkload,
    clock: ContinuousCacheClock
  ) async throws {
    self.cache = cache
    self.clock = clock
    self.script = script
    self.workload = workload
    let board = ObserverBoard(listings: workload.observed, clock: clock)
    self.board = board
    committed = { board.commit() }
    for directory in 0..<workload.observed {
      for index in 0..<ObserverBoard.observersPerListing {
        try await cache.observe(directory: directory, board.observer(index, of: directory))
      }
    }
  }

  mutating func prepare(_ count: Int) {
    prepared = (0..<count).map { _ in script.next() }
    prepared.reverse()
  }

  mutating func perform(_ count: Int) async throws -> Handover {
    guard count == 1, let event = prepared.popLast() else {
      preconditionFailure("no event is left")
    }
    // Ownership is transferred: no reference remains here.
    let (envelope, directory) = (event.envelope, event.directory)
    events += 1
    board.begin(directory)
    let before = clock.now
    try await cache.apply(envelope, committed: committed)
    return try await stamps(of: directory, since: before)
  }

  /// Waits for observers that are notified on another thread; they read the clock themselves, so waiting does
  /// not affect the measurement.
  private func stamps(of directory: Int, since start: Instant) async throws -> Handover {
    while true {
      let (committed, notified) = (board.committed, board.notified(directory))
      if let committed, let notified {
        return Handover(
          began: start, committed: Instant(nanoseconds: committed),
          notified: Instant(nanoseconds: notified))
      }
      guard clock.now < start.advanced(by: .seconds(5)) else {
        throw notified == nil
          ? AlternativeRunError.observersNotCalled(event: events, directory: directory)
          : AlternativeRunError.notCommitted(event: events)
      }
      try await Task.sleep(for: .microseconds(50))
    }
  }

  /// Compares every listing with the expected result of the events, and closes the alternative.
  func close() async throws {
    do {
      try await check()
    } catch {
      try? await cache.close()
      throw error
    }
    try await cache.close()
  }

  private func check() async throws {
    for directory in 0..<workload.directories {
      guard let listing = try await cache.listing(ofDirectory: directory) else { continue }
      guard listing == script.listing(ofDirectory: directory) else {
        throw AlternativeRunError.wrongListing(directory: directory)
      }
    }
  }
}
