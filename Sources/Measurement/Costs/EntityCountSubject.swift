import CacheModel
import NormalizedCache
import SyncStack

/// A cache of any number of entities, in listings of a hundred; an update may concern any of them.
///
/// All values share the storage of their texts, so that what differs is the number of entities and not
/// the memory that their texts take.
final class EntityCountSubject: CostSubject {
  private static let rows = 100

  private var store: CacheStore<MeasurementSchema>
  private let library: FileLibrary
  private let model: FilePayload
  private var random: RandomSource
  private var updates = 0

  /// - Precondition: the entities fill whole listings.
  init(seed: UInt64, entities: Int) throws {
    precondition(entities.isMultiple(of: Self.rows), "\(entities) entities leave a listing short")
    library = FileLibrary(
      directories: entities / Self.rows, filesPerDirectory: Self.rows, seed: seed)
    model = library.payload(ofFile: 0, revision: 0)
    random = RandomSource(seed: seed).substream("entity-count")
    store = try CacheStore(
      composition: PolicyComposition(
        evictionOrder: "lru", capacity: Capacity(entities: entities), retention: .cached,
        freshness: .neverExpires, maximumQueries: nil),
      schema: MeasurementSchema())
    for directory in 0..<library.directories {
      let fetch = store.read(library.queryKey(ofDirectory: directory), at: .zero).fetch
      guard let fetch else { continue }
      let files = directory * Self.rows..<(directory + 1) * Self.rows
      // Equal names: rows stand in the order of their keys.
      let listing = files.map { entity(file: $0, revision: 0) }.sorted { $0.key < $1.key }
      store.completeFetch(
        fetch,
        with: FetchResponse(
          entities: listing, hasMore: false, place: library.place(sequence: 0)), at: .zero)
      _ = store.takeActions()
    }
    precondition(store.residentEntities == entities, "the cache is not full")
  }

  /// Applies changes of files drawn from all.
  func measureBlock(of operations: Int, clock: ContinuousCacheClock) -> [Int64] {
    (0..<operations).map { _ in
      updates += 1
      let file = random.below(library.fileCount)
      let event = EventEnvelope(
        place: library.place(sequence: updates),
        event: .changed(entity(file: file, revision: updates)))
      let before = clock.now
      store.receive(event, at: .zero)
      _ = store.takeActions()
      return clock.now.nanoseconds - before.nanoseconds
    }
  }

  private func entity(file: Int, revision: Int) -> VersionedEntity<FilePayload> {
    VersionedEntity(
      key: library.entityKey(ofFile: file), version: FileLibrary.version(ofRevision: revision),
      payload: library.payload(ofFile: file, like: model, revision: revision))
  }
}
