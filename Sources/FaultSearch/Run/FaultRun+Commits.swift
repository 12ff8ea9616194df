import CacheModel
import NormalizedCache

/// What follows every call of the store.
extension FaultRun {
  /// Takes what the store asks for, and checks what it told.
  ///
  /// - Parameter removed: an entity that this call may take away although a query holds it.
  mutating func didCall(removing removed: EntityKey? = nil) {
    calls += 1
    notePendingEdits()
    store.takeActions(into: &actions)
    var told: [QueryKey] = []
    for action in actions {
      switch action {
      case .fetch(let id, let request):
        digest.add(request.target)
        fetches.append(PendingFetch(id: id, request: request, begun: calls))
      case .reconcile(let id, let stream, let after, let form):
        digest.add(after)
        guard let server = world.servers.firstIndex(where: { $0.stream == stream }) else {
          continue
        }
        let request = NoteReconcile(id: id, stream: stream, after: after, form: form)
        reconciles.append(PendingReconcile(request: request, server: server))
        pausedReconciles.removeAll { $0 == server }
      case .notify(let key, _):
        digest.add(key)
        if told.contains(key) || !observers.contains(where: { $0.key == key }) {
          diverge(
            .notifiedOnce, about: Oracle.name(key), expected: "one notification while observed",
            found: told.contains(key) ? "two in one commit" : "one without an observer")
        }
        told.append(key)
      case .send(let token): send(token)
      case .flush: disk.isFlushAsked = true
      }
    }
    let gaps = world.servers.indices.filter { store.isSuspect(world.servers[$0].stream) }
    pausedReconciles.removeAll { !gaps.contains($0) }
    checkLeft()
    // What was evicted and told anew in one call is new to the cache.
    if store.statistics.evictions > evictionsBefore { entities.forget { _ in true } }
    for index in observers.indices { checkView(index, told: told, removing: removed) }
    evictionsBefore = store.statistics.evictions
  }

  /// A row that lost its value in this call, though the query still lists it and it was not deleted.
  private func evicted(from observer: ObservedQuery, _ rows: ObservedQuery.Rows?) -> EntityKey? {
    let emptied = observer.emptied(by: rows)
    guard !emptied.isEmpty else { return nil }
    return confirmedRows(of: observer.key)?.first {
      // A newer summary may have taken the place of the whole.
      store.confirmedEntity($0.key) == nil && emptied.contains($0.key)
        && !store.isDeleted($0.key)
    }?.key
  }

  /// Compares what an observer was shown last with what the store would show it now.
  private mutating func checkView(_ index: Int, told: [QueryKey], removing removed: EntityKey?) {
    let observer = observers[index]
    let rows = store.rows(of: observer.key)
    let isTold = told.contains(observer.key)
    if store.statistics.evictions > evictionsBefore, oracle.retainsObserved,
      let lost = evicted(from: observer, rows), lost != removed
    {
      diverge(
        .retainedStays, about: Oracle.name(observer.key), expected: Oracle.name(lost),
        found: "evicted")
    }
    if isTold, let (former, latter) = observer.retreat(to: rows) {
      diverge(
        .versionsAdvance, about: Oracle.name(observer.key),
        expected: "\(Oracle.name(former)) or later", found: Oracle.name(latter))
    }
    let basis = shownBasis(of: observer.key)
    // A value may have come in this call and gone again: what it said of places is told.
    if !isTold, oracle.notifiesAtOnce, observer.isMoved(to: rows, on: basis) {
      diverge(
        .staysInPlace, about: Oracle.name(observer.key), expected: Oracle.name(observer.rows),
        found: Oracle.name(rows))
    }
    if !isTold, oracle.notifiesAtOnce, observer.misses(rows) {
      diverge(
        .notified, about: Oracle.name(observer.key),
        expected: "a notification of \(Oracle.name(rows))",
        found: "none since \(Oracle.name(observer.shown))")
    }
    observers[index].rows = rows
    observers[index].basis = basis
    if isTold {
      observers[index].shown = rows
      checkUpdate(index, rows)
    }
  }

  /// Compares a reader that has been given what has changed with the rows as they are.
  private mutating func checkUpdate(_ index: Int, _ rows: ObservedQuery.Rows?) {
    let observer = observers[index]
    guard let update = store.rowUpdate(of: observer.key, since: observer.read.marks) else { return }
    let read = ReadRows(update, since: observer.read) { $0 }
    observers[index].read = read
    if read.values != rows?.compactMap({ $0 }) || read.isComplete != rows?.allSatisfy({ $0 != nil })
    {
      diverge(
        .updatesAddUp, about: Oracle.name(observer.key), expected: Oracle.name(rows),
        found: Oracle.name(read.values))
    }
  }
}
