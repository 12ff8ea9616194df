import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Effects of events and answers on cached lists")
struct PlacingTests {
  /// Five starred notes, "0" to "4".
  private static func server() -> NoteServer {
    var server = NoteServer()
    for number in 0..<5 {
      server.write((number, Note(folder: number % 2, title: "\(number)", isStarred: true)))
    }
    return server
  }

  private let window = NoteQuery.starred(limit: 3)

  // MARK: Events that an answer shows

  @Test("B18 An event that the answer of a full list shows notifies no row", arguments: 0..<3)
  func shown(number: Int) throws {
    var server = Self.server()
    var client = try NoteClient()
    client.heartbeat(from: server)
    let event = server.write(
      (number, Note(folder: 0, title: "\(number)", isStarred: true, text: "new")))
    client.observe(window, from: server)
    _ = client.takeNotified()
    client.receive(event)
    #expect(client.fetches.isEmpty)
    #expect(client.isFresh(window) == true)
    #expect(client.takeNotified() == [])
  }

  @Test(
    "B18 An answer to another query corrects an older list, and the event adds nothing but doubt")
  func shownElsewhere() throws {
    var server = Self.server()
    var client = try NoteClient()
    client.heartbeat(from: server)
    client.observe(window, from: server)
    let event = server.write((2, Note(folder: 0, title: "05", isStarred: true)))
    client.observe(.folder(0), from: server)
    #expect(client.rows(of: window) == [0, 2, 1], "moved by the answer to the folder")
    client.receive(event)
    #expect(client.fetches.isEmpty, "it stands between two rows")
    #expect(client.isFresh(window) == true)
  }

  // MARK: What answers bring

  @Test("B18 Rows of an answer move in other lists and leave them, and enter none")
  func answers() throws {
    var server = Self.server()
    var client = try NoteClient()
    client.heartbeat(from: server)
    client.observe(.folder(1), from: server)
    client.observe(.starred(limit: 9), from: server)
    #expect(client.rows(of: .folder(1)) == [1, 3])
    // The events of these are on their way: 1 moves, 3 leaves, 5 is new.
    let events = [
      server.write((1, Note(folder: 1, title: "9", isStarred: true))),
      server.write((3, Note(folder: 0, title: "3", isStarred: true))),
      server.write((5, Note(folder: 1, title: "5", isStarred: true))),
    ]
    client.store.invalidate(NoteQuery.starred(limit: 9).key(), at: client.now)
    client.answerAll(from: server)
    #expect(client.rows(of: .starred(limit: 9)) == [0, 2, 3, 4, 5, 1])
    #expect(client.rows(of: .folder(1)) == [1], "5 enters with its event")
    for event in events { client.receive(event) }
    #expect(client.rows(of: .folder(1)) == [5, 1])
    #expect(client.fetches.isEmpty)
  }

  // MARK: Finding the place

  @Test("B18 A row whose order has not changed stays, also as the last of a full window")
  func unchangedKey() throws {
    var server = Self.server()
    var client = try NoteClient()
    client.observe(window, from: server)
    client.receive(server.write((2, Note(folder: 1, title: "2", isStarred: true, text: "new"))))
    #expect(client.rows(of: window) == [0, 1, 2])
    #expect(client.fetches.isEmpty)
  }

  @Test(
    "B18 If the last row of a full window moves, even among its neighbours, the list is stale")
  func lastRow() throws {
    var server = Self.server()
    var client = try NoteClient()
    client.observe(window, from: server)
    client.receive(server.write((2, Note(folder: 0, title: "25", isStarred: true))))
    #expect(client.fetches.count == 1, "a row beyond the window may come first")
    var whole = try NoteClient()
    whole.observe(.starred(limit: 9), from: server)
    whole.receive(server.write((4, Note(folder: 0, title: "45", isStarred: true))))
    #expect(whole.rows(of: .starred(limit: 9)) == [0, 1, 2, 3, 4])
    #expect(whole.fetches.isEmpty, "nothing is beyond it")
  }

  @Test("B18 The place is found by bisection, and only a row that is compared needs a value")
  func bisection() throws {
    // Among five rows the third, the fifth and the fourth are compared.
    for (missing, isFound) in [(0, true), (1, true), (2, false), (3, false), (4, false)] {
      var server = Self.server()
      var client = try NoteClient(
        .test(capacity: Capacity(entities: 5), eventAdmission: .updateOnly))
      client.observe(.starred(limit: 9), from: server)
      for number in 0..<5 where number != missing {
        _ = client.store.readEntity(.note(number), library: .test, at: client.now)
      }
      client.write(90, Note(folder: 9, title: "x"), clock: 1_000)
      #expect(client.residents == (0..<5).filter { $0 != missing } + [90])
      client.receive(server.write((7, Note(folder: 0, title: "25", isStarred: true))))
      #expect(client.fetches.isEmpty == isFound, "without \(missing)")
      let keys = client.store.members(of: NoteQuery.starred(limit: 9).key()) ?? []
      #expect(keys.count == (isFound ? 6 : 5), "without \(missing)")
    }
  }
}
