import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("The registry of resource types", .timeLimit(.minutes(30)))
struct ResourceTypeRegistryTests {
  static let place = EventPlace(
    stream: StreamID(library: .test), position: StreamPosition(epoch: 1, sequence: 7))
  static let token = MutationToken(rawValue: UniqueID(high: 0, low: 9))

  static func note(_ number: Int) -> VersionedEntity<Note> {
    VersionedEntity(
      key: .note(number), version: Version(clock: UInt64(number), device: 1),
      payload: Note(folder: 0, title: "note \(number)", isStarred: number == 2, text: "a\nb"))
  }

  static func event(_ content: WireEvent.Content) -> WireEvent {
    WireEvent(place: place, content: content, mutation: token)
  }

  /// The event that comes out, its place and token checked.
  static func decoded(_ content: WireEvent.Content) throws -> (DecodedEvent<Note>, String) {
    let decoded = try NoteWire.registry().decode(event(content))
    guard case .event(let envelope) = decoded.message else { return (decoded, "no event") }
    #expect(envelope.place == place)
    #expect(envelope.mutation == token)
    return (decoded, picture(envelope.event))
  }

  static func picture(_ event: CacheEvent<Note>) -> String {
    switch event {
    case .changed(let note): "changed \(note.key.id.low)"
    case .batchChanged(let notes): "batch \(notes.map(\.key.id.low))"
    case .deleted(let keys, let version): "deleted \(keys.map(\.id.low)) at \(version.clock)"
    case .bulkNotice(let tag, let count, let token):
      "bulk \(tag.resourceType?.rawValue ?? 0) \(count) \(token)"
    case .partlyDecoded(let notes, let undecodable):
      "partly \(notes.map(\.key.id.low)) not \(undecodable.map { $0.id?.low ?? 0 })"
    case .infrastructure: "infrastructure"
    }
  }

