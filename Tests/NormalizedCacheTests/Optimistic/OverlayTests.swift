import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

/// Pictures: the titles of a folder's rows, in order, after each step.
@Suite("Optimistic changes over the confirmed state")
struct OverlayTests {
  let folder = NoteQuery.folder(0)

  private static func client(
    of server: NoteServer, _ composition: CachePolicy = .test(),
    observing queries: [NoteQuery] = [.folder(0)]
  ) throws -> NoteClient {
    var client = try NoteClient(composition)
    for query in queries { client.observe(query, from: server) }
    _ = client.takeNotified()
    return client
  }

  private func title(_ mutation: Int, _ number: Int, _ title: String) -> NoteMutation {
    NoteMutation(mutation, .update(.note(number), .title(title)))
  }

  @Test("B45 Rollback shows the latest confirmed value with the other pending changes on top")
  func rollback() throws {
    var server = NoteServer.titled("b")
    var client = try Self.client(of: server)
    try client.begin(title(1, 1, "c"))
    try client.begin(NoteMutation(2, .update(.note(1), .star(false))))
    #expect(client.store.peek(.note(1))?.payload == Note(folder: 0, title: "c"))
    client.receive(server.write((1, Note(folder: 0, title: "d", isStarred: true, text: "new"))))
    client.rollBack(1)
    #expect(client.store.peek(.note(1))?.payload == Note(folder: 0, title: "d", text: "new"))
    client.rollBack(2)
    #expect(client.store.peek(.note(1))?.payload.isStarred == true)
  }

  @Test("B45 A row that moves behind the last known row of a window leaves it")
  func leavesWindow() throws {
    let window = NoteQuery.starred(limit: 3)
    var server = NoteServer.titled("abcd")
    var client = try Self.client(of: server, observing: [window])
    #expect(client.titles(of: window) == "abc")
    try client.begin(title(1, 1, "z"))
    #expect(client.titles(of: window) == "bc")
    #expect(client.takeNotified() == [window.key()])
    #expect(client.store.showsMore(window.key()) == true)
    try client.begin(title(2, 1, "bb"))
    #expect(client.titles(of: window) == "bbbc", "b, bb and c")
    _ = client.takeNotified()
    client.rollBack(2)
    #expect(client.titles(of: window) == "bc")
    #expect(client.takeNotified() == [window.key()])
    client.receive(server.write((2, Note(folder: 0, title: "b", isStarred: true, text: "x"))))
    #expect(client.titles(of: window) == "bc")
    client.rollBack(1)
    #expect(client.titles(of: window) == "abc")
    // The whole list is known: the row shows at its end.
    let all = NoteQuery.starred(limit: 4)
    client.observe(all, from: server)
    try client.begin(title(3, 1, "z"))
    #expect(client.titles(of: all) == "bcdz")
  }

  @Test("B48 In a list of the server's own order a created entity shows at the end")
  func serverOrder() throws {
    let server = NoteServer.titled("abc")
    var client = try Self.client(of: server, observing: [])
    client.read(folder)
    var response = server.answer(folder.key())
    response.entities.swapAt(0, 2)
    client.complete(client.takeFetch().id, with: response)
    #expect(client.titles(of: folder) == "cba")
    try client.begin(
      NoteMutation(
        1, .create(.temporary(1), Note(folder: 0, title: "b2")),
        .update(.note(2), .title("z")), .delete(.note(3))))
    #expect(client.titles(of: folder) == "zab2")
    client.rollBack(1)
    #expect(client.titles(of: folder) == "cba")
  }

  @Test("B15 An entity with a pending change is not evicted", arguments: Retention.allCases)
  func holds(retention: Retention) throws {
    // One of them evicts the last used first, so it would not be 1.
    for order in CachePolicy.boundedOrders where order != "mru" {
      var client = try NoteClient(
        .test(evictionOrder: order, capacity: Capacity(entities: 2), retention: retention))
      client.write(1, Note(folder: 0, title: "a"), clock: 1)
      try client.begin(title(1, 1, "b"))
      for number in 2...9 { client.write(number, Note(folder: 0, title: "x"), clock: 1) }
      #expect(client.residents.contains(1), "\(order)")
      client.rollBack(1)
      for number in 2...9 { client.write(number, Note(folder: 0, title: "y"), clock: 2) }
      #expect(!client.residents.contains(1), "\(order)")
    }
  }

