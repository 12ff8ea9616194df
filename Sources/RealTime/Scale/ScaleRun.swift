import CacheModel
import NormalizedCache
import Processes
package import ResultModel

/// Measures how the cost of an event and of a read grows with the size of the cache.
///
/// All sizes of an axis exist at the same time and alternate. The result for each size is its median turn.
package struct ScaleRun: Sendable {
  /// The number of turns of each size.
  var rounds = 41
  /// The number of events, and of reads, in a turn.
  var operations = 2_000
  private var isQuick = false
  /// The time limit for the turns of one axis, after ``Turns/fewestRounds`` of them.
  private let budget = Duration.seconds(10)
  private let axes: [ScaleAxis]
  private let seed: UInt64
  private let progress: @Sendable (String) -> Void

  package init(
    axes: [ScaleAxis], seed: UInt64, progress: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.axes = axes
    self.seed = seed
    self.progress = progress
  }

  /// Shortens the run to seconds: two small sizes of each axis, few turns.
  package mutating func makeQuick() {
    isQuick = true
    rounds = 5
    operations = 200
  }

  /// Returns three rows for each size and operation (cost, and its inverse), and the exponent of each curve.
  ///
  /// - Throws: `CachePolicyError`.
  package func run() async throws -> [ResultRow] {
    var rows: [ResultRow] = []
    for axis in axes {
      progress(axis.rawValue)
      let curve = try await measure(axis)
      rows += curve.rows(seed: seed)
    }
    return rows
  }

  private func measure(_ axis: ScaleAxis) async throws -> ScaleCurve {
    let sizes = axis.sizes(isQuick: isQuick)
    var subjects: [any Subject<Handover>] = []
    for size in sizes { subjects.append(try await axis.subject(ofSize: size, seed: seed)) }
    let operations =
      switch axis {
      // A fan-out of a thousand multiplies an event's work by a thousand.
      case .fanOut: max(self.operations / 10, 1)
      // Waking a thread takes microseconds, as long as dozens of these reads.
      case .queryReaders: self.operations * 10
      default: self.operations
      }
    for index in subjects.indices { _ = try await subjects[index].round(of: operations) }
    // A subject that is slow at its largest size needs fewer turns.
    let turns = try await Turns(rounds: rounds, budget: budget).take(Array(subjects.indices)) {
      index, _ in try await subjects[index].round(of: operations)
    }
    return ScaleCurve(axis: axis, sizes: sizes, turns: turns)
  }
}

extension ScaleAxis {
  /// Returns a cache of a size.
  ///
  /// - Throws: `CachePolicyError`, or a fetch's error.
  func subject(ofSize size: Int, seed: UInt64) async throws -> any Subject<Handover> {
    switch self {
    case .entities: try StoreSubject(entities: size, seed: seed)
    case .hotEntities: try StoreSubject(entities: size, hot: 100, seed: seed)
    case .queries:
      try StoreSubject(entities: 1_000, unrelatedQueries: size, seed: seed)
    case .handles: try HandleSubject(entities: size, seed: seed)
    case .fanOut: try HandleSubject(entities: 100, fanOut: size, seed: seed)
    case .observers: try await ActorSubject(observers: size, seed: seed)
    case .readers: try await ActorSubject(observers: 1, readers: size, seed: seed)
    case .queryReaders:
      try await ActorSubject(observers: 1, readers: size, readBeside: true, seed: seed)
    }
  }
}

