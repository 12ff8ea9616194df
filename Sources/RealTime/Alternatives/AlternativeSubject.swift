import CacheModel
import NormalizedCache

/// An alternative under the events of a script, with ten observers of each listing that they change.
struct AlternativeSubject<Cache: AlternativeCache>: Subject {
  private let cache: Cache
  private let workload: AlternativeWorkload
  private let board: ObserverBoard
  private let clock: ContinuousCacheClock
  private let committed: @Sendable () -> Void
  private var script: AlternativeScript
  /// What is prepared; the next is the last.
  private var prepared: [AlternativeScript.Event] = []
  private var events = 0

  /// - Throws: what the alternative throws.
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
    // Handed over: nothing here holds it any more.
    let (envelope, directory) = (event.envelope, event.directory)
    events += 1
    board.begin(directory)
    let before = clock.now
    try await cache.apply(envelope, committed: committed)
    return try await stamps(of: directory, since: before)
  }

  /// Waits for observers that are told on another thread; they look at the clock themselves, so
  /// waiting adds nothing to what is measured.
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

  /// Compares every listing with what the events make of it, and lets the alternative go.
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
