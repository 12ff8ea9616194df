package import CacheModel
package import NormalizedCache

/// One step of a program, as a complete value.
///
/// Running it involves no random choices, and its target may no longer exist: then it is skipped. So any
/// subset of a program is a program, as shrinking requires. An event is identified by the number in its
/// sending step, a fetch by its target.
package enum Step: Hashable, Sendable {
  // Steps of the servers.
  case publish(server: Int, Commit, event: Int, Telling)
  /// A server begins a new epoch without its log.
  case restart(server: Int)

  // Steps of the network.
  case deliver(event: Int)
  /// An event is delivered, and remains in flight.
  case `repeat`(event: Int)
  case lose(event: Int)
  /// The connection of client and server ends, and messages in flight are lost.
  case cut(server: Int)
  case restore(server: Int)
  case heartbeat(server: Int)

  // Steps of fetches.
  /// The server reads its answer to the first fetch of the target without one.
  case serve(FetchTarget)
  /// An answer arrives for one of the target's fetches; it is read now, if it was not before.
  case answer(FetchTarget, index: Int)
  /// A replica of a server becomes stale: it keeps the server's present state.
  case lag(server: Int)
  /// The replica reads an answer; only its data from this server's stream is stale.
  case serveStale(FetchTarget)
  case fail(FetchTarget, index: Int)
  case serveReconcile(server: Int)
  case answerReconcile(server: Int)
  case failReconcile(server: Int)
  /// The server answers that the missed events are no longer available.
  case tooOld(server: Int)

  // Steps of the user.
  case read(QueryKey)
  case readEntity(Int)
  case observe(QueryKey)
  case leave(QueryKey)
  case tag(QueryKey)
  case untag(QueryKey)
  case invalidate(QueryKey)
  case invalidateTag(InvalidationTag)
  case clear(LibraryID)
  /// Memory is low: it is reduced to this percentage.
  case release(percent: Int)
  case wait(milliseconds: Int)

  // Optimistic changes of the user, by number.
  case begin(mutation: Int, server: Int, [NoteEdit], timeout: Int?)
  case enqueue(mutation: Int, server: Int, [NoteEdit])
  case online(Bool)
  case rollBack(mutation: Int)
  /// The server performs it; its events have this number and the next.
  case carryOut(mutation: Int, event: Int)
  case confirm(mutation: Int)
  case loseAnswer(mutation: Int)
  case reject(mutation: Int)

  // Steps of the client's storage and process.
  case flush
  /// The batch is created at the store's request.
  case store
  case written
  /// Nothing of the batch is written.
  case refuse(StorageFault)
  /// The process ends, and another begins with the stored state, including the batch in progress if it was
  /// written without a report.
  case relaunch(isWritten: Bool, pause: Int)
}

/// The kinds of steps: the keys of a run's weights, and the verbs of a case file.
package enum StepKind: String, Hashable, Sendable, CaseIterable {
  case change
  case batch
  case delete
  case bulk
  case partlyDecoded = "partly-decoded"
  case infrastructure
  case restart
  case deliver
  case `repeat`
  case lose
  case cut
  case restore
  case heartbeat
  case serve
  case answer
  case lag
  case serveStale = "serve-stale"
  case fail
  case serveReconcile = "serve-reconcile"
  case answerReconcile = "answer-reconcile"
  case failReconcile = "fail-reconcile"
  case tooOld = "too-old"
  case read
  case readEntity = "read-entity"
  case observe
  case leave
  case tag
  case untag
  case invalidate
  case invalidateTag = "invalidate-tag"
  case wait
  case begin
  case enqueue
  case online
  case rollBack = "roll-back"
  case carryOut = "carry-out"
  case confirm
  case loseAnswer = "lose-answer"
  case reject
  case flush
  case store
  case written
  case refuse
  case relaunch
  case clear
  case release
}

