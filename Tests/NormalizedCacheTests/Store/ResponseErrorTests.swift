import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Answers that are none to what was asked")
struct ResponseErrorTests {
  let folder = NoteQuery.folder(0)

  private static func row(_ number: Int, type: UInt16 = 1) -> VersionedEntity<Note> {
    VersionedEntity(
      key: EntityKey(
        type: ResourceType(rawValue: type), id: UniqueID(high: 0, low: UInt64(number))),
      version: Version(clock: 5, device: 1), payload: Note(folder: 0, title: "\(number)"))
  }

  struct Fault: Sendable {
    var target: FetchTarget
    var response: FetchResponse<Note>
    var message: String
  }

  static let faults: [Fault] = [
    Fault(
      target: .query(NoteQuery.folder(0).key()),
      response: FetchResponse(entities: [row(1), row(7, type: 3)], hasMore: false, place: nil),
      message: "in row 1 the entity 00000000-0000-0000-0000-000000000007 of type 3"),
    Fault(
      target: .query(NoteQuery.live.key()),
      response: FetchResponse(entities: [row(7, type: 3)], hasMore: false, place: nil),
      message: "its plan names [1, 2]"),
    Fault(
      target: .query(NoteQuery.starred(limit: 2).key()),
      response: FetchResponse(entities: [row(1), row(2), row(3)], hasMore: false, place: nil),
      message: "has 3 rows, at most 2 were asked for"),
    Fault(
      target: .entity(.note(1)),
      response: FetchResponse(entities: [row(2)], hasMore: false, place: nil),
      message: "is the entity 00000000-0000-0000-0000-000000000002"),
    Fault(
      target: .entity(.note(1)),
      response: FetchResponse(entities: [row(1), row(1)], hasMore: false, place: nil),
      message: "has 2 rows, at most 1"),
    Fault(
      target: .query(NoteQuery.folder(0).key()),
      response: .notModified(at: NoteServer().place), message: "though the request set no condition"
    ),
  ]

  @Test(
    "B17 A wrong answer is a typed error with place and remedy, and nothing of it is kept",
    arguments: faults)
  func rejected(fault: Fault) throws {
    var client = try NoteClient()
    switch fault.target {
    case .query(let key): client.read(key)
    case .entity(let key):
      _ = client.store.readEntity(key, library: .test, at: client.now)
      client.collect()
    }
    let ending = client.complete(client.takeFetch().id, with: fault.response)
    guard case .rejected(let error) = ending else {
      Issue.record("\(ending)")
      return
    }
    #expect(error.description.contains(fault.message) == true, "\(error)")
    #expect(client.residents == [])
    #expect(client.store.cachedQueries == 0)
    client.store.checkInvariants()
  }

  @Test("B17 A wrong answer leaves what there was, and counts as a failed fetch")
  func keepsData() throws {
    let server = FreshnessTests.server()
    var client = try NoteClient(
      .test(freshness: Freshness(timeToLive: .seconds(10), staleIfError: .seconds(5))))
    client.observe(folder, from: server)
    _ = client.takeNotified()
    let wrong = FetchResponse(entities: [Self.row(7, type: 3)], hasMore: false, place: server.place)
    client.wait(.seconds(12))
    client.read(folder)
    #expect(client.complete(client.takeFetch().id, with: wrong) == .servedExpired)
    client.wait(.seconds(3))
    client.store.invalidate(folder.key(), at: client.now)
    client.read(folder)
    #expect(client.complete(client.takeFetch().id, with: wrong) != .servedExpired)
    #expect(client.rows(of: folder) == [1])
    #expect(client.takeNotified() == [])
    client.store.checkInvariants()
  }
}
