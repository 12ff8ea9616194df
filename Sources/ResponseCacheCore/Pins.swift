import CacheModel

/// Who waits until a tag is kept.
struct Pins<Key: ResponseKey>: Sendable {
  struct Pin: Sendable {
    var ticket: KeepTicket
    var key: Key
    var tag: TextKey
    /// Whether the entry had not had it.
    var isNew = false
    var failure: KeepFailure?
  }

  // A few at a time: as many as there are fetches with a tag.
  private var pins: [Pin] = []
  private var last: UInt64 = 0

  subscript(ticket: KeepTicket) -> Pin? { pins.first { $0.ticket == ticket } }

  /// Those that have not failed.
  var waiting: [Pin] { pins.filter { $0.failure == nil } }

  mutating func begin(_ key: Key, tag: TextKey) -> KeepTicket {
    last += 1
    let ticket = KeepTicket(number: last)
    pins.append(Pin(ticket: ticket, key: key, tag: tag))
    return ticket
  }

  /// Notes that an entry has a tag that it had not.
  mutating func noteNew(_ key: Key, tag: TextKey) {
    for index in pins.indices where pins[index].key == key && pins[index].tag == tag {
      pins[index].isNew = true
    }
  }

  mutating func end(_ ticket: KeepTicket) { pins.removeAll { $0.ticket == ticket } }

  mutating func fail(_ key: Key, tag: TextKey? = nil, _ failure: KeepFailure) {
    fail(failure) { $0.key == key && (tag == nil || $0.tag == tag) }
  }

  mutating func fail(tag: TextKey, _ failure: KeepFailure) { fail(failure) { $0.tag == tag } }

  mutating func failAll(_ failure: KeepFailure) { fail(failure) { _ in true } }

  private mutating func fail(_ failure: KeepFailure, where isMeant: (Pin) -> Bool) {
    for index in pins.indices where pins[index].failure == nil && isMeant(pins[index]) {
      pins[index].failure = failure
    }
  }
}
