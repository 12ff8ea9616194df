import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Items that cannot be decoded")
struct UndecodableTests {
  /// Folder 0 lists the notes 1 and 2, folder 1 lists note 3; both are observed.
  private static func client(of server: inout NoteServer) throws -> NoteClient {
    server.write(
      (1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b")),
      (3, Note(folder: 1, title: "c")))
    var client = try NoteClient()
    client.observe(.folder(0), from: server)
    client.observe(.folder(1), from: server)
    return client
  }

  private static func note(_ number: Int, _ note: Note, clock: UInt64) -> VersionedEntity<Note> {
    VersionedEntity(key: .note(number), version: Version(clock: clock, device: 1), payload: note)
  }

  private static func item(_ number: Int?) -> UndecodableItem {
    UndecodableItem(type: NoteSchema.noteType, id: number.map { EntityKey.note($0).id })
  }

  @Test("B41 An item that cannot be decoded costs itself and the lists that hold it")
  func known() throws {
    var server = NoteServer()
    var client = try Self.client(of: &server)
    let event = server.publish(
      .partlyDecoded(
        [Self.note(3, Note(folder: 1, title: "new"), clock: 90)],
        undecodable: [Self.item(1), Self.item(77)]))
    client.receive(event)
    #expect(client.store.cursor(of: server.stream) == server.place.position)
    #expect(client.store.peek(.note(3))?.payload.title == "new")
    #expect(client.store.statistics.itemsUndecodable == 2)
    #expect(client.fetches.map(\.target) == [.query(NoteQuery.folder(0).key())])
    #expect(client.rows(of: .folder(0)) == [1, 2], "the data stays")
    #expect(client.isFresh(.note(1)) == false)
    #expect(client.isFresh(.note(2)) == true)
    #expect(client.isFresh(.folder(1)) == true)
    client.answerAll(from: server)
    #expect(client.isFresh(.folder(0)) == true)
    #expect(client.isFresh(.note(1)) == true)
    client.store.checkInvariants()
  }

  @Test("B41 An item that an answer was ahead of makes stale the lists that it was to tell of it")
  func aheadOfEvents() throws {
    var server = NoteServer()
    var client = try NoteClient()
    client.observe(.starred(limit: 9), from: server)
    let first = server.write((1, Note(folder: 0, title: "a", isStarred: true)))
    server.change([(.note(1), Note(folder: 0, title: "b", isStarred: true))])
    let second = server.publish(.partlyDecoded([], undecodable: [Self.item(1)]))
    _ = client.load(.folder(0), from: server)
    // Its value is newer than the first event; the second could have told that it was starred.
    client.receive(first)
    client.receive(second)
    #expect(client.isFresh(.starred(limit: 9)) == false)
    client.answerAll(from: server)
    #expect(client.rows(of: .starred(limit: 9)) == [1])
    #expect(client.isFresh(.starred(limit: 9)) == true)
  }

  @Test("B41 An item of which only the type is known makes stale what may list the type")
  func unknown() throws {
    var server = NoteServer()
    var client = try Self.client(of: &server)
    client.receive(server.publish(.partlyDecoded([], undecodable: [Self.item(nil)])))
    #expect(client.fetches.count == 2)
    #expect(client.isFresh(.note(3)) == false)
    client.receive(server.write((4, Note(folder: 1, title: "d"))))
    #expect(client.store.cursor(of: server.stream) == server.place.position)
  }

  @Test("B41 The entity stays in doubt until a newer version, or an answer that was read later")
  func endOfDoubt() throws {
    var server = NoteServer()
    var client = try Self.client(of: &server)
    let known = server.log[0].event
    func doubt() { client.receive(server.publish(.partlyDecoded([], undecodable: [Self.item(1)]))) }
    doubt()
    // A second channel repeats what was known before.
    client.store.receive(
      EventEnvelope(place: nil, event: known), library: .test, at: client.now)
    #expect(client.isFresh(.note(1)) == false)
    #expect(
      client.store.readEntity(.note(1), library: .test, at: client.now).outcome == .missInvalidated)
    client.answerAll(from: server)
    #expect(client.isFresh(.note(1)) == true, "the answer shows what the event told")
    doubt()
    client.receive(server.write((1, Note(folder: 0, title: "newer"))))
    #expect(client.isFresh(.note(1)) == true)
  }

  @Test("B41 An answer that was read before the item came does not end the doubt")
  func duringFetch() throws {
    var server = NoteServer()
    var client = try Self.client(of: &server)
    client.store.invalidate(NoteQuery.folder(0).key(), at: client.now)
    client.collect()
    let fetch = client.takeFetch()
    let before = server.answer(fetch.target)
    client.receive(server.publish(.partlyDecoded([], undecodable: [Self.item(1)])))
    client.complete(fetch.id, with: before)
    #expect(client.isFresh(.folder(0)) == false)
    #expect(client.isFresh(.note(1)) == false)
    client.answerAll(from: server)
    #expect(client.isFresh(.folder(0)) == true)
    #expect(client.isFresh(.note(1)) == true)
  }
}
