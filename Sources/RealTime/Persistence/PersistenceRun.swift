import CacheModel
import Dispatch
import Foundation
import FoundationEssentials
package import NormalizedCache
import Processes
package import ResultModel

/// Measures the cost of a storage for an update, from its arrival to its observers.
///
/// Three caches alternate: one without a storage, one with, and one whose disk stalls for 50 ms before every
/// batch. Only one receives events at a time, so that the work of writing, on any thread, affects only the
/// cache that causes it.
package struct PersistenceRun: Sendable {
  /// The number of turns of each cache, of events in a turn, and of those that warm up.
  package var turns = 3
  package var samples = 1_000
  package var warmUp = 50
  /// The rate of events per second.
  package var rate = 1_000.0
  package var stall = Duration.milliseconds(50)
  /// The flush interval, with about 100 events, so that batches are written continuously.
  package var window = Duration.milliseconds(100)
  /// The library.
  package var library: FileLibrary
  private let policy: String
  private let seed: UInt64
  private let clock = ContinuousCacheClock()
  private let makeStorage: @Sendable (String) -> any CacheStorage

  /// - Parameters:
  ///   - policy: the name of a preset that retains observed queries.
  ///   - seed: the seed of arrivals and data.
  ///   - makeStorage: creates or reopens the storage with a name: empty at first, later with all its data.
  package init(
    policy: String, seed: UInt64,
    makeStorage: @escaping @Sendable (String) -> any CacheStorage
  ) {
    self.policy = policy
    self.seed = seed
    library = .standard(seed: seed)
    self.makeStorage = makeStorage
  }

  /// Returns the ratio of the 99th percentiles of `update_to_notify` with and without a storage: the median
  /// over turns, since a pause of the machine affects one turn of one cache, and would dominate the pooled
  /// percentiles.
  ///
  /// - Throws: ``MeasurementError``, also if a storage lacks changes of its cache at the end;
  ///   `CachePolicyError`, `StorageError` if nothing was stored, or `CancellationError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    guard let composition = library.composition(preset: policy) else {
      preconditionFailure("no preset is called \(policy)")
    }
    let script = try EventScript(
      library: library, count: turns * (warmUp + samples))
    let caches = [
      try NormalizedCache(
        composition: composition, schema: MeasurementSchema(),
        source: LibraryServer(library: library), clock: clock),
      try await open(makeStorage("steady"), composition),
      try await open(StallingStorage(makeStorage("stalling"), stall: stall), composition),
    ]
    let stamps = try await measure(caches, script)
    for (cache, name) in zip(caches, ["", "steady", "stalling"]) where !name.isEmpty {
      try await cache.close()
      try await check(makeStorage(name), name, holds: script)
    }
    return [
      row(scenario, "steady", of: stamps[1], to: stamps[0]),
      row(scenario, "stalling", of: stamps[2], to: stamps[0]),
    ]
  }

  /// Returns the stamps of each cache by turn.
  private func measure(
    _ caches: [NormalizedCache<MeasurementSchema>], _ script: EventScript
  ) async throws -> [[[EventStamps]]] {
    var subjects: [LibrarySubject] = []
    for cache in caches {
      subjects.append(try await LibrarySubject(cache: cache, library: library, clock: clock))
    }
    let count = warmUp + samples
    return try await Turns(rounds: turns).take(Array(caches.indices)) { index, turn in
      subjects[index].messages = script.messages[turn * count..<(turn + 1) * count]
      let lane = Lane(
        entities: Array(repeating: 1, count: count), rate: rate,
        random: RandomSource(seed: seed)
          .substream("persistence-arrivals", UInt64(turn * 3 + index)),
        subject: subjects[index], clock: clock)
      let events = try await lane.run(from: clock.now.advanced(by: .milliseconds(50)))
      // Pending changes would be written during another cache's turn.
      if index > 0 { try await caches[index].flush() }
      return try counted(events, Self.names[index])
    }
  }

  private static let names = ["unstored", "steady", "stalling"]

  /// Returns the stamps after the warm-up; all events must have notified an observer.
  private func counted(
    _ events: [LaneEvent], _ name: String
  ) throws(MeasurementError) -> [EventStamps] {
    let untold = events.indices.filter { !events[$0].isTold }
    if let first = untold.first {
      throw .notificationsMissing(lane: name, count: untold.count, first: first)
    }
    return events.dropFirst(warmUp).map(\.stamps)
  }

  /// Checks whether a storage has the last value of each changed file.
  private func check(
    _ storage: any CacheStorage, _ name: String, holds script: EventScript
  ) async throws {
    let stored = try await storage.load().entities.count {
      FileLibrary.revision(of: $0.version) > 0 && $0.payload != nil
    }
    await storage.close()
    let changed = min(script.messages.count, library.fileCount)
    guard stored == changed else {
      throw MeasurementError.notStored(storage: name, entities: stored, of: changed)
    }
  }

  private func open(
    _ storage: any CacheStorage, _ composition: CachePolicy
  ) async throws -> NormalizedCache<MeasurementSchema> {
    try await NormalizedCache.open(
      composition: composition, schema: MeasurementSchema(),
      source: LibraryServer(library: library), storage: storage, codec: FileCodec(),
      writeBehind: WriteBehind(window: window), clock: clock)
  }

  private func row(
    _ scenario: String, _ disk: String, of stored: [[EventStamps]], to unstored: [[EventStamps]]
  ) -> ResultRow {
    let ratio = Self.ratio(of: stored.map { times($0) }, to: unstored.map { times($0) })
    return RunRows(scenario: scenario, policy: policy, seed: seed).row(
      .persistenceCostRatio, ratio.map { .real($0) }, class: ResultClass(disk),
      count: stored.reduce(0) { $0 + $1.count })
  }

  private func times(_ stamps: [EventStamps]) -> [Int64] {
    stamps.map { $0.nanoseconds(of: .updateToNotify) }
  }

  /// Returns the median over turns of the ratio of two caches' 99th percentiles in the same turn; `nil` if a
  /// turn has too few samples.
  static func ratio(of stored: [[Int64]], to unstored: [[Int64]]) -> Double? {
    var ratios: [Double] = []
    for (above, below) in zip(stored, unstored) {
      guard min(above.count, below.count) >= Statistic.p99.fewestSamples,
        let above = SampleSummary(above).quantile(.p99),
        let below = SampleSummary(below).quantile(.p99), below > 0
      else { return nil }
      ratios.append(Double(above) / Double(below))
    }
    return ratios.isEmpty ? nil : ratios.sorted()[ratios.count / 2]
  }
}

