import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import SimulatedStorage
import Synchronization
import Testing

@Suite("A cache with a storage")
struct StorageTests {
  private let storage = GatedStorage()
  private let clock = ManualClock()
  private let source = NoteSource()
  private let errors = ErrorLog()

  private func open(
    _ storage: (any CacheStorage)? = nil,
    codec: any StorageCodec<Note, NoteChange> = NoteCodec(),
    window: Duration = .milliseconds(500)
  ) async throws -> NormalizedCache<NoteSchema> {
    try await NormalizedCache.open(
      composition: .test(), schema: NoteSchema(), source: source,
      storage: storage ?? self.storage, codec: codec, writeBehind: WriteBehind(window: window),
      clock: clock, onStorageError: { [errors] in errors.note($0) })
  }

  private func write(_ number: Int, clock: UInt64, into cache: NormalizedCache<NoteSchema>) async {
    await cache.updateEntity(
      VersionedEntity(
        key: .note(number), version: Version(clock: clock, device: 1),
        payload: Note(folder: 0, title: "\(clock)")), library: .test)
  }

  /// Moves the clock once there is a sleeper.
  private func passTime(_ duration: Duration) async {
    while clock.nextWake == nil { await Task.yield() }
    clock.advance(by: duration)
  }

  @Test("B49 A stored change that is rejected as the cache opens is reported")
  func rejectedAtOnce() async throws {
    let cache = try await open()
    await cache.setOnline(false)
    let mutation = NoteMutation(
      token: .mutation(1), library: .test,
      edits: [.create(.temporary(1), Note(folder: 0, title: "a"))])
    try await cache.enqueue(mutation)
    try await cache.close()
    let rejected = Mutex<[MutationToken]>([])
    let next = try await NormalizedCache.open(
      composition: .test(), schema: NoteSchema(), source: source, storage: storage,
      codec: NoteCodec(), clock: clock,
      onRejection: { tokens, _ in rejected.withLock { $0 += tokens } })
    _ = await source.awaitSend()
    await source.answerSend(.failure(MutationRejected(reason: "no")))
    while await !next.outbox.isEmpty { await Task.yield() }
    #expect(rejected.withLock { $0 } == [.mutation(1)])
  }

  @Test("B50 Events go on while the disk stalls; one batch is in flight, the next has all the rest")
  func stalledDisk() async throws {
    let cache = try await open()
    var server = NoteServer()
    await write(1, clock: 1, into: cache)
    await storage.stall()
    await passTime(.milliseconds(500))
    await storage.awaitWrites(1)
    for number in 0..<500 {
      await cache.receive(server.write((number % 50, Note(folder: 0, title: "\(number)"))))
      clock.advance(by: .milliseconds(50))
    }
    #expect(await cache.entity(.note(49))?.payload.title == "499")
    #expect(await storage.batches.count == 1)
    await storage.resume()
    await storage.awaitWrites(2)
    try await cache.flush()
    let batches = await storage.batches
    #expect(batches.count == 2)
    #expect(batches.last?.entities.count == 50)
    #expect(batches.last?.progress.streams.first?.cursor.sequence == 500)
  }

  @Test("An opened cache reports what it restored, and what it could not read")
  func report() async throws {
    let cache = try await open()
    await write(1, clock: 1, into: cache)
    await write(2, clock: 2, into: cache)
    #expect(await cache.restoreReport == RestoreReport())
    try await cache.close()
    let reopened = try await open()
    #expect(await reopened.restoreReport?.entities == 2)
    #expect(await reopened.restoreReport?.undecodable == 0)
    #expect(try await NoteCache.test(source: source).restoreReport == nil)
  }

  @Test("B49 A stored change that the codec can no longer decode is reported, and not sent")
  func undecodableChange() async throws {
    let cache = try await open()
    await cache.setOnline(false)
    let edits = [NoteEdit.delete(.note(1)), .update(.note(2), .title("a"))]
    for (number, edit) in edits.enumerated() {
      try await cache.enqueue(
        NoteMutation(token: .mutation(number), library: .test, edits: [edit]))
    }
    try await cache.close()
    let next = try await open(codec: ForgetfulCodec())
    #expect(await next.outbox.map(\.token) == [.mutation(0)])
    #expect(errors.all.count == 1)
    let message = errors.all.first?.description ?? ""
    #expect(message.contains("\(MutationToken.mutation(1).rawValue)"))
    #expect(!message.contains("\(MutationToken.mutation(0).rawValue)"))
    #expect(await next.storageState == .working, "the storage itself works")
    #expect(await next.restoreReport?.undecodable == 1)
  }

  @Test("B53 The next cache has the former one's contents, and reports them without a server")
  func restart() async throws {
    let cache = try await open()
    for number in 0..<5 { await write(number, clock: UInt64(9 - number), into: cache) }
    async let rows = cache.query(NoteQuery.folder(0).key())
    var server = NoteServer()
    for number in 0..<5 { server.write((number, Note(folder: 0, title: "\(number * 7 % 5)"))) }
    await source.answerFetch(from: server)
    let before = try await rows.map(\.key)
    async let first: Void = cache.close()
    async let second: Void = cache.close()
    _ = try await (first, second)
    #expect(await storage.closings == 1)
    #expect(await cache.storageState == .closed)

    let next = try await open()
    #expect(try await next.query(NoteQuery.folder(0).key()).map(\.key) == before)
    #expect(await source.fetchCount == 1)
    #expect(await next.storageState == .working)
  }

