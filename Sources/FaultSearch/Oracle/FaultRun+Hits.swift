import CacheModel
import NormalizedCache

/// What a read may answer.
extension FaultRun {
  /// A hit is complete and in order, no older than the last invalidation, and has not expired.
  mutating func checkHit(_ key: QueryKey, isExpired: Bool) {
    let rows = store.rows(of: key)
    if !isSound(rows, for: NoteQuery(key), isExact: knowsMembers && !isOverlaid) {
      diverge(
        .hitIsComplete, about: Oracle.name(key), expected: "every row, in order",
        found: Oracle.name(rows))
    }
    let entry = answers.entry(key)
    if entry.asked <= entry.invalidated {
      diverge(
        .hitIsValid, about: Oracle.name(key),
        expected: "a fetch begun after call \(entry.invalidated), which invalidated it",
        found: "a hit whose fetch began in call \(entry.asked)")
    }
    if let lifetime = oracle.servedFor(key.method, isExpired: isExpired) {
      let age = entry.answered?.duration(to: now) ?? .seconds(Int64.max)
      if age >= lifetime {
        diverge(
          .hitIsInTime, about: Oracle.name(key), expected: "an answer younger than \(lifetime)",
          found: "a hit of age \(age)")
      }
    }
  }

  private var knowsMembers: Bool { composition.membership != .blind }

  /// Who reads after an invalidation does not join a fetch from before it.
  mutating func checkJoined(_ id: FetchID?, since invalidated: Int, about subject: String) {
    guard let fetch = fetches.first(where: { $0.id == id }) else {
      diverge(.hitIsValid, about: subject, expected: "a fetch in flight", found: "none")
      return
    }
    if fetch.begun <= invalidated {
      diverge(
        .hitIsValid, about: subject,
        expected: "a fetch begun after call \(invalidated), which invalidated it",
        found: "joined one of call \(fetch.begun)")
    }
  }

  // MARK: Single entities

  /// Notes which entities an invalidation makes stale: a method says nothing of them.
  mutating func noteInvalidated(_ tag: InvalidationTag) {
    guard tag.method == nil else { return }
    var keys: [EntityKey] = []
    store.forEachResident { key, _ in
      guard NoteWorld.library(of: key) == tag.library else { return }
      if tag.resourceType == nil || tag.resourceType == key.type { keys.append(key) }
    }
    // Where an entity goes with its last list, it may go and be told anew in one call.
    if oracle.dropsUnlisted { keys = [] }
    entities.invalidate(keys, of: tag.library, at: calls)
  }

  /// What the app has invalidated is not fresh again before it was asked for.
  mutating func checkInvalidated() {
    // What was deleted and is there again may have been told of both in one call.
    let gone = entities.listed.filter { key in
      store.confirmedEntity(key) == nil || world.servers.contains { $0.hasDeleted(key) }
    }
    entities.forget { gone.contains($0) }
    for key in entities.listed where store.isFresh(key, at: now) {
      let note = store.confirmedEntity(key)?.payload
      diverge(
        .entityIsValid, about: Oracle.name(key),
        expected: "stale, since no fetch that began after its invalidation brought it",
        found: "fresh \(Oracle.name(note))")
    }
  }

  /// Whether every row is there, and where the cache can tell, belongs there and stands in order.
  private func isSound(
    _ rows: [VersionedEntity<Note>?]?, for query: NoteQuery, isExact: Bool
  ) -> Bool {
    guard let rows else { return false }
    let rules = world.rules
    let values = rows.compactMap { $0 }
    guard values.count == rows.count, values.count <= rules.limit(of: query) ?? .max,
      values.allSatisfy({ !$0.payload.isSummary || rules.showsSummaries(query) })
    else { return false }
    guard isExact, query != .opaque, query != .live else { return true }
    return values.allSatisfy { rules.lists($0.payload, at: $0.key, in: query) == true }
      && zip(values, values.dropFirst()).allSatisfy {
        rules.precedes($0.payload, key: $0.key, $1.payload, key: $1.key, in: query)
      }
  }
}