/// Stores files in the server's JSON format.
struct FileCodec: StorageCodec {
  let schemaVersion = 1

  func encode(_ payload: FilePayload, of key: EntityKey) throws -> [UInt8] {
    Array(try WireEncoder().bytes(of: payload))
  }

  func decode(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> FilePayload {
    try WireDecoder().file(from: Data(bytes))
  }

  func encodeChange(_ change: FileChange, of key: EntityKey) throws -> [UInt8] {
    Array(change.name.utf8)
  }

  func decodeChange(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> FileChange {
    FileChange(name: String(decoding: bytes, as: UTF8.self))
  }
}

/// A storage whose disk stalls before every batch, for a given time.
///
/// The stall blocks a thread, as a disk does; the thread is the storage's own.
final class StallingStorage: CacheStorage {
  private let base: any CacheStorage
  private let stall: Duration
  private let queue = DispatchQueue(label: "tidemark.stalling-storage")

  init(_ base: any CacheStorage, stall: Duration) {
    self.base = base
    self.stall = stall
  }

  func load() async throws(StorageError) -> State { try await base.load() }

  func write(_ batch: Batch) async throws(StorageError) {
    await withCheckedContinuation { continuation in
      queue.async { [stall] in
        Thread.sleep(forTimeInterval: stall / .seconds(1))
        continuation.resume()
      }
    }
    try await base.write(batch)
  }

  func close() async { await base.close() }
}
