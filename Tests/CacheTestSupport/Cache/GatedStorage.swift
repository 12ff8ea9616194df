package import NormalizedCache
package import SimulatedStorage

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

  /// Waits until so many writes have begun.
  package func awaitWrites(_ count: Int) async {
    while batches.count < count {
      await withCheckedContinuation { arrivals.append($0) }
    }
  }
}
