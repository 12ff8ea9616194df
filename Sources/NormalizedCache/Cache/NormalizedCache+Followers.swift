public import CacheModel

/// Observing more than queries: single entities, whole libraries, and the calls of an instrument.
///
/// Without followers a commit costs only the test of one flag.
extension NormalizedCache {
  @usableFromInline struct Followers: Sendable {
    var entities: [EntityFollower] = []
    var libraries: [LibraryFollower] = []

    init() {}

    var isEmpty: Bool { entities.isEmpty && libraries.isEmpty }

    /// Ends the stream, since the cache is gone.
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
    /// Changes whose events may have to wait for missing ones; they are sent again when those have arrived.
    var waiting = LibraryChanges()
    var news: News
  }

  // MARK: Streams

  /// Returns a stream of one entity: its value, as ``entity(_:)`` returns it, now and after each change.
  ///
  /// The entity is fetched unless the cache has it fresh. Elements are created on demand, so a slow reader
  /// costs no memory and gets the latest state. An element is `nil` if the cache has no value: the entity was
  /// deleted, has not arrived, or was evicted, since a follower does not retain it (observe a query for
  /// that). Errors are not reported: after a failed fetch the element is `nil` until something else brings
  /// the entity. The stream ends with the cache. Every commit checks each followed entity, so follow only the
  /// few that a screen shows.
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

  /// Returns a stream of the entities in a library that may have changed since the last element, whatever
  /// changed them, and whether a query lists them or not.
  ///
  /// Elements are created on demand and name each entity once, so a slow reader uses bounded memory and
  /// misses nothing. The stream ends with the cache.
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

  // MARK: Changes

  /// Notes changes of one library, or of all if `library` is `nil`.
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

/// The entities that may have changed in a library since the last element of
/// ``NormalizedCache/changes(in:)``.
public struct LibraryChanges: Hashable, Sendable {
  /// Entities that were written, edited, rolled back or deleted.
  ///
  /// An entity whose value did not change may be included, for example after an event without news.
  public internal(set) var entities: Set<EntityKey> = []
  /// Whether other entities may have changed too: there were more than ``maximumEntities``, or the server did
  /// not name them.
  public internal(set) var mayBeAny = false

  /// The maximum number of named entities.
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

/// A receiver of a cache's activity, for metrics, logs and signposts.
///
/// Its methods run on the cache's actor, so they should return within microseconds and must not block.
/// Without an instrument the cache only tests a flag. Every requirement has an empty default implementation.
public protocol CacheInstrument: Sendable {
  /// Called when a query or an entity was read, or an observation began.
  func didRead(_ read: InstrumentedRead)

  /// Called when a fetch has ended, with an answer or an error.
  func didFetch(_ fetch: InstrumentedFetch)

  /// Called when a commit has evicted entities to make space, with their number.
  func didEvict(entities: Int)

  /// Called with the number of gaps that have stayed open beyond the reorder window: their events are
  /// requested.
  func didDetect(gaps: Int)
}

extension CacheInstrument {
  public func didRead(_ read: InstrumentedRead) {}
  public func didFetch(_ fetch: InstrumentedFetch) {}
  public func didEvict(entities: Int) {}
  public func didDetect(gaps: Int) {}
}

/// A read, as reported to an instrument.
public struct InstrumentedRead: Hashable, Sendable {
  public var target: FetchTarget
  public var outcome: ReadOutcome
  /// Whether a hit is older than its time to live.
  public var isExpired: Bool

  @inlinable init(target: FetchTarget, outcome: ReadOutcome, isExpired: Bool) {
    self.target = target
    self.outcome = outcome
    self.isExpired = isExpired
  }
}

/// A fetch, as reported to an instrument.
public struct InstrumentedFetch: Sendable {
  public var target: FetchTarget
  /// The time from the request to its answer.
  public var duration: Duration
  /// The number of rows in the answer.
  public var rows: Int
  /// The total weight of the rows by the schema, in bytes: the size of the values, not of the transfer.
  public var bytes: Int
  /// Whether the server answered that nothing has changed.
  public var isNotModified: Bool
  /// The error; `nil` if there was an answer.
  public var error: (any Error)?
}
