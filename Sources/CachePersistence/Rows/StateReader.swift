import CacheModel
import Foundation
import GRDB
import NormalizedCache

/// Reads the complete contents.
struct StateReader {
  private let db: Database
  private var streams: [StreamID] = []
  private var libraries: [LibraryID] = []

  /// - Throws: a ``DatabaseError`` of corruption if a row is not as it was written.
  static func read(_ db: Database) throws -> CacheStorage.State {
    var reader = StateReader(db: db)
    return try reader.state()
  }

  private init(db: Database) {
    self.db = db
  }

  private mutating func state() throws -> CacheStorage.State {
    var state = CacheStorage.State()
    guard let meta = try Row.fetchOne(db, sql: "SELECT * FROM meta") else { return state }
    state.schemaVersion = try meta.number(1)
    state.progress.verifications = try meta.count(2)
    state.progress.holdsUnowned = try meta.flag(3)
    state.progress.forgotten = try meta.version(4)
    try readStreams(into: &state.progress)
    try readLibraries(into: &state.progress)
    state.entities = try entities()
    state.queries = try queries()
    state.outbox = try outbox()
    return state
  }

  private mutating func readStreams(into progress: inout StoredProgress) throws {
    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM streams ORDER BY number")
    while let row = try rows.next() {
      let stream = StoredStream(
        id: StreamID(library: LibraryID(rawValue: try row.id(1)), source: try row.number(2)),
        cursor: try row.position(3), baseline: try row.position(5), known: try row.unsigned(7))
      progress.streams.append(stream)
      streams.append(stream.id)
    }
  }

  private mutating func readLibraries(into progress: inout StoredProgress) throws {
    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM libraries ORDER BY number")
    while let row = try rows.next() {
      var library = StoredLibrary(id: LibraryID(rawValue: try row.id(1)))
      library.verification = try row.count(2)
      library.verifiedAt = try place(row, 3)
      library.unplacedVerification = try row.number(6)
      library.queryFloor = try row.number(7)
      library.entityFloor = try row.number(8)
      let tokens = try row.bytes(9)
      library.bulkTokens = stride(from: 0, to: tokens.count / 9 * 9, by: 9).map { start in
        let token = tokens[start + 1..<start + 9].reduce(0) { $0 << 8 | UInt64($1) }
        return StoredLibrary.BulkToken(token: token, isPlaced: tokens[start] == 1)
      }
      progress.libraries.append(library)
      libraries.append(library.id)
    }
    let notices = try Row.fetchCursor(db, sql: "SELECT * FROM notices ORDER BY library, position")
    while let row = try notices.next() {
      let index: Int = try row.number(0)
      guard progress.libraries.indices.contains(index) else { throw Self.corruption("a notice") }
      let tag = InvalidationTag(
        library: libraries[index], location: row.isNull(3) ? nil : try row.id(3),
        resourceType: row.isNull(4) ? nil : ResourceType(rawValue: try row.number(4)),
        method: row.isNull(5) ? nil : QueryMethod(rawValue: try row.number(5)))
      progress.libraries[index].notices.append(
        StoredLibrary.Notice(tag: tag, number: try row.number(2)))
    }
  }

  private func entities() throws -> [StoredEntity<[UInt8]>] {
    var entities: [StoredEntity<[UInt8]>] = []
    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM entities ORDER BY number")
    while let row = try rows.next() {
      let library: Int? = row.isNull(5) ? nil : try row.number(5)
      if let library, !libraries.indices.contains(library) {
        throw Self.corruption("an entity")
      }
      entities.append(
        StoredEntity(
          key: try row.key(1), version: try row.version(3),
          payload: row.isNull(8) ? nil : try row.bytes(8), library: library.map { libraries[$0] },
          verification: try row.number(6), writtenAt: try row.instant(7)))
    }
    return entities
  }

