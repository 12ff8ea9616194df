import CacheModel
import CachePersistence
import CacheTestSupport
import FaultSearch
import Foundation
import NormalizedCache

/// Tells a story to a cache on disk until it is killed.
///
/// Usage: `storage-crash-child FILE`, `storage-crash-child two-tier FOLDER FIRST` (``TwoTierStory``),
/// `storage-crash-child response FOLDER FIRST LAYOUT` (``ResponseStory``), or
/// `storage-crash-child repository FILE FIRST` (``RepositoryStory``). It says on its standard output, a line each, that it
/// `opens` its files, and what it has stored: `restored N`, `taken N` when a batch is handed to the storage,
/// `written N` when the storage has it.
@main
struct Main {
  static func main() async throws {
    guard let path = CommandLine.arguments.dropFirst().first else {
      print(
        "usage: storage-crash-child FILE | two-tier FOLDER FIRST | response FOLDER FIRST LAYOUT | "
          + "repository FILE FIRST")
      exit(2)
    }
    Story.say("opens")
    switch path {
    case "two-tier": return try await TwoTierStory.tell(Array(CommandLine.arguments.dropFirst(2)))
    case "response": return try await ResponseStory.tell(Array(CommandLine.arguments.dropFirst(2)))
    case "repository":
      return try await RepositoryStory.tell(Array(CommandLine.arguments.dropFirst(2)))
    default: break
    }
    let storage = AnnouncingStorage(path: path)
    let cache = try await NormalizedCache.open(
      composition: CachePolicy(
        evictionOrder: "lru", capacity: .unlimited, retention: .none, freshness: .neverExpires,
        maximumQueries: nil),
      schema: NoteSchema(), source: StorySource(storage: storage), storage: storage,
      codec: NoteCodec(), writeBehind: WriteBehind(window: .milliseconds(4), maximumChanges: 64))
    if let error = await cache.storageState.error {
      print("failed \(error)")
      exit(1)
    }
    _ = try await cache.query(NumberedStory.query)
    var number = await storage.restored
    while true {
      number += 1
      await cache.receive(NumberedStory.event(number))
      if number.isMultiple(of: 8) { try await Task.sleep(for: .microseconds(200)) }
    }
  }
}

/// A file with its own description.
actor AnnouncingStorage: CacheStorage {
  private let file: SQLiteStorage
  private(set) var restored: UInt64 = 0

  init(path: String) {
    file = SQLiteStorage(path: path)
  }

  func load() async throws(StorageError) -> State {
    let state = try await file.load()
    restored = Self.number(of: state.progress)
    Story.say("restored \(restored)")
    return state
  }

  func write(_ batch: Batch) async throws(StorageError) {
    let number = Self.number(of: batch.progress)
    Story.say("taken \(number)")
    try await file.write(batch)
    Story.say("written \(number)")
  }

  func close() async { await file.close() }

  private static func number(of progress: StoredProgress) -> UInt64 {
    progress.streams.first?.cursor.sequence ?? 0
  }
}

struct StorySource: CacheSource {
  typealias Change = NoteChange

  let storage: AnnouncingStorage

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<Note> {
    let number = await storage.restored
    return FetchResponse(
      entities: NumberedStory.rows(after: number), hasMore: false,
      place: NumberedStory.place(number))
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Note> {
    .events([], through: position)
  }
}

/// A child process's reports of its writes.
enum Story {
  /// Says a line, past every buffer of this process, which is about to be killed.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
