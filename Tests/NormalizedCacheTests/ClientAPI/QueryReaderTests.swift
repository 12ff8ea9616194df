import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Reading beside the actor", .timeLimit(.minutes(30)))
struct QueryReaderTests {
  let cache: NoteCache
  let key = NoteQuery.folder(0).key()

  init() throws {
    var server = NoteServer()
    server.write((1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b")))
    cache = try NoteCache(
      composition: .test(), schema: NoteSchema(), source: NoteHost(server), clock: ManualClock())
  }

  private func change(_ number: Int, to title: String, clock: UInt64) async {
    await cache.updateEntity(
      VersionedEntity(
        key: .note(number), version: Version(clock: clock, device: 1),
        payload: Note(folder: 0, title: title)), library: .test)
  }

  @Test("The cache is asked once for each change, however often is read")
  func asksOnce() async throws {
    _ = try await cache.query(key)
    let reader = await QueryReader(key, in: cache)
    for _ in 0..<5 {
      #expect(await reader.rows().map(\.payload.title) == ["a", "b"])
    }
    #expect(reader.readings == 1)
    await change(1, to: "a2", clock: 99)
    for _ in 0..<5 {
      #expect(await reader.rows().map(\.payload.title) == ["a2", "b"])
    }
    #expect(reader.readings == 2)
    // Two changes and no read between them are one reading.
    await change(1, to: "a3", clock: 100)
    await change(2, to: "b3", clock: 101)
    #expect(await reader.rows().map(\.payload.title) == ["a3", "b3"])
    #expect(reader.readings == 3)
  }

  @Test("Readers of their own see every change that was made before they read")
  func readers() async throws {
    _ = try await cache.query(key)
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { [cache] in
          let reader = await QueryReader(key, in: cache)
          for clock in UInt64(200)..<260 {
            await change(1, to: "a\(clock)", clock: clock)
            // Another task may have made a later one.
            let title = await reader.rows().first?.payload.title ?? ""
            #expect((Int(title.dropFirst()) ?? 0) >= Int(clock))
          }
        }
      }
    }
  }

  @Test("What nobody reads any more is not observed")
  func letGo() async throws {
    _ = try await cache.query(key)
    do {
      let reader = await QueryReader(key, in: cache)
      _ = await reader.rows()
      #expect(await cache.isObserved(key))
    }
    try await until { await !cache.isObserved(key) }
    let reader = await QueryReader(key, in: cache)
    _ = await reader.rows()
    await reader.stop()
    await change(1, to: "later", clock: 300)
    #expect(await reader.rows().first?.payload.title == "a")
  }
}
