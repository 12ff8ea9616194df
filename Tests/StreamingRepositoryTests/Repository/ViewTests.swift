import GRDB
import StreamingRepository
import Synchronization
import Testing

@Suite("Views, and when they are fetched", .timeLimit(.minutes(30)))
struct ViewTests {
  @Test(
    "S2 An answer is a whole collection: missing rows are deleted, and only those of its table"
  )
  func replaces() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    await bench.server.set([Note(id: 1, text: nil), Note(id: 2, text: "two")])
    await bench.server.set([Link(id: "1", name: "one"), Link(id: "2", name: "two")])
    try await repository.refresh(Link.self)
    try await repository.refresh(Note.self)
    await bench.server.set([Link(id: "2", name: "zwei"), Link(id: "3", name: "three")])
    try await repository.refresh(Link.self)
    #expect(try await repository.names() == ["three", "zwei"])
    #expect(try await repository.rows(of: Note.self).map(\.text) == [nil, "two"])
    var expected = RowCounts()
    (expected.inserted, expected.updated, expected.deleted) = (5, 1, 1)
    #expect(await repository.statistics.rows == expected)
    await bench.server.set([Link]())
    try await repository.refresh(Link.self)
    #expect(try await repository.names() == [])
  }

  @Test("S2 Nothing is deleted where the options say upsert only")
  func upserts() async throws {
    var bench = try Bench()
    bench.options.writeMode = .upsertOnly
    let repository = try await bench.open()
    await bench.server.set([Link(id: "1", name: "one"), Link(id: "2", name: "two")])
    try await repository.refresh(Link.self)
    await bench.server.set([Link(id: "2", name: "zwei")])
    try await repository.refresh(Link.self)
    #expect(try await repository.names() == ["one", "zwei"])
    #expect(await repository.statistics.rows.deleted == 0)
  }

  @Test(
    "S2 Each answer is one transaction: no view and no other connection ever sees a part of one")
  func transactions() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    let reading = Task {
      var seen: Set<Int> = []
      let database = try DatabasePool(path: bench.path)
      while !Task.isCancelled {
        let clicks = try await database.read {
          try Int.fetchAll($0, sql: "SELECT clicks FROM link")
        }
        #expect(Set(clicks).count <= 1)
        #expect(clicks.isEmpty || clicks.count == 50 + clicks[0])
        if let first = clicks.first { seen.insert(first) }
      }
      return seen
    }
    var views = repository.updates(of: Link.self).makeAsyncIterator()
    for emission in 1...30 {
      await bench.server.set(
        (0..<(50 + emission)).map { Link(id: "\($0)", name: "n", clicks: emission) })
      try await repository.refresh(Link.self)
      let rows = try await views.next { $0.first?.clicks == emission }
      #expect(rows.count == 50 + emission)
    }
    reading.cancel()
    // The reader ends by its own cancellation, within a read or after it.
    _ = try? await reading.value
    #expect(await repository.statistics.written >= 30)
  }

  @Test("S2 Unchanged rows are counted, and written again only where the options say so")
  func unchanged() async throws {
    for rewrites in [false, true] {
      var bench = try Bench()
      bench.options.rewritesUnchangedRows = rewrites
      let repository = try await bench.open()
      await bench.server.set((0..<10).map { Link(id: "\($0)", name: "n") })
      try await repository.refresh(Link.self)
      await bench.server.set(
        (0..<10).map { Link(id: "\($0)", name: "n", clicks: $0 == 4 ? 1 : 0) })
      try await repository.refresh(Link.self)
      let rows = await repository.statistics.rows
      #expect(rows.inserted == 10)
      #expect(rows.updated == 1)
      #expect(rows.unchanged == 9)
      #expect(rows.rewritten == (rewrites ? 9 : 0))
      // An id of a byte, a name of one, and a number of eight.
      #expect(await repository.statistics.bytes == 2 * 10 * 10)
    }
  }

  @Test("S2 Of two rows with one identifier the last counts")
  func repeated() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    await bench.server.set([Link(id: "1", name: "one"), Link(id: "1", name: "eins")])
    try await repository.refresh(Link.self)
    #expect(try await repository.names() == ["eins"])
  }

  @Test("S3 Views have the rows in the order of their query, and again when that changes them")
  func observed() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    await bench.server.set([
      Link(id: "1", name: "c", clicks: 1), Link(id: "2", name: "a", clicks: 2),
      Link(id: "3", name: "b", clicks: 3),
    ])
    var byName = repository.updates(of: Link.self) { $0.order(Column("name")) }
      .makeAsyncIterator()
    var popular = repository.updates(of: Link.self) {
      $0.filter(Column("clicks") > 1).order(Column("clicks").desc)
    }.makeAsyncIterator()
    #expect(try await byName.next { !$0.isEmpty }.map(\.name) == ["a", "b", "c"])
    #expect(try await popular.next { !$0.isEmpty }.map(\.clicks) == [3, 2])
    await bench.server.set([
      Link(id: "1", name: "c", clicks: 9), Link(id: "2", name: "d", clicks: 2),
    ])
    try await repository.refresh(Link.self)
    #expect(try await byName.next { $0.count == 2 }.map(\.name) == ["c", "d"])
    #expect(try await popular.next { $0.count == 2 && $0[0].clicks == 9 }.map(\.id) == ["1", "2"])
    #expect(await repository.statistics.viewLatencies.count >= 1)
  }

  @Test("S3 A view is notified only of changes that it shows: not of equal rows or other tables")
  func quietViews() async throws {
    var bench = try Bench()
    bench.options.rewritesUnchangedRows = true
    let repository = try await bench.open()
    await bench.server.set([Link(id: "1", name: "one", clicks: 0)])
    let shown = Mutex<[[Int]]>([])
    let updates = repository.updates(of: Link.self)
    let viewing = Task {
      for try await links in updates { shown.withLock { $0.append(links.map(\.clicks)) } }
    }
    try await eventually { shown.withLock { $0.last == [0] } }
    for _ in 0..<5 { try await repository.refresh(Link.self) }
    await bench.server.set([Note(id: 1)])
    try await repository.refresh(Note.self)
    await bench.server.set([Link(id: "1", name: "one", clicks: 1)])
    try await repository.refresh(Link.self)
    try await eventually { shown.withLock { $0.last == [1] } }
    // Of nothing yet, of the first answer, and of the last.
    #expect(shown.withLock { $0.filter { $0 != [] } } == [[0], [1]])
    viewing.cancel()
  }

  @Test("S4 The first view fetches, and a later one does not, however old the rows are")
  func firstView() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    await bench.server.set([Link(id: "1", name: "one")])
    await bench.server.hold()
    #expect(try await repository.names() == [])
    await bench.server.releaseAll()
    try await eventually { try await repository.names() == ["one"] }
    bench.clock.advance(by: .seconds(1_000_000))
    for _ in 0..<3 { _ = try await repository.names() }
    var views = repository.updates(of: Link.self).makeAsyncIterator()
    _ = try await views.next()
    #expect(await bench.server.requests == 1)
  }

  @Test("S4 The foreground fetches observed tables, and the others when viewed")
  func foreground() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    var views = repository.updates(of: Link.self).makeAsyncIterator()
    _ = try await views.next()
    _ = try await repository.rows(of: Note.self)
    try await eventually { await repository.statistics.written == 2 }
    await bench.server.set([Link(id: "1", name: "one")])
    await bench.server.set([Note(id: 1, text: "one")])
    await repository.enterForeground()
    _ = try await views.next { !$0.isEmpty }
    #expect(await bench.server.requests == 3)
    await bench.server.hold()
    #expect(try await repository.rows(of: Note.self) == [])
    await bench.server.releaseAll()
    try await eventually { try await repository.rows(of: Note.self).count == 1 }
    #expect(await bench.server.requests == 4)
  }

  @Test("S4 A login fetches, and so do a pull and a change")
  func otherTriggers() async throws {
    let bench = try Bench()
    let repository = try await bench.open(nil)
    var views = repository.updates(of: Link.self).makeAsyncIterator()
    _ = try await views.next()
    #expect(await bench.server.requests == 0)
    await bench.server.set([Link(id: "1", name: "one")])
    try await repository.logIn("ada")
    _ = try await views.next { !$0.isEmpty }
    #expect(await bench.server.requests == 1)
    await bench.server.set([Link(id: "1", name: "two")])
    try await repository.refresh(Link.self)
    #expect(try await repository.names() == ["two"])
    try await repository.change(Link.self) { account in
      #expect(account == "ada")
      await bench.server.set([Link(id: "1", name: "three")])
    }
    _ = try await views.next { $0.first?.name == "three" }
    #expect(await bench.server.requests == 3)
    let statistics = await repository.statistics
    #expect(statistics.changes == 1)
    #expect(statistics.bytesPerChange == Double("1".utf8.count + "three".utf8.count + 8))
  }

  @Test("S4 A trigger that the options leave out fetches nothing; a pull always does")
  func withoutTriggers() async throws {
    var bench = try Bench()
    bench.options.triggers = []
    let repository = try await bench.open()
    _ = try await repository.links()
    await repository.enterForeground()
    try await repository.change(Link.self) { _ in }
    #expect(await bench.server.requests == 0)
    try await repository.refresh(Link.self)
    #expect(await bench.server.requests == 1)
  }

  @Test("S5 The server's answer replaces whatever was shown or stored")
  func serverWins() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    await bench.server.set([Link(id: "1", name: "theirs", clicks: 5)])
    try await repository.change(Link.self, showing: [.put(Link(id: "1", name: "ours"))]) { _ in }
    try await eventually { try await repository.names() == ["theirs"] }
    #expect(try await bench.storedLinks() == [Link(id: "1", name: "theirs", clicks: 5)])
  }

  @Test("S4 S8 The age between refreshes is counted from one write to the next")
  func ages() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    for seconds in [0, 10, 40] {
      bench.clock.advance(by: .seconds(seconds))
      try await repository.refresh(Link.self)
    }
    let ages = await repository.statistics.refreshAges
    #expect(ages.count == 2)
    #expect(ages.mean == .seconds(25))
    #expect(ages.maximum == .seconds(40))
  }
}
