public import CacheModel

/// Following what is no query: one entity, a whole library, and the calls of an instrument.
///
/// While there is none, a commit costs the test of one flag.
extension NormalizedCache {
  @usableFromInline struct Followers: Sendable {
    var entities: [EntityFollower] = []
    var libraries: [LibraryFollower] = []

    init() {}

    var isEmpty: Bool { entities.isEmpty && libraries.isEmpty }

    /// No more comes, since the cache is gone.
    func end() {
      for follower in entities { follower.news.end() }
      for follower in libraries { follower.news.end() }
    }
  }

  struct EntityFollower: Sendable {
    var identifier: UInt64
    var key: EntityKey
    var last: VersionedEntity<Payload>?
    var news: News
  }

  struct LibraryFollower: Sendable {
    var identifier: UInt64
    var library: LibraryID
    var changes = LibraryChanges()
    /// Changes whose events may wait for others that are missing; they are sent again when those have arrived.
    var waiting = LibraryChanges()
    var news: News
  }

  // MARK: Streams

  /// Watches one entity: what ``entity(_:)`` returns, now and whenever that looks different.
  ///
  /// It is fetched unless the cache has it fresh. An element is made when the reader comes for it, so a slow
  /// one costs no memory and gets the final state; `nil` says that the cache has no value: it was deleted,
  /// is not there yet, or was evicted, since a follower retains nothing (an observed query does). It has no
  /// errors: after a fetch that failed it is `nil` until something else brings the entity. The stream ends
  /// with the cache. Every commit looks at each entity that is followed: it is meant for the few that a
  /// screen shows.
  public func updates(
    of key: EntityKey, in library: LibraryID
  ) -> AsyncStream<VersionedEntity<Payload>?> {
    let (news, signals) = News.make()
    let identifier = nextIdentifier()
    perform { cache in
      let now = cache.clock.now
      let read = cache.store.readEntity(key, library: library, at: now)
      cache.noteRead(of: .entity(key), read.outcome, isExpired: read.isExpired, at: now)
    }
    following.entities.append(
      EntityFollower(identifier: identifier, key: key, last: store.peek(key), news: news))
    noteWhoFollows()
    news.arrive(.rows, on: self)
    return stream(of: news, signals, endingBy: { await $0.removeFollower(identifier) }) {
      cache, _ in
      cache.entity(key)
    }
  }

  /// Watches a whole library: which entities may have changed since the reader looked last, whoever
  /// changed them, and whether any query lists them or not.
  ///
  /// An element is made when the reader comes for it and names each entity once, so a slow reader costs
  /// bounded memory and misses nothing. The stream ends with the cache.
  ///
  /// ```swift
  /// for await changes in await cache.changes(in: library) { index.update(changes.entities) }
  /// ```
  public func changes(in library: LibraryID) -> AsyncStream<LibraryChanges> {
    let (news, signals) = News.make()
    let identifier = nextIdentifier()
    following.libraries.append(
      LibraryFollower(identifier: identifier, library: library, news: news))
    noteWhoFollows()
    return stream(of: news, signals, endingBy: { await $0.removeFollower(identifier) }) {
      cache, _ in
      cache.takeChanges(of: identifier)
    }
  }

  private func removeFollower(_ identifier: UInt64) {
    following.entities.removeAll { $0.identifier == identifier }
    following.libraries.removeAll { $0.identifier == identifier }
    noteWhoFollows()
  }

  func noteWhoFollows() {
    notifiesFollowers = !following.isEmpty
    isFollowed = notifiesFollowers || instrument != nil || recorder != nil
  }

  private func takeChanges(of identifier: UInt64) -> LibraryChanges {
    guard let index = following.libraries.firstIndex(where: { $0.identifier == identifier }) else {
      return LibraryChanges()
    }
    defer { following.libraries[index].changes = LibraryChanges() }
    return following.libraries[index].changes
  }

  // MARK: Notifying

  /// The end of a commit, where somebody follows.
  @usableFromInline func notifyFollowers() {
    for index in following.entities.indices {
      let shown = store.peek(following.entities[index].key)
      if isSame(following.entities[index].last, shown) { continue }
      following.entities[index].last = shown
      following.entities[index].news.arrive(.rows, on: self)
    }
    if !following.libraries.isEmpty { notifyLibraryFollowers() }
  }

  private func notifyLibraryFollowers() {
    let isWhole = store.suspectStreams == 0
    for index in following.libraries.indices {
      if isWhole {
        let waiting = following.libraries[index].waiting
        following.libraries[index].changes.formUnion(waiting)
        following.libraries[index].waiting = LibraryChanges()
      }
      if following.libraries[index].changes.isEmpty { continue }
      following.libraries[index].news.arrive(.rows, on: self)
    }
  }

  private func isSame(_ lhs: VersionedEntity<Payload>?, _ rhs: VersionedEntity<Payload>?) -> Bool {
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    return lhs.key == rhs.key && store.schema.areEqual(lhs.payload, rhs.payload)
  }

  // MARK: What changes

  /// Notes changes of a library, or of any where it is `nil`.
  private func note(_ changes: LibraryChanges, in library: LibraryID?, mayWait: Bool = false) {
    for index in following.libraries.indices
    where library == nil || following.libraries[index].library == library {
      following.libraries[index].changes.formUnion(changes)
      if mayWait { following.libraries[index].waiting.formUnion(changes) }
    }
  }

  @usableFromInline func noteChange(of keys: [EntityKey], in library: LibraryID?) {
    guard !following.libraries.isEmpty else { return }
    var changes = LibraryChanges()
    changes.entities = Set(keys)
    note(changes, in: library)
  }

