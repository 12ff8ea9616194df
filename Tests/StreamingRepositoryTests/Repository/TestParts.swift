import CacheModel
import CacheTestSupport
import Foundation
import GRDB
import StreamingRepository
import Synchronization
import Testing

/// A short link, as its server has it.
struct Link: Codable, RepositoryRow {
  var id: String
  var name: String
  var clicks = 0

  enum Columns {
    static let name = Column("name")
  }

  static func defineColumns(in table: TableDefinition) {
    table.column("name", .text).notNull().indexed()
    table.column("clicks", .integer).notNull()
  }
}

/// Something else that an account has.
struct Note: Codable, RepositoryRow {
  var id: Int
  var text: String?

  static func defineColumns(in table: TableDefinition) {
    table.column("text", .text)
  }
}

struct ServerError: Error, Equatable {
  var status: Int
}

/// A server in memory that a test makes slow, or fail.
actor TestServer {
  private var links: [TextKey: [Link]] = [:]
  private var notes: [TextKey: [Note]] = [:]
  private var failure: (any Error)?
  private var holds = false
  private var held: [CheckedContinuation<Void, Never>] = []
  private(set) var requests = 0
  private(set) var cancelled = 0

  func set(_ links: [Link], of account: String = "ada") { self.links[TextKey(account)] = links }

  func set(_ notes: [Note], of account: String = "ada") { self.notes[TextKey(account)] = notes }

  func remove(_ id: String, of account: String = "ada") {
    links[TextKey(account)]?.removeAll { $0.id == id }
  }

  func fail(with error: (any Error)?) { failure = error }

  /// Lets later requests wait, after they were read.
  func hold() { holds = true }

  /// Answers a request that waits, by the order in which they came.
  func release(_ index: Int = 0) { held.remove(at: index).resume() }

  func releaseAll() {
    holds = false
    for continuation in held { continuation.resume() }
    held = []
  }

  var waiting: Int { held.count }

  func allLinks(of account: String) async throws -> [Link] {
    let rows = links[TextKey(account)] ?? []
    try await answer()
    return rows
  }

  func allNotes(of account: String) async throws -> [Note] {
    let rows = notes[TextKey(account)] ?? []
    try await answer()
    return rows
  }

  private func answer() async throws {
    requests += 1
    if holds { await withCheckedContinuation { held.append($0) } }
    if Task.isCancelled { cancelled += 1 }
    if let failure { throw failure }
  }
}

struct LinkSource: RepositorySource {
  let server: TestServer

  func fetchAll(for account: String) async throws -> [Link] {
    try await server.allLinks(of: account)
  }
}

struct NoteSource: RepositorySource {
  let server: TestServer

  func fetchAll(for account: String) async throws -> [Note] {
    try await server.allNotes(of: account)
  }
}

/// A clock that a test moves.
final class TestClock: Sendable {
  private let time = Mutex(Instant.zero)

  var now: Instant { time.withLock { $0 } }

  func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}

/// The parts with which a test opens repositories.
struct Bench: Sendable {
  let folder: CacheFolder
  let server = TestServer()
  let clock = TestClock()
  let failures = Failures()
  var options = RepositoryOptions()

  /// The reported failures.
  final class Failures: Sendable {
    private let failures = Mutex<[RepositoryFailure]>([])

    var all: [RepositoryFailure] { failures.withLock { $0 } }

    func add(_ failure: RepositoryFailure) { failures.withLock { $0.append(failure) } }
  }

  init() throws { folder = try CacheFolder() }

  var path: String { folder.url.appendingPathComponent("links.sqlite").path }

  func open(_ account: String? = "ada") async throws -> StreamingRepository {
    let (clock, failures) = (clock, failures)
    let repository = try await StreamingRepository.open(
      path: path, sources: [LinkSource(server: server), NoteSource(server: server)],
      options: options, now: { clock.now }, onFailure: { failures.add($0) })
    if let account { try await repository.logIn(account) }
    return repository
  }

  /// The rows in the file that the server has given, of any account, as another connection sees them.
  func storedLinks(of account: String = "ada") async throws -> [Link] {
    let database = try DatabaseQueue(path: path)
    defer { try? database.close() }
    return try await database.read { db in
      try Link.filter(sql: "tidemark_account = ? AND tidemark_layer = 0", arguments: [account])
        .order(Column("id")).fetchAll(db)
    }
  }
}

/// Another process that holds the file's lock for writing.
struct OtherProcess {
  private let database: DatabaseQueue

  init(_ bench: Bench) async throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    database = try DatabaseQueue(path: bench.path, configuration: configuration)
  }

  func lock() async throws {
    try await database.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
  }

  func unlock() async throws {
    try await database.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
  }
}

extension StreamingRepository {
  nonisolated func links() async throws -> [Link] {
    try await rows { $0.order(Column("name")) }
  }

  nonisolated func names() async throws -> [String] { try await links().map(\.name) }
}

extension RepositoryUpdates.Iterator {
  /// The next rows that are as they should be; others before them are skipped.
  mutating func next(where condition: ([Row]) -> Bool) async throws -> [Row] {
    while let rows = try await next() {
      if condition(rows) { return rows }
    }
    throw CancellationError()
  }
}

/// Waits until something is so, which it will be.
func eventually(_ condition: () async throws -> Bool) async throws {
  while try await !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
