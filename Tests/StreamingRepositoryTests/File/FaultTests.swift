import CacheTestSupport
import Foundation
import GRDB
import StreamingRepository
import Testing

@Suite("Servers and files that fail a repository", .timeLimit(.minutes(30)))
struct FaultTests {
  private static let one = [Link(id: "1", name: "one")]

  private func filled(_ bench: Bench) async throws -> StreamingRepository {
    await bench.server.set(Self.one)
    let repository = try await bench.open()
    try await repository.refresh(Link.self)
    return repository
  }

  @Test(
    "S8 A request that fails reaches its caller, and leaves the rows as they were",
    arguments: [404, 500, 503])
  func failedRequest(status: Int) async throws {
    let bench = try Bench()
    let repository = try await filled(bench)
    await bench.server.set([Link]())
    await bench.server.fail(with: ServerError(status: status))
    let error = await #expect(throws: RepositoryError.self) {
      try await repository.refresh(Link.self)
    }
    #expect(error?.source as? ServerError == ServerError(status: status))
    #expect(try await repository.names() == ["one"])
    await bench.server.fail(with: nil)
    try await repository.refresh(Link.self)
    #expect(try await repository.names() == [])
    #expect(await repository.statistics.failedRequests == 1)
  }

  @Test("S8 A request without a waiting caller is reported, and the next view tries again")
  func failedView() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    await bench.server.set(Self.one)
    await bench.server.fail(with: URLError(.timedOut))
    #expect(try await repository.names() == [])
    try await eventually { bench.failures.all.count == 1 }
    let failure = try #require(bench.failures.all.first)
    #expect(failure.collection == "link")
    #expect(failure.trigger == .firstView)
    #expect((failure.error.source as? URLError)?.code == .timedOut)
    await bench.server.fail(with: nil)
    try await eventually { try await repository.names() == ["one"] }
    #expect(await bench.server.requests == 2)
  }

  @Test("S8 A call that is cancelled ends, and the repository goes on")
  func cancelledCall() async throws {
    let bench = try Bench()
    let repository = try await filled(bench)
    await bench.server.hold()
    let pull = Task { try await repository.refresh(Link.self) }
    try await eventually { await bench.server.waiting == 1 }
    pull.cancel()
    await #expect(throws: RepositoryError.self) { try await pull.value }
    await bench.server.set([Link(id: "2", name: "two")])
    await bench.server.releaseAll()
    try await repository.refresh(Link.self)
    #expect(try await repository.names() == ["two"])
  }

  @Test("S8 An answer that does not fit its table is refused whole")
  func unfitAnswer() async throws {
    var bench = try Bench()
    bench.options.maximumRows = 3
    let repository = try await filled(bench)
    await bench.server.set((0..<4).map { Link(id: "\($0)", name: "n") })
    let error = await #expect(throws: RepositoryError.self) {
      try await repository.refresh(Link.self)
    }
    #expect(
      error?.description == "an answer cannot be stored: link: 4 rows, of at most 3")
    #expect(try await repository.names() == ["one"])
  }

  @Test("S8 Rows with a column that was not defined are refused, and named")
  func undefinedColumn() async throws {
    struct Odd: Codable, RepositoryRow {
      var id: Int
      var colour = "red"
      static func defineColumns(in table: TableDefinition) {}
    }
    struct OddSource: RepositorySource {
      func fetchAll(for account: String) async throws -> [Odd] { [Odd(id: 1)] }
    }
    let bench = try Bench()
    let repository = try await StreamingRepository.open(path: bench.path, sources: [OddSource()])
    try await repository.logIn("ada")
    let error = await #expect(throws: RepositoryError.self) {
      try await repository.refresh(Odd.self)
    }
    #expect(error?.description.contains("odd has no column colour; define it") == true)
    await #expect(throws: RepositoryError.self) { try await repository.refresh(Link.self) }
  }

  @Test("S8 A write that fails for lack of space ends neither the stream nor the repository")
  func full() async throws {
    var bench = try Bench()
    bench.options.maximumBytes = 1 << 17
    let repository = try await filled(bench)
    var views = repository.updates(of: Link.self).makeAsyncIterator()
    #expect(try await views.next { !$0.isEmpty } == Self.one)
    await bench.server.set(
      (0..<2_000).map { Link(id: "\($0)", name: String(repeating: "n", count: 100)) })
    let error = await #expect(throws: RepositoryError.self) {
      try await repository.refresh(Link.self)
    }
    #expect(error?.isFull == true)
    #expect(error?.description.hasPrefix(bench.path) == true)
    #expect(try await repository.names() == ["one"])
    await bench.server.set([Link(id: "2", name: "two")])
    try await repository.refresh(Link.self)
    #expect(try await views.next { $0 != Self.one }.map(\.name) == ["two"])
    #expect(await repository.statistics.failedWrites == 1)
  }

  @Test("S8 While another process has the file, writes fail, and later ones succeed")
  func locked() async throws {
    var bench = try Bench()
    bench.options.busyTimeout = .milliseconds(20)
    let repository = try await filled(bench)
    let other = try await OtherProcess(bench)
    try await other.lock()
    await bench.server.set([Link(id: "2", name: "two")])
    let error = await #expect(throws: RepositoryError.self) {
      try await repository.refresh(Link.self)
    }
    #expect(error?.isLocked == true)
    #expect(try await repository.names() == ["one"])
    try await other.unlock()
    try await repository.refresh(Link.self)
    #expect(try await repository.names() == ["two"])
  }

  @Test("S6 S8 A change that cannot be undone immediately is undone later")
  func lateUndo() async throws {
    var bench = try Bench()
    bench.options.busyTimeout = .milliseconds(10)
    let repository = try await filled(bench)
    let other = try await OtherProcess(bench)
    let (path, clock) = (bench.path, bench.clock)
    await #expect(throws: ServerError.self) {
      try await repository.change(Link.self, showing: [.remove("1")]) { _ in
        try await eventually { try await repository.names() == [] }
        try await other.lock()
        throw ServerError(status: 500)
      }
    }
    #expect(try await repository.names() == [])
    try await eventually { bench.failures.all.contains { $0.error.isLocked } }
    #expect(bench.failures.all.allSatisfy { $0.error.description.hasPrefix(path) })
    try await other.unlock()
    clock.advance(by: .seconds(2))
    await repository.setOnline(true)
    try await eventually { try await repository.names() == ["one"] }
  }

  @Test("S8 A file that is damaged, or not a database, is kept aside, and a new one begun")
  func damaged() async throws {
    let bench = try Bench()
    let junk = Data("not a database, but somebody's notes".utf8)
    try junk.write(to: URL(fileURLWithPath: bench.path))
    let repository = try await filled(bench)
    let aside = try #require(repository.keptAside)
    #expect(aside == bench.path + ".damaged-1")
    #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == junk)
    #expect(try await repository.names() == ["one"])
  }

  @Test(
    "S8 Pages overwritten at any place are found by the next launch, or harmless", arguments: 0..<6)
  func overwritten(seed: Int) async throws {
    let bench = try Bench()
    let links = (0..<800).map { Link(id: "\($0)", name: "name \($0)", clicks: $0) }
    await bench.server.set(links)
    do {
      let repository = try await bench.open()
      try await repository.refresh(Link.self)
      await repository.stop()
    }
    let database = try DatabaseQueue(path: bench.path)
    try await database.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try database.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: bench.path))
    try #require(bytes.count > 8 * 4_096)
    let start = (1 + seed * (bytes.count / 4_096 - 2) / 6) * 4_096
    for index in start..<start + 4_096 {
      bytes[index] = UInt8(truncatingIfNeeded: index * 7 + seed)
    }
    try bytes.write(to: URL(fileURLWithPath: bench.path))
    let next = try await bench.open()
    if next.keptAside == nil {
      #expect(try await next.rows(of: Link.self).count == links.count)
    }
    try await next.refresh(Link.self)
    #expect(try await next.rows(of: Link.self).count == links.count)
  }

  @Test("S8 A database of another program, or of a newer one, is left as it is")
  func foreign() async throws {
    for statement in ["CREATE TABLE theirs (a)", "PRAGMA user_version = 9"] {
      let bench = try Bench()
      if statement.hasPrefix("PRAGMA") { _ = try await filled(bench) }
      let database = try DatabaseQueue(path: bench.path)
      try await database.writeWithoutTransaction { db in
        try db.execute(sql: statement)
        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try database.close()
      let before = try Data(contentsOf: URL(fileURLWithPath: bench.path))
      await #expect(throws: RepositoryError.self) { try await bench.open() }
      #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path)) == before)
    }
  }

  @Test("S8 A folder that is not there, or cannot be written, is a clear error")
  func noFolder() async throws {
    let bench = try Bench()
    let path = bench.folder.url.appendingPathComponent("none/links.sqlite").path
    let error = await #expect(throws: RepositoryError.self) {
      try await StreamingRepository.open(path: path, sources: [LinkSource(server: bench.server)])
    }
    #expect(error?.description.hasPrefix(path) == true)
    #expect(error?.description.contains("give it a folder") == true)
  }

  @Test("S8 A folder without the right to write is a clear error", .enabled(if: geteuid() != 0))
  func readOnly() async throws {
    let bench = try Bench()
    let folder = bench.folder.url.path
    _ = try await filled(bench)
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
    }
    let error = await #expect(throws: RepositoryError.self) {
      try await StreamingRepository.open(
        path: folder + "/new.sqlite", sources: [LinkSource(server: bench.server)])
    }
    #expect(error?.description.hasPrefix(folder) == true)
  }

  @Test(
    "S2 A table whose columns the app has changed is made again; one without a source is dropped")
  func newColumns() async throws {
    let bench = try Bench()
    _ = try await filled(bench)
    struct NewLink: Codable, RepositoryRow {
      static let databaseTableName = "link"
      var id: String
      var title: String
      static func defineColumns(in table: TableDefinition) { table.column("title", .text) }
    }
    struct NewSource: RepositorySource {
      func fetchAll(for account: String) async throws -> [NewLink] {
        [NewLink(id: "1", title: "title")]
      }
    }
    let repository = try await StreamingRepository.open(path: bench.path, sources: [NewSource()])
    #expect(await repository.account == "ada")
    #expect(try await repository.rows(of: NewLink.self) == [])
    try await repository.refresh(NewLink.self)
    #expect(try await repository.rows(of: NewLink.self).map(\.title) == ["title"])
    let database = try DatabaseQueue(path: bench.path)
    #expect(try await database.read { try !$0.tableExists("note") })
  }

  @Test("S8 Options and sources that cannot be are named")
  func badOptions() async throws {
    var bench = try Bench()
    bench.options.maximumRequests = 0
    let error = await #expect(throws: RepositoryError.self) { try await bench.open() }
    #expect(error?.description == "maximumRequests: 0 is out of range; give 1 to 64")
    let source = LinkSource(server: bench.server)
    let twice = await #expect(throws: RepositoryError.self) {
      try await StreamingRepository.open(path: bench.path, sources: [source, source])
    }
    #expect(
      twice?.description == "sources: two of them fill link; give one for each table")
  }
}