  @Test("B53 No write follows the closing of the storage, though changes are queued meanwhile")
  func queuedWhileClosing() async throws {
    let cache = try await open()
    await cache.setOnline(false)
    await storage.stall()
    @Sendable func enqueue(_ number: Int) async throws {
      let create = NoteEdit.create(.temporary(number), Note(folder: 0, title: "a"))
      try await cache.enqueue(
        NoteMutation(token: .mutation(number), library: .test, edits: [create]))
    }
    async let first: Void = enqueue(1)
    await storage.awaitWrites(1)
    async let closing: Void = cache.close()
    for number in 2...4 {
      async let next: Void = enqueue(number)
      for _ in 0..<20 { await Task.yield() }
      await storage.resume()
      try await next
    }
    _ = try await (first, closing)
    #expect(await !storage.isWrittenAfterClosing)
    #expect(await storage.closings == 1)
  }

  @Test(
    "B54 A storage failure is reported and tried again; the cache continues",
    arguments: [
      StorageError.full("it"), .locked("it"), .failed("it"), .corrupt("it", keptAside: "there"),
    ])
  func failures(error: StorageError) async throws {
    let cache = try await open()
    await storage.fail(error)
    await write(1, clock: 1, into: cache)
    await #expect(throws: error) { try await cache.flush() }
    #expect(await cache.storageState == .failing(error))
    #expect(errors.all == [error])
    await write(2, clock: 1, into: cache)
    await passTime(.seconds(1))
    await storage.awaitWrites(2)
    try await cache.flush()
    #expect(await cache.storageState == .working)
    #expect(await storage.memory.contents.entities.count == 2)
  }

  @Test(
    "B54 An unusable file is given up with a clear error, and never written to",
    arguments: [
      StorageError.locked("it"), .newerSchema(found: 2, supported: 1, "it"), .readOnly("it"),
    ])
  func unusable(error: StorageError) async throws {
    let storage = GatedStorage(loadError: error)
    let cache = try await open(storage)
    #expect(await cache.storageState == .abandoned(error))
    await write(1, clock: 1, into: cache)
    await #expect(throws: error) { try await cache.flush() }
    #expect(await cache.residentEntities == 1)
    #expect(await storage.batches.isEmpty)
    while await storage.closings == 0 { await Task.yield() }
  }

  @Test("B54 After a corrupt file the cache writes its contents again")
  func corrupt() async throws {
    let error = StorageError.corrupt("it", keptAside: "there")
    let storage = GatedStorage(loadError: error)
    let cache = try await open(storage)
    #expect(await cache.storageState == .failing(error))
    await write(1, clock: 1, into: cache)
    try await cache.flush()
    #expect(await storage.batches.map(\.replacesAll) == [true])
    #expect(await cache.storageState == .working)
  }

  @Test("A file in another version of the app's schema is read, doubted, and written again")
  func otherSchemaVersion() async throws {
    let first = try await open()
    async let rows = first.query(NoteQuery.folder(0).key())
    let server = NoteServer(writing: (1, Note(folder: 0, title: "a")))
    await source.answerFetch(from: server)
    _ = try await rows
    try await first.close()

    let second = try await open(codec: NoteCodec(schemaVersion: 2))
    #expect(await second.entity(.note(1))?.payload.title == "a")
    #expect(await !second.snapshot(of: NoteQuery.folder(0).key()).isFresh)
    try await second.flush()
    let batch = try #require(await storage.batches.last)
    #expect(batch.replacesAll)
    #expect(batch.schemaVersion == 2)
  }

  @Test("A cache without a storage flushes and closes without complaint")
  func none() async throws {
    let cache = try NormalizedCache(composition: .test(), schema: NoteSchema(), source: source)
    try await cache.flush()
    try await cache.close()
    #expect(await cache.storageState == .none)
  }
}

private final class ErrorLog: Sendable {
  private let errors = Mutex<[StorageError]>([])
  var all: [StorageError] { errors.withLock { $0 } }
  func note(_ error: StorageError) { errors.withLock { $0.append(error) } }
}

/// The codec of a later version of an app, which knows no change of the earlier one.
private struct ForgetfulCodec: StorageCodec {
  private let base = NoteCodec(schemaVersion: 2)

  var schemaVersion: Int { base.schemaVersion }

  func encode(_ payload: Note, of key: EntityKey) throws -> [UInt8] {
    try base.encode(payload, of: key)
  }

  func decode(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> Note {
    try base.decode(bytes, of: key, schemaVersion: schemaVersion)
  }

  func encodeChange(_ change: NoteChange, of key: EntityKey) throws -> [UInt8] {
    try base.encodeChange(change, of: key)
  }

  func decodeChange(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> NoteChange {
    throw StorageError.failed("no change of note \(key.id.low)")
  }
}
