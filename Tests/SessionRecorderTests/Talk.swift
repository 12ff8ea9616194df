import CacheModel
import NormalizedCache

/// A message in a room of a small chat.
struct Message: CachedResource, Equatable {
  static let resourceType = ResourceType(rawValue: 7)

  var room: UniqueID
  var sentAt: Int
  var text: String
}

/// The latest messages of a room.
struct Thread: CachedQuery {
  static let method = QueryMethod(rawValue: 3)
  static let rule = QueryRule<Thread>(
    scope: .field(\.room, \.room), order: [.descending(\.sentAt)], limit: \.limit)

  typealias Row = Message
  var room: UniqueID
  var limit = 8
}

/// Messages with some letters, which are never kept.
struct Search: CachedQuery {
  static let method = QueryMethod(rawValue: 4)
  static let rule = QueryRule<Search>(order: [.descending(\.sentAt)])

  typealias Row = Message
  var letters: String
}

enum Edit: Sendable {
  case text(String)
}

struct TalkSchema: ListSchema {
  var lists = ListRules<Message>()

  init() throws {
    try lists.register(Thread.self)
    try lists.register(Search.self)
  }

  func weight(of message: Message) -> Int { 40 + message.text.utf8.count }

  /// The same, with the plans that every such schema has.
  private struct Usual: ListSchema {
    typealias Payload = Message
    var lists: ListRules<Message>
  }

  func plan(for query: QueryKey) -> QueryPlan<ListPredicate<Message>> {
    var plan = Usual(lists: lists).plan(for: query)
    if query.method == Search.method { plan.isCacheable = false }
    return plan
  }

  func applying(_ edit: Edit, to message: Message) -> Message {
    var message = message
    if case .text(let text) = edit { message.text = text }
    return message
  }
}

/// The server of that chat: every answer is read at the end of its one stream.
actor TalkServer: CacheSource {
  static let library = LibraryID(rawValue: UniqueID(high: 1, low: 9))
  private var messages: [EntityKey: VersionedEntity<Message>] = [:]
  private var sequence: UInt64 = 0
  /// The event of a user's last edit.
  var lastEdit: EventEnvelope<Message>?
  /// For how long an answer takes; `nil`: none.
  var delay: Duration?
  var isRefusing = false
  /// Whether answers are delayed once they are made, and the waiting callers.
  private var isHolding = false
  private var held: [CheckedContinuation<Void, Never>] = []

  struct Refused: Error {}

  func setDelay(_ delay: Duration) { self.delay = delay }
  func setRefusing(_ isRefusing: Bool) { self.isRefusing = isRefusing }
  func setHolding(_ isHolding: Bool) { self.isHolding = isHolding }
  var heldAnswers: Int { held.count }

  func letGo() {
    for answer in held { answer.resume() }
    held = []
  }

  private var place: EventPlace {
    EventPlace(
      stream: StreamID(library: Self.library),
      position: StreamPosition(epoch: 1, sequence: sequence))
  }

  @discardableResult
  func write(_ number: Int, _ message: Message) -> EventEnvelope<Message> {
    sequence += 1
    let entity = VersionedEntity(
      key: EntityKey(type: Message.resourceType, id: UniqueID(high: 7, low: UInt64(number))),
      version: Version(clock: sequence << 16, device: 1), payload: message)
    messages[entity.key] = entity
    return EventEnvelope(place: place, event: .changed(entity))
  }

  func message(_ number: Int) -> Message? {
    messages[EntityKey(type: Message.resourceType, id: UniqueID(high: 7, low: UInt64(number)))]?
      .payload
  }

  func delete(_ number: Int) -> EventEnvelope<Message> {
    sequence += 1
    let key = EntityKey(type: Message.resourceType, id: UniqueID(high: 7, low: UInt64(number)))
    messages[key] = nil
    return EventEnvelope(
      place: place, event: .deleted([key], version: Version(clock: sequence << 16, device: 1)))
  }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<Message> {
    if let delay { try await Task.sleep(for: delay) }
    if isRefusing { throw Refused() }
    let answer = try answer(to: request)
    if isHolding { await withCheckedContinuation { held.append($0) } }
    return answer
  }

  private func answer(to request: FetchRequest) throws -> FetchResponse<Message> {
    switch request.target {
    case .entity(let key):
      return FetchResponse(
        entities: messages[key].map { [$0] } ?? [], hasMore: false, place: place)
    case .query(let key) where key.method == Thread.method:
      let thread = try Thread(key: key)
      let all = messages.values.filter { $0.payload.room == thread.room }.sorted {
        ($1.payload.sentAt, $0.key) < ($0.payload.sentAt, $1.key)
      }
      return FetchResponse(
        entities: Array(all.prefix(thread.limit)), hasMore: all.count > thread.limit, place: place)
    case .query(let key):
      let letters = try Search(key: key).letters
      let all = messages.values.filter { $0.payload.text.contains(letters) }.sorted {
        ($1.payload.sentAt, $0.key) < ($0.payload.sentAt, $1.key)
      }
      return FetchResponse(entities: all, hasMore: false, place: place)
    }
  }

  func send(_ mutation: ClientMutation<Message, Edit>) async throws -> MutationResponse<Message> {
    var changed: [VersionedEntity<Message>] = []
    for edit in mutation.edits {
      guard case .update(let key, .text(let text)) = edit, var message = messages[key] else {
        throw MutationRejected(reason: "nothing to edit")
      }
      sequence += 1
      message.payload.text = text
      message.version = Version(clock: sequence << 16, device: 2)
      messages[key] = message
      changed.append(message)
      lastEdit = EventEnvelope(place: place, event: .changed(message), mutation: mutation.token)
    }
    return MutationResponse(changed: changed, place: place)
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Message> {
    .tooOld(now: place.position)
  }
}