  private func queries() throws -> [StoredQuery] {
    var members: [Int64: [EntityKey]] = [:]
    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM query_members ORDER BY query, position")
    while let row = try rows.next() {
      members[try row.number(0), default: []].append(try row.key(2))
    }
    var queries: [StoredQuery] = []
    let headers = try Row.fetchCursor(db, sql: "SELECT * FROM queries ORDER BY number")
    while let row = try headers.next() {
      let key = QueryKey(
        library: LibraryID(rawValue: try row.id(1)),
        method: QueryMethod(rawValue: try row.number(2)),
        input: try row.bytes(3))
      queries.append(
        StoredQuery(
          key: key, members: members[try row.number(0)] ?? [], hasMore: try row.flag(4),
          isSorted: try row.flag(5), isTagged: try row.flag(6), fetchedAt: try row.instant(7),
          lastReadAt: try row.instant(8), place: try place(row, 9),
          verification: try row.number(12), isMarkedStale: try row.flag(13),
          staleSince: try place(row, 14)))
    }
    return queries
  }

  private func outbox() throws -> [EncodedMutation] {
    var mutations: [EncodedMutation] = []
    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM outbox ORDER BY position")
    while let row = try rows.next() {
      mutations.append(
        EncodedMutation(
          token: MutationToken(rawValue: try row.id(1)),
          library: LibraryID(rawValue: try row.id(2)), edits: try row.bytes(3)))
    }
    return mutations
  }

  private func place(_ row: Row, _ index: Int) throws -> StoredPlace? {
    guard !row.isNull(index) else { return nil }
    let stream: Int = try row.number(index)
    guard streams.indices.contains(stream) else { throw Self.corruption("a place") }
    return StoredPlace(stream: streams[stream], position: try row.position(index + 1))
  }

  private static func corruption(_ what: String) -> DatabaseError {
    .corruption("\(what) names what is not stored")
  }
}

/// Conversion between the cache's values and SQLite's, with validation: a damaged row is corruption, not a
/// trap.
extension UniqueID {
  var data: Data {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Data($0) }
  }
}

extension UInt64 {
  var signed: Int64 { Int64(bitPattern: self) }
}

extension Row {
  private func value(_ index: Int) -> DatabaseValue { self[index] }

  func isNull(_ index: Int) -> Bool { value(index).isNull }

  func number<Number: FixedWidthInteger>(_ index: Int) throws -> Number {
    guard case .int64(let stored) = value(index).storage, let number = Number(exactly: stored)
    else { throw DatabaseError.corruption("column \(index) holds no number of its kind") }
    return number
  }

  /// A count of events, which cannot be near the end of its range.
  func count(_ index: Int) throws -> UInt32 {
    let count: UInt32 = try number(index)
    guard count <= .max / 2 else {
      throw DatabaseError.corruption("column \(index) counts \(count) events")
    }
    return count
  }

  func flag(_ index: Int) throws -> Bool { try number(index) as Int64 != 0 }

  func unsigned(_ index: Int) throws -> UInt64 { UInt64(bitPattern: try number(index) as Int64) }

  func data(_ index: Int) throws -> Data {
    guard case .blob(let data) = value(index).storage else {
      throw DatabaseError.corruption("column \(index) holds no bytes")
    }
    return data
  }

  func bytes(_ index: Int) throws -> [UInt8] { [UInt8](try data(index)) }

  func id(_ index: Int) throws -> UniqueID {
    let data = try data(index)
    guard data.count == 16 else {
      throw DatabaseError.corruption("column \(index) holds \(data.count) bytes, not 16")
    }
    let words = data.withUnsafeBytes { bytes in
      (
        bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      )
    }
    return UniqueID(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
  }

  func key(_ index: Int) throws -> EntityKey {
    EntityKey(type: ResourceType(rawValue: try number(index)), id: try id(index + 1))
  }

  func version(_ index: Int) throws -> Version {
    Version(clock: try unsigned(index), device: try unsigned(index + 1))
  }

  func position(_ index: Int) throws -> StreamPosition {
    StreamPosition(epoch: try number(index), sequence: try unsigned(index + 1))
  }

  func instant(_ index: Int) throws -> Instant { Instant(nanoseconds: try number(index)) }
}

extension DatabaseError {
  static func corruption(_ message: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: message)
  }
}
