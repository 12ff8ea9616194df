import CacheModel
import CachePersistence
import CacheTestSupport
import FaultSearch
import Foundation
import NormalizedCache
import Testing

/// A child process tells a cache the events of a story and is killed, again and again, on one file.
@Suite("A process that is killed", .startsProcesses)
struct CrashTests {
  static let kills = Trials.count(40, of: 200)

  @Test("B51 After SIGKILL at any moment the file has the cache's content at one commit")
  func killed() async throws {
    let folder = try CacheFolder()
    var random = RandomSource(seed: 51)
    var stored: UInt64 = 0
    for kill in 0..<Self.kills {
      let child = try CrashChild([folder.path()])
      // Some die while they open the file.
      let count = random.below(12)
      let told = child.kill(afterWritten: count, share: random.unit())
      try #require(told.failure == nil, "kill \(kill): \(told.failure ?? "")")
      if let restored = told.restored { #expect(restored == stored, "kill \(kill)") }
      let cursor = try await reopen(folder.path(), kill)
      let possible = [told.written.last ?? stored] + told.taken.suffix(1)
      #expect(possible.contains(cursor), "kill \(kill): \(cursor) is none of \(possible)")
      #expect(cursor > stored || count == 0, "kill \(kill)")
      stored = cursor
    }
    #expect(!folder.names.contains { $0.contains("corrupt") })
  }

  /// Opens the file as the next process would, and compares all of it with the story.
  private func reopen(_ path: String, _ kill: Int) async throws -> UInt64 {
    let storage = SQLiteStorage(path: path)
    let stored = try await storage.load()
    await storage.close()
    let entities = try stored.entities.map { entity in
      VersionedEntity(
        key: entity.key, version: entity.version,
        payload: try NoteCodec().decode(
          try #require(entity.payload), of: entity.key, schemaVersion: 1))
    }
    let number = stored.progress.streams.first?.cursor.sequence ?? 0
    guard number > 0 else { return 0 }
    let expected = NumberedStory.notes(after: number)
    #expect(entities.sorted { $0.key < $1.key } == expected, "kill \(kill), event \(number)")
    let query = try #require(stored.queries.first, "kill \(kill)")
    #expect(
      query.members == NumberedStory.rows(after: number).map(\.key),
      "kill \(kill), event \(number)")
    return number
  }
}
