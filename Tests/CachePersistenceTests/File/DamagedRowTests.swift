import CacheModel
import CachePersistence
import CacheTestSupport
import FaultSearch
import Foundation
import GRDB
import NormalizedCache
import Testing

/// The effect of a flipped bit: pages and indices are sound, and a number is not.
@Suite("Rows with absurd numbers", .timeLimit(.minutes(30)))
struct DamagedRowTests {
  @Test(
    "B54 An absurd number in any column costs its row, never the process",
    arguments: [Int64.min, Int64(UInt32.max), .max])
  func absurdNumber(number: Int64) async throws {
    let folder = try CacheFolder()
    let path = folder.path()
    var random = RandomSource(seed: 1)
    var world = NoteWorld()
    var file = try await SQLiteClient(.init(path: path), Self.composition)
    for _ in 0..<80 { RoundTripTests.step(&file.client, &world, &random) }
    try await file.flush(outbox: [])
    await file.file.close()

    for column in try await Self.numberColumns(of: path) {
      let damaged = folder.path("damaged-\(column.table)-\(column.name)")
      try FileManager.default.copyItem(atPath: path, toPath: damaged)
      let database = try DatabaseQueue(path: damaged)
      try await database.write { db in
        try db.execute(
          sql: "UPDATE OR IGNORE \(column.table) SET \(column.name) = ?", arguments: [number])
      }
      try database.close()
      do {
        var client = try await SQLiteClient(.init(path: damaged), Self.composition)
        var world = world
        for _ in 0..<10 { RoundTripTests.step(&client.client, &world, &random) }
        client.client.wait(.seconds(90))
        try await client.flush()
        let failure = client.client.store.invariantFailure()
        #expect(failure == nil, "\(column.table).\(column.name)")
        await client.file.close()
      } catch {
        #expect(error is StorageError, "\(column.table).\(column.name): \(error)")
      }
    }
  }

  private static let composition = CachePolicy.test(
    capacity: Capacity(entities: 12), retention: .cached,
    freshness: Freshness(timeToLive: .seconds(60), staleWhileRevalidate: .seconds(5)),
    maximumQueries: 5)

  private static func numberColumns(
    of path: String
  ) async throws -> [(table: String, name: String)] {
    let database = try DatabaseQueue(path: path)
    let columns = try await database.read { db in
      try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        .flatMap { table in
          try db.columns(in: table).filter { $0.type == "INTEGER" }.map { (table, $0.name) }
        }
    }
    try database.close()
    return columns
  }
}