/// The quantity that increases to measure an operation's growth in cost.
package enum ScaleAxis: String, CaseIterable, Sendable {
  /// Entities in the cache, any of which may change.
  case entities
  /// Entities in the cache; the same hundred change, to exclude misses in the processor's caches.
  case hotEntities = "hot-entities"
  /// Entities whose values are handles of eight bytes, any of which may change.
  case handles
  /// Cached queries whose results do not change.
  case queries
  /// Observers of queries whose results do not change.
  case observers
  /// Queries whose results change: the cost of an event must grow, with exponent 1 at most.
  case fanOut = "fan-out"
  /// Tasks that read concurrently, on the actor.
  case readers
  /// Tasks that read concurrently, each with its own `QueryReader`.
  case queryReaders = "query-readers"

  /// Returns the sizes of the axis, smallest first.
  package func sizes(isQuick: Bool) -> [Int] {
    switch (self, isQuick) {
    case (.entities, false), (.hotEntities, false): [1_000, 10_000, 100_000, 1_000_000]
    case (.handles, false): [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
    case (.queries, false): [100, 1_000, 10_000, 100_000]
    case (.observers, false): [1, 10, 100, 1_000, 10_000]
    case (.fanOut, false): [1, 10, 100, 1_000]
    case (.readers, false), (.queryReaders, false): [1, 2, 4]
    case (.entities, true), (.hotEntities, true), (.handles, true): [1_000, 10_000]
    case (.queries, true): [100, 1_000]
    case (.observers, true): [1, 100]
    case (.fanOut, true): [1, 10]
    case (.readers, true), (.queryReaders, true): [1, 2]
    }
  }

  /// The exponent above which the cost counts as growing with the size.
  ///
  /// A cost that is the same at a thousand and at a million has an exponent of 0; one that doubles over these
  /// three decades, as by misses in the processor's caches, 0.1. So the limit is one doubling for a factor of
  /// a thousand. The fan-out increases the work itself.
  package var flatExponent: Double { self == .fanOut ? 1.1 : 0.1 }
}

extension Subject<Handover> {
  /// Performs one turn of this many events and reads.
  mutating func round(of operations: Int) async throws -> ScaleRound {
    try await prepare(operations)
    let events = try await perform(operations).nanoseconds
    try await prepare(reads: operations)
    let reads = try await perform(operations).nanoseconds
    return ScaleRound(
      event: Double(events) / Double(operations), read: Double(reads) / Double(operations))
  }
}

/// The times of one turn of a subject.
struct ScaleRound: Hashable, Sendable {
  /// The mean time of one event, and of one read, in nanoseconds.
  var event: Double
  var read: Double
}

extension ContinuousCacheClock {
  /// Returns the time from the first to the last of the items.
  @inline(__always)
  func time<Item>(of items: [Item], _ body: (Item) -> Void) -> Handover {
    let start = now
    for item in items { body(item) }
    return Handover(began: start, committed: now)
  }
}

/// The files and queries of a store for a scale measurement.
///
/// Values share the storage of their texts: sizes differ in the number of entities, not in the memory of
/// their texts.
struct ScalePopulation {
  let library: FileLibrary
  private let model: FilePayload

  init(directories: Int, rows: Int, seed: UInt64) {
    library = FileLibrary(directories: directories, filesPerDirectory: rows, seed: seed)
    model = library.payload(ofFile: 0, revision: 0)
  }

  private func entity(file: Int, revision: Int) -> VersionedEntity<FilePayload> {
    VersionedEntity(
      key: library.entityKey(ofFile: file), version: FileLibrary.version(ofRevision: revision),
      payload: library.payload(ofFile: file, like: model, revision: revision))
  }

  func change(file: Int, revision: Int) -> EventEnvelope<FilePayload> {
    EventEnvelope(
      place: library.place(sequence: revision),
      event: .changed(entity(file: file, revision: revision)))
  }

  /// Returns a directory's files, in the order of their keys, since their names are equal.
  func listing(of directory: Int) -> FetchResponse<FilePayload> {
    let first = directory * library.filesPerDirectory
    return FetchResponse(
      entities: (first..<first + library.filesPerDirectory)
        .map { entity(file: $0, revision: 0) }.sorted { $0.key < $1.key },
      hasMore: false, place: library.place(sequence: 0))
  }

  /// Returns an unrelated query's key: sixteen bytes that identify no directory.
  func unrelatedKey(_ index: Int) -> QueryKey {
    QueryKey(
      library: library.library, method: FileLibrary.listingMethod,
      input: [UInt8](repeating: 0, count: 8)
        + withUnsafeBytes(of: UInt64(index).bigEndian) { Array($0) })
  }
}
