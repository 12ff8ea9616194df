import CacheModel
import CacheTestSupport
import GRDB
import StreamingRepository
import Testing

@Suite("Texts that name rows, accounts and tables", .timeLimit(.minutes(30)))
struct KeyTests {
  private static let composed = "caf\u{E9}"
  private static let decomposed = "cafe\u{301}"

  private static func links(_ ids: [String]) -> [Link] {
    ids.map { Link(id: $0, name: "of \($0.utf8.count)") }
  }

  private static func shown(_ repository: StreamingRepository) async throws -> Set<[UInt8]> {
    let rows: [Link] = try await repository.rows()
    let ids = Set(rows.map(\.id.bytes))
    #expect(ids.count == rows.count)
    return ids
  }

  @Test(
    "S2 A row whose identifier is spelt differently is another row, and the former one is deleted")
  func respelt() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    var views = repository.updates(of: Link.self).makeAsyncIterator()
    for ids in [[Self.composed], [Self.decomposed], [Self.composed, Self.decomposed]] {
      await bench.server.set(Self.links(ids))
      try await repository.refresh(Link.self)
      #expect(try await Self.shown(repository) == Set(ids.map(\.bytes)))
      // The view is notified too: it returns the identifier.
      _ = try await views.next { Set($0.map(\.id.bytes)) == Set(ids.map(\.bytes)) }
    }
    #expect(await repository.statistics.rows.deleted == 1)
  }

  @Test("S6 A removal hides the row of these bytes, and no other spelling")
  func removal() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    await bench.server.set(Self.links([Self.composed, Self.decomposed]))
    try await repository.refresh(Link.self)
    for (gone, left) in [(Self.composed, Self.decomposed), (Self.decomposed, Self.composed)] {
      await bench.server.set(Self.links([left]))
      try await repository.change(Link.self, showing: [.remove(gone)]) { _ in
        try await eventually { try await Self.shown(repository) == [left.bytes] }
      }
      await bench.server.set(Self.links([Self.composed, Self.decomposed]))
      try await repository.refresh(Link.self)
    }
  }

  @Test("S2 For any identifiers, those of the last answer are shown, in this launch and the next")
  func identifiers() async throws {
    var random = RandomSource(seed: 37)
    let texts = RandomText.distinct(120, &random)
    let bench = try Bench()
    for round in 0..<3 {
      let repository = try await bench.open()
      let ids = texts.filter { _ in round == 0 || random.chance(0.5) }
      await bench.server.set(Self.links(ids))
      try await repository.refresh(Link.self)
      #expect(try await Self.shown(repository) == Set(ids.map(\.bytes)))
      await repository.stop()
      let next = try await bench.open(nil)
      #expect(try await Self.shown(next) == Set(ids.map(\.bytes)))
      await next.stop()
    }
  }

  @Test("S9 An account is its bytes: another spelling is another account, also after a restart")
  func accounts() async throws {
    var random = RandomSource(seed: 9)
    let accounts = ["jos\u{E9}", "jose\u{301}"] + RandomText.distinct(30, &random)
    let bench = try Bench()
    for account in accounts {
      await bench.server.set([Link(id: account, name: "n")], of: account)
    }
    var repository = try await bench.open(nil)
    for account in accounts {
      try await repository.logIn(account)
      #expect(await repository.account?.bytes == account.bytes)
      try await repository.refresh(Link.self)
      #expect(try await Self.shown(repository) == [account.bytes])
    }
    await repository.stop()
    repository = try await bench.open(nil)
    #expect(await repository.account?.bytes == accounts.last?.bytes)
    await bench.server.fail(with: ServerError(status: 500))
    for account in accounts {
      try await repository.logIn(account)
      #expect(try await Self.shown(repository) == [account.bytes])
    }
    // Logging out clears this one alone.
    try await repository.logIn(accounts[0])
    try await repository.logOut()
    for (place, account) in accounts.enumerated() {
      try await repository.logIn(account)
      #expect(try await Self.shown(repository) == (place == 0 ? [] : [account.bytes]))
    }
  }

  @Test("S9 An account with a NUL character is refused before anything is written")
  func accountsWithNUL() async throws {
    let bench = try Bench()
    let repository = try await bench.open("a")
    await bench.server.set([Link(id: "1", name: "private")], of: "a")
    try await repository.refresh(Link.self)
    for account in ["a\0b", "a\0", "\0"] {
      let error = await #expect(throws: RepositoryError.self) {
        try await repository.logIn(account)
      }
      guard case .invalidAccount? = error else { return #expect(Bool(false), "\(error as Any)") }
    }
    #expect(await repository.account == "a")
    #expect(try await Self.shown(repository) == ["1".bytes])
  }

  @Test("S8 A row whose text has a NUL character is refused, and the stored rows are unchanged")
  func rowsWithNUL() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    await bench.server.set(Self.links(["a"]))
    try await repository.refresh(Link.self)
    for links in [Self.links(["a\0b", "a\0c"]), [Link(id: "b", name: "n\0m")]] {
      await bench.server.set(links)
      let error = await #expect(throws: RepositoryError.self) {
        try await repository.refresh(Link.self)
      }
      guard case .invalidAnswer(let why)? = error else {
        return #expect(Bool(false), "\(error as Any)")
      }
      #expect(why.contains("NUL"))
      #expect(try await Self.shown(repository) == ["a".bytes])
    }
    for edit in [RepositoryEdit.remove("a\0b"), .put(Link(id: "a\0b", name: "n"))] {
      await #expect(throws: RepositoryError.self) {
        try await repository.change(Link.self, showing: [edit]) { _ in }
      }
      #expect(try await Self.shown(repository) == ["a".bytes])
    }
    await #expect(throws: RepositoryError.self) {
      try await StreamingRepository.open(path: bench.path + "\0x", sources: [])
    }
  }

  @Test(
    "S9 A table spelt differently in the next version is another, and the former one is dropped")
  func tables() async throws {
    struct Composed: Codable, RepositoryRow {
      static let databaseTableName = KeyTests.composed
      var id: Int
      static func defineColumns(in table: TableDefinition) {}
    }
    struct Decomposed: Codable, RepositoryRow {
      static let databaseTableName = KeyTests.decomposed
      var id: Int
      static func defineColumns(in table: TableDefinition) {}
    }
    struct Numbers<Row: RepositoryRow>: RepositorySource {
      var rows: [Row]
      func fetchAll(for account: String) async throws -> [Row] { rows }
    }
    let bench = try Bench()
    let first = try await StreamingRepository.open(
      path: bench.path, sources: [Numbers(rows: [Composed(id: 1)])])
    try await first.logIn("ada")
    try await first.refresh(Composed.self)
    await #expect(throws: RepositoryError.self) { try await first.refresh(Decomposed.self) }
    await first.stop()
    let second = try await StreamingRepository.open(
      path: bench.path, sources: [Numbers(rows: [Decomposed(id: 2)])])
    try await second.refresh(Decomposed.self)
    #expect(try await second.rows(of: Decomposed.self).map(\.id) == [2])
    let stored = try await DatabaseQueue(path: bench.path).read { db in
      try String.fetchAll(db, sql: "SELECT name FROM tidemark_tables")
    }
    #expect(stored.map(\.bytes) == [Self.decomposed.bytes])
    // SQLite and GRDB would take the two for one or not, depending on the call.
    await #expect(throws: RepositoryError.self) {
      try await StreamingRepository.open(
        path: bench.path,
        sources: [Numbers<Composed>(rows: []), Numbers<Decomposed>(rows: [])])
    }
  }
}