  @Test("A name or a type that is taken is refused, with its owner")
  func duplicates() throws {
    var registry = try NoteWire.registry()
    let other = ResourceType(rawValue: 2)
    #expect(
      throws: ResourceTypeRegistryError.duplicateName("note", registeredAs: .init(rawValue: 1))
    ) { try registry.register("note", as: other) { _ in Self.note(1) } }
    let error = #expect(throws: ResourceTypeRegistryError.self) {
      try registry.register("memo", as: NoteSchema.noteType) { _ in Self.note(1) }
    }
    #expect(
      error?.description == """
        resource type 1 cannot be registered as "memo": it is registered as "note"; give each type \
        a number of its own
        """)
    #expect(registry.type(named: "memo") == nil)
    #expect(registry.name(of: NoteSchema.noteType) == "note")
    try registry.register("memo", as: other) { _ in Self.note(1) }
    #expect(registry.type(named: "memo") == other)
  }

  @Test("A name is its bytes: another spelling of it is another type")
  func spellings() throws {
    var random = RandomSource(seed: 41)
    let names = RandomText.distinct(100, hasNUL: true, &random)
    var registry = ResourceTypeRegistry<Note>()
    for (number, name) in names.enumerated() {
      #expect(registry.type(named: name) == nil)
      try registry.register(name, as: ResourceType(rawValue: UInt16(number))) { _ in Self.note(1) }
    }
    for (number, name) in names.enumerated() {
      let type = ResourceType(rawValue: UInt16(number))
      #expect(registry.type(named: name) == type)
      #expect(registry.name(of: type)?.bytes == name.bytes)
    }
  }

  @Test("A known type is decoded as it was sent")
  func known() throws {
    #expect(try Self.decoded(.changed([NoteWire.item(Self.note(1))])).1 == "changed 1")
    let items = [1, 2, 3].map { NoteWire.item(Self.note($0)) }
    #expect(try Self.decoded(.changed(items)).1 == "batch [1, 2, 3]")
    guard case .event(let envelope) = try Self.decoded(.changed(items)).0.message,
      case .batchChanged(let notes) = envelope.event
    else { return #expect(Bool(false), "no batch") }
    #expect(notes == [1, 2, 3].map(Self.note))
    let key = WireKey(type: "note", id: UniqueID(high: 0, low: 4))
    #expect(
      try Self.decoded(.deleted([key], version: Version(clock: 5, device: 1))).1
        == "deleted [4] at 5")
    #expect(
      try Self.decoded(
        .bulkNotice(WireScope(library: .test, type: "note"), count: 70, token: 8)
      ).1 == "bulk 1 70 8")
    #expect(try Self.decoded(.infrastructure).1 == "infrastructure")
  }

  @Test("B41 An item that cannot be decoded costs only itself, and is named as far as it is known")
  func undecodable() throws {
    let (decoded, picture) = try Self.decoded(
      .changed([
        NoteWire.item(Self.note(1)),
        WireItem(type: "note", id: UniqueID(high: 0, low: 2), bytes: [0xFF]),
        WireItem(type: "note", bytes: []), NoteWire.item(Self.note(3)),
      ]))
    #expect(picture == "partly [1, 3] not [2, 0]")
    #expect(decoded.failures.map(\.id?.low) == [2, nil])
    #expect(decoded.failures.first?.cause as? NoteWire.Malformed == NoteWire.Malformed(bytes: 1))
    #expect(decoded.failures.last?.description.contains("id unknown") == true)
  }

  @Test("B41 An entity that is not the one of its frame counts as undecodable")
  func mismatch() throws {
    var item = NoteWire.item(Self.note(1))
    item.id = UniqueID(high: 0, low: 2)
    let (decoded, picture) = try Self.decoded(.changed([item]))
    #expect(picture == "partly [] not [2]")
    let cause = decoded.failures.first?.cause as? DecodedEntityMismatch
    #expect(cause?.decoded == .note(1))

    var registry = ResourceTypeRegistry<Note>()
    try registry.register("memo", as: ResourceType(rawValue: 2)) { try NoteWire.decode($0) }
    let wrong = WireItem(type: "memo", bytes: NoteWire.encode(Self.note(1)))
    let failures = registry.decode(Self.event(.changed([wrong]))).failures
    #expect(failures.first?.cause is DecodedEntityMismatch)
  }

  @Test("B41 An item of an unknown type is left out and named; the event keeps its position")
  func unknownTypes() throws {
    let unknown = WireItem(type: "hologram", bytes: [1])
    let (decoded, picture) = try Self.decoded(.changed([unknown, NoteWire.item(Self.note(1))]))
    #expect(picture == "changed 1")
    #expect(decoded.unknownTypes == ["hologram"])
    #expect(decoded.failures.isEmpty)
    #expect(try Self.decoded(.changed([unknown, unknown])).1 == "infrastructure")
    let version = Version(clock: 5, device: 1)
    let keys = ["hologram", "note"].map { WireKey(type: $0, id: UniqueID(high: 0, low: 4)) }
    #expect(try Self.decoded(.deleted(keys, version: version)).1 == "deleted [4] at 5")
    #expect(try Self.decoded(.deleted([keys[0]], version: version)).1 == "infrastructure")
    let scope = WireScope(library: .test, type: "hologram")
    let bulk = try Self.decoded(.bulkNotice(scope, count: 70, token: 8))
    #expect(bulk.1 == "infrastructure")
    #expect(bulk.0.unknownTypes == ["hologram"])
  }

  @Test("B48 An event gives the server's key for a client's created entity")
  func creations() throws {
    let ids = [UniqueID(high: 1, low: 1), UniqueID(high: 0, low: 1)]
    let creations = ["note", "hologram"].map {
      WireCreation(type: $0, clientID: ids[0], serverID: ids[1])
    }
    var event = Self.event(.changed([NoteWire.item(Self.note(1))]))
    event.creations = creations
    let decoded = try NoteWire.registry().decode(event)
    guard case .event(let envelope) = decoded.message else {
      return #expect(Bool(false), "no event")
    }
    #expect(envelope.keys == [EntityKey(type: NoteSchema.noteType, id: ids[0]): .note(1)])
    #expect(decoded.unknownTypes == ["hologram"])
  }

  @Test("A heartbeat is not an event, and without a position it has no effect")
  func heartbeat() throws {
    let registry = try NoteWire.registry()
    guard case .heartbeat(Self.place) = registry.decode(Self.event(.heartbeat)).message else {
      return #expect(Bool(false), "no heartbeat")
    }
    #expect(registry.decode(WireEvent(place: nil, content: .heartbeat)).message == nil)
  }
}
