package import CacheModel
package import NormalizedCache

/// One thing that happens in a program: a plain value that says everything.
///
/// Nothing is drawn while it is carried out, and what it names may be gone by then: such a step is
/// skipped. So any subset of a program is a program, which is what shrinking needs. An event is named
/// by the number that the step gave it which sent it, a fetch by what it asks for.
package enum Step: Hashable, Sendable {
  // What the servers do.
  case publish(server: Int, Commit, event: Int, Telling)
  /// The server begins a new epoch; its log is gone.
  case restart(server: Int)

  // What the network does.
  case deliver(event: Int)
  /// Delivered, and still on its way.
  case `repeat`(event: Int)
  case lose(event: Int)
  /// Nothing passes between client and server any more, and what was on its way is lost.
  case cut(server: Int)
  case restore(server: Int)
  case heartbeat(server: Int)

  // What becomes of what the client asked.
  /// The server reads its answer to the first fetch of the target that it has not read one for.
  case serve(FetchTarget)
  /// An answer arrives, to one of the fetches of the target; read now, if it was not before.
  case answer(FetchTarget, index: Int)
  /// A replica of a server falls behind: it stays as the server is now.
  case lag(server: Int)
  /// The same as to serve, by the replica; only what the answer's place speaks of is behind.
  case serveStale(FetchTarget)
  case fail(FetchTarget, index: Int)
  case serveReconcile(server: Int)
  case answerReconcile(server: Int)
  case failReconcile(server: Int)
  /// The server says that it no longer has what was missed.
  case tooOld(server: Int)

  // What the user does.
  case read(QueryKey)
  case readEntity(Int)
  case observe(QueryKey)
  case leave(QueryKey)
  case tag(QueryKey)
  case untag(QueryKey)
  case invalidate(QueryKey)
  case invalidateTag(InvalidationTag)
  /// The user logs out of a library.
  case clear(LibraryID)
  /// Memory is short: so much of it may stay, in percent.
  case release(percent: Int)
  case wait(milliseconds: Int)

  // What the user changes before the server has, by the number of the change.
  case begin(mutation: Int, server: Int, [NoteEdit], timeout: Int?)
  case enqueue(mutation: Int, server: Int, [NoteEdit])
  case online(Bool)
  case rollBack(mutation: Int)
  /// The server carries it out; its events have this number and the next.
  case carryOut(mutation: Int, event: Int)
  /// The answer arrives.
  case confirm(mutation: Int)
  case loseAnswer(mutation: Int)
  case reject(mutation: Int)

  // What becomes of the client's storage, and of its process.
  /// The app asks for everything to be stored.
  case flush
  /// The batch that the store asked to be taken is on its way.
  case store
  case written
  /// Nothing of the batch is written.
  case refuse(StorageFault)
  /// The process ends, and another begins with what is stored: with the batch that was on its way,
  /// if it was written and only no one was told.
  case relaunch(isWritten: Bool, pause: Int)
}

/// The kinds of steps: what a run's weights are drawn for, and the verbs of a written case.
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
  /// The query that it names.
  var query: QueryKey? {
    switch self {
    case .read(let key), .observe(let key), .leave(let key), .tag(let key), .untag(let key),
      .invalidate(let key), .serve(.query(let key)), .serveStale(.query(let key)),
      .answer(.query(let key), _), .fail(.query(let key), _):
      key
    default: nil
    }
  }

  /// The values that it gives to notes.
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

/// What happens at one server, and is told in one event.
package enum Commit: Hashable, Sendable {
  /// Notes are written; one is told as a change, any other number as a batch.
  case change([NoteWrite])
  case delete([Int])
  /// Notes are written, and the event says only that there were many.
  case bulk([NoteWrite], token: UInt64)
  /// Notes are written, of which the last `undecodable` are told in an unreadable form.
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

/// How a client hears of what happened.
package enum Telling: Hashable, Sendable {
  /// Not at all: the event is lost.
  case lost
  /// By its event, once somebody delivers it.
  case sent
  /// At once on a second channel, without a place, perhaps without a library; then by its event.
  case whispered(namesLibrary: Bool)
  /// At once, since the client itself asked for it and the server has confirmed; then by its event.
  case confirmed
}

extension NoteWorld {
  /// Lets something happen at a server, and returns the event that tells of it.
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
      // The client may know what was told before the lost items in the same event.
      for item in items.dropLast(undecodable) { former[item.key] = item }
      let lost = items.suffix(undecodable).map { item in
        // An item that is named is doubted where it is listed; what may list it now must be told.
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
