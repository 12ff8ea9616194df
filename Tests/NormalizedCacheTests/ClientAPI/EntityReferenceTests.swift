import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

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
    var server = NoteServer()
    server.write((1, Note(folder: 0, title: "one", text: "\(EntityKey.note(2).id)")))
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

  @Test("A reference to what does not exist dangles, without an error")
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

  @Test("References are equal by what they name")
  func equality() {
    #expect(reference(1) == reference(1))
    #expect(reference(1) != reference(2))
    #expect(reference(1).key == .note(1))
  }
}
