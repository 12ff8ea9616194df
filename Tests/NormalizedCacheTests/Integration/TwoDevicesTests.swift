import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@MainActor
@Suite("Integration: what one device does, the other one sees", .timeLimit(.minutes(30)))
struct TwoDevicesTests {
  @Test("A note that device A creates reaches device B's cache, observer, stream and view")
  func creation() async throws {
    var server = NoteServer()
    server.write((1, Note(folder: 0, title: "old")))
    let host = NoteHost(server)
    let a = try await Device(host: host)
    let b = try await Device(host: host)
    let folder = NoteQuery.folder(0).key()

    let view = b.titles(.folder(0))
    let elsewhere = b.titles(.folder(1))
    for client in [view, elsewhere] {
      client.start()
      try await until { client.hasResult }
    }
    let calls = Counter()
    let observation = await b.cache.observe(folder) { _, _ in calls.increment() }
    var updates = await b.cache.updates(of: folder).makeAsyncIterator()
    #expect(await updates.next()?.rows.map(\.payload.title) == ["old"])
    _ = try await a.cache.query(folder)
    let fetches = await host.fetchCount

    // A asks the server, and shows the answer before the event is there.
    await host.write((2, Note(folder: 0, title: "new")))
    let created = try #require(await host.server.notes[.note(2)])
    await a.cache.updateEntity(created, library: .test)
    #expect(await a.cache.rows(of: folder).map(\.payload.title) == ["new", "old"])

    try await until { view.data == ["new", "old"] }
    #expect(await updates.next()?.rows.map(\.payload.title) == ["new", "old"])
    #expect(calls.value == 2)
    #expect(await b.cache.entity(.note(2)) == created)
    #expect(elsewhere.data == [])
    try await a.applied(1)
    #expect(await a.cache.rows(of: folder).map(\.payload.title) == ["new", "old"])
    // Everything was told by the event: nobody asked again.
    #expect(await host.fetchCount == fetches)
    await observation.cancel()
  }

  @Test("A rename and a move by A are seen in every list of B's, and a deletion")
  func changes() async throws {
    var server = NoteServer()
    server.write(
      (1, Note(folder: 0, title: "a", isStarred: true)), (2, Note(folder: 0, title: "b")))
    let host = NoteHost(server)
    let b = try await Device(host: host)
    let folders = [b.titles(.folder(0)), b.titles(.folder(1))]
    let starred = b.titles(.starred(limit: 10))
    for client in folders + [starred] {
      client.start()
      try await until { client.hasResult }
    }
    await host.write((1, Note(folder: 0, title: "z", isStarred: true)))
    try await until { folders[0].data == ["b", "z"] && starred.data == ["z"] }
    await host.write((1, Note(folder: 1, title: "z", isStarred: true)))
    try await until { folders[0].data == ["b"] && folders[1].data == ["z"] }
    await host.delete(.note(1))
    try await until { folders[1].data == [] && starred.data == [] }
    #expect(await host.fetchCount == 3)
  }
}
