import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Reading outside the actor", .timeLimit(.minutes(30)))
struct QueryReaderTests {
  let cache: NoteCache
  let key = NoteQuery.folder(0).key()

  init() throws {
    let server = NoteServer(
      writing: (1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b")))
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

  @Test("A query that is no longer read is not observed")
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

/// A note whose text names another.
private struct Memo: CachedResource, Hashable {
  static let resourceType = NoteSchema.noteType

  var title: String
  var next: EntityReference<Memo>?

  init?(_ entity: VersionedEntity<Note>) {
    guard !entity.payload.title.isEmpty else { return nil }
    title = entity.payload.title
    next = UniqueID(entity.payload.text).map { EntityReference($0, in: .test) }
  }
}

@Suite("References that are resolved when needed", .timeLimit(.minutes(30)))
struct EntityReferenceTests {
  let host: NoteHost
  let cache: NoteCache

  init() throws {
    var server = NoteServer(
      writing: (1, Note(folder: 0, title: "one", text: "\(EntityKey.note(2).id)")))
    server.write((2, Note(folder: 0, title: "two", text: "\(EntityKey.note(3).id)")))
    server.write((4, Note(folder: 0, title: "")))
    host = NoteHost(server)
    cache = try NoteCache(
      composition: .test(), schema: NoteSchema(), source: host, clock: ManualClock())
  }

  private func reference(_ number: Int) -> EntityReference<Memo> {
    EntityReference(EntityKey.note(number).id, in: .test)
  }

  @Test("A reference is fetched once, then read from the cache; it follows events")
  func resolving() async throws {
    let one = try #require(try await reference(1).resolve(in: cache))
    #expect(one.title == "one")
    #expect(await host.fetchCount == 1)
    let next = try #require(one.next)
    #expect(try await next.cached(in: cache) == nil)
    #expect(try await next.resolve(in: cache)?.title == "two")
    #expect(try await next.resolve(in: cache)?.title == "two")
    #expect(await host.fetchCount == 2)

    await cache.updateEntity(
      VersionedEntity(
        key: .note(2), version: Version(clock: 99, device: 1),
        payload: Note(folder: 0, title: "renamed")), library: .test)
    #expect(try await next.resolve(in: cache)?.title == "renamed")
    #expect(try await next.cached(in: cache)?.title == "renamed")
    #expect(await host.fetchCount == 2)
  }

  @Test("A reference to a missing entity dangles, without an error")
  func dangling() async throws {
    #expect(try await reference(2).resolve(in: cache)?.next?.resolve(in: cache) == nil)
  }

  @Test("B26 Concurrent resolutions make one fetch, whose error reaches all")
  func sharing() async throws {
    await host.hold(true)
    let resolving = (0..<5).map { _ in
      Task { [cache] in try await reference(1).resolve(in: cache) }
    }
    try await until { await cache.waitingReads == 5 }
    await host.setReachable(false)
    await host.hold(false)
    for task in resolving {
      await #expect(throws: NoteHost.OutOfReach.self) { try await task.value }
    }
    #expect(await host.fetchCount == 1)
  }

  @Test("B17 An entity that is something else is a typed error")
  func mismatch() async throws {
    let error = await #expect(throws: ResourceTypeMismatch.self) {
      try await reference(4).resolve(in: cache)
    }
    #expect(error?.key == .note(4))
    #expect(error?.description.contains("cannot be read as resource type 1") == true)
  }

  @Test("References are equal if they name the same entity")
  func equality() {
    #expect(reference(1) == reference(1))
    #expect(reference(1) != reference(2))
    #expect(reference(1).key == .note(1))
  }
}
