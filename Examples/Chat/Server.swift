import NormalizedCache

/// Instead of a server: it answers, carries changes out once, and tells of everything that it commits.
actor ChatServer: CacheSource {
  private let schema: ChatSchema
  private let library: LibraryID
  private var items: [EntityKey: VersionedEntity<ChatItem>] = [:]
  private var events: [EventEnvelope<ChatItem>] = []
  private var done: Set<MutationToken> = []
  private var connection: AsyncStream<EventEnvelope<ChatItem>>.Continuation?
  private var isReachable = true

  struct Unreachable: Error {}

  init(library: LibraryID) throws {
    schema = try ChatSchema()
    self.library = library
  }

  func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

  func connect() -> AsyncStream<EventEnvelope<ChatItem>> {
    AsyncStream { connection = $0 }
  }

  private var place: EventPlace {
    let position = StreamPosition(epoch: 1, sequence: UInt64(events.count))
    return EventPlace(stream: StreamID(library: library), position: position)
  }

  func commit(_ changes: [(EntityKey, ChatItem)], by token: MutationToken? = nil) {
    let version = Version(milliseconds: UInt64(events.count + 1), counter: 0, device: 1)
    let changed = changes.map { VersionedEntity(key: $0.0, version: version, payload: $0.1) }
    for entity in changed { items[entity.key] = entity }
    var event = EventEnvelope(place: nil, event: .batchChanged(changed), mutation: token)
    events.append(event)
    event.place = place
    events[events.count - 1] = event
    connection?.yield(event)
  }

  func post(_ text: String, _ id: UniqueID, in room: UniqueID, by token: MutationToken? = nil) {
    let key = EntityKey(type: Room.resourceType, id: room)
    guard case .room(var changed) = items[key]?.payload else { return }
    changed.latest += 1
    if token == nil { changed.unread += 1 }
    let message = Message(room: room, sentAt: changed.latest, text: text)
    let new = EntityKey(type: Message.resourceType, id: id)
    commit([(key, .room(changed)), (new, .message(message))], by: token)
  }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<ChatItem> {
    guard isReachable, case .query(let key) = request.target else { throw Unreachable() }
    let plan = schema.plan(for: key)
    let all = items.values.filter {
      schema.belongs($0.payload, key: $0.key, in: plan.predicate) == .member
    }.sorted {
      schema.precedes($0.payload, key: $0.key, $1.payload, key: $1.key, in: plan.predicate)
    }
    let rows = Array(all.prefix(plan.limit ?? .max))
    return FetchResponse(entities: rows, hasMore: rows.count < all.count, place: place)
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<ChatItem> {
    let known = Int(position.sequence)
    // The app's file may be of a server that is no more.
    guard known <= events.count else { return .tooOld(now: place.position) }
    return .events(Array(events[known...]), through: place.position)
  }

  func send(_ mutation: ChatMutation) async throws -> MutationResponse<ChatItem> {
    guard isReachable else { throw Unreachable() }
    for edit in mutation.edits where !done.contains(mutation.token) {
      switch edit {
      case .create(let key, .message(let new)):
        post(new.text, key.id, in: new.room, by: mutation.token)
      case .update(let key, let change):
        guard let item = items[key]?.payload else { throw MutationRejected(reason: "it is gone") }
        commit([(key, schema.applying(change, to: item))], by: mutation.token)
      default: throw MutationRejected(reason: "not allowed")
      }
    }
    done.insert(mutation.token)
    return MutationResponse(changed: mutation.edits.compactMap { items[$0.key] }, place: place)
  }
}
