import CacheModel
import NormalizedCache

/// Puts one design under the events of a workload, and checks that it did what it was timed for.
///
/// Back to back first, then open loop. Events are made before they are timed, a block at a time.
package struct DesignRun: Sendable {
  package var workload: DesignWorkload
  package var seed: UInt64
  /// Each round has events of its own, the same for every design.
  package var round = 0
  /// Events that are not counted, and that are, back to back and open loop.
  package var warmUp = 200
  package var hot = 1_500
  package var paced = 500
  /// Per second.
  package var rate = 1_000.0
  /// How long each of the two may take; what a slow design does not manage in it is left out.
  package var limit = Duration.seconds(4)

  private static let deadline = Duration.seconds(5)
  /// Files in a block: few enough to stay in the processor's caches.
  private static let filesPerBlock = 100

  package init(workload: DesignWorkload, seed: UInt64) {
    self.workload = workload
    self.seed = seed
  }

  /// Runs a design to its end, and closes it.
  ///
  /// - Throws: ``DesignRunError``, or what the design throws.
  package func run(
    _ make: (FileLibrary) async throws -> any DesignUnderTest
  ) async throws -> DesignSamples {
    let library = workload.library(seed: seed)
    let design = try await make(library)
    do {
      let samples = try await measure(design, library: library)
      try await design.close()
      return samples
    } catch {
      try? await design.close()
      throw error
    }
  }

  private func measure(
    _ design: some DesignUnderTest, library: FileLibrary
  ) async throws -> DesignSamples {
    let clock = ContinuousCacheClock()
    let random = RandomSource(seed: seed)
    let board = ObserverBoard(listings: workload.observed, clock: clock)
    for directory in 0..<workload.observed {
      for index in 0..<ObserverBoard.observersPerListing {
        try await design.observe(directory: directory, board.observer(index, of: directory))
      }
    }
    var timer = EventTimer(
      design: design, board: board, clock: clock,
      script: DesignScript(
        library: library, workload: workload,
        random: random.substream("design-events", UInt64(round))))
    var samples = DesignSamples()
    _ = try await backToBack(warmUp, &timer)
    samples.hot = try await backToBack(hot, &timer)

    let arrivals = ArrivalProcess(
      count: paced, perSecond: rate,
      random: random.substream("design-arrivals", UInt64(round)))
    let start = clock.now
    let end = start.advanced(by: limit)
    for offset in arrivals.offsets where clock.now < end {
      let event = timer.script.next()
      let due = start.advanced(byNanoseconds: offset)
      if clock.now < due { try await clock.sleep(until: due) }
      samples.paced.append(try await timer.time(event.envelope, of: event.directory, due: due))
    }
    try await timer.check(directories: workload.directories)
    return samples
  }

  private func backToBack(
    _ count: Int, _ timer: inout EventTimer<some DesignUnderTest>
  ) async throws -> [DesignSamples.Event] {
    let blockLength = max(1, Self.filesPerBlock / workload.filesPerEvent)
    let end = timer.clock.now.advanced(by: limit)
    var samples: [DesignSamples.Event] = []
    samples.reserveCapacity(count)
    while samples.count < count, timer.clock.now < end {
      var block = (0..<min(blockLength, count - samples.count)).map { _ in timer.script.next() }
      block.reverse()
      while let event = block.popLast() {
        samples.append(try await timer.time(event.envelope, of: event.directory, due: nil))
      }
    }
    return samples
  }

  /// Hands events to a design, one at a time, and reads the stamps.
  private struct EventTimer<Design: DesignUnderTest> {
    let design: Design
    let board: ObserverBoard
    let clock: ContinuousCacheClock
    let committed: @Sendable () -> Void
    var script: DesignScript
    private var events = 0

    init(
      design: Design, board: ObserverBoard, clock: ContinuousCacheClock, script: DesignScript
    ) {
      self.design = design
      self.board = board
      self.clock = clock
      self.script = script
      committed = { board.commit() }
    }

    mutating func time(
      _ event: consuming FileEvent, of directory: Int, due: Instant?
    ) async throws -> DesignSamples.Event {
      events += 1
      board.begin(directory)
      let before = clock.now
      try await design.apply(event, committed: committed)
      let stamps = try await stamps(of: directory, since: before)
      let notified = stamps.notified
      // Another thread may have seen the commit, and told of it, before this one looked at the clock.
      let committed = min(stamps.committed, notified)
      return DesignSamples.Event(
        apply: committed - before.nanoseconds, notify: notified - committed,
        response: due.map { notified - $0.nanoseconds })
    }

    /// Waits for observers that are told on another thread; they look at the clock themselves, so
    /// waiting adds nothing to what is measured.
    private func stamps(
      of directory: Int, since start: Instant
    ) async throws -> (committed: Int64, notified: Int64) {
      while true {
        let (committed, notified) = (board.committed, board.notified(directory))
        if let committed, let notified { return (committed, notified) }
        guard clock.now < start.advanced(by: DesignRun.deadline) else {
          throw notified == nil
            ? DesignRunError.observersNotCalled(event: events, directory: directory)
            : DesignRunError.notCommitted(event: events)
        }
        try await Task.sleep(for: .microseconds(50))
      }
    }

    /// Compares every listing with what the events make of it.
    func check(directories: Int) async throws {
      for directory in 0..<directories {
        guard let listing = try await design.listing(ofDirectory: directory) else { continue }
        guard listing == script.listing(ofDirectory: directory) else {
          throw DesignRunError.wrongListing(directory: directory)
        }
      }
    }
  }
}
