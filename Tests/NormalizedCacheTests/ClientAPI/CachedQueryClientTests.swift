package import CacheModel
import CacheTestSupport
package import FaultSearch
import NormalizedCache
import Observation
import Testing

extension Note: CachedResource {
  package static let resourceType = NoteSchema.noteType
}

@MainActor
@Suite("A query for a view", .timeLimit(.minutes(30)))
struct CachedQueryClientTests {
  typealias Titles = CachedQueryClient<NoteSchema, String>

  let folder = NoteQuery.folder(0).key()
  let host: NoteHost
  let cache: NoteCache

  init() throws {
    let server = NoteServer(
      writing: (1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b")))
    host = NoteHost(server)
    cache = try NoteCache(
      composition: .test(retention: .referenceCountObserved), schema: NoteSchema(), source: host,
      clock: ManualClock())
  }

  func titles(_ query: NoteQuery = .folder(0)) -> Titles {
    CachedQueryClient(query.key(), in: cache, reading: \.title)
  }

  /// Tells the cache of a change at the server, as an event would.
  func write(_ number: Int, _ note: Note) async {
    await host.write((number, note))
    if let last = await host.server.log.last { await cache.receive(last) }
  }

  @Test("B23 Lists that displace each other are notified of returned rows, and request none")
  func withoutSpace() async throws {
    for number in 1...3 {
      await host.write((number, Note(folder: 0, title: "\(number)", isStarred: true)))
    }
    let cache = try NoteCache(
      composition: .test(capacity: Capacity(entities: 2)), schema: NoteSchema(), source: host,
      clock: ManualClock())
    let clients = [NoteQuery.folder(0), .starred(limit: 9)].map {
      Titles($0.key(), in: cache, reading: \.title)
    }
    for client in clients {
      client.start()
      try await until { !client.isLoading }
    }
    for title in ["x", "y", "z"] {
      for number in 1...3 {
        await host.write((number, Note(folder: 0, title: title, isStarred: true)))
        if let last = await host.server.log.last { await cache.receive(last) }
      }
      try await until { clients.allSatisfy { $0.data == [title, title] } }
    }
    #expect(clients.allSatisfy { !$0.isComplete })
    #expect(await host.fetchCount == 2)
  }

  @Test("It loads, shows the rows, follows events, and can be stopped")
  func lifetime() async throws {
    let client = titles()
    #expect(client.isLoading)
    #expect(await host.fetchCount == 0)
    client.start()
    try await until { !client.isLoading }
    #expect(client.data == ["a", "b"])
    #expect(client.isComplete && client.hasResult && !client.isStale && client.error == nil)
    await write(1, Note(folder: 0, title: "c"))
    try await until { client.data == ["b", "c"] }

    client.stop()
    try await until { await !cache.isObserved(folder) }
    await write(1, Note(folder: 0, title: "d"))
    #expect(client.data == ["b", "c"])
    client.start()
    try await until { client.data == ["b", "d"] }
    #expect(await host.fetchCount == 2)
  }

  @Test("The first use of the rows starts it; stopped, it is not started by use")
  func firstUse() async throws {
    let client = titles()
    #expect(client.data == [])
    try await until { client.data == ["a", "b"] }
    let other = titles()
    other.stop()
    #expect(!other.isLoading)
    #expect(other.data == [])
    #expect(other.isLoading == false)
  }

  @Test("While it is not wanted nothing is followed and nothing fetched")
  func disabled() async throws {
    let client = Titles(folder, in: cache, isEnabled: false, reading: \.title)
    #expect(!client.isLoading && client.data == [])
    client.start()
    await Task.yield()
    #expect(await host.fetchCount == 0)
    #expect(await !cache.isObserved(folder))

    client.isEnabled = true
    #expect(client.isLoading)
    try await until { client.data == ["a", "b"] }
    client.isEnabled = false
    #expect(client.data == ["a", "b"] && !client.isLoading)
    try await until { await !cache.isObserved(folder) }
    client.isEnabled = true
    try await until { client.hasResult && !client.isLoading }
    client.stop()
    client.isEnabled = false
    client.isEnabled = true
    #expect(!client.isLoading)
    #expect(await host.fetchCount == 2)
  }

  @Test("A placeholder replaces the rows until there is a result, even an empty one")
  func placeholder() async throws {
    await host.hold(true)
    let client = Titles(folder, in: cache, placeholder: ["…", "…"], reading: \.title)
    #expect(client.data == ["…", "…"] && client.isPlaceholder && !client.hasResult)
    await host.hold(false)
    try await until { client.data == ["a", "b"] }
    #expect(!client.isPlaceholder)
    let empty = Titles(NoteQuery.folder(9).key(), in: cache, placeholder: ["…"], reading: \.title)
    #expect(empty.data == ["…"])
    try await until { empty.data == [] }
    #expect(empty.hasResult && !empty.isPlaceholder)
  }

  @Test(
    "Views learn that there is more when a row comes beyond a full list, and when it is pending")
  func hasMore() async throws {
    for number in 1...3 {
      await write(number, Note(folder: 0, title: "\(number)", isStarred: true))
    }
    let client = titles(.starred(limit: 3))
    client.start()
    try await until { client.hasResult }
    #expect(client.data == ["1", "2", "3"] && !client.hasMore)
    await cache.setOnline(false)
    try await cache.enqueue(
      NoteMutation(
        token: .mutation(1), library: .test,
        edits: [.create(.temporary(1), Note(folder: 0, title: "0", isStarred: true))]))
    try await until { client.data == ["0", "1", "2"] && client.hasMore }
    await cache.setOnline(true)
    try await until { await cache.outbox.isEmpty }
    if let last = await host.server.log.last { await cache.receive(last) }

    let full = titles(.starred(limit: 4))
    full.start()
    try await until { full.hasResult }
    #expect(full.data == ["0", "1", "2", "3"] && !full.hasMore)
    await write(4, Note(folder: 0, title: "4", isStarred: true))
    try await until { full.hasMore }
    #expect(full.data == ["0", "1", "2", "3"])
  }

  @Test("A cleared library leaves no rows on screen, though they cannot be fetched again")
  func cleared() async throws {
    let client = titles()
    client.start()
    try await until { client.data == ["a", "b"] }
    await host.setReachable(false)
    await cache.clear(library: .test)
    try await until { client.data.isEmpty }
    #expect(!client.hasResult && !client.isComplete)
    await host.setReachable(true)
    await client.refresh()
    try await until { client.data == ["a", "b"] }
  }

  @Test("B19 An empty result is a result")
  func empty() async throws {
    let client = titles(.folder(9))
    client.start()
    #expect(!client.hasResult)
    try await until { client.hasResult }
    #expect(client.data == [])
    #expect(client.isComplete && !client.isLoading)
  }

  @Test("B17 A refused answer is reported like a failed fetch, and forgotten the same way")
  func refusedAnswer() async throws {
    let source = NoteSource()
    let cache = try NoteCache.test(source: source)
    let key = NoteQuery.starred(limit: 1).key()
    let client = Titles(key, in: cache, reading: \.title)
    client.start()
    let notes = await host.server.notes
    await source.answerFetch(
      with: FetchResponse(
        entities: [1, 2].compactMap { notes[.note($0)] }, hasMore: false, place: nil))
    try await until { client.error != nil && !client.isLoading }
    #expect(client.error as? ResponseError == .tooManyRows(2, limit: 1, .query(key)))
    #expect(!client.hasResult && client.data == [])

    let refreshed = Task { await client.refresh() }
    await source.answerFetch(with: FetchResponse(entities: [], hasMore: false, place: nil))
    await refreshed.value
    try await until { client.hasResult }
    #expect(client.error == nil)
  }

  @Test("A failed fetch is reported, keeps the shown rows, and is forgotten when one succeeds")
  func failure() async throws {
    await host.setReachable(false)
    let client = titles()
    client.start()
    try await until { client.error != nil }
    #expect(client.error is NoteHost.OutOfReach)
    try await until { !client.isLoading }
    #expect(!client.hasResult && client.data == [])

    await host.setReachable(true)
    await client.refresh()
    #expect(client.error == nil)
    #expect(client.data == ["a", "b"])

    await host.setReachable(false)
    await client.refresh()
    #expect(client.error is NoteHost.OutOfReach)
    #expect(client.data == ["a", "b"])
    #expect(client.isStale && !client.isLoading)
    await host.setReachable(true)
    await client.refresh()
    #expect(client.error == nil && !client.isStale)
  }

  @Test("B23 While it is fetched again the rows stay, stale")
  func refreshing() async throws {
    let client = titles()
    client.start()
    try await until { client.hasResult }
    await host.hold(true)
    let refreshing = Task { await client.refresh() }
    try await until { client.isLoading && client.isStale }
    #expect(client.data == ["a", "b"])
    await host.hold(false)
    await refreshing.value
    #expect(!client.isLoading && !client.isStale)
    #expect(await host.fetchCount == 2)
  }

  @Test("B38 It is stale while events are missing, and not after they have come")
  func gap() async throws {
    let client = titles()
    client.start()
    try await until { client.hasResult }
    await host.write((3, Note(folder: 0, title: "c")))
    await host.write((4, Note(folder: 1, title: "d")))
    let log = await host.server.log
    await cache.receive(log[0])
    await cache.receive(log[2])
    try await until { client.isStale }
    await cache.receive(log[1])
    try await until { !client.isStale }
    #expect(client.data == ["a", "b", "c"])
  }

  @Test("A query that changes shows the former rows until the new ones are there")
  func turning() async throws {
    await host.write((5, Note(folder: 1, title: "z")))
    let client = titles()
    client.start()
    try await until { client.hasResult }
    await host.hold(true)
    client.turn(to: NoteQuery.folder(2).key())
    client.turn(to: NoteQuery.folder(1).key())
    #expect(client.isLoading && client.data == ["a", "b"])
    try await until { await cache.isObserved(NoteQuery.folder(1).key()) }
    await write(1, Note(folder: 0, title: "c"))
    try await until { client.data == ["b", "c"] }
    await host.hold(false)
    try await until { client.data == ["z"] }
    try await until { !client.isLoading }
    for number in [0, 2] {
      try await until { await !cache.isObserved(NoteQuery.folder(number).key()) }
    }
  }

  @Test("A change whose fetch fails keeps the shown rows, and says why")
  func turningFails() async throws {
    let client = titles()
    client.start()
    try await until { client.hasResult }
    await host.setReachable(false)
    client.turn(to: NoteQuery.folder(1).key())
    try await until { client.error != nil && !client.isLoading }
    #expect(client.data == ["a", "b"])
    await host.setReachable(true)
    await client.refresh()
    #expect(client.data == [] && client.error == nil)
  }

  @Test("Rows are read as the app's types; others are left out and reported")
  func types() async throws {
    let notes = CachedQueryClient(folder, in: cache, as: Note.self)
    notes.start()
    try await until { notes.hasResult }
    #expect(notes.data.map(\.title) == ["a", "b"])

    struct Unreadable: Error {}
    let partly = CachedQueryClient(folder, in: cache) { row in
      guard row.payload.title != "a" else { throw Unreadable() }
      return row.key
    }
    partly.start()
    try await until { partly.hasResult }
    #expect(partly.data == [.note(2)])
    #expect(partly.error is Unreadable)
    #expect(!partly.isComplete)
    await write(1, Note(folder: 0, title: "c"))
    try await until { partly.error == nil }
    #expect(partly.data == [.note(2), .note(1)])
  }

  @Test("A view is notified when its rows change, and not of a fetch that changes none")
  func observation() async throws {
    let client = titles()
    client.start()
    try await until { client.hasResult && !client.isLoading }
    let told = Counter()
    withObservationTracking {
      _ = client.data
    } onChange: {
      told.increment()
    }
    await host.hold(true)
    await cache.invalidate(folder)
    try await until { client.isLoading }
    await host.hold(false)
    try await until { !client.isLoading }
    #expect(await host.fetchCount == 2)
    #expect(told.value == 0)
    await write(1, Note(folder: 0, title: "c"))
    try await until { client.data == ["b", "c"] }
    #expect(told.value == 1)
  }
}
