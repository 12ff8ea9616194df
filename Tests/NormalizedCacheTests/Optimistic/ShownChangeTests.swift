import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

/// Pictures: the titles of a list's rows in order; `-` is a row that has lost its value.
@Suite("Notifications of users' changes, and their cost")
struct ShownChangeTests {
  let folder = NoteQuery.folder(0)

  private func title(_ mutation: Int, _ number: Int, _ title: String) -> NoteMutation {
    NoteMutation(mutation, .update(.note(number), .title(title)))
  }

  @Test("B46 A row that loses its value by a rollback is notified, whatever the change was")
  func evictedOnRollback() throws {
    var server = NoteServer.titled("ab")
    var client = try NoteClient(.test(capacity: Capacity(entities: 2)))
    client.observe(folder, from: server)
    try client.begin(title(1, 1, "a"))
    try client.begin(title(2, 2, "b"))
    client.receive(server.write((3, Note(folder: 0, title: "c"))))
    #expect(client.titles(of: folder) == "abc", "what is edited stays beyond the limit")
    _ = client.takeNotified()
    client.rollBack(1)
    #expect(client.titles(of: folder) == "ab-")
    #expect(client.takeNotified() == [folder.key()])
  }

  @Test("B46 A change in one library is not notified to the same list of another")
  func otherLibrary() throws {
    var client = try NoteClient()
    let other = folder.key(in: .other)
    client.store.addObserver(of: other, at: client.now)
    client.read(other)
    client.complete(
      client.takeFetch().id, with: FetchResponse(entities: [], hasMore: false, place: nil))
    _ = client.takeNotified()
    try client.begin(NoteMutation(1, .create(.temporary(1), Note(folder: 0, title: "a"))))
    #expect(client.takeNotified() == [])
    #expect(client.store.rows(of: other)?.count == 0)
  }

  @Test("B48 In a list of the server's own order created entities keep the order of creation")
  func orderOfCreation() throws {
    var client = try NoteClient()
    client.read(folder)
    var response = NoteServer.titled("ab").answer(folder.key())
    response.entities.swapAt(0, 1)
    client.complete(client.takeFetch().id, with: response)
    for (mutation, number) in [(1, 2), (2, 3), (3, 1)] {
      let note = Note(folder: 0, title: "\(number)")
      try client.begin(NoteMutation(mutation, .create(.temporary(number), note)))
    }
    #expect(client.titles(of: folder) == "ba231")
  }

  private func fill(_ store: inout CacheStore<CountingNotes>, rows: Int) throws {
    store.addObserver(of: folder.key(), at: .zero)
    let fetch = try #require(store.read(folder.key(), at: .zero).fetch)
    let notes = (1...rows).map { number in
      VersionedEntity(
        key: .note(number), version: Version(clock: 1, device: 1),
        payload: Note(folder: 0, title: "\(10_000 + number)"))
    }
    store.completeFetch(
      fetch, with: FetchResponse(entities: notes, hasMore: false, place: nil), at: .zero)
    _ = store.takeActions()
  }

  @Test("B46 A row confirmed as it was shown is not notified, and no other row is examined")
  func confirmed() throws {
    var store = try CacheStore(composition: .test(), schema: CountingNotes())
    try fill(&store, rows: 400)
    func confirm(_ number: Int, as title: String) throws -> (notices: Int, calls: Int) {
      let change = self.title(number, 200, "y\(number)")
      try store.begin(change, at: .zero)
      _ = store.takeActions()
      let before = store.schema.questions.count
      let entity = VersionedEntity(
        key: .note(200), version: Version(clock: UInt64(number + 1), device: 1),
        payload: Note(folder: 0, title: title))
      store.commit(change.token, with: MutationResponse(changed: [entity]), at: .zero)
      let calls = store.schema.questions.count - before
      return (store.takeActions().count { $0.isNotice }, calls)
    }
    let (same, calls) = try confirm(1, as: "y1")
    #expect(same == 0)
    #expect(calls < 60)
    #expect(try confirm(2, as: "z").notices == 1, "another value than was shown")
    #expect(try confirm(3, as: "y3").notices == 0)
    store.checkInvariants()
  }

  @Test("A change asks the schema as often with one pending change as with three hundred")
  func cost() throws {
    let rows = 400
    func calls(besides pending: Int) throws -> Int {
      var store = try CacheStore(composition: .test(), schema: CountingNotes())
      try fill(&store, rows: rows)
      for number in 1...pending { try store.enqueue(title(number, number, "z"), at: .zero) }
      _ = store.takeActions()
      let before = store.schema.questions.count
      try store.begin(title(rows, rows, "y"), at: .zero)
      #expect(store.takeActions().count { $0.isNotice } == 1)
      return store.schema.questions.count - before
    }
    #expect(try calls(besides: 300) == calls(besides: 1))
  }
}

extension CacheAction {
  fileprivate var isNotice: Bool { if case .notify = self { true } else { false } }
}
