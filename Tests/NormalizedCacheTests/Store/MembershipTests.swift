import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Membership: lists follow their members")
struct MembershipTests {
  /// A folder of three: 1 "b", 2 "d", 3 "f".
  static func server() -> NoteServer {
    var server = NoteServer()
    server.write(
      (1, Note(folder: 0, title: "b")), (2, Note(folder: 0, title: "d")),
      (3, Note(folder: 0, title: "f")))
    return server
  }

  struct Change: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var number: Int
    /// `nil`: deleted.
    var note: Note?
    var rows: [Int]
  }

  static let changes = [
    Change(
      testDescription: "create first", number: 4, note: Note(folder: 0, title: "a"),
      rows: [4, 1, 2, 3]),
    Change(
      testDescription: "create between", number: 4, note: Note(folder: 0, title: "c"),
      rows: [1, 4, 2, 3]),
    Change(
      testDescription: "create last", number: 4, note: Note(folder: 0, title: "z"),
      rows: [1, 2, 3, 4]),
    Change(
      testDescription: "tie by key", number: 4, note: Note(folder: 0, title: "d"),
      rows: [1, 2, 4, 3]),
    Change(
      testDescription: "move in", number: 9, note: Note(folder: 0, title: "c"), rows: [1, 9, 2, 3]),
    Change(
      testDescription: "move out", number: 2, note: Note(folder: 1, title: "d"), rows: [1, 3]),
    Change(
      testDescription: "rename to the end", number: 1, note: Note(folder: 0, title: "z"),
      rows: [2, 3, 1]),
    Change(
      testDescription: "rename to the start", number: 3, note: Note(folder: 0, title: "a"),
      rows: [3, 1, 2]),
    Change(
      testDescription: "rename in place", number: 2, note: Note(folder: 0, title: "e"),
      rows: [1, 2, 3]),
    Change(
      testDescription: "star", number: 2, note: Note(folder: 0, title: "d", isStarred: true),
      rows: [1, 2, 3]),
    Change(testDescription: "delete", number: 2, note: nil, rows: [1, 3]),
    Change(
      testDescription: "elsewhere", number: 8, note: Note(folder: 5, title: "c"), rows: [1, 2, 3]),
  ]

  @Test(
    "B18 Create, move, rename, tag and delete enter, leave or reorder the lists they should",
    arguments: changes, Retention.allCases)
  func patches(change: Change, retention: Retention) throws {
    for order in CachePolicy.evictionOrders {
      var server = Self.server()
      server.write((9, Note(folder: 1, title: "x")))
      var client = try NoteClient(.test(evictionOrder: order, retention: retention))
      client.observe(.folder(0), from: server)
      _ = client.takeNotified()
      let event =
        if let note = change.note {
          server.write((change.number, note))
        } else { server.delete(.note(change.number)) }
      client.receive(event)
      #expect(client.rows(of: .folder(0)) == change.rows)
      #expect(
        client.rows(of: .folder(0))
          == server.answer(NoteQuery.folder(0).key()).entities.map { Int($0.key.id.low) })
      #expect(client.fetches.isEmpty, "nothing needs to be asked")
      #expect(client.isFresh(.folder(0)) == true)
      let concerns = change.number < 5 || change.number == 9
      #expect(client.takeNotified() == (concerns ? [NoteQuery.folder(0).key()] : []))
    }
  }

  @Test(
    "B18 Lists of unknown membership are marked stale, and an observed one is fetched",
    arguments: changes)
  func marksStale(change: Change) throws {
    var server = Self.server()
    server.write((9, Note(folder: 1, title: "x")))
    var client = try NoteClient(.test(membership: .markStale))
    client.observe(.folder(0), from: server)
    let before = server.answer(NoteQuery.folder(0).key()).entities.map(\.key)
    let event =
      if let note = change.note { server.write((change.number, note)) } else {
        server.delete(.note(change.number))
      }
    client.receive(event)
    let after = server.answer(NoteQuery.folder(0).key()).entities.map(\.key)
    let mayDiffer = before != after || change.testDescription == "rename in place"
    #expect(client.fetches.count == (mayDiffer ? 1 : 0))
    client.answerAll(from: server)
    #expect(client.rows(of: .folder(0)) == change.rows)
  }

  @Test(
    "B18 A window with rows beyond it drops the last, and is stale if it cannot be filled")
  func window() throws {
    var server = NoteServer()
    for number in 0..<5 {
      server.write((number, Note(folder: 0, title: "\(number)", isStarred: true)))
    }
    var client = try NoteClient()
    let query = NoteQuery.starred(limit: 3)
    client.observe(query, from: server)
    #expect(client.rows(of: query) == [0, 1, 2])

    client.receive(server.write((9, Note(folder: 0, title: "05", isStarred: true))))
    #expect(client.rows(of: query) == [0, 9, 1])
    #expect(client.fetches.isEmpty, "what fell out is known")

    _ = client.takeNotified()
    client.receive(server.write((8, Note(folder: 0, title: "7", isStarred: true))))
    #expect(client.takeNotified() == [], "beyond the window nothing shows")
    #expect(client.fetches.isEmpty)

    client.receive(server.delete(.note(0)))
    #expect(client.takeNotified() == [query.key()])
    #expect(client.read(query) == .coalesced, "an observed stale window is fetched at once")
    client.answerAll(from: server)
    #expect(client.rows(of: query) == [9, 1, 2])
    #expect(client.takeNotified() == [query.key()])
  }

  @Test("B16 A server's own order is kept; a change that would need it makes the list stale")
  func foreignOrder() throws {
    var server = Self.server()
    var client = try NoteClient()
    client.read(.folder(0))
    let fetch = client.takeFetch()
    var response = server.answer(fetch.target)
    response.entities.reverse()
    client.complete(fetch.id, with: response)
    #expect(client.rows(of: .folder(0)) == [3, 2, 1])

    client.receive(server.write((2, Note(folder: 0, title: "d", text: "same place"))))
    #expect(client.read(.folder(0)) == .hit, "its place cannot have changed")
    client.receive(server.delete(.note(1)))
    #expect(client.rows(of: .folder(0)) == [3, 2])
    #expect(client.read(.folder(0)) == .hit, "leaving needs no order")
    client.receive(server.write((4, Note(folder: 0, title: "a"))))
    #expect(client.rows(of: .folder(0)) == [3, 2])
    #expect(client.read(.folder(0)) == .missInvalidated)
  }

  @Test("B18 A list whose deciding rows have no value is stale, and keeps its rows meanwhile")
  func decidingRowsMissing() throws {
    var server = Self.server()
    var client = try NoteClient(.test(capacity: Capacity(entities: 0)))
    client.observe(.folder(0), from: server)
    _ = client.takeNotified()
    client.receive(server.write((2, Note(folder: 0, title: "a"))))
    #expect(client.takeNotified() == [NoteQuery.folder(0).key()])
    #expect(client.store.rows(of: NoteQuery.folder(0).key())?.count == 3)
    #expect(client.fetches.count == 1)
  }
}
