package import CacheModel

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
