import CacheModel

/// Who waits until a tag is kept.
struct Keeps<Key: ResponseKey>: Sendable {
  struct Keep: Sendable {
    var ticket: KeepTicket
    var key: Key
    var tag: TextKey
    /// Whether the entry had not had it.
    var isNew = false
    var failure: KeepFailure?
  }

  // A few at a time: as many as there are fetches with a tag.
  private var keeps: [Keep] = []
  private var last: UInt64 = 0

  subscript(ticket: KeepTicket) -> Keep? { keeps.first { $0.ticket == ticket } }

  /// Those that have not failed.
  var waiting: [Keep] { keeps.filter { $0.failure == nil } }

  mutating func begin(_ key: Key, tag: TextKey) -> KeepTicket {
    last += 1
    let ticket = KeepTicket(number: last)
    keeps.append(Keep(ticket: ticket, key: key, tag: tag))
    return ticket
  }

  /// Notes that an entry has a tag that it had not.
  mutating func noteNew(_ key: Key, tag: TextKey) {
    for index in keeps.indices where keeps[index].key == key && keeps[index].tag == tag {
      keeps[index].isNew = true
    }
  }

  mutating func end(_ ticket: KeepTicket) { keeps.removeAll { $0.ticket == ticket } }

  mutating func fail(_ key: Key, tag: TextKey? = nil, _ failure: KeepFailure) {
    fail(failure) { $0.key == key && (tag == nil || $0.tag == tag) }
  }

  mutating func fail(tag: TextKey, _ failure: KeepFailure) { fail(failure) { $0.tag == tag } }

  mutating func failAll(_ failure: KeepFailure) { fail(failure) { _ in true } }

  private mutating func fail(_ failure: KeepFailure, where isMeant: (Keep) -> Bool) {
    for index in keeps.indices where keeps[index].failure == nil && isMeant(keeps[index]) {
      keeps[index].failure = failure
    }
  }
}
