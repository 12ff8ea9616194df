package import CacheModel
package import NormalizedCacheCore
import Workloads

/// How reads are asked, and how they are answered.
extension ExternalCacheDriver {
  mutating func read(_ key: QueryKey, at now: Instant, isRepeated: Bool) -> QueryRead {
    guard let query = input.queryOfKey[key] else { return QueryRead(outcome: .missCold) }
    let isFirst = shown[query] == nil
    let isCacheable = input.workload.model.isCacheable(input.workload.queries[query])
    let isObserved = begins[query]
    let before = requests.count
    begins[query] = false
    let ticket = ask(.query(query), isObserved ? .observe(query) : .read(query), at: now)
    guard let ticket else { return QueryRead(outcome: .hit) }
    return QueryRead(
      outcome: outcome(
        of: .query(query), isFirst: isFirst, isCacheable: isCacheable, requestsBefore: before),
      fetch: ticket)
  }

  mutating func readEntity(
    _ key: EntityKey, library: LibraryID, at now: Instant
  ) -> EntityRead<Handle> {
    guard let object = number(of: key) else { return EntityRead(outcome: .missCold) }
    let isFirst = served[object] == nil
    let before = requests.count
    let ticket = ask(.object(object), .open(object), at: now)
    let entity = served[object].map { handle in
      VersionedEntity(
        key: key, version: input.workload.catalog.revisions[Int(handle.revision)].version,
        payload: handle)
    }
    guard let ticket else { return EntityRead(outcome: .hit, entity: entity) }
    return EntityRead(
      outcome: outcome(
        of: .object(object), isFirst: isFirst, isCacheable: true, requestsBefore: before),
      fetch: ticket)
  }

  /// Has a read answered.
  ///
  /// - Returns: what to wait for; `nil` where it was served in its own turn.
  package mutating func ask(
    _ target: CacheReply.Target, _ asked: CacheTurn.Input, at now: Instant
  ) -> FetchID? {
    var read = UnansweredRead(turn: turn + 1, target: target, since: now)
    read.isAsked = requests.contains { $0.target == target }
    unanswered.append(read)
    take(asked, at: now)
    guard let index = answered.firstIndex(where: { $0.ticket == read.ticket && $0.isServed })
    else { return read.ticket }
    answered.remove(at: index)
    return nil
  }

  /// Why a read was not served, as far as it can be told from outside.
  ///
  /// One that has asked the server nothing waits for what is under way. Of what the cache once served,
  /// it is not known whether it was evicted, has expired, or was marked stale: the first stands for all.
  func outcome(
    of target: CacheReply.Target, isFirst: Bool, isCacheable: Bool, requestsBefore: Int
  ) -> ReadOutcome {
    if !isCacheable { return .bypass }
    let asksNow = requests[requestsBefore...].contains { $0.target == target }
    if !asksNow, requests.contains(where: { $0.target == target }) { return .coalesced }
    return isFirst ? .missCold : .missEvicted
  }

  mutating func takeAnswered() -> [AnsweredRead] {
    defer { answered.removeAll(keepingCapacity: true) }
    return answered
  }

  mutating func giveUpReads() {
    answered += unanswered.map { AnsweredRead(ticket: $0.ticket, isServed: false) }
    unanswered = []
  }
}
