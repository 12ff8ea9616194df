import CacheModel
import GRDB
import NormalizedCache

/// Keeps the file within its maximum size.
enum Trimming {
  /// Drops the least recently used rows until the rest fits into `bytes`.
  ///
  /// Cursors and the outbox remain. O(rows).
  static func trim(_ db: Database, to bytes: Int) throws {
    var places: [EntityKey: Int] = [:]
    var keys: [EntityKey] = []
    var versions: [Version] = []
    var entities: [TrimPlan.Entity] = []
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT type, id, written_at, IFNULL(LENGTH(payload), 0), clock, device FROM entities
        """)
    while let row = try rows.next() {
      let key = try row.key(0)
      places[key] = keys.count
      keys.append(key)
      versions.append(try row.version(4))
      entities.append(
        TrimPlan.Entity(
          writtenAt: try row.number(2),
          bytes: size(ofEntity: try row.number(3) as Int)))
    }
    var numbers: [Int64] = []
    var queries: [TrimPlan.Query] = []
    var indices: [Int64: Int] = [:]
    let headers = try Row.fetchCursor(
      db, sql: "SELECT number, last_read_at, LENGTH(input) FROM queries ORDER BY number")
    while let row = try headers.next() {
      let number: Int64 = try row.number(0)
      indices[number] = numbers.count
      numbers.append(number)
      queries.append(
        TrimPlan.Query(
          lastReadAt: try row.number(1),
          bytes: StoredSize.ofQuery(input: try row.number(2) as Int, members: 0), members: []))
    }
    let members = try Row.fetchCursor(db, sql: "SELECT query, type, id FROM query_members")
    while let row = try members.next() {
      guard let query = indices[try row.number(0)] else { continue }
      queries[query].bytes += StoredSize.member
      if let place = places[try row.key(1)] { queries[query].members.append(place) }
    }
    let plan = TrimPlan(queries: queries, entities: entities, fitting: bytes)
    for index in plan.droppedQueries {
      try db.cachedStatement(sql: "DELETE FROM query_members WHERE query = ?")
        .execute(arguments: [numbers[index]])
      try db.cachedStatement(sql: "DELETE FROM queries WHERE number = ?")
        .execute(arguments: [numbers[index]])
    }
    for index in plan.droppedEntities {
      try db.cachedStatement(sql: "DELETE FROM entities WHERE type = ? AND id = ?")
        .execute(arguments: [keys[index].type.rawValue, keys[index].id.data])
    }
    let forgotten = try plan.droppedEntities.map { versions[$0] }.reduce(
      BatchWriter.forgotten(in: db), max)
    try db.execute(
      sql: "UPDATE meta SET forgotten_clock = ?, forgotten_device = ?",
      arguments: [forgotten.clock.signed, forgotten.device.signed])
  }

  /// Estimates the bytes of an entity's row.
  ///
  /// A page of 4,096 bytes has whole rows only, unless they are larger than it: its rest is empty. So a value of
  /// 2,000 bytes, with 64 of other columns, fills a page.
  private static func size(ofEntity payload: Int) -> Int {
    let page = 4_096
    let rows = page / (payload + 64)
    return max(StoredSize.ofEntity(payload: payload), rows > 0 ? page / rows : 0)
  }

  /// Trims a batch that replaces everything, before it is written.
  static func fitting(_ batch: CacheStorage.Batch, into bytes: Int) -> CacheStorage.Batch {
    var places: [EntityKey: Int] = [:]
    for (index, entity) in batch.entities.enumerated() { places[entity.key] = index }
    let entities = batch.entities.map { entity in
      TrimPlan.Entity(
        writtenAt: entity.writtenAt.nanoseconds,
        bytes: size(ofEntity: entity.payload?.count ?? 0))
    }
    let queries = batch.queries.map { query in
      let members = query.members ?? []
      return TrimPlan.Query(
        lastReadAt: query.lastReadAt.nanoseconds,
        bytes: StoredSize.ofQuery(input: query.key.input.count, members: members.count),
        members: members.compactMap { places[$0] })
    }
    let plan = TrimPlan(queries: queries, entities: entities, fitting: bytes)
    guard !plan.droppedQueries.isEmpty || !plan.droppedEntities.isEmpty else { return batch }
    var fitting = batch
    fitting.progress.forgotten = plan.droppedEntities.map { batch.entities[$0].version }
      .reduce(batch.progress.forgotten, max)
    let (withoutQueries, withoutEntities) = (Set(plan.droppedQueries), Set(plan.droppedEntities))
    fitting.queries = batch.queries.indices.filter { !withoutQueries.contains($0) }
      .map { batch.queries[$0] }
    fitting.entities = batch.entities.indices.filter { !withoutEntities.contains($0) }
      .map { batch.entities[$0] }
    return fitting
  }
}
