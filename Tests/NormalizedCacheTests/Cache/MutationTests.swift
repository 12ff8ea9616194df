import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Synchronization
import Testing

@Suite("Mutations through the actor")
struct MutationTests {
  let folder = NoteQuery.folder(0).key()

  private static func server() -> NoteServer {
    NoteServer(writing: (1, Note(folder: 0, title: "a")))
  }

  private func cache(
    _ server: NoteServer, _ source: NoteSource, clock: ManualClock = ManualClock()
  ) async throws -> NoteCache {
    let cache = try NoteCache.test(source: source, clock: clock)
    async let rows = cache.query(folder)
    await source.answerFetch(from: server)
    _ = try await rows
    return cache
  }

  private func titles(_ cache: NoteCache) async -> String {
    await cache.rows(of: folder).map(\.payload.title).joined()
  }

  private func create(_ number: Int, _ title: String) -> NoteMutation {
    NoteMutation(number, .create(.temporary(number), Note(folder: 0, title: title)))
  }

  @Test("B48 A mutation shows immediately, and its created entity gets the server's key")
  func mutate() async throws {
    var server = Self.server()
    let source = NoteSource()
    let cache = try await cache(server, source)
    async let keys = cache.mutate(create(1, "b"))
    let sent = await source.awaitSend()
    #expect(await titles(cache) == "ab")
    await source.answerSend(.success(server.carryOut(sent).response))
    #expect(try await keys == [.temporary(1): .note(1_001)])
    #expect(await cache.rows(of: folder).map(\.key) == [.note(1), .note(1_001)])
    #expect(await cache.entity(.temporary(1))?.key == .note(1_001))
  }

  @Test("B45 A mutation that fails is taken back, and its error reaches the caller")
  func failure() async throws {
    let source = NoteSource()
    let cache = try await cache(Self.server(), source)
    let mutation = create(1, "b")
    let call = Task { try await cache.mutate(mutation) }
    _ = await source.awaitSend()
    await source.answerSend(.failure(MutationRejected(reason: "full")))
    await #expect(throws: MutationRejected(reason: "full")) { try await call.value }
    #expect(await titles(cache) == "a")
  }

  @Test("B48 A mutation reported by an event has succeeded, even if its answer was lost")
  func lostAnswer() async throws {
    var server = Self.server()
    let source = NoteSource()
    let cache = try await cache(server, source)
    async let keys = cache.mutate(create(1, "b"))
    let sent = await source.awaitSend()
    for event in server.carryOut(sent).events { await cache.receive(event) }
    #expect(await titles(cache) == "ab")
    await source.answerSend(.failure(NoteSource.Failure()))
    #expect(try await keys == [.temporary(1): .note(1_001)])
    #expect(await titles(cache) == "ab")
  }

  @Test("B15 A mutation without an answer is no longer shown after its time; a late answer counts")
  func timeout() async throws {
    var server = Self.server()
    let source = NoteSource()
    let clock = ManualClock()
    let cache = try await cache(server, source, clock: clock)
    async let keys = cache.mutate(create(1, "b"), timeout: .seconds(30))
    let sent = await source.awaitSend()
    while clock.nextWake == nil { await Task.yield() }
    clock.advance(by: .seconds(30))
    while await titles(cache) != "a" { await Task.yield() }
    await source.answerSend(.success(server.carryOut(sent).response))
    _ = try await keys
    #expect(await titles(cache) == "ab")
  }

  @Test("B49 Changes queued offline are sent in order on reconnect; a rejected one is reported")
  func outbox() async throws {
    var server = Self.server()
    let source = NoteSource()
    let cache = try await cache(server, source)
    let rejected = Mutex<[MutationToken]>([])
    await cache.onRejection { tokens, _ in rejected.withLock { $0 += tokens } }
    await cache.setOnline(false)
    for (number, title) in [(1, "b"), (2, "c"), (3, "d")] {
      try await cache.enqueue(create(number, title))
    }
    #expect(await titles(cache) == "abcd")
    #expect(await source.sendCount == 0)
    await cache.setOnline(true)
    for number in 1...3 {
      let sent = await source.awaitSend()
      #expect(await source.sendCount == 1)
      #expect(sent.token == .mutation(number))
      if number == 2 {
        await source.answerSend(.failure(MutationRejected(reason: "no")))
      } else {
        await source.answerSend(.success(server.carryOut(sent).response))
      }
    }
    while await !cache.outbox.isEmpty { await Task.yield() }
    #expect(await titles(cache) == "abd")
    #expect(rejected.withLock { $0 } == [.mutation(2)])
  }

  @Test("B49 A queued mutation without an answer is sent again after its pause")
  func retry() async throws {
    var server = Self.server()
    let source = NoteSource()
    let clock = ManualClock()
    let cache = try await cache(server, source, clock: clock)
    try await cache.enqueue(create(1, "b"))
    _ = await source.awaitSend()
    await source.answerSend(.failure(NoteSource.Failure()))
    while clock.nextWake == nil { await Task.yield() }
    #expect(await source.sendCount == 0)
    clock.advance(by: .seconds(1))
    let again = await source.awaitSend()
    #expect(again.token == .mutation(1))
    await source.answerSend(.success(server.carryOut(again).response))
    while await !cache.outbox.isEmpty { await Task.yield() }
    #expect(await titles(cache) == "ab")
  }

  @Test("A source that cannot write rejects every mutation")
  func readOnly() async throws {
    struct ReadOnly: CacheSource {
      func fetch(_ request: FetchRequest) async throws -> FetchResponse<Note> {
        FetchResponse(entities: [], hasMore: false, place: nil)
      }
      func missed(
        in stream: StreamID, after position: StreamPosition, form: ReconcileForm
      ) async throws -> ReconcileResponse<Note> {
        .tooOld(now: position)
      }
      typealias Change = NoteChange
    }
    let cache = try NoteCache(
      composition: .test(), schema: NoteSchema(), source: ReadOnly(), clock: ManualClock())
    await #expect(throws: MutationRejected.self) { try await cache.mutate(create(1, "b")) }
    #expect(await titles(cache) == "")
  }
}
