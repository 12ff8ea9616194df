import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Observers: callbacks and streams")
struct ObserverTests {
  let folder = NoteQuery.folder(0).key()

  /// Collects on the cache's own actor, where callbacks run.
  final class Record: Sendable {
    private nonisolated(unsafe) var lines: [String] = []

    func add(_ line: String, on cache: isolated NoteCache) { lines.append(line) }

    func lines(on cache: isolated NoteCache) -> [String] { lines }
  }

  static func server() -> NoteServer {
    NoteServer(writing: (1, Note(folder: 0, title: "a")))
  }

  /// A cache that holds the folder.
  static func loaded(
    from server: NoteServer, _ source: NoteSource
  ) async throws -> NoteCache {
    let cache = try NoteCache.test(source: source)
    async let rows = cache.query(NoteQuery.folder(0).key())
    await source.answerFetch(from: server)
    _ = try await rows
    return cache
  }

  static func titles(_ key: QueryKey, in cache: isolated NoteCache) -> String {
    cache.rows(of: key).map(\.payload.title).joined(separator: ",")
  }

  @Test("B31 Observing delivers the current value immediately, and every commit after it")
  func current() async throws {
    var server = Self.server()
    let cache = try await Self.loaded(from: server, NoteSource())
    let record = Record()
    let observation = await cache.observe(folder) { cache, key in
      record.add(Self.titles(key, in: cache), on: cache)
    }
    #expect(await record.lines(on: cache) == ["a"])
    for title in ["b", "b", "c"] {
      await cache.receive(server.write((1, Note(folder: 0, title: title))))
    }
    #expect(await record.lines(on: cache) == ["a", "b", "c"])
    await observation.cancel()
  }

  @Test("B31 An observer that a callback adds is told of the write that the callback made before")
  func nested() async throws {
    var server = Self.server()
    let cache = try await Self.loaded(from: server, NoteSource())
    let record = Record()
    let key = folder
    let observation = await cache.observe(folder) { cache, _ in
      guard Self.titles(key, in: cache) == "b", record.lines(on: cache).isEmpty else { return }
      record.add("written", on: cache)
      cache.updateEntity(
        VersionedEntity(
          key: .note(1), version: Version(clock: .max, device: 1),
          payload: Note(folder: 0, title: "c")), library: .test)
      _ = cache.observe(key) { cache, key in record.add(Self.titles(key, in: cache), on: cache) }
    }
    await cache.receive(server.write((1, Note(folder: 0, title: "b"))))
    #expect(await record.lines(on: cache).last == "c")
    await observation.cancel()
  }

  @Test("A stream shows that more rows follow, though an answer brings the same rows")
  func more() async throws {
    var server = Self.server()
    let source = NoteSource()
    let cache = try NoteCache.test(source: source)
    let window = NoteQuery.starred(limit: 1)
    server.write((2, Note(folder: 0, title: "b", isStarred: true)))
    var updates = await cache.updates(of: window.key()).makeAsyncIterator()
    await source.answerFetch(from: server)
    while let next = await updates.next(), next.rows.isEmpty {}
    #expect(await cache.snapshot(of: window.key()).hasMore == false)
    server.write((3, Note(folder: 0, title: "c", isStarred: true)))
    await cache.invalidate(window.key())
    await source.answerFetch(from: server)
    while let next = await updates.next(), !next.hasMore {}
    #expect(await cache.snapshot(of: window.key()).hasMore)
  }

  @Test("B33 After cancel returns, no callback comes; cancelling twice does no harm")
  func cancel() async throws {
    var server = Self.server()
    let cache = try await Self.loaded(from: server, NoteSource())
    let record = Record()
    let observation = await cache.observe(folder) { cache, _ in record.add("called", on: cache) }
    let other = await cache.observe(folder) { cache, _ in record.add("other", on: cache) }
    await observation.cancel()
    await observation.cancel()
    await cache.receive(server.write((1, Note(folder: 0, title: "b"))))
    #expect(await record.lines(on: cache) == ["called", "other", "other"])
    await other.cancel()
  }

