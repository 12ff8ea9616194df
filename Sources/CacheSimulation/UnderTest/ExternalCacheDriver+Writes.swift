import CacheModel
import NormalizedCacheCore
import Workloads

/// A user's own writes in a black-box cache: it receives each, sends it, and receives its result.
extension ExternalCacheDriver {
  struct PendingWrite {
    var mutation: SimulatedMutation
    var isSentOnce: Bool
    var isUnderWay = false
    var number: UInt32 { WriteNames.write(of: mutation.token) }
  }

  // MARK: Numbers

  /// Returns the client's number of an object that it creates, until the server has assigned one.
  package func clientNumber(ofWrite write: UInt32) -> UInt32 {
    UInt32(input.workload.catalog.objects.count) + write
  }

  /// Returns the cache's number of an entity; `nil` if there is none with that key.
  func number(of key: EntityKey) -> UInt32? {
    guard let write = WriteNames.write(ofClientKey: key) else { return input.objectOfKey[key] }
    let number = clientNumber(ofWrite: write)
    // Objects created by an earlier process are unknown to this one.
    guard created[number] == nil else { return number }
    return input.workload.items[input.workload.writes[Int(write)].items.lowerBound].object
  }

  func object(ofNumber number: Int) -> Int {
    UInt32(exactly: number).flatMap { created[$0] }.map { Int($0) } ?? number
  }

  func numbers(of keys: [EntityKey: EntityKey]) -> [CacheOperation.Key] {
    let numbers = keys.compactMap { client, server -> CacheOperation.Key? in
      guard let client = number(of: client), let server = input.objectOfKey[server] else {
        return nil
      }
      return CacheOperation.Key(client: client, server: server)
    }
    return numbers.sorted { $0.client < $1.client }
  }

  // MARK: The user

  mutating func begin(
    _ mutation: SimulatedMutation, timeout: Duration?, at now: Instant
  ) throws(MutationError) {
    take(mutation, isSentOnce: true, at: now)
  }

  mutating func enqueue(_ mutation: SimulatedMutation, at now: Instant) throws(MutationError) {
    take(mutation, isSentOnce: false, at: now)
  }

  private mutating func take(_ mutation: SimulatedMutation, isSentOnce: Bool, at now: Instant) {
    let token = WriteNames.write(of: mutation.token)
    let edits = mutation.edits.compactMap { edit(of: $0, by: token) }
    take(
      CacheOperation.Write(token: token, edits: edits, isSentOnce: isSentOnce), of: mutation,
      at: now)
  }

  mutating func take(
    _ write: CacheOperation.Write, of mutation: SimulatedMutation, at now: Instant
  ) {
    writes.append(PendingWrite(mutation: mutation, isSentOnce: write.isSentOnce))
    told.insert(write.token)
    for edit in write.edits {
      switch edit {
      case .change(_, let state): sent.insert(state, isPart: false)
      case .create(let number, let state):
        sent.insert(state, isPart: false)
        created[number] = object(of: Int32(state))
      case .delete: break
      }
    }
    take(.write(write), at: now)
  }

  private func edit(
    of edit: SimulatedMutation.Edit, by write: UInt32
  ) -> CacheOperation.Edit? {
    switch edit {
    case .create(_, let handle):
      .create(object: clientNumber(ofWrite: write), state: handle.revision)
    case .update(let key, let change):
      number(of: key).map { .change(object: $0, state: change.state) }
    case .delete(let key): number(of: key).map { .delete(object: $0) }
    }
  }

  // MARK: Network

  mutating func send(write token: Int) throws(CacheFault) {
    if let former = outliving.writes.firstIndex(where: { Int($0.number) == token }) {
      // An earlier process created it, and this one restored it.
      var write = outliving.writes.remove(at: former)
      write.isUnderWay = false
      writes.append(write)
    }
    guard let index = writes.firstIndex(where: { Int($0.number) == token }),
      !writes[index].isUnderWay
    else { throw CacheFault(.noSuchWrite, "token \(token)") }
    writes[index].isUnderWay = true
    actions.append(.send(writes[index].mutation.token))
  }

  mutating func commit(
    _ token: MutationToken, with response: MutationResponse<Handle>, at now: Instant
  ) {
    completeSend(token, with: response, at: now)
  }

  mutating func completeSend(
    _ token: MutationToken, with response: MutationResponse<Handle>, at now: Instant
  ) {
    var confirmation = CacheOperation.Confirmation(
      rows: response.changed.map { send($0) },
      position: response.place?.position ?? StreamPosition(epoch: 0, sequence: 0))
    confirmation.deleted = response.deleted.compactMap { input.objectOfKey[$0.key] }
    confirmation.deletion = response.deleted.map(\.version).max() ?? .none
    confirmation.keys = numbers(of: response.keys)
    end(token, .confirmed(confirmation), at: now)
  }

  mutating func rejectSend(_ token: MutationToken, at now: Instant) -> [MutationToken] {
    end(token, .refused, at: now)
    return [token]
  }

  mutating func rollBack(_ token: MutationToken, at now: Instant) -> Bool {
    end(token, .refused, at: now)
    return true
  }

  mutating func failSend(_ token: MutationToken, at now: Instant) {
    end(token, .unreachable, at: now)
  }

  /// Reports the result of a sent write, which then ends, unless the result is unknown and the write is kept.
  mutating func end(_ token: MutationToken, _ answer: CacheOperation.Answer, at now: Instant) {
    guard let index = writes.firstIndex(where: { $0.mutation.token == token }) else { return }
    if answer == .unreachable, !writes[index].isSentOnce {
      writes[index].isUnderWay = false
    } else {
      writes.remove(at: index)
    }
    take(.answer(WriteNames.write(of: token), answer), at: now)
  }

  /// The cache receives the state of the link itself.
  mutating func setOnline(_ isOnline: Bool, at now: Instant) {}

  /// Returns the token of an event caused by this user's write.
  func ownToken(of envelope: borrowing EventEnvelope<Handle>) -> UInt32? {
    guard let token = envelope.mutation else { return nil }
    let number = WriteNames.write(of: token)
    return told.contains(number) ? number : nil
  }

  // MARK: State of writes

  func isKnownToBeCarriedOut(_ token: MutationToken) -> Bool { false }

  func pendingMutation(_ token: MutationToken) -> SimulatedMutation? {
    writes.first { $0.mutation.token == token }?.mutation
  }

  var pendingMutations: [MutationToken] { writes.map(\.mutation.token) }

  var hasPendingEdits: Bool { writes.contains { !$0.mutation.edits.isEmpty } }

  var outbox: [SimulatedMutation] { writes.filter { !$0.isSentOnce }.map(\.mutation) }

  /// Returns an entity as the views show it; `nil` if none does.
  func peek(_ key: EntityKey) -> VersionedEntity<Handle>? {
    guard let number = number(of: key) else { return nil }
    let wanted = created[number] ?? number
    for query in observers.indices where observers[query] > 0 {
      guard let slot = shown[query]?.first(where: { object(of: $0) == wanted }) else { continue }
      return VersionedEntity(key: key, version: version(of: slot), payload: handle(of: slot))
    }
    return nil
  }
}
