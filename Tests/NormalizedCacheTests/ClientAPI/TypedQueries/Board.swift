import CacheModel
import NormalizedCache

/// A board of cards in columns, in the words of typed queries and key paths alone.
enum BoardItem: Equatable, Sendable {
  case card(Card)
  case person(Person)
}

struct Card: CachedResource, Equatable {
  static let resourceType = ResourceType(rawValue: 1)

  var column: UniqueID
  var owner: UniqueID?
  var title: String
  var points = 0
  var labels: [String] = []
  var isDone = false

  init(column: UniqueID, title: String, points: Int = 0) {
    self.column = column
    self.title = title
    self.points = points
  }

  init?(_ entity: VersionedEntity<BoardItem>) {
    guard case .card(let card) = entity.payload else { return nil }
    self = card
  }
}

struct Person: CachedResource, Equatable {
  static let resourceType = ResourceType(rawValue: 2)

  var name: String

  init(name: String) {
    self.name = name
  }

  init?(_ entity: VersionedEntity<BoardItem>) {
    guard case .person(let person) = entity.payload else { return nil }
    self = person
  }
}

/// The cards of a column: most points first, then by title.
struct CardsOfColumn: CachedQuery {
  static let method = QueryMethod(rawValue: 1)
  static let rule = QueryRule<CardsOfColumn>(
    scope: .field(\.column, \.column), where: [.equal(\.isDone, ifGiven: \.isDone)],
    order: [.descending(\.points), .ascending(\.title)], limit: \.limit)

  typealias Row = Card
  var column: UniqueID
  var isDone: Bool?
  var limit = 5
}

/// The open cards with a label, by title.
struct LabelledCards: CachedQuery {
  static let method = QueryMethod(rawValue: 2)
  static let rule = QueryRule<LabelledCards>(
    where: [.contains(\.labels, \.label), .equal(\.isDone, to: false)],
    order: [.ascending(\.title)])

  typealias Row = Card
  var label: String
}

/// The cards of a person that begin with some letters.
struct CardsOfOwner: CachedQuery {
  static let method = QueryMethod(rawValue: 3)
  static let rule = QueryRule<CardsOfOwner>(
    scope: .field(\.owner, \.owner),
    where: [.prefix(\.title, \.prefix), .satisfies { card, query in card.points >= query.points }],
    order: [.ascending(\.title)])

  typealias Row = Card
  var owner: UniqueID
  var prefix = ""
  var points = 0
}

struct People: CachedQuery {
  static let method = QueryMethod(rawValue: 4)
  static let rule = QueryRule<People>(order: [.ascending(\.name)])

  typealias Row = Person
}

struct BoardSchema: ListSchema {
  typealias Payload = BoardItem

  var lists = ListRules<BoardItem>()

  init() throws {
    try lists.register(CardsOfColumn.self)
    try lists.register(LabelledCards.self)
    try lists.register(CardsOfOwner.self)
    try lists.register(People.self)
  }
}

/// A server that answers by going through everything, and shares no rule with the schema.
actor BoardServer: CacheSource {
  private(set) var items: [EntityKey: BoardItem] = [:]
  private(set) var fetchCount = 0
  var isReachable = true
  private var clock: UInt64 = 0

  struct OutOfReach: Error {}

  func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

  /// Writes an item; returns its event's content.
  func write(_ number: Int, _ item: BoardItem) -> VersionedEntity<BoardItem> {
    let type = if case .card = item { Card.resourceType } else { Person.resourceType }
    let key = EntityKey(type: type, id: .numbered(number))
    items[key] = item
    clock += 1
    return VersionedEntity(key: key, version: Version(clock: clock, device: 1), payload: item)
  }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<BoardItem> {
    fetchCount += 1
    guard isReachable else { throw OutOfReach() }
    guard case .query(let key) = request.target else {
      return FetchResponse(entities: [], hasMore: false, place: nil)
    }
    let (rows, hasMore) = try answer(key)
    return FetchResponse(entities: rows, hasMore: hasMore, place: nil)
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<BoardItem> {
    .tooOld(now: position)
  }

  func answer(_ key: QueryKey) throws -> ([VersionedEntity<BoardItem>], hasMore: Bool) {
    let cards = items.compactMap { key, item in
      if case .card(let card) = item { (key: key, card: card) } else { nil }
    }
    var rows: [EntityKey] = []
    var limit = Int.max
    switch key.method {
    case CardsOfColumn.method:
      let query = try CardsOfColumn(key: key)
      limit = query.limit
      rows =
        cards.filter {
          $0.card.column == query.column && (query.isDone ?? $0.card.isDone) == $0.card.isDone
        }
        .sorted {
          (-$0.card.points, $0.card.title, $0.key) < (-$1.card.points, $1.card.title, $1.key)
        }.map(\.key)
    case LabelledCards.method:
      let label = try LabelledCards(key: key).label
      rows = cards.filter { $0.card.labels.contains(label) && !$0.card.isDone }
        .sorted { ($0.card.title, $0.key) < ($1.card.title, $1.key) }.map(\.key)
    case CardsOfOwner.method:
      let query = try CardsOfOwner(key: key)
      rows =
        cards.filter {
          $0.card.owner == query.owner && $0.card.title.hasPrefix(query.prefix)
            && $0.card.points >= query.points
        }
        .sorted { ($0.card.title, $0.key) < ($1.card.title, $1.key) }.map(\.key)
    default:
      let people = items.compactMap { key, item in
        if case .person(let person) = item { (key: key, name: person.name) } else { nil }
      }
      rows = people.sorted { ($0.name, $0.key) < ($1.name, $1.key) }.map(\.key)
    }
    let entities = rows.prefix(limit).compactMap { key in
      items[key].map {
        VersionedEntity(key: key, version: Version(clock: clock, device: 1), payload: $0)
      }
    }
    return (entities, rows.count > limit)
  }
}

extension UniqueID {
  static func numbered(_ number: Int) -> UniqueID { UniqueID(high: 0, low: UInt64(number)) }
}
