import CacheModel
import Foundation
import GRDB
import NormalizedCache

/// Writes one batch into the tables; the caller opens a transaction.
struct BatchWriter {
  private let db: Database
  private var streams: [StreamID: Int] = [:]
  private var libraries: [LibraryID: Int] = [:]

  static func write(_ batch: CacheStorage.Batch, to db: Database) throws {
    var writer = BatchWriter(db: db)
    try writer.write(batch)
  }

  private init(db: Database) {
    self.db = db
  }

  private mutating func write(_ batch: CacheStorage.Batch) throws {
    if batch.replacesAll {
      for table in ["entities", "queries", "query_members"] {
        try db.execute(sql: "DELETE FROM \(table)")
      }
    }
    try write(batch.progress, schemaVersion: batch.schemaVersion)
    try removeEntities(batch.removedEntities)
    try write(batch.entities)
    for key in batch.removedQueries { try removeQuery(key) }
    for query in batch.queries { try write(query) }
    try write(batch.uses)
    if let outbox = batch.outbox { try write(outbox) }
  }

  // MARK: Entities

  private func removeEntities(_ keys: [EntityKey]) throws {
    guard !keys.isEmpty else { return }
    let statement = try db.cachedStatement(sql: "DELETE FROM entities WHERE type = ? AND id = ?")
    for key in keys { try statement.execute(arguments: [key.type.rawValue, key.id.data]) }
  }

