import CacheModel
import NormalizedCache

/// A store of handles, driven directly: so small that ten million of them fit, and listed by as many
/// queries as wanted.
final class HandleSubject: Subject {
  private static let rows = 100

  private var store: CacheStore<HandleSchema>
  private let entities: Int
  private let fanOut: Int
  private var random: RandomSource
  private var revision: UInt32 = 0
  private var actions: [CacheAction] = []
  private let clock = ContinuousCacheClock()
  /// What is prepared: one of the two.
  private var events: [EventEnvelope<EntityHandle>] = []
  private var keys: [EntityKey] = []

  /// - Parameters:
  ///   - entities: a multiple of 100, in directories of a hundred.
  ///   - fanOut: how many queries list each directory.
  ///   - seed: for what changes.
  /// - Throws: `CachePolicyError`.
  init(entities: Int, fanOut: Int = 1, seed: UInt64) throws {
    precondition(entities.isMultiple(of: Self.rows), "\(entities) entities leave a listing short")
    self.entities = entities
    self.fanOut = fanOut
    random = RandomSource(seed: seed).substream("scale")
    store = try CacheStore(composition: .unlimited, schema: HandleSchema())
    for directory in 0..<entities / Self.rows {
      for copy in 0..<fanOut { fill(UInt32(directory), UInt32(copy)) }
    }
    precondition(store.residentEntities == entities, "the cache does not hold its population")
  }

  private func fill(_ directory: UInt32, _ copy: UInt32) {
    let key = HandleSchema.listing(of: directory, copy: copy)
    let first = Int(directory) * Self.rows
    let files = (first..<first + Self.rows).map { entity($0) }
    store.fill(
      key,
      with: FetchResponse(
        entities: files.sorted { $0.key < $1.key }, hasMore: false, place: nil))
  }

  private func entity(_ file: Int) -> VersionedEntity<EntityHandle> {
    VersionedEntity(
      key: HandleSchema.entityKey(ofFile: file),
      version: Version(clock: UInt64(revision) + 1, device: 1),
      payload: EntityHandle(directory: UInt32(file / Self.rows), revision: revision))
  }

  /// How many queries list a file.
  func listings(ofFile file: Int) -> Int {
    let directory = UInt32(file / Self.rows)
    let key = HandleSchema.entityKey(ofFile: file)
    return (0..<UInt32(fanOut)).count { copy in
      let rows = store.rows(of: HandleSchema.listing(of: directory, copy: copy)) ?? []
      return rows.contains { $0?.key == key }
    }
  }

  /// Of entities that are drawn.
  func prepare(_ count: Int) {
    events = (0..<count).map { _ in
      revision += 1
      return EventEnvelope(place: nil, event: .changed(entity(random.below(entities))))
    }
  }

  /// Of entities that are drawn.
  func prepare(reads count: Int) {
    keys = (0..<count).map { _ in HandleSchema.entityKey(ofFile: random.below(entities)) }
  }

  func perform(_ count: Int) -> Handover {
    defer { (events, keys) = ([], []) }
    precondition(events.count + keys.count == count, "\(count) are performed, others are prepared")
    guard keys.isEmpty else {
      return clock.time(of: keys) {
        _ = store.readEntity($0, library: HandleSchema.library, at: .zero)
        store.takeActions(into: &actions)
      }
    }
    return clock.time(of: events) {
      store.receive($0, library: HandleSchema.library, at: .zero)
      store.takeActions(into: &actions)
    }
  }
}
