import CacheModel
import FoundationEssentials
import NormalizedCache
import ResultModel
import Synchronization

/// Reads listings cyclically, with all their rows.
struct ReadOperation: Subject {
  private let cache: NormalizedCache<MeasurementSchema>
  private let keys: [QueryKey]
  private var next = 0

  init(clock: any CacheClock) async throws {
    let library = FileLibrary.standard(seed: HotOperation.seed)
    cache = try await NormalizedCache.filled(with: library, clock: clock)
    keys = library.queryKeys
  }

  mutating func perform(_ count: Int) async -> Int {
    var sum = 0
    for _ in 0..<count {
      let rows = await cache.rows(of: keys[next])
      next = (next + 1) % keys.count
      for row in rows { sum &+= Int(truncatingIfNeeded: row.payload.size) }
    }
    return sum
  }
}

/// Decodes changes of one file, as a client does.
struct DecodingOperation: Subject {
  private var messages: [Data] = []
  private let decoder = WireDecoder()
  private var next = 0

  mutating func prepare(_ count: Int) throws {
    next = 0
    messages = try EventScript(
      library: .standard(seed: HotOperation.seed), count: count
    ).messages
  }

  mutating func perform(_ count: Int) throws -> Int {
    var known = 0
    for _ in 0..<count {
      let event = try decoder.envelope(from: messages[next])
      next += 1
      if event.place != nil { known += 1 }
    }
    return known
  }
}

/// Performs a user's changes on an observed cache, each confirmed before the next.
struct WriteOperation: Subject {
  private let cache: NormalizedCache<MeasurementSchema>
  private let stamps = ObserverStamps()
  private let library = FileLibrary(directories: 20, filesPerDirectory: 100, seed: 1)
  private var number = 0

  init(clock: any CacheClock) async throws {
    cache = try NormalizedCache(
      composition: .unlimited, schema: MeasurementSchema(),
      source: WriteServer(library: library), clock: clock)
    for key in library.queryKeys {
      _ = try await cache.query(key)
      _ = await cache.observe(key) { [stamps] _, _ in stamps.notify(at: .zero) }
    }
  }

  mutating func perform(_ count: Int) async throws -> Int {
    for _ in 0..<count {
      number += 1
      let file = number * 7_919 % library.fileCount
      _ = try await cache.mutate(
        ClientMutation(
          token: MutationToken(rawValue: UniqueID(high: 1, low: UInt64(number))),
          library: library.library,
          edits: [
            .update(library.entityKey(ofFile: file), FileChange(name: "renamed \(number)"))
          ]))
    }
    return number
  }
}

/// A server that confirms a user's changes immediately.
private actor WriteServer: CacheSource {
  private let base: LibraryServer
  private var revision = 0
  private let library: FileLibrary
  private let files: [UniqueID: Int]

  init(library: FileLibrary) {
    base = LibraryServer(library: library)
    self.library = library
    files = Dictionary(
      uniqueKeysWithValues: library.fileIDs.enumerated().map { (UniqueID($1), $0) })
  }

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

/// Applies decoded changes to a cache with ten observers of each listing.
struct EventOperation: Subject {
  private let cache: NormalizedCache<MeasurementSchema>
  /// The owned events, as a decoder returns them; the next one last.
  private var events: [FileEvent] = []
  private let entities: Int
  private let library: FileLibrary
  private let calls = Calls()

  private final class Calls: Sendable {
    let count = Atomic(0)
  }

  init(entities: Int, clock: any CacheClock) async throws {
    self.entities = entities
    library = FileLibrary.standard(seed: HotOperation.seed)
    cache = try await NormalizedCache.filled(with: library, clock: clock)
    for key in library.queryKeys {
      for _ in 0..<ObserverBoard.observersPerListing {
        _ = await cache.observe(key) { [calls] _, _ in calls.count.add(1, ordering: .relaxed) }
      }
    }
    calls.count.store(0, ordering: .relaxed)
  }

  mutating func prepare(_ count: Int) { events = library.events(of: entities, count: count) }

  mutating func perform(_ count: Int) async -> Int {
    for _ in 0..<count {
      guard let event = events.popLast() else { preconditionFailure("no event is left") }
      await cache.receive(event)
    }
    return calls.count.load(ordering: .relaxed)
  }
}

/// Applies changes to a store without an actor.
final class StoreEventOperation: Subject {
  private var store: CacheStore<MeasurementSchema>
  private let library = FileLibrary.standard(seed: HotOperation.seed)
  private var events: [FileEvent] = []
  private var actions: [CacheAction] = []

  init() throws {
    store = try CacheStore.filled(with: library)
  }

  func prepare(_ count: Int) { events = library.events(of: 1, count: count) }

  func perform(_ count: Int) -> Int {
    var told = 0
    for _ in 0..<count {
      guard let event = events.popLast() else { preconditionFailure("no event is left") }
      store.receive(event, at: .zero)
      store.takeActions(into: &actions)
      told += actions.count
    }
    return told
  }
}

extension HotOperation {
  /// The seed of all random choices, the same for two builds.
  static let seed: UInt64 = 1
}

extension FileLibrary {
  /// Returns events of this many files each, in reverse order.
  fileprivate func events(of entities: Int, count: Int) -> [FileEvent] {
    (0..<count).map { index in
      let changed = Self.files(ofChange: index, count: entities, among: fileCount)
        .map { entity(file: $0, revision: index + 1) }
      return FileEvent(
        place: place(sequence: index + 1),
        event: entities == 1 ? .changed(changed[0]) : .batchChanged(changed))
    }.reversed()
  }
}
