import FoundationEssentials
import NormalizedCache
import SessionRecorder

/// A card of a board: as many fields as such things have.
struct Card: CachedResource, Codable, Equatable {
  static let resourceType = ResourceType(rawValue: 1)

  var column: UniqueID
  var position: Int
  var title: String
  var text: String
  var author: String
  var labels: [String]
  var isDone = false
}

/// The cards of a column, in their order.
struct Column: CachedQuery {
  static let method = QueryMethod(rawValue: 1)
  static let rule = QueryRule<Column>(
    scope: .field(\.column, \.column), order: [.ascending(\.position)], limit: \.limit)

  typealias Row = Card
  var column: UniqueID
  var limit = 50
}

struct BoardSchema: ListSchema {
  var lists = ListRules<Card>()

  init() throws { try lists.register(Column.self) }

  func weight(of card: Card) -> Int { 100 + card.title.utf8.count + card.text.utf8.count }
}

/// Twenty columns of fifty cards, each on somebody's screen, and a server that tells of every change.
struct Board: Sendable {
  static let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))
  static let columns = 20
  static let rows = 50

  let cache: NormalizedCache<BoardSchema>
  private let server: BoardServer
  private let recorder: SessionRecorder?
  private let views: [QueryObservation]
  private let keys: [QueryKey]

  init(isRecorded: Bool = false, instrument: (any CacheInstrument)? = nil) async throws {
    server = BoardServer()
    cache = try NormalizedCache(
      composition: CachePolicy(
        evictionOrder: "lru", capacity: Capacity(entities: 10_000), retention: .observed,
        freshness: .neverExpires, maximumQueries: 100),
      schema: BoardSchema(), source: server, instrument: instrument)
    keys = try (0..<Self.columns).map { number in
      try Column(column: BoardServer.column(number)).key(in: Self.library)
    }
    var views: [QueryObservation] = []
    for key in keys {
      _ = try await cache.query(key)
      views.append(await cache.observe(key) { _, _ in })
    }
    self.views = views
    recorder =
      isRecorded ? await SessionRecorder.record(cache, to: "overhead.jsonl") : nil
  }

  /// The next events, as a decoder has made them.
  func events(_ count: Int) async -> [EventEnvelope<Card>] { await server.edit(count) }

  /// The next events, with their values as they come from the network.
  func messages(_ count: Int) async throws -> [Message] {
    let encoder = JSONEncoder()
    return try await server.edit(count).compactMap { event in
      guard case .changed(let entity) = event.event else { return nil }
      return Message(
        place: event.place, key: entity.key, version: entity.version,
        value: try encoder.encode(entity.payload))
    }
  }

  struct Message: Sendable {
    var place: EventPlace?
    var key: EntityKey
    var version: Version
    var value: Data
  }

  /// Nanoseconds for each of some events.
  @discardableResult
  func receive(_ events: [EventEnvelope<Card>]) async -> Double {
    let begin = ContinuousClock.now
    for event in events { await cache.receive(event) }
    return Self.nanoseconds(since: begin) / Double(events.count)
  }

  /// Nanoseconds for each of some events, decoding included: from the bytes to the last observer.
  @discardableResult
  func receive(_ messages: [Message]) async throws -> Double {
    let decoder = JSONDecoder()
    let begin = ContinuousClock.now
    for message in messages {
      let card = try decoder.decode(Card.self, from: message.value)
      let entity = VersionedEntity(key: message.key, version: message.version, payload: card)
      await cache.receive(EventEnvelope(place: message.place, event: .changed(entity)))
    }
    return Self.nanoseconds(since: begin) / Double(messages.count)
  }

  /// Nanoseconds for each of this many reads.
  @discardableResult
  func read(_ count: Int) async throws -> Double {
    let begin = ContinuousClock.now
    for number in 0..<count { _ = try await cache.query(keys[number % keys.count]) }
    return Self.nanoseconds(since: begin) / Double(count)
  }

  /// One read of a column, of a card, or of a new list.
  func readAny(_ number: Int) async throws {
    switch number & 7 {
    case 0: _ = try await cache.fetchEntity(BoardServer.card(number % 2_000), library: Self.library)
    case 1:
      let column = Column(column: BoardServer.column(number % 37), limit: 5)
      _ = try await cache.query(column.key(in: Self.library))
    default: _ = try await cache.query(keys[number % keys.count])
    }
  }

  func end() async {
    for view in views { await view.cancel() }
    await recorder?.stop()
    if let report = recorder?.report {
      print("  recorded \(report.lines) lines in \(report.files) files, \(report.lost) lost")
    }
  }

  private static func nanoseconds(since begin: ContinuousClock.Instant) -> Double {
    let (seconds, attoseconds) = (ContinuousClock.now - begin).components
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
  }
}

actor BoardServer: CacheSource {
  private var cards: [VersionedEntity<Card>] = []
  private var sequence: UInt64 = 0

  static func column(_ number: Int) -> UniqueID { UniqueID(high: 2, low: UInt64(number)) }

  static func card(_ number: Int) -> EntityKey {
    EntityKey(type: Card.resourceType, id: UniqueID(high: 3, low: UInt64(number)))
  }

  init() {
    for number in 0..<Board.columns * Board.rows {
      cards.append(
        VersionedEntity(
          key: Self.card(number), version: Version(clock: 1, device: 1),
          payload: Card(
            column: Self.column(number % Board.columns), position: number,
            title: "card number \(number) of the board", text: "a text that is long enough",
            author: "somebody or other, \(number)", labels: ["first label", "second label"])))
    }
  }

  private var place: EventPlace {
    EventPlace(
      stream: StreamID(library: Board.library),
      position: StreamPosition(epoch: 1, sequence: sequence))
  }

  /// So many edits of cards; each tenth moves one to the end of its column.
  func edit(_ count: Int) -> [EventEnvelope<Card>] {
    (0..<count).map { _ in
      sequence += 1
      let number = Int(sequence &* 7_919 % UInt64(cards.count))
      cards[number].version = Version(clock: sequence << 16, device: 2)
      cards[number].payload.text = "a text that is long enough, edited \(sequence)"
      if sequence % 10 == 0 { cards[number].payload.position = Int(sequence) + cards.count }
      return EventEnvelope(place: place, event: .changed(cards[number]))
    }
  }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<Card> {
    switch request.target {
    case .entity(let key):
      return FetchResponse(
        entities: cards.filter { $0.key == key }, hasMore: false, place: place)
    case .query(let key):
      let column = try Column(key: key)
      let all = cards.filter { $0.payload.column == column.column }
        .sorted { $0.payload.position < $1.payload.position }
      return FetchResponse(
        entities: Array(all.prefix(column.limit)), hasMore: all.count > column.limit, place: place)
    }
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Card> {
    .tooOld(now: place.position)
  }
}
