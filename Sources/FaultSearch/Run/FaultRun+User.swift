import CacheModel
package import NormalizedCache

/// Steps of the user and of time.
extension FaultRun {
  mutating func performAsUser(_ step: Step) -> Bool {
    switch step {
    case .read(let key):
      read(key)
    case .readEntity(let number):
      let key = EntityKey.note(number)
      let library = NoteWorld.library(of: key)
      let read = store.readEntity(key, library: library, at: now)
      digest.add(UInt64(read.outcome.rawValue))
      digest.add(read.entity?.version.clock ?? 0)
      didCall()
      if read.outcome == .coalesced {
        checkJoined(
          read.fetch, since: entities.lastInvalidation(of: library), about: Oracle.name(key))
      }
    case .observe(let key):
      observe(key)
    case .leave(let key):
      guard let index = observers.firstIndex(where: { $0.key == key }) else { return false }
      uses.note(key, at: calls)
      observers[index].count -= 1
      if observers[index].count == 0 { observers.remove(at: index) }
      store.removeObserver(of: key, at: now)
      didCall()
    case .tag(let key):
      if !tagged.contains(key) { tagged.append(key) }
      store.tag(key, true, at: now)
      didCall()
    case .untag(let key):
      // A stored tag may be restored by the next process.
      if !hasStorage { tagged.removeAll { $0 == key } }
      store.tag(key, false, at: now)
      didCall()
    case .invalidate(let key):
      answers.invalidate(at: calls) { $0 == key }
      store.invalidate(key, at: now)
      didCall()
    case .invalidateTag(let tag):
      answers.invalidate(at: calls) { [rules = world.rules] in rules.query($0, matches: tag) }
      noteInvalidated(tag)
      store.invalidate(tag, at: now)
      didCall()
    case .clear(let library):
      clear(library)
    case .release(let percent):
      release(percent)
    case .wait(let milliseconds):
      noteUnstored()
      now = now.advanced(by: .milliseconds(milliseconds))
      store.advance(to: now)
      didCall()
      checkStoredInTime()
    default:
      return false
    }
    return true
  }

  private mutating func read(_ key: QueryKey) {
    uses.note(key, at: calls)
    let read = store.read(key, at: now)
    digest.add(UInt64(read.outcome.rawValue))
    didCall()
    if read.outcome == .hit { checkHit(key, isExpired: read.isExpired) }
    if read.outcome == .coalesced {
      checkJoined(read.fetch, since: answers.entry(key).invalidated, about: Oracle.name(key))
    }
  }

  private mutating func observe(_ key: QueryKey) {
    uses.note(key, at: calls)
    store.addObserver(of: key, at: now)
    if let index = observers.firstIndex(where: { $0.key == key }) {
      observers[index].count += 1
    } else {
      let rows = store.rows(of: key)
      observers.append(ObservedQuery(key: key, shown: rows, rows: rows))
    }
    didCall()
    read(key)
  }
}

package struct PendingChange: Sendable {
  package var number: Int
  package var server: Int
  let token: MutationToken
  /// The mutation for the server; a queued one gets its name when it is sent.
  var mutation: NoteMutation
  package var isQueued: Bool
  package var isInFlight = false
  /// The server's answer, once it has performed the mutation.
  package var response: MutationResponse<Note>?

  init(number: Int, server: Int, mutation: NoteMutation, isQueued: Bool) {
    self.number = number
    self.server = server
    token = mutation.token
    self.mutation = mutation
    self.isQueued = isQueued
  }

  /// Whether the request may be sent now.
  package var isAsked: Bool { !isQueued || isInFlight }
}

/// The user's changes, their requests and answers.
extension FaultRun {
  /// The maximum number of recorded changes; the oldest unqueued one is removed first.
  private static let changeLimit = 24
  /// The first event number for mutations at the end, greater than all others.
  private static let lastEvents = 1 << 30

  mutating func performMutation(_ step: Step) -> Bool {
    switch step {
    case .begin(let number, let server, let edits, let timeout):
      guard let mutation = newMutation(number, server, edits) else { return false }
      guard (try? store.begin(mutation, timeout: timeout.map { .milliseconds($0) }, at: now)) != nil
      else { return false }
      changes.append(
        PendingChange(number: number, server: server, mutation: mutation, isQueued: false))
      didCall()
    case .enqueue(let number, let server, let edits):
      guard let mutation = newMutation(number, server, edits) else { return false }
      // Recorded first: the store may send it in this call.
      changes.append(
        PendingChange(number: number, server: server, mutation: mutation, isQueued: true))
      guard (try? store.enqueue(mutation, at: now)) != nil else {
        changes.removeLast()
        return false
      }
      didCall()
    case .carryOut(let number, let event):
      guard let index = change(number), !link.isCut[changes[index].server] else { return false }
      return carryOut(index, event: event)
    case .confirm(let number):
      guard let index = change(number), changes[index].response != nil,
        !link.isCut[changes[index].server]
      else { return false }
      confirm(index)
    case .loseAnswer(let number):
      guard let index = change(number), changes[index].isAsked else { return false }
      loseAnswer(index)
    case .reject(let number):
      guard let index = change(number), changes[index].isAsked, changes[index].response == nil,
        !world.servers[changes[index].server].hasCarriedOut(changes[index].token)
      else { return false }
      reject(index)
    case .rollBack(let number):
      guard let index = change(number) else { return false }
      rollBack(changes[index].token)
    case .online(let isOnline):
      setOnline(isOnline)
    default:
      return false
    }
    return true
  }