  @Test("B55 Pending changes are in no confirmed table")
  func confirmedOnly() throws {
    let server = NoteServer.titled("ab")
    var client = try Self.client(of: server)
    try client.begin(
      NoteMutation(
        1, .create(.temporary(1), Note(folder: 0, title: "x")), .update(.note(1), .title("y")),
        .delete(.note(2))))
    #expect(client.titles(of: folder) == "xy")
    var titles: Set<String> = []
    client.store.forEachResident { _, note in titles.insert(note.title) }
    #expect(titles == ["a", "b"])
  }

  @Test("A pending creation or deletion is read without asking the server")
  func readsOfEdited() throws {
    let server = NoteServer.titled("a")
    var client = try Self.client(of: server)
    try client.begin(
      NoteMutation(1, .create(.temporary(1), Note(folder: 0, title: "x")), .delete(.note(1))))
    let created = client.store.readEntity(.temporary(1), library: .test, at: client.now)
    #expect(created.outcome == .hit && created.entity?.payload.title == "x")
    let deleted = client.store.readEntity(.note(1), library: .test, at: client.now)
    #expect(deleted.outcome == .hit && deleted.entity == nil)
    #expect(client.store.peek(.note(1)) == nil)
  }

  @Test("A fetch's waiting callers see pending changes, even if the cache has no rows")
  func waiters() throws {
    let server = NoteServer.titled("abc")
    var client = try Self.client(of: server, .test(capacity: Capacity(entities: 0)), observing: [])
    try client.begin(
      NoteMutation(
        1, .create(.temporary(1), Note(folder: 0, title: "bb")), .update(.note(1), .title("z")),
        .delete(.note(3))))
    client.read(folder)
    let fetch = client.takeFetch()
    let response = server.answer(folder.key())
    client.complete(fetch.id, with: response)
    let rows = client.store.rows(of: fetch.target, answeredBy: response)
    #expect(rows.map(\.payload.title) == ["b", "bb", "z"])
  }

  @Test("The number of pending changes is bounded, and a token is taken once")
  func limits() throws {
    let server = NoteServer.titled("a")
    var client = try Self.client(of: server)
    for number in 0..<1_024 { try client.begin(NoteMutation(number)) }
    // A mutation without edits shows nothing, holds nothing and blocks nothing.
    for number in 2_000..<3_024 { try client.begin(title(number, 1, "b")) }
    func refusal(of mutation: NoteMutation) -> MutationError? {
      do {
        try client.begin(mutation)
        return nil
      } catch {
        return error as? MutationError
      }
    }
    #expect(refusal(of: NoteMutation(2_000)) == .alreadyPending(.mutation(2_000)))
    #expect(refusal(of: title(4_000, 1, "b")) == .tooManyPending(limit: 1_024))
    client.rollBack(2_000)
    try client.begin(title(4_000, 1, "c"))
    #expect(client.titles(of: folder) == "c")
  }

  @Test("The number of pending edits is bounded")
  func limitOfEdits() throws {
    var client = try Self.client(of: NoteServer.titled("a"))
    func edits(_ number: Int, _ count: Int) -> NoteMutation {
      ClientMutation(
        token: .mutation(number), library: .test,
        edits: (1...count).map { .update(.note($0), .title("d")) })
    }
    let refusal = MutationError.tooManyEdits(count: 16_385, limit: 16_384)
    #expect(throws: refusal) { try client.begin(edits(1, 16_385)) }
    try client.begin(edits(2, 16_383))
    #expect(throws: refusal) { try client.begin(edits(3, 2)) }
    try client.begin(edits(4, 1))
  }
}
