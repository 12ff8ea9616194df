import CacheModel
import NormalizedCache
import ResultModel
import Synchronization
import Testing

@testable import RealTime

@Suite("Cost of persistence, small runs", .timeLimit(.minutes(30)))
struct PersistenceRunTests {
  private func run(
    _ makeStorage: @escaping @Sendable (String) -> any CacheStorage
  ) throws -> PersistenceRun {
    var run = PersistenceRun(policy: "spacedrive", seed: 1, makeStorage: makeStorage)
    run.library = FileLibrary(directories: 4, filesPerDirectory: 30, seed: 1)
    run.turns = 3
    run.samples = 20
    run.warmUp = 4
    run.stall = .milliseconds(2)
    run.window = .milliseconds(5)
    return run
  }

  @Test("Every turn counts, a p99 of so few samples is empty, and both storages hold everything")
  func rows() async throws {
    let storages = ["steady": MemoryStorage(), "stalling": MemoryStorage()]
    let rows = try await run { storages[$0] ?? MemoryStorage() }.run(scenario: "update-cost")
    #expect(rows.map(\.class) == ["steady", "stalling"])
    #expect(rows.allSatisfy { $0.sampleCount == 60 && $0.value == nil })
    for storage in storages.values {
      #expect(await storage.batches > 3)
    }
  }

  @Test("A pause in one turn decides nothing: the ratio is the median of the turns")
  func ratio() {
    let even = [Int64](repeating: 10, count: 1_000)
    let paused = [Int64](repeating: 700, count: 1_000)
    let dearer = [Int64](repeating: 12, count: 1_000)
    #expect(
      PersistenceRun.ratio(of: [dearer, paused, dearer], to: [even, even, even]) == 1.2)
    #expect(
      PersistenceRun.ratio(of: [dearer, dearer, dearer], to: [even, paused, even]) == 1.2)
    #expect(PersistenceRun.ratio(of: [dearer, [12]], to: [even, [10]]) == nil)
  }

  @Test("A storage that forgets is an error, not a low cost")
  func forgetful() async throws {
    let run = try run { _ in MemoryStorage() }
    await #expect(
      throws: MeasurementError.notStored(storage: "steady", entities: 0, of: 72)
    ) {
      try await run.run(scenario: "update-cost")
    }
  }
}

/// Keeps entities in memory; what else a batch holds is not asked for.
private actor MemoryStorage: CacheStorage {
  private var entities: [EntityKey: StoredEntity<[UInt8]>] = [:]
  private(set) var batches = 0

  func load() -> State {
    var state = State()
    state.entities = Array(entities.values)
    return state
  }

  func write(_ batch: Batch) {
    batches += 1
    if batch.replacesAll { entities = [:] }
    for key in batch.removedEntities { entities[key] = nil }
    for entity in batch.entities { entities[entity.key] = entity }
  }

  func close() {}
}
