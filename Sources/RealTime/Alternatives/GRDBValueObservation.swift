import CacheModel
import Dispatch
import Foundation
import GRDB
import NormalizedCache
import Synchronization

extension Alternative {
  static let grdbValueObservation = Alternative(
    name: "grdb-value-observation",
    summary:
      "A table of files in SQLite, written in a transaction, each listing watched by one "
      + "ValueObservation that its ten observers share."
  ) { library, folder in try ObservedTable(library: library, folder: folder) }
}

/// Files in a table, as GRDB's documentation advises: a pool, an index for the listing, prepared statements,
/// and shared observations of a constant region without duplicates.
///
/// It is optimized in its favour: a listing fetches five columns only, and tags and sidecars, which would
/// need separate tables, are not written.
private final class ObservedTable: AlternativeCache {
  private let pool: DatabasePool
  private let directories: [UUID]
  private let shared: [SharedValueObservation<[ListedFile]>]
  private let subscriptions = Mutex<[AnyDatabaseCancellable]>([])

  init(library: FileLibrary, folder: String) throws {
    pool = try DatabasePool(path: folder + "/files.sqlite")
    directories = library.directoryIDs
    let listings = directories.indices.map { library.response(toDirectory: $0).entities }
    try pool.write { db in
      try FileTable.create(in: db)
      for file in listings.joined() { try FileTable.write(file, to: db) }
    }
    let queue = DispatchQueue(label: "observers")
    shared = directories.map { [pool] directory in
      ValueObservation
        .trackingConstantRegion { try FileTable.listing(of: directory, in: $0) }
        .removeDuplicates()
        .shared(in: pool, scheduling: .async(onQueue: queue))
    }
  }

  func observe(directory: Int, _ observer: ObserverBoard.Observer) async throws {
    let first = FirstValue()
    try await withCheckedThrowingContinuation { continuation in
      first.await(continuation)
      let subscription = shared[directory].start(
        onError: { first.resume(with: .failure($0)) },
        onChange: { _ in
          if !first.resume(with: .success(())) { observer() }
        })
      subscriptions.withLock { $0.append(subscription) }
    }
  }

  /// Waits for the transaction on the calling thread, which is faster than suspension.
  func apply(_ event: FileEvent, committed: @escaping @Sendable () -> Void) throws {
    try pool.write { db in
      try event.forEachFile { try FileTable.write($0, to: db) }
      db.afterNextTransaction { _ in committed() }
    }
  }

  func listing(ofDirectory directory: Int) throws -> [ListedFile]? {
    try pool.read { [id = directories[directory]] in try FileTable.listing(of: id, in: $0) }
  }

  func close() throws {
    subscriptions.withLock { subscriptions in
      for subscription in subscriptions { subscription.cancel() }
      subscriptions = []
    }
    try pool.close()
  }
}

/// Distinguishes the initial value of an observation from changes.
private final class FirstValue: Sendable {
  private let continuation = Mutex<CheckedContinuation<Void, any Error>?>(nil)

  func await(_ continuation: CheckedContinuation<Void, any Error>) {
    self.continuation.withLock { $0 = continuation }
  }

  /// Returns whether a caller was waiting for it.
  @discardableResult
  func resume(with result: Result<Void, any Error>) -> Bool {
    let waiting = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(with: result)
    return waiting != nil
  }
}

/// The table and its statements.
private enum FileTable {
  private static let columns = [
    "id", "clock", "device", "directory_id", "location_id", "name", "extension", "kind", "size",
    "path_device", "path", "content_id", "content_hash", "mime_type", "copies", "created_at",
    "modified_at", "accessed_at", "is_local", "is_hidden", "is_favorite",
  ]

  static func create(in db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE file (
          id BLOB PRIMARY KEY NOT NULL, clock INTEGER NOT NULL, device INTEGER NOT NULL,
          directory_id BLOB NOT NULL, location_id BLOB NOT NULL, name TEXT NOT NULL,
          extension TEXT NOT NULL, kind TEXT NOT NULL, size INTEGER NOT NULL,
          path_device TEXT NOT NULL, path TEXT NOT NULL, content_id BLOB NOT NULL,
          content_hash TEXT NOT NULL, mime_type TEXT NOT NULL, copies INTEGER NOT NULL,
          created_at REAL NOT NULL, modified_at REAL NOT NULL, accessed_at REAL NOT NULL,
          is_local INTEGER NOT NULL, is_hidden INTEGER NOT NULL, is_favorite INTEGER NOT NULL
        );
        CREATE INDEX file_listing ON file (directory_id, name);
        """)
  }

  private static let upsert = {
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let changes = columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return "INSERT INTO file (\(columns.joined(separator: ", "))) VALUES (\(places)) "
      + "ON CONFLICT (id) DO UPDATE SET \(changes) WHERE excluded.clock > clock"
  }()

  static func write(_ entity: VersionedEntity<FilePayload>, to db: Database) throws {
    let file = entity.payload
    try db.cachedStatement(sql: upsert).execute(arguments: [
      file.id, Int64(bitPattern: entity.version.clock), Int64(bitPattern: entity.version.device),
      file.directoryID, file.locationID, file.name, file.fileExtension, file.kind.rawValue,
      file.size, file.path.device, file.path.path, file.content.id, file.content.contentHash,
      file.content.mimeType, file.content.copies, file.createdAt.timeIntervalSince1970,
      file.modifiedAt.timeIntervalSince1970, file.accessedAt.timeIntervalSince1970, file.isLocal,
      file.isHidden, file.isFavorite,
    ])
  }

  static func listing(of directory: UUID, in db: Database) throws -> [ListedFile] {
    let statement = try db.cachedStatement(
      sql: "SELECT id, clock, device, name, size FROM file WHERE directory_id = ? ORDER BY name")
    return try Array(
      Row.fetchCursor(statement, arguments: [directory]).map { row in
        ListedFile(
          key: EntityKey(type: FileLibrary.fileType, id: UniqueID(row[0] as UUID)),
          version: Version(
            clock: UInt64(bitPattern: row[1]), device: UInt64(bitPattern: row[2])),
          name: row[3], size: row[4])
      })
  }
}
