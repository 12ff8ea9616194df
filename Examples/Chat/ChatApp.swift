import CachePersistence
import NormalizedCache
import NormalizedCacheFoundation
import SessionRecorder

/// The app, without its views: each reads `data` of one of these, and is drawn again by itself.
@MainActor
final class ChatApp {
  let cache: NormalizedCache<ChatSchema>
  let rooms: CachedQueryClient<ChatSchema, Room>
  let unread: CachedQueryClient<ChatSchema, Room>
  let recorder: SessionRecorder
  private let library: LibraryID
  private let storage: SQLiteStorage
  private var following: Task<Void, Never>?

  static let policy = CachePolicy(
    evictionOrder: "lru", capacity: Capacity(entities: 10_000), retention: .observed,
    freshness: .neverExpires, maximumQueries: 100)

  init(server: ChatServer, library: LibraryID, folder: String) async throws {
    self.library = library
    storage = SQLiteStorage(path: "\(folder)/chat.sqlite")
    cache = try await NormalizedCache.open(
      composition: Self.policy, schema: ChatSchema(), source: server, storage: storage,
      codec: JSONCodec<ChatItem, ChatChange>())
    recorder = await SessionRecorder.record(cache, to: "\(folder)/session.jsonl")
    rooms = try CachedQueryClient(Rooms(), in: library, of: cache)
    unread = try CachedQueryClient(Rooms(onlyUnread: true), in: library, of: cache)
    let events = await server.connect()
    following = Task { [cache] in for await event in events { await cache.receive(event) } }
  }

  func messages(of room: UniqueID) throws -> PagedRelation<ChatSchema, Message> {
    try PagedRelation(Messages(room: room), pageSize: 3, in: library, of: cache)
  }

  /// Shows at once, and waits for the server: after an error nothing shows any more.
  func markRead(_ room: UniqueID) async throws {
    let key = EntityKey(type: Room.resourceType, id: room)
    try await cache.mutate(
      ChatMutation(token: .random(), library: library, edits: [.update(key, .markRead)]))
  }

  /// Shows at once, and is sent when there is a connection, in this process or in a later one.
  func send(_ text: String, to room: UniqueID, after latest: Int) async throws {
    let token = MutationToken.random()
    let key = EntityKey(type: Message.resourceType, id: token.rawValue)
    let new = ChatItem.message(Message(room: room, sentAt: latest + 1, text: text))
    try await cache.enqueue(
      ChatMutation(token: token, library: library, edits: [.create(key, new)]))
  }

  func close() async throws {
    following?.cancel()
    await recorder.stop()
    try await cache.flush()
    await storage.close()
  }
}