extension Step {
  package var kind: StepKind {
    switch self {
    case .publish(_, .change(let writes), _, _): writes.count == 1 ? .change : .batch
    case .publish(_, .delete, _, _): .delete
    case .publish(_, .bulk, _, _): .bulk
    case .publish(_, .partlyDecoded, _, _): .partlyDecoded
    case .publish(_, .infrastructure, _, _): .infrastructure
    case .restart: .restart
    case .deliver: .deliver
    case .repeat: .repeat
    case .lose: .lose
    case .cut: .cut
    case .restore: .restore
    case .heartbeat: .heartbeat
    case .serve: .serve
    case .answer: .answer
    case .lag: .lag
    case .serveStale: .serveStale
    case .fail: .fail
    case .serveReconcile: .serveReconcile
    case .answerReconcile: .answerReconcile
    case .failReconcile: .failReconcile
    case .tooOld: .tooOld
    case .read: .read
    case .readEntity: .readEntity
    case .observe: .observe
    case .leave: .leave
    case .tag: .tag
    case .untag: .untag
    case .invalidate: .invalidate
    case .invalidateTag: .invalidateTag
    case .clear: .clear
    case .release: .release
    case .wait: .wait
    case .begin: .begin
    case .enqueue: .enqueue
    case .online: .online
    case .rollBack: .rollBack
    case .carryOut: .carryOut
    case .confirm: .confirm
    case .loseAnswer: .loseAnswer
    case .reject: .reject
    case .flush: .flush
    case .store: .store
    case .written: .written
    case .refuse: .refuse
    case .relaunch: .relaunch
    }
  }
}

extension Step {
  var query: QueryKey? {
    switch self {
    case .read(let key), .observe(let key), .leave(let key), .tag(let key), .untag(let key),
      .invalidate(let key), .serve(.query(let key)), .serveStale(.query(let key)),
      .answer(.query(let key), _), .fail(.query(let key), _):
      key
    default: nil
    }
  }

  var notes: [Note] {
    switch self {
    case .publish(_, .change(let writes), _, _), .publish(_, .bulk(let writes, _), _, _),
      .publish(_, .partlyDecoded(let writes, _), _, _):
      writes.map(\.note)
    case .begin(_, _, let edits, _), .enqueue(_, _, let edits):
      edits.compactMap { edit in
        switch edit {
        case .create(_, let note): note
        case .update(_, let change): change.applied(to: Note(folder: 0, title: "a"))
        case .delete: nil
        }
      }
    default: []
    }
  }
}

/// A change at one server, sent as one event.
package enum Commit: Hashable, Sendable {
  /// Notes are written; one is sent as a change, any other number as a batch.
  case change([NoteWrite])
  case delete([Int])
  /// Notes are written, and sent as a bulk notice.
  case bulk([NoteWrite], token: UInt64)
  /// Notes are written, of which the last `undecodable` are sent in an invalid format.
  case partlyDecoded([NoteWrite], undecodable: Int)
  case infrastructure
}

/// A note's number and its new value.
package struct NoteWrite: Hashable, Sendable {
  package var number: Int
  package var note: Note

  package init(number: Int, note: Note) {
    self.number = number
    self.note = note
  }

  package var key: EntityKey { .note(number) }
}

/// How a change is sent to a client.
package enum Telling: Hashable, Sendable {
  case lost
  /// The event is sent, and later delivered.
  case sent
  /// The change is sent immediately without a position on a second channel, perhaps without a library; then
  /// as an event.
  case whispered(namesLibrary: Bool)
  /// The change is confirmed immediately, as the client's own request; then sent as an event.
  case confirmed
}

extension NoteWorld {
  package mutating func perform(_ commit: Commit, at server: Int) -> EventEnvelope<Note> {
    switch commit {
    case .change(let writes):
      return servers[server].write(writes.map { ($0.key, $0.note) })
    case .delete(let numbers):
      return servers[server].delete(numbers.map { .note($0) })
    case .bulk(let writes, let token):
      servers[server].change(writes.map { ($0.key, $0.note) })
      let tag = InvalidationTag(
        library: servers[server].stream.library, resourceType: servers[server].type)
      return servers[server].publish(
        .bulkNotice(scope: tag, count: writes.count, token: token))
    case .partlyDecoded(let writes, let undecodable):
      var former = servers[server].notes
      let items = servers[server].change(writes.map { ($0.key, $0.note) })
      // The client may have received earlier items of the same event before the lost ones.
      for item in items.dropLast(undecodable) { former[item.key] = item }
      let lost = items.suffix(undecodable).map { item in
        // An identified item marks its lists stale; other queries that may contain it now must be notified.
        let isNamed = former[item.key].map { rules.areListedAlike($0.payload, item.payload) }
        return UndecodableItem(type: item.key.type, id: isNamed == true ? item.key.id : nil)
      }
      return servers[server].publish(
        .partlyDecoded(Array(items.dropLast(undecodable)), undecodable: lost))
    case .infrastructure:
      return servers[server].publish(.infrastructure)
    }
  }
}
