package import CacheModel
package import NormalizedCache
package import SimulatedStorage
import Synchronization

/// A clock that a test moves.
package final class ManualClock: CacheClock {
  private struct State {
    var now = Instant.zero
    var sleepers: [(id: Int, until: Instant, continuation: CheckedContinuation<Void, any Error>)] =
      []
    var lastID = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var now: Instant { state.withLock { $0.now } }

  /// The clock's own time, as if it had shown zero some days after the start of 1970.
  package var wallClock: Instant { now.advanced(byNanoseconds: 1_000_000_000_000_000) }

  /// The earliest instant of a sleeper; `nil`: none.
  package var nextWake: Instant? {
    state.withLock { state in state.sleepers.map(\.until).min() }
  }

  /// Moves the clock and wakes sleepers whose time has come, earliest first.
  package func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.until <= state.now }.sorted { $0.until < $1.until }
      state.sleepers.removeAll { $0.until <= state.now }
      return due
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  package func sleep(until instant: Instant) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try Task.checkCancellation()
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        let isDue = state.withLock { state in
          if Task.isCancelled || state.now >= instant { return true }
          state.sleepers.append((id, instant, continuation))
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      let cancelled = state.withLock { state in
        let index = state.sleepers.firstIndex { $0.id == id }
        return index.map { state.sleepers.remove(at: $0) }
      }
      cancelled?.continuation.resume(throwing: CancellationError())
    }
  }
}

/// A storage in memory that stalls and fails when the test says so.
package actor GatedStorage: CacheStorage {
  package private(set) var memory = MemoryStorage<[UInt8], EncodedMutation>()
  private var schemaVersion = 0
  private var loadError: StorageError?
  /// The error of each write to come; once it is used up, writes succeed.
  private var errors: [StorageError] = []
  private var isStalled = false
  private var stalled: CheckedContinuation<Void, Never>?
  private var arrivals: [CheckedContinuation<Void, Never>] = []
  package private(set) var batches: [Batch] = []
  /// How often it was closed.
  package private(set) var closings = 0
  /// Whether a write began after the first closing.
  package private(set) var isWrittenAfterClosing = false

  package init(loadError: StorageError? = nil) {
    self.loadError = loadError
  }

  package func load() async throws(StorageError) -> State {
    if let loadError { throw loadError }
    var state = memory.contents
    state.schemaVersion = schemaVersion
    return state
  }

  package func write(_ batch: Batch) async throws(StorageError) {
    batches.append(batch)
    if closings > 0 { isWrittenAfterClosing = true }
    for arrival in arrivals { arrival.resume() }
    arrivals = []
    if isStalled {
      await withCheckedContinuation { stalled = $0 }
    }
    if !errors.isEmpty { throw errors.removeFirst() }
    memory.begin(batch)
    _ = memory.finish()
    schemaVersion = batch.schemaVersion
  }

  package func close() async { closings += 1 }

  // MARK: For the test

  package func fail(_ errors: StorageError...) { self.errors = errors }

  package func stall() { isStalled = true }

  /// Lets the stalled write, and those to come, go on.
  package func resume() {
    isStalled = false
    stalled?.resume()
    stalled = nil
  }

  /// Waits until this many writes have begun.
  package func awaitWrites(_ count: Int) async {
    while batches.count < count {
      await withCheckedContinuation { arrivals.append($0) }
    }
  }
}