  @usableFromInline func noteAnyChange(in library: LibraryID?) {
    guard !following.libraries.isEmpty else { return }
    var changes = LibraryChanges()
    changes.mayBeAny = true
    note(changes, in: library)
  }

  @usableFromInline func noteChanges(of envelope: EventEnvelope<Payload>, library: LibraryID?) {
    guard !following.libraries.isEmpty else { return }
    var changes = LibraryChanges()
    switch envelope.event {
    case .changed(let entity): changes.entities = [entity.key]
    case .batchChanged(let entities): changes.entities = Set(entities.map(\.key))
    case .deleted(let keys, _): changes.entities = Set(keys)
    case .bulkNotice: changes.mayBeAny = true
    case .partlyDecoded(let entities, let undecodable):
      changes.entities = Set(entities.map(\.key))
      for item in undecodable {
        if let id = item.id {
          changes.entities.insert(EntityKey(type: item.type, id: id))
        } else {
          changes.mayBeAny = true
        }
      }
    case .infrastructure: break
    }
    for (client, server) in envelope.keys { changes.entities.formUnion([client, server]) }
    note(changes, in: envelope.place?.stream.library ?? library, mayWait: true)
  }

  @usableFromInline func noteChanges(of response: ReconcileResponse<Payload>) {
    switch response {
    case .events(let events, _): for event in events { noteChanges(of: event, library: nil) }
    case .outline, .tooOld: noteAnyChange(in: nil)
    }
  }

  @usableFromInline func noteChanges(
    of mutation: Mutation, _ response: MutationResponse<Payload>? = nil
  ) {
    var keys = mutation.edits.map(\.key)
    if let response {
      keys += response.changed.map(\.key) + response.deleted.map(\.key)
      keys += response.keys.flatMap { [$0.key, $0.value] }
    }
    noteChange(of: keys, in: mutation.library)
  }

  @usableFromInline func noteAnswer(
    _ result: Result<FetchResponse<Payload>, any Error>, of target: FetchTarget, begun: Instant
  ) {
    if case .success(let response) = result { noteChanges(of: response, to: target) }
    guard let instrument else { return }
    var fetch = InstrumentedFetch(
      target: target, duration: begun.duration(to: clock.now), rows: 0, bytes: 0,
      isNotModified: false, error: nil)
    switch result {
    case .success(let response):
      fetch.rows = response.entities.count
      fetch.bytes = response.entities.reduce(0) { $0 + store.schema.weight(of: $1.payload) }
      fetch.isNotModified = response.isNotModified
    case .failure(let error): fetch.error = error
    }
    instrument.didFetch(fetch)
  }

  private func noteChanges(of response: FetchResponse<Payload>, to target: FetchTarget) {
    let keys = response.entities.map(\.key)
    switch target {
    case .query(let query): noteChange(of: keys, in: query.library)
    case .entity(let key): noteChange(of: keys + [key], in: nil)
    }
  }
}

/// What may have changed in a library since its reader looked last: see
/// ``NormalizedCache/changes(in:)``.
public struct LibraryChanges: Hashable, Sendable {
  /// Entities that were written, edited, taken back or deleted.
  ///
  /// One may be named whose value is as it was: an event without news names it too.
  public internal(set) var entities: Set<EntityKey> = []
  /// Whether anything else may have changed too: more than ``maximumEntities``, or what the server did not
  /// name.
  public internal(set) var mayBeAny = false

  /// The most that are named.
  public static let maximumEntities = 10_000

  init() {}

  var isEmpty: Bool { entities.isEmpty && !mayBeAny }

  mutating func formUnion(_ other: LibraryChanges) {
    entities.formUnion(other.entities)
    mayBeAny = mayBeAny || other.mayBeAny
    guard entities.count > Self.maximumEntities else { return }
    entities = []
    mayBeAny = true
  }
}

/// Notified of what a cache does: for metrics, logs and signposts.
///
/// Called on the cache's actor, so it should return within microseconds and must not wait; a cache without
/// one pays for the test of a flag. Each requirement does nothing unless the conformer says otherwise.
public protocol CacheInstrument: Sendable {
  /// A query or an entity was read, or an observation began.
  func didRead(_ read: InstrumentedRead)

  /// A fetch came back, with an answer or an error.
  func didFetch(_ fetch: InstrumentedFetch)

  /// A commit has evicted so many entities to make space.
  func didEvict(entities: Int)

  /// So many gaps have stayed open beyond the reorder window: events are missing, and asked for.
  func didDetect(gaps: Int)
}

extension CacheInstrument {
  public func didRead(_ read: InstrumentedRead) {}
  public func didFetch(_ fetch: InstrumentedFetch) {}
  public func didEvict(entities: Int) {}
  public func didDetect(gaps: Int) {}
}

/// A read, as an instrument receives it.
public struct InstrumentedRead: Hashable, Sendable {
  public var target: FetchTarget
  public var outcome: ReadOutcome
  /// Whether a hit has outlived its time to live.
  public var isExpired: Bool

  @inlinable init(target: FetchTarget, outcome: ReadOutcome, isExpired: Bool) {
    self.target = target
    self.outcome = outcome
    self.isExpired = isExpired
  }
}

/// A fetch, as an instrument receives it.
public struct InstrumentedFetch: Sendable {
  public var target: FetchTarget
  /// From the request to its answer.
  public var duration: Duration
  /// The rows that were answered.
  public var rows: Int
  /// Their weights, as the schema weighs: what the values stand for, not what travelled.
  public var bytes: Int
  /// Whether the server said that nothing has changed.
  public var isNotModified: Bool
  /// Why there is no answer; `nil`: there is one.
  public var error: (any Error)?
}
