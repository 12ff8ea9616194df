import CachePersistence
import CommandLineInterface
import Processes
import RealTime
import ResultModel

/// What one cache costs as it grows, whatever the scenario: updates beside much that is unrelated, its own
/// share of an event, a user's own changes, a storage, memory per entity.
enum CoreCosts {
  /// The composition that stores its content.
  static let policy = "spacedrive"

  /// - Throws: `CachePolicyError`, `MeasurementError`, `StorageError`, or `CancellationError`.
  static func run(seed: UInt64, isQuick: Bool, progress: ProgressLine) async throws -> [ResultRow] {
    let costs = try await CostRun(seed: seed) { progress.report($0) }
      .run(scenario: "update-cost")
    var eventCosts = EventCostRun(seed: seed) { progress.report($0) }
    if isQuick { eventCosts.makeQuick() }
    let events = try await eventCosts.run(scenario: "event-cost")
    var writeCosts = WriteCostRun(seed: seed) { progress.report($0) }
    if isQuick { writeCosts.makeQuick() }
    let writes = try await writeCosts.run(scenario: "write-cost")
    // These two leave files and a process behind unless they are cleaned up.
    return try await TerminationSignals.cancelling {
      progress.report("persistence: with a storage, with one that stalls, and without")
      let persistence = try await persistenceRows(seed: seed, isQuick: isQuick)
      progress.report("memory")
      return await costs + events + writes + persistence
        + MemoryRun().rowsOrWarning(seed: seed, progress: progress)
    }
  }

  /// What a storage costs, measured on files in a temporary folder.
  private static func persistenceRows(seed: UInt64, isQuick: Bool) async throws -> [ResultRow] {
    let folder = TemporaryFolder(for: "storage")
    try folder.make()
    defer { folder.remove() }
    var run = PersistenceRun(policy: policy, seed: seed) { name in
      SQLiteStorage(path: folder.path(of: "\(name).sqlite"))
    }
    if isQuick { run.makeQuick() }
    return try await run.run(scenario: "update-cost")
  }
}

extension MemoryRun {
  /// The rows of memory; none, with a warning, where jemalloc is not installed or does not answer: the
  /// rest of the report is worth having, and a target on memory then says that it has no data.
  func rowsOrWarning(
    _ arguments: [String] = [], seed: UInt64, progress: ProgressLine
  ) async -> [ResultRow] {
    do throws(MemoryRunError) {
      return try await rows(arguments, seed: seed)
    } catch {
      // Whoever ended the run was told enough.
      if Task.isCancelled { return [] }
      progress.end()
      Console.note("warning: memory is not measured: \(error)")
      return []
    }
  }
}