  @Test("B13 Reads in a callback see the commit; writes wait until all observers were called")
  func callbacksWrite() async throws {
    let server = Self.server()
    let cache = try await Self.loaded(from: server, NoteSource())
    let record = Record()
    let first = await cache.observe(folder) { cache, key in
      let titles = Self.titles(key, in: cache)
      record.add("first \(titles)", on: cache)
      guard titles == "b" else { return }
      cache.updateEntity(Self.note(1, "c", clock: 101), library: .test)
      record.add("still \(Self.titles(key, in: cache))", on: cache)
    }
    let second = await cache.observe(folder) { cache, key in
      record.add("second \(Self.titles(key, in: cache))", on: cache)
    }
    await cache.updateEntity(Self.note(1, "b", clock: 100), library: .test)
    #expect(
      await record.lines(on: cache) == [
        "first a", "second a", "first b", "still b", "second b", "first c", "second c",
      ])
    await first.cancel()
    await second.cancel()
  }

  @Test("B13 A write in the first callback of a subscription waits for the callback's end")
  func firstCallbackWrites() async throws {
    let server = Self.server()
    let cache = try await Self.loaded(from: server, NoteSource())
    let record = Record()
    let observation = await cache.observe(folder) { cache, key in
      record.add(Self.titles(key, in: cache), on: cache)
      cache.updateEntity(Self.note(1, "b", clock: 100), library: .test)
      record.add("end", on: cache)
    }
    #expect(await record.lines(on: cache) == ["a", "end", "b", "end"])
    await observation.cancel()
  }

  @Test("B13 An observer may begin to observe from its callback")
  func observeFromCallback() async throws {
    var server = Self.server()
    let cache = try await Self.loaded(from: server, NoteSource())
    let record = Record()
    let observation = await cache.observe(folder) { cache, key in
      let isFirst = record.lines(on: cache).isEmpty
      record.add("outer", on: cache)
      guard isFirst else { return }
      _ = cache.observe(key) { cache, _ in record.add("inner", on: cache) }
    }
    await cache.receive(server.write((1, Note(folder: 0, title: "b"))))
    #expect(await record.lines(on: cache) == ["outer", "inner", "outer", "inner"])
    await observation.cancel()
  }

  /// A number of an observed query is given again once its last observer has left.
  @Test("B31 Each observer is notified of its own query, whichever came and went before it")
  func comings() async throws {
    var server = Self.server()
    let source = NoteSource()
    let cache = try await Self.loaded(from: server, source)
    var keys = [folder]
    for number in 1..<4 {
      let key = NoteQuery.folder(number).key()
      async let rows = cache.query(key)
      await source.answerFetch(from: server)
      _ = try await rows
      keys.append(key)
    }
    let record = Record()
    func observe(_ number: Int) async -> QueryObservation {
      await cache.observe(keys[number]) { cache, key in
        record.add("\(number): \(Self.titles(key, in: cache))", on: cache)
      }
    }
    func change(_ number: Int, _ title: String) async -> [String] {
      let before = await record.lines(on: cache).count
      await cache.receive(server.write((10 + number, Note(folder: number, title: title))))
      return await Array(record.lines(on: cache).dropFirst(before))
    }
    let (zero, one) = (await observe(0), await observe(1))
    #expect(await change(0, "b") == ["0: a,b"])
    #expect(await change(1, "c") == ["1: c"])
    await zero.cancel()
    #expect(await change(0, "d") == [])
    let (three, two) = (await observe(3), await observe(2))
    #expect(await change(3, "e") == ["3: e"])
    #expect(await change(2, "f") == ["2: f"])
    #expect(await change(1, "g") == ["1: g"])
    #expect(await change(0, "h") == [])
    let again = await observe(0)
    #expect(await change(0, "i") == ["0: a,i"])
    for observation in [one, two, three, again] { await observation.cancel() }
    for number in keys.indices { #expect(await change(number, "z") == []) }
    #expect(await cache.observersAndFollowers == [0, 0])
  }

  @Test("B28 An observer of two queries never sees half of a batch")
  func atomicity() async throws {
    var server = Self.server()
    let source = NoteSource()
    let cache = try await Self.loaded(from: server, source)
    let other = NoteQuery.folder(1).key()
    async let rows = cache.query(other)
    await source.answerFetch(from: server)
    _ = try await rows
    let record = Record()
    let observation = await cache.observe(folder) { cache, key in
      record.add("\(cache.rows(of: key).count)+\(cache.rows(of: other).count)", on: cache)
    }
    await cache.receive(
      server.write((1, Note(folder: 1, title: "moved")), (2, Note(folder: 0, title: "new"))))
    #expect(await record.lines(on: cache) == ["1+0", "1+1"])
    await observation.cancel()
  }

  @Test("B32 A slow reader of a stream delays no one else, and gets the final state")
  func slowReader() async throws {
    var server = Self.server()
    let cache = try await Self.loaded(from: server, NoteSource())
    var updates = await cache.updates(of: folder).makeAsyncIterator()
    #expect(await updates.next()?.rows.map(\.payload.title) == ["a"])
    for number in 0..<1_000 {
      await cache.receive(server.write((1, Note(folder: 0, title: "\(number)"))))
    }
    #expect(await updates.next()?.rows.map(\.payload.title) == ["999"])
  }

  @Test("B31 A stream begins with the result when there is none yet, and is never half")
  func streamBeginsLate() async throws {
    let source = NoteSource()
    let cache = try NoteCache.test(source: source)
    var updates = await cache.updates(of: folder).makeAsyncIterator()
    await source.answerFetch(from: Self.server())
    let first = await updates.next()
    #expect(first?.rows.map(\.payload.title) == ["a"])
    #expect(first?.isComplete == true)
    #expect(first?.isFresh == true)
  }

  @Test("B33 A stream that is let go ends its subscription")
  func streamEnds() async throws {
    let server = Self.server()
    let cache = try await Self.loaded(from: server, NoteSource())
    do {
      var updates = await cache.updates(of: folder).makeAsyncIterator()
      _ = await updates.next()
      #expect(await cache.isObserved(folder))
    }
    while await cache.isObserved(folder) { await Task.yield() }
  }

  @Test("B33 A stream ends with its cache")
  func cacheEnds() async throws {
    let server = Self.server()
    var cache: NoteCache? = try await Self.loaded(from: server, NoteSource())
    let stream = try #require(await cache?.updates(of: folder))
    weak let gone = cache
    cache = nil
    var count = 0
    for await _ in stream { count += 1 }
    #expect(count == 0)
    #expect(gone == nil)
  }

  static func note(_ number: Int, _ title: String, clock: UInt64) -> VersionedEntity<Note> {
    VersionedEntity(
      key: .note(number), version: Version(clock: clock, device: 1),
      payload: Note(folder: 0, title: title))
  }
}

@Suite("Observations that end on release", .timeLimit(.minutes(30)))
struct ObservationTokenTests {
  private let folder = NoteQuery.folder(0).key()

  @Test("B33 The observation lasts as long as a reference to its token")
  func release() async throws {
    let cache = try NoteCache.test(source: NoteHost())
    var token: ObservationToken? = ObservationToken(await cache.observe(folder) { _, _ in })
    let other = token
    token = nil
    #expect(await cache.isObserved(folder))
    withExtendedLifetime(other) {}
    _ = consume other
    try await until { await !cache.isObserved(folder) }
  }

  @Test("B33 Cancelled, it has ended when the call returns, and letting it go does no harm")
  func cancel() async throws {
    let cache = try NoteCache.test(source: NoteHost())
    let token = ObservationToken(await cache.observe(folder) { _, _ in })
    await token.cancel()
    #expect(await !cache.isObserved(folder))
  }
}