  private func change(_ number: Int) -> Int? { changes.firstIndex { $0.number == number } }

  private mutating func newMutation(
    _ number: Int, _ server: Int, _ edits: [NoteEdit]
  ) -> NoteMutation? {
    guard change(number) == nil, world.servers.indices.contains(server),
      !settled.contains(.mutation(number))
    else { return nil }
    if changes.count >= Self.changeLimit {
      guard let oldest = changes.firstIndex(where: { !$0.isQueued }) else { return nil }
      changes.remove(at: oldest)
    }
    return NoteMutation(
      token: .mutation(number), library: world.servers[server].stream.library,
      edits: edits)
  }

  private mutating func carryOut(_ index: Int, event: Int) -> Bool {
    let token = changes[index].token
    guard changes[index].isAsked, changes[index].response == nil,
      !writes.refusedByServer.contains(token)
    else { return false }
    let server = changes[index].server
    if !world.servers[server].hasCarriedOut(changes[index].mutation.token) {
      writes.noteEffect(of: changes[index].mutation.token)
      let effects = writes.effects(of: token)
      if effects > 1 {
        diverge(
          .takesEffectOnce, about: "mutation \(token.rawValue.low)", expected: "one effect",
          found: "\(effects)")
      }
    }
    let (response, events) = world.servers[server].carryOut(changes[index].mutation)
    changes[index].response = response
    for (offset, envelope) in events.enumerated() {
      link.send(Link.Event(number: event + offset, server: server, envelope: envelope))
    }
    return true
  }

  private mutating func confirm(_ index: Int) {
    let change = changes.remove(at: index)
    guard let response = change.response else { return }
    settled.append(change.token)
    entities.forget { key in response.changed.contains { $0.key == key } }
    if change.isQueued {
      writes.confirm(change.token)
      store.completeSend(change.token, with: response, at: now)
    } else {
      store.commit(change.token, with: response, at: now)
    }
    didCall()
  }

  private mutating func loseAnswer(_ index: Int) {
    changes[index].response = nil
    guard changes[index].isQueued else { return }
    changes[index].isInFlight = false
    store.failSend(changes[index].token, at: now)
    didCall()
  }

  private mutating func reject(_ index: Int) {
    let token = changes[index].token
    guard changes[index].isQueued else { return rollBack(token) }
    settled.append(token)
    let queued = store.outbox.map(\.token)
    let fallen = store.rejectSend(token, at: now)
    let left = store.outbox.map(\.token)
    for gone in queued where !left.contains(gone) && !fallen.contains(gone) {
      diverge(
        .refusalIsTold, about: "mutation \(gone.rawValue.low)",
        expected: "told that it falls with \(token.rawValue.low)",
        found: "\(fallen.map(\.rawValue.low))")
    }
    writes.refuse(token, with: fallen)
    changes.removeAll { fallen.contains($0.token) }
    didCall()
  }

  private mutating func rollBack(_ token: MutationToken) {
    let queued = store.outbox.map(\.token)
    store.rollBack(token, at: now)
    // A queued change is removed together with those that depend on it.
    let left = store.pendingMutations
    writes.withdraw(queued.filter { !left.contains($0) })
    changes.removeAll { $0.isQueued && !left.contains($0.token) }
    didCall()
  }

  /// Sends a mutation at the store's request, and checks that it is the first of the outbox, the only one in
  /// flight, and not sent twice.
  mutating func send(_ token: MutationToken) {
    let first = store.outbox.first?.token
    let inFlight = changes.first(where: \.isInFlight)?.token
    let isSettled = settled.contains(token)
    if first != token || inFlight != nil || isSettled {
      diverge(
        .sentOnceInOrder, about: "mutation \(token.rawValue.low)",
        expected: inFlight.map { "an answer to \($0.rawValue.low) first" }
          ?? first.map { "the first of the outbox, \($0.rawValue.low)" } ?? "nothing to be sent",
        found: isSettled ? "sent again after its answer" : "sent")
    }
    guard let index = changes.firstIndex(where: { $0.token == token }) else { return }
    changes[index].isInFlight = true
    if let mutation = store.pendingMutation(token) { changes[index].mutation = mutation }
  }

  /// Checks that the outbox has the user's unsettled changes, in order.
  mutating func checkOutbox() {
    let queued = changes.filter(\.isQueued).map(\.token)
    let outbox = store.outbox.map(\.token)
    if queued != outbox {
      diverge(
        .outboxKeeps, about: "the outbox", expected: "\(queued.map(\.rawValue.low))",
        found: "\(outbox.map(\.rawValue.low))")
    }
  }

  /// Ends the user's session: queued changes are sent, other pending ones rolled back.
  mutating func settleChanges() {
    if let index = changes.firstIndex(where: \.isInFlight) { loseAnswer(index) }
    for isOnline in [false, true] { setOnline(isOnline) }
    var event = Self.lastEvents
    while divergence == nil, let index = changes.firstIndex(where: \.isInFlight) {
      if writes.refusedByServer.contains(changes[index].token) {
        reject(index)
        continue
      }
      _ = carryOut(index, event: event)
      event += 2
      confirm(index)
    }
    for token in store.pendingMutations where divergence == nil { rollBack(token) }
    if divergence == nil, !store.pendingMutations.isEmpty || !store.outbox.isEmpty {
      let left = store.pendingMutations.map(\.rawValue.low)
      diverge(.outboxKeeps, about: "the outbox", expected: "nothing pending", found: "\(left)")
    }
  }
}
