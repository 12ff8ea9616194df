import CacheModel
import NormalizedCache
package import ResultModel

/// What a user's own change costs on the real cache, beside any number of changes that wait.
///
/// A change is shown before the server knows of it, so what counts is the time from the call to the
/// observer's: of `enqueue` offline, while the queue grows, and of `mutate` above a queue of a given
/// length. What is settled counts to the end of the call, with a server that answers at once, yes or no;
/// of a queue, when the server can be reached again, the mean over all of it.
package struct WriteCostRun: Sendable {
  /// How many changes wait.
  package static let queueLengths = [1, 10, 100, 1_000]
  private static let warmUp = 10
  /// Caches whose queue is filled, and changes of each above it.
  package var rounds = 20
  package var samplesPerRound = 5
  private let library: FileLibrary
  private let seed: UInt64
  private let clock = ContinuousCacheClock()
  private let progress: @Sendable (String) -> Void

  package init(seed: UInt64, progress: @escaping @Sendable (String) -> Void = { _ in }) {
    self.seed = seed
    self.progress = progress
    // A file of its own for each change.
    library = FileLibrary(directories: 20, filesPerDirectory: 100, seed: seed)
  }

  /// A second: medians only.
  package mutating func makeQuick() { rounds = 4 }

  /// Nanoseconds by class.
  private struct Times {
    var shown: [ResultClass: [Int64]] = [:]
    var settled: [ResultClass: [Int64]] = [:]
  }

  /// One distribution for each kind of change and length of the queue, and the growth from the shortest
  /// queue to the longest.
  ///
  /// - Throws: `CachePolicyError`, `MutationError`.
  package func run(scenario: String) async throws -> [ResultRow] {
    progress("user's changes: beside up to \(Self.queueLengths.last ?? 0) that wait")
    var times = Times()
    for _ in 0..<rounds { try await measure(&times) }
    let rows = RunRows(scenario: scenario, seed: seed)
    func growth(_ metric: Metric, _ kind: String, _ times: [ResultClass: [Int64]]) -> ResultRow {
      let longest = times[Self.name(kind, Self.queueLengths.last ?? 0)] ?? []
      let shortest = times[Self.name(kind, Self.queueLengths[0])] ?? []
      return rows.row(
        metric, SampleSummary.ratio(ofMedians: longest, shortest).map { .real($0) },
        class: ResultClass(kind), count: longest.count)
    }
    let (shown, settled) = (["enqueue", "mutate"], WriteServer.Answer.allCases.map(\.rawValue))
    return Self.queueLengths.flatMap { length in
      shown.flatMap { kind in
        let name = Self.name(kind, length)
        return rows.distribution(times.shown[name] ?? [], .writeToShown, class: name)
      }
        + settled.flatMap { kind in
          let name = Self.name(kind, length)
          return rows.distribution(times.settled[name] ?? [], .writeToSettled, class: name)
        }
    }
      + rows.distribution(
        times.settled["offline"] ?? [], .writeToSettled,
        class: Self.name("offline", Self.queueLengths.last ?? 0))
      + shown.map { growth(.writeGrowthRatio, $0, times.shown) }
      + settled.map { growth(.writeGrowthRatio, $0, times.settled) }
  }

  private static func name(_ kind: String, _ length: Int) -> ResultClass {
    ResultClass(kind, size: length)
  }

  /// Fills the queue of one cache, stops at each length, and empties it.
  private func measure(_ times: inout Times) async throws {
    let stamps = ObserverStamps()
    let server = WriteServer(library: library, stamps: stamps)
    let cache = try NormalizedCache(
      composition: .unlimited, schema: MeasurementSchema(), source: server, clock: clock)
    for key in library.queryKeys {
      _ = try await cache.query(key)
      _ = await cache.observe(key) { [clock] _, _ in stamps.notify(at: clock.now) }
    }
    var (queued, number) = (0, 0)
    // The first changes of a cache make room for what all share; they are no length's.
    for file in 0..<Self.warmUp {
      number += 1
      _ = try await cache.mutate(change(number, ofFile: library.fileCount - 1 - file))
    }
    await cache.setOnline(false)
    for length in Self.queueLengths {
      while queued < length {
        queued += 1
        number += 1
        _ = stamps.take()
        let begin = clock.now
        try await cache.enqueue(change(number, ofFile: queued))
        let shown = stamps.take()
        // The last tenth of the way stands for the length.
        if queued > length - max(length / 10, 1), shown.calls > 0 {
          times.shown[Self.name("enqueue", length), default: []]
            .append(shown.notified.nanoseconds - begin.nanoseconds)
        }
      }
      for sample in 0..<samplesPerRound {
        for answer in WriteServer.Answer.allCases {
          await server.answer(answer)
          // A file that no queued change concerns.
          number += 1
          let change = change(number, ofFile: library.fileCount - 1 - sample)
          _ = stamps.take()
          let begin = clock.now
          do { _ = try await cache.mutate(change) } catch is MutationRejected {}
          let end = clock.now
          times.settled[Self.name(answer.rawValue, length), default: []]
            .append(end.nanoseconds - begin.nanoseconds)
          times.shown[Self.name("mutate", length), default: []]
            .append(await server.shownAt.nanoseconds - begin.nanoseconds)
        }
      }
    }
    await server.answer(.confirmed)
    let begin = clock.now
    await cache.setOnline(true)
    while await !cache.outbox.isEmpty { await Task.yield() }
    times.settled["offline", default: []]
      .append((clock.now.nanoseconds - begin.nanoseconds) / Int64(queued))
  }

  /// A change of a file that sets it behind all others in its listing, under a token of its own.
  private func change(
    _ number: Int, ofFile file: Int
  ) -> NormalizedCache<MeasurementSchema>.Mutation {
    ClientMutation(
      token: MutationToken(rawValue: UniqueID(high: 1, low: UInt64(number))),
      library: library.library,
      edits: [
        .update(library.entityKey(ofFile: file), FileChange(name: "renamed \(number + 100_000)"))
      ])
  }
}

/// A server that answers a user's change at once, and notes when the cache had shown it.
actor WriteServer: CacheSource {
  private let base: LibraryServer
  private let stamps: ObserverStamps
  private var answer = Answer.confirmed
  /// When the last change that was sent had been shown.
  private(set) var shownAt = Instant.zero
  private var revision = 0
  private let library: FileLibrary
  private let files: [UniqueID: Int]

  enum Answer: String, Sendable, CaseIterable {
    case confirmed, refused
  }

  init(library: FileLibrary, stamps: ObserverStamps) {
    base = LibraryServer(library: library)
    self.library = library
    self.stamps = stamps
    files = Dictionary(
      uniqueKeysWithValues: library.fileIDs.enumerated().map { (UniqueID($1), $0) })
  }

  func answer(_ answer: Answer) { self.answer = answer }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<FilePayload> {
    try await base.fetch(request)
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<FilePayload> {
    try await base.missed(in: stream, after: position, form: form)
  }

  func send(
    _ mutation: ClientMutation<FilePayload, FileChange>
  ) async throws -> MutationResponse<FilePayload> {
    shownAt = stamps.take().notified
    guard answer == .confirmed else { throw MutationRejected(reason: "not allowed") }
    revision += 1
    return MutationResponse(
      changed: mutation.edits.compactMap { edit in
        guard case .update(let key, let change) = edit, let file = files[key.id] else {
          return nil
        }
        return VersionedEntity(
          key: key, version: FileLibrary.version(ofRevision: revision),
          payload: change.applied(to: library.payload(ofFile: file, revision: 0)))
      })
  }
}
