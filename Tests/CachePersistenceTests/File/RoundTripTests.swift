import CacheModel
import CachePersistence
import CacheTestSupport
import FaultSearch
import NormalizedCache
import SimulatedStorage
import Testing

@Suite("Into the file and back", .timeLimit(.minutes(30)))
struct RoundTripTests {
  @Test(
    "B16 Batches are read from the file as they were written, in order and with duplicates",
    arguments: 0..<6)
  func roundTrip(seed: Int) async throws {
    let folder = try CacheFolder()
    var random = RandomSource(seed: UInt64(seed))
    var world = NoteWorld()
    var epoch: UInt64 = 0
    for _ in 0..<4 {
      var file = try await SQLiteClient(
        .init(path: folder.path()),
        .test(
          capacity: Capacity(entities: 12), retention: .cached, maximumQueries: 5))
      for _ in 0..<6 {
        for _ in 0..<15 { Self.step(&file.client, &world, &random) }
        epoch += 1
        try await file.flush(outbox: epoch.isMultiple(of: 3) ? Self.outbox(epoch) : nil)
      }
      await file.file.close()
      let reopened = SQLiteStorage(path: folder.path())
      let state = try await reopened.load()
      await reopened.close()
      #expect(state.inOrder == file.model.contents)
      #expect(!state.entities.isEmpty && !state.queries.isEmpty)
    }
  }

  /// Reads that repeat rows, events, deletions, invalidations, new epochs.
  static func step(
    _ client: inout NoteClient, _ world: inout NoteWorld, _ random: inout RandomSource
  ) {
    let server = random.below(world.servers.count)
    let numbers = NoteWorld.numbers(of: server)
    let key = EntityKey.note(numbers.lowerBound + random.below(numbers.count))
    client.now = client.now.advanced(by: .milliseconds(random.below(500)))
    switch random.below(10) {
    case 0...3:
      let note = Note(
        folder: random.below(3), title: "\(random.below(9))", isStarred: random.chance(0.5),
        text: String(repeating: "y", count: random.below(4)))
      client.receive(world.servers[server].write([(key, note)]))
    case 4: client.receive(world.servers[server].delete(key))
    case 5:
      let tag = InvalidationTag(
        library: world.servers[server].stream.library, resourceType: NoteSchema.noteType)
      client.receive(
        world.servers[server].publish(.bulkNotice(scope: tag, count: 1, token: random.next())))
    case 6 where random.chance(0.2):
      world.servers[server].restart()
      client.heartbeat(from: world.servers[server])
    default:
      let queries: [NoteQuery] = [.folder(0), .folder(1), .starred(limit: 3), .opaque]
      client.read(
        queries[random.below(queries.count)].key(in: random.chance(0.3) ? .other : .test))
    }
    while !client.fetches.isEmpty {
      let fetch = client.takeFetch()
      client.complete(fetch.id, with: world.answer(fetch.target))
    }
  }

  private static func outbox(_ epoch: UInt64) -> [EncodedMutation] {
    (0..<epoch).map { number in
      EncodedMutation(
        token: MutationToken(rawValue: UniqueID(high: epoch, low: number)), library: .test,
        edits: [UInt8](repeating: UInt8(number), count: Int(number)))
    }
  }

  @Test("B52 A deleted entity, an evicted one and a dropped query leave no row behind")
  func leavesNothing() async throws {
    let folder = try CacheFolder()
    var server = NoteServer()
    var file = try await SQLiteClient(
      .init(path: folder.path()), .test(capacity: Capacity(entities: 3), maximumQueries: 1))
    for number in 0..<3 {
      file.client.receive(server.write((number, Note(folder: number, title: "a"))))
    }
    _ = file.client.load(.folder(0), from: server)
    try await file.flush()
    #expect(try await rows(file.file, folder) == [[0, 1, 2], [0]])

    file.client.receive(server.delete(.note(1)))
    try await file.flush()
    #expect(try await rows(file.file, folder) == [[0, 2], [0]])

    _ = file.client.load(.folder(2), from: server)
    file.client.receive(server.write((3, Note(folder: 3, title: "a"))))
    file.client.receive(server.write((4, Note(folder: 3, title: "a"))))
    try await file.flush()
    // The limit of one query dropped folder 0; the limit of three entities then evicted its note.
    #expect(try await rows(file.file, folder) == [[2, 3, 4], [2]])
  }

  /// The numbers of stored notes, and of the folders that are stored queries.
  private func rows(_ file: SQLiteStorage, _ folder: borrowing CacheFolder) async throws
    -> [[Int]]
  {
    let state = try await file.load()
    return [
      state.entities.map { Int($0.key.id.low) }.sorted(),
      state.queries.compactMap { Int(String(decoding: $0.key.input, as: UTF8.self)) }.sorted(),
    ]
  }
}
