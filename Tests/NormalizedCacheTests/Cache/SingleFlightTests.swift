import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

typealias NoteCache = NormalizedCache<NoteSchema>

extension NormalizedCache where Schema == NoteSchema {
  /// A cache of notes with a stopped clock.
  static func test(
    _ composition: CachePolicy = .test(), source: any CacheSource<Note, NoteChange>,
    clock: ManualClock = ManualClock()
  ) throws -> NoteCache {
    try NoteCache(composition: composition, schema: NoteSchema(), source: source, clock: clock)
  }
}

@Suite("Single flight, errors, cancellation")
struct SingleFlightTests {
  let folder = NoteQuery.folder(0).key()
  let server: NoteServer

  init() {
    let server = NoteServer(
      writing: (1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b")))
    self.server = server
  }

  @Test("B26 Concurrent misses on one query make one fetch")
  func oneFetch() async throws {
    let source = NoteSource()
    let cache = try NoteCache.test(source: source)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { [folder] in try await cache.query(folder).count } }
      await source.answerFetch(from: server)
      for try await count in group { #expect(count == 2) }
    }
    #expect(await source.fetchCount == 1)
    #expect(try await cache.query(folder).count == 2)
    #expect(await source.fetchCount == 1)
  }

  @Test("B26 An error reaches all waiting callers, and is not cached")
  func errors() async throws {
    let source = NoteSource()
    let cache = try NoteCache.test(source: source)
    let waiting = try await Self.waiters(3, for: folder, of: cache)
    await source.failFetch()
    for waiter in waiting {
      await #expect(throws: NoteSource.Failure.self) { try await waiter.value }
    }
    async let rows = cache.query(folder)
    await source.answerFetch(from: server)
    #expect(try await rows.map(\.key) == [.note(1), .note(2)])
    #expect(await source.fetchCount == 2)
  }

  @Test("B17 An answer to another question is a typed error for all waiting callers")
  func wrongAnswer() async throws {
    let source = NoteSource()
    let cache = try NoteCache.test(source: source)
    let waiting = try await Self.waiters(3, for: NoteQuery.starred(limit: 1).key(), of: cache)
    await source.answerFetch(
      with: FetchResponse(
        entities: [1, 2].compactMap { server.notes[.note($0)] }, hasMore: false, place: nil))
    for waiter in waiting {
      let error = await #expect(throws: ResponseError.self) { try await waiter.value }
      #expect(
        error == .tooManyRows(2, limit: 1, .query(NoteQuery.starred(limit: 1).key())))
    }
    #expect(await cache.residentEntities == 0)
  }

  @Test("B26 Cancelling one waiting caller does not cancel the others")
  func cancellation() async throws {
    let source = NoteSource()
    let cache = try NoteCache.test(source: source)
    let waiting = try await Self.waiters(3, for: folder, of: cache)
    waiting[1].cancel()
    await #expect(throws: CancellationError.self) { try await waiting[1].value }
    await source.answerFetch(from: server)
    #expect(try await waiting[0].value.count == 2)
    #expect(try await waiting[2].value.count == 2)
    #expect(await source.fetchCount == 1)
  }

  @Test("B26 The fetch continues when all waiting callers are gone")
  func allCancelled() async throws {
    let source = NoteSource()
    let cache = try NoteCache.test(source: source)
    let waiting = try await Self.waiters(2, for: folder, of: cache)
    for waiter in waiting {
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
    }
    async let rows = cache.query(folder)
    await source.answerFetch(from: server)
    #expect(try await rows.count == 2)
    #expect(await source.fetchCount == 1)
  }

  @Test("B26 Concurrent reads of one entity make one fetch, and learn that there is none")
  func entities() async throws {
    let source = NoteSource()
    let cache = try NoteCache.test(source: source)
    async let missing = cache.fetchEntity(.note(77), library: .test)
    await source.answerFetch(from: server)
    #expect(try await missing == nil)
    async let present = cache.fetchEntity(.note(1), library: .test)
    await source.answerFetch(from: server)
    #expect(try await present?.payload.title == "a")
    #expect(try await cache.fetchEntity(.note(1), library: .test)?.payload.title == "a")
    #expect(await source.fetchCount == 2)
  }

  /// Tasks that all wait for one fetch by the time this returns.
  static func waiters(
    _ count: Int, for key: QueryKey, of cache: NoteCache
  ) async throws -> [Task<[VersionedEntity<Note>], any Error>] {
    let tasks = (0..<count).map { _ in Task { try await cache.query(key) } }
    while await cache.waitingReads < count { await Task.yield() }
    return tasks
  }
}
