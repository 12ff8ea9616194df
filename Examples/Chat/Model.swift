import NormalizedCache

struct Room: Codable, Equatable {
  var name: String
  var unread = 0
  var latest = 0
}

struct Message: Codable, Equatable {
  var room: UniqueID
  var sentAt: Int
  var text: String
}

enum ChatItem: Codable, Equatable {
  case room(Room)
  case message(Message)
}

extension Room: CachedResource {
  static let resourceType = ResourceType(rawValue: 1)

  init?(_ entity: VersionedEntity<ChatItem>) {
    guard case .room(let room) = entity.payload else { return nil }
    self = room
  }
}

extension Message: CachedResource {
  static let resourceType = ResourceType(rawValue: 2)

  init?(_ entity: VersionedEntity<ChatItem>) {
    guard case .message(let message) = entity.payload else { return nil }
    self = message
  }
}

/// Rooms, the one with the latest message first: all, or those with something unread.
struct Rooms: CachedQuery {
  static let method = QueryMethod(rawValue: 1)
  static let rule = QueryRule<Rooms>(
    where: [.satisfies { room, query in !query.onlyUnread || room.unread > 0 }],
    order: [.descending(\.latest)])
  typealias Row = Room
  var onlyUnread = false
}

/// The messages of a room, the latest first, page by page.
struct Messages: CachedQuery {
  static let method = QueryMethod(rawValue: 2)
  static let rule = QueryRule<Messages>(
    scope: .field(\.room, \.room), order: [.descending(\.sentAt)], limit: \.limit)
  typealias Row = Message
  var room: UniqueID
  var limit = 3
}

enum ChatChange: Codable {
  case markRead
}

typealias ChatMutation = ClientMutation<ChatItem, ChatChange>

struct ChatSchema: ListSchema {
  var lists = ListRules<ChatItem>()

  init() throws {
    try lists.register(Rooms.self)
    try lists.register(Messages.self)
  }

  func applying(_ change: ChatChange, to item: ChatItem) -> ChatItem {
    guard case .room(var room) = item else { return item }
    room.unread = 0
    return .room(room)
  }
}
