import CacheModel
import NormalizedCache
import Processes
package import ResultModel

/// How the cost of an event and of a read grows with the size of the cache.
///
/// All sizes of an axis are there at once and take turns. Of each size the median turn counts.
package struct ScaleRun: Sendable {
  /// Turns of each size.
  var rounds = 41
  /// Events, and reads, in a turn.
  var operations = 2_000
  private var isQuick = false
  /// How long the turns of one axis may take, once there are ``Turns/fewestRounds`` of them.
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

  /// Seconds: two small sizes of each axis, few turns.
  package mutating func makeQuick() {
    isQuick = true
    rounds = 5
    operations = 200
  }

  /// Three rows for each size and operation (cost, and its inverse), and the exponent of each curve.
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
      // A fan-out of a thousand makes an event a thousand times as much work.
      case .fanOut: max(self.operations / 10, 1)
      // Waking a thread takes microseconds, as long as dozens of these reads.
      case .queryReaders: self.operations * 10
      default: self.operations
      }
    for index in subjects.indices { _ = try await subjects[index].round(of: operations) }
    // What is slow at its largest size has its answer after fewer turns.
    let turns = try await Turns(rounds: rounds, budget: budget).take(Array(subjects.indices)) {
      index, _ in try await subjects[index].round(of: operations)
    }
    return ScaleCurve(axis: axis, sizes: sizes, turns: turns)
  }
}

extension ScaleAxis {
  /// A cache of a size.
  ///
  /// - Throws: `CachePolicyError`, or what a fetch throws.
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

/// What is made larger to see whether an operation becomes dearer.
package enum ScaleAxis: String, CaseIterable, Sendable {
  /// Entities in the cache, of which any may change.
  case entities
  /// Entities in the cache, of which one and the same hundred change: what the processor's caches do
  /// is left out.
  case hotEntities = "hot-entities"
  /// Entities whose values are handles of eight bytes, of which any may change.
  case handles
  /// Cached queries that do not list what changes.
  case queries
  /// Observers of queries that do not list what changes.
  case observers
  /// Queries that list what changes: here the cost of an event must grow, with exponent 1 at most.
  case fanOut = "fan-out"
  /// Tasks that read at once, on the actor.
  case readers
  /// Tasks that read at once, each by its own `QueryReader`.
  case queryReaders = "query-readers"

  /// The sizes of the axis, smallest first.
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
  /// A cost that is the same at a thousand and at a million is fitted an exponent of 0; one that has
  /// doubled over these three decades, as what leaves the processor's caches does, 0.1. So beyond it
  /// lies more than one doubling in a thousandfold. The fan-out is what the work itself grows by.
  package var flatExponent: Double { self == .fanOut ? 1.1 : 0.1 }
}

extension Subject<Handover> {
  /// One turn: this many of each.
  mutating func round(of operations: Int) async throws -> ScaleRound {
    try await prepare(operations)
    let events = try await perform(operations).nanoseconds
    try await prepare(reads: operations)
    let reads = try await perform(operations).nanoseconds
    return ScaleRound(
      event: Double(events) / Double(operations), read: Double(reads) / Double(operations))
  }
}

/// What one turn of a subject took.
struct ScaleRound: Hashable, Sendable {
  /// Nanoseconds for one event, and for one read, as a mean over the turn.
  var event: Double
  var read: Double
}

extension ContinuousCacheClock {
  /// When something was begun with the first of the items, and done with the last.
  @inline(__always)
  func time<Item>(of items: [Item], _ body: (Item) -> Void) -> Handover {
    let start = now
    for item in items { body(item) }
    return Handover(began: start, committed: now)
  }
}

/// The files and queries of a store that is measured for scale.
///
/// Values share the storage of their texts: what differs between sizes is the number of entities, not
/// the memory of their texts.
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

  /// A directory's files, in the order of their keys, since their names are equal.
  func listing(of directory: Int) -> FetchResponse<FilePayload> {
    let first = directory * library.filesPerDirectory
    return FetchResponse(
      entities: (first..<first + library.filesPerDirectory)
        .map { entity(file: $0, revision: 0) }.sorted { $0.key < $1.key },
      hasMore: false, place: library.place(sequence: 0))
  }

  /// Another query's key: sixteen bytes that name no directory.
  func unrelatedKey(_ index: Int) -> QueryKey {
    QueryKey(
      library: library.library, method: FileLibrary.listingMethod,
      input: [UInt8](repeating: 0, count: 8)
        + withUnsafeBytes(of: UInt64(index).bigEndian) { Array($0) })
  }
}
