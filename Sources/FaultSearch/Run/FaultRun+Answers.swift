import CacheModel
import NormalizedCache

/// Answers of servers.
extension FaultRun {
  mutating func performAnswer(_ step: Step) -> Bool {
    switch step {
    case .serve(let target):
      guard !isCut(target),
        let index = fetches.firstIndex(where: { $0.target == target && $0.response == nil })
      else { return false }
      fetches[index].response = respond(to: fetches[index].request)
      return true
    case .serveStale(let target):
      guard !isCut(target), let response = world.staleAnswer(target),
        let index = fetches.firstIndex(where: { $0.target == target && $0.response == nil })
      else { return false }
      if case .query(let key) = target, let place = response.place {
        served.note(response, of: key, at: place)
      }
      fetches[index].response = response
      return true
    case .answer(let target, let index):
      guard !isCut(target), let fetch = takeFetch(target, index) else { return false }
      answer(fetch)
      return true
    case .fail(let target, let index):
      guard let fetch = takeFetch(target, index) else { return false }
      store.failFetch(fetch.id, at: now)
      didCall()
      return true
    case .serveReconcile(let server):
      guard !isCut(server),
        let index = reconciles.firstIndex(where: { $0.server == server && $0.response == nil })
      else { return false }
      reconciles[index].response = world.answer(reconciles[index].request)
      return true
    case .answerReconcile(let server):
      guard !isCut(server), let reconcile = takeReconcile(server) else { return false }
      answer(reconcile)
      return true
    case .failReconcile(let server):
      guard let reconcile = takeReconcile(server) else { return false }
      if store.awaits(reconcile.request.id) { pausedReconciles.append(reconcile.server) }
      store.failReconcile(reconcile.request.id, at: now)
      didCall()
      return true
    case .tooOld(let server):
      guard !isCut(server), let reconcile = takeReconcile(server) else { return false }
      let response = ReconcileResponse<Note>.tooOld(now: world.servers[server].place.position)
      store.completeReconcile(reconcile.request.id, with: response, at: now)
      didCall()
      return true
    default:
      return false
    }
  }

  mutating func answer(_ fetch: PendingFetch) {
    let response = fetch.response ?? respond(to: fetch.request)
    if response.isNotModified { confirmations += 1 }
    let rows = rowsToConfirm(by: response, fetch.target)
    let wholes = wholes(inVersionsOf: response)
    let ending = store.completeFetch(fetch.id, with: response, at: now)
    checkWholes(wholes)
    let brought = response.isNotModified ? rows?.map(\.key) : response.entities.map(\.key)
    entities.answer(brought ?? [], asked: fetch.begun)
    switch fetch.target {
    case .query(let key):
      if ending == .answered, let rows { checkConfirmed(key, rows, fetch.request) }
      if ending == .answered { checkAnswered(fetch.target, with: response) }
      if ending == .answered { answers.answer(key, asked: fetch.begun, at: now) }
      didCall()
    case .entity(let key):
      didCall(removing: response.entities.isEmpty ? key : nil)
    }
  }

  /// Returns the servers' answer to a request, or "not modified" if the request permits that.
  private mutating func respond(to request: FetchRequest) -> FetchResponse<Note> {
    let response = world.answer(request.target)
    guard case .query(let key) = request.target, let place = response.place else {
      return response
    }
    let isKnown = request.unlessChangedSince.map {
      served.isSame(response, as: key, at: $0)
    }
    served.note(response, of: key, at: place)
    return isKnown == true ? .notModified(at: place) : response
  }

  mutating func answer(_ reconcile: PendingReconcile) {
    let response = reconcile.response ?? world.answer(reconcile.request)
    store.completeReconcile(reconcile.request.id, with: response, at: now)
    didCall()
  }

  private func isCut(_ target: FetchTarget) -> Bool { isCut(NoteWorld.server(of: target)) }

  private func isCut(_ server: Int) -> Bool {
    !link.isCut.indices.contains(server) || link.isCut[server]
  }

  private mutating func takeFetch(_ target: FetchTarget, _ index: Int) -> PendingFetch? {
    let places = fetches.indices.filter { fetches[$0].target == target }
    return places.indices.contains(index) ? fetches.remove(at: places[index]) : nil
  }

  private mutating func takeReconcile(_ server: Int) -> PendingReconcile? {
    reconciles.firstIndex { $0.server == server }.map { reconciles.remove(at: $0) }
  }
}

/// The end of a run: faults stop, and all requests are answered until none is left.
extension FaultRun {
  /// A number of deadlines beyond the longest back-off.
  private static let deadlineLimit = 64
  /// A number of answers beyond the requests of a correct store without new events.
  private static let answerLimit = 1_000

  /// Sends heartbeats of the servers until the store requests nothing more.
  mutating func comeToRest() {
    for server in world.servers.indices { link.restore(server) }
    storeAll()
    settleChanges()
    for _ in 0..<2 {
      announce()
      answerAll()
      passDeadlines()
    }
    // Again: entries that were marked stale while the store waited are fetched again.
    announce()
    answerAll()
    storeAll()
  }

  private mutating func announce() {
    for server in world.servers where divergence == nil {
      store.receiveHeartbeat(server.place, at: now)
      didCall()
    }
  }

  /// Advances the time until the store waits only for polling.
  mutating func passDeadlines() {
    for _ in 0..<Self.deadlineLimit {
      guard divergence == nil, let deadline = store.nextDeadlineBesidesPolls else { return }
      now = max(now, deadline)
      store.advance(to: now)
      didCall()
      answerAll()
    }
    let found = "one at \(store.nextDeadline?.nanoseconds ?? 0) ns, now \(now.nanoseconds) ns"
    diverge(
      .comesToRest, about: "the store", expected: "no deadline after \(Self.deadlineLimit) of them",
      found: found)
  }

  mutating func answerAll() {
    for _ in 0..<Self.answerLimit {
      guard divergence == nil else { return }
      checkCounts()
      if !reconciles.isEmpty {
        answer(reconciles.removeFirst())
      } else if !fetches.isEmpty {
        answer(fetches.removeFirst())
      } else if storageIsAsked {
        attendToStorage()
      } else {
        return
      }
    }
    let found = "\(fetches.count) fetches, \(reconciles.count) reconciles"
    diverge(
      .comesToRest, about: "the store", expected: "no fetch after \(Self.answerLimit) answers",
      found: found)
  }
}