  private func write(_ entities: [StoredEntity<[UInt8]>]) throws {
    guard !entities.isEmpty else { return }
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO entities
        (type, id, clock, device, library, verification, written_at, payload)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (type, id) DO UPDATE SET
        clock = excluded.clock, device = excluded.device, library = excluded.library,
        verification = excluded.verification, written_at = excluded.written_at,
        payload = excluded.payload
        """)
    for entity in entities {
      try statement.execute(arguments: [
        entity.key.type.rawValue, entity.key.id.data, entity.version.clock.signed,
        entity.version.device.signed, entity.library.flatMap { libraries[$0] },
        entity.verification, entity.writtenAt.nanoseconds, entity.payload.map { Data($0) },
      ])
    }
  }

  // MARK: Queries

  private func number(of key: QueryKey) throws -> Int64? {
    let statement = try db.cachedStatement(
      sql: "SELECT number FROM queries WHERE library = ? AND method = ? AND input = ?")
    return try Int64.fetchOne(statement, arguments: identity(of: key))
  }

  private func identity(of key: QueryKey) -> StatementArguments {
    [key.library.rawValue.data, key.method.rawValue, Data(key.input)]
  }

  private func removeQuery(_ key: QueryKey) throws {
    guard let number = try number(of: key) else { return }
    try removeMembers(of: number)
    try db.cachedStatement(sql: "DELETE FROM queries WHERE number = ?")
      .execute(arguments: [number])
  }

  private func removeMembers(of number: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM query_members WHERE query = ?")
      .execute(arguments: [number])
  }

  private func write(_ query: StoredQuery) throws {
    var number = try number(of: query.key)
    if number == nil {
      // A query that is no longer stored was dropped for space; without its members it stays dropped.
      guard query.members != nil else { return }
      try db.cachedStatement(
        sql: """
          INSERT INTO queries (library, method, input, has_more, is_sorted, is_tagged, fetched_at,
          last_read_at, verification, is_stale) VALUES (?, ?, ?, 0, 0, 0, 0, 0, 0, 0)
          """
      ).execute(arguments: identity(of: query.key))
      number = db.lastInsertedRowID
    }
    guard let number else { return }
    let place = numbered(query.place)
    let staleSince = numbered(query.staleSince)
    try db.cachedStatement(
      sql: """
        UPDATE queries SET has_more = ?, is_sorted = ?, is_tagged = ?, fetched_at = ?,
        last_read_at = ?, place_stream = ?, place_epoch = ?, place_sequence = ?, verification = ?,
        is_stale = ?, stale_stream = ?, stale_epoch = ?, stale_sequence = ? WHERE number = ?
        """
    ).execute(arguments: [
      query.hasMore, query.isSorted, query.isTagged, query.fetchedAt.nanoseconds,
      query.lastReadAt.nanoseconds, place?.stream, place?.epoch, place?.sequence,
      query.verification, query.isMarkedStale, staleSince?.stream, staleSince?.epoch,
      staleSince?.sequence, number,
    ])
    guard let members = query.members else { return }
    try removeMembers(of: number)
    let statement = try db.cachedStatement(sql: "INSERT INTO query_members VALUES (?, ?, ?, ?)")
    for (position, member) in members.enumerated() {
      try statement.execute(arguments: [
        number, position, member.type.rawValue, member.id.data,
      ])
    }
  }

  private func write(_ uses: [StoredUse]) throws {
    guard !uses.isEmpty else { return }
    let statement = try db.cachedStatement(
      sql: """
        UPDATE queries SET last_read_at = ? WHERE library = ? AND method = ? AND input = ?
        """)
    for use in uses {
      try statement.execute(
        arguments: [use.lastReadAt.nanoseconds] + identity(of: use.key))
    }
  }

  // MARK: Progress

  private mutating func write(_ progress: StoredProgress, schemaVersion: Int) throws {
    for (number, stream) in progress.streams.enumerated() {
      streams[stream.id] = number
      try db.cachedStatement(
        sql: "INSERT OR REPLACE INTO streams VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
      ).execute(arguments: [
        number, stream.id.library.rawValue.data, stream.id.source, stream.cursor.epoch,
        stream.cursor.sequence.signed, stream.baseline.epoch, stream.baseline.sequence.signed,
        stream.known.signed,
      ])
    }
    for (number, library) in progress.libraries.enumerated() {
      libraries[library.id] = number
      try write(library, number: number)
    }
    // Rows dropped for space are forgotten too, though the store knows them.
    let forgotten = max(progress.forgotten, try Self.forgotten(in: db))
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO meta VALUES (1, ?, ?, ?, ?, ?)")
      .execute(arguments: [
        schemaVersion, progress.verifications, progress.holdsUnowned,
        forgotten.clock.signed, forgotten.device.signed,
      ])
  }

  /// Returns the newest version of all entities that are no longer stored.
  static func forgotten(in db: Database) throws -> Version {
    let row = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT forgotten_clock, forgotten_device FROM meta"))
    return try row?.version(0) ?? .none
  }

  private func write(_ library: StoredLibrary, number: Int) throws {
    let verifiedAt = numbered(library.verifiedAt)
    var tokens = Data()
    for token in library.bulkTokens {
      tokens.append(token.isPlaced ? 1 : 0)
      withUnsafeBytes(of: token.token.bigEndian) { tokens.append(contentsOf: $0) }
    }
    try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO libraries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    ).execute(arguments: [
      number, library.id.rawValue.data, library.verification, verifiedAt?.stream,
      verifiedAt?.epoch, verifiedAt?.sequence, library.unplacedVerification, library.queryFloor,
      library.entityFloor, tokens,
    ])
    try db.cachedStatement(sql: "DELETE FROM notices WHERE library = ?")
      .execute(arguments: [number])
    for (position, notice) in library.notices.enumerated() {
      try db.cachedStatement(sql: "INSERT INTO notices VALUES (?, ?, ?, ?, ?, ?)")
        .execute(arguments: [
          number, position, notice.number, notice.tag.location?.data,
          notice.tag.resourceType?.rawValue, notice.tag.method?.rawValue,
        ])
    }
  }

  private func numbered(
    _ place: StoredPlace?
  ) -> (stream: Int, epoch: UInt32, sequence: Int64)? {
    guard let place, let stream = streams[place.stream] else { return nil }
    return (stream, place.position.epoch, place.position.sequence.signed)
  }

  private func write(_ outbox: [EncodedMutation]) throws {
    try db.execute(sql: "DELETE FROM outbox")
    for (position, mutation) in outbox.enumerated() {
      try db.cachedStatement(sql: "INSERT INTO outbox VALUES (?, ?, ?, ?)").execute(arguments: [
        position, mutation.token.rawValue.data, mutation.library.rawValue.data,
        Data(mutation.edits),
      ])
    }
  }
}
