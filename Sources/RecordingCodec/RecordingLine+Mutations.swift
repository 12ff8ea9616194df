package import CacheModel

/// The effect of a mutation or a write on one object.
package enum RecordedItem: Hashable, Sendable {
  case state(RecordedState)
  /// It has a state that is already in the file, by number.
  case known(UInt32)
  case deleted(object: UInt32)
}

private struct ItemMembers: RecordedMembers {
  var item = RecordedItem.known(0)

  mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    var known: UInt32?
    var (state, isDeleted) = (RecordedState(), false)
    switch item {
    case .known(let number): known = number
    case .state(let new): state = new
    case .deleted(let object): (state.object, isDeleted) = (object, true)
    }
    if coder.isReading ? coder.has("state") : known != nil {
      try coder.place("state", &known)
      return item = .known(known ?? 0)
    }
    try coder.place("object", &state.object)
    try coder.flag("deleted", &isDeleted)
    if isDeleted { return item = .deleted(object: state.object) }
    try state.codeContent(&coder)
    item = .state(state)
  }
}

extension MemberCoder {
  fileprivate mutating func items(_ items: inout [RecordedItem]) throws(RecordingError) {
    var members = items.map { ItemMembers(item: $0) }
    try objects("items", &members)
    items = members.map(\.item)
  }
}

/// A commit of the server with its event; also a change that an app observed without an event.
package struct MutationLine: RecordedMembers {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case changed, batch, deleted
    case bulkNotice = "bulk-notice"
    case infrastructure
  }

  package var at = Instant.zero
  /// The last sighting of the old state, if only an interval is known: it happened after this, and at the
  /// latest at `at`.
  package var since: Instant?
  package var device: UInt32 = 0
  package var position: StreamPosition?
  package var kind = Kind.changed
  /// The size of the event as sent.
  package var bytes = 0
  package var origin: EventOrigin?
  /// The content for new states; `nil`: the full entity.
  package var carries: EventContents?
  package var version = Version.none
  /// The location of the items that a notice does not contain.
  package var location: UInt32?
  package var type: String?
  package var token: UInt64?
  /// The client that wrote it, if the answer to its write identified the commit.
  package var client: UInt32?
  /// The write with its items.
  package var write: UInt32?
  package var items: [RecordedItem] = []

  package init() {}

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.time("at", &at)
    try coder.time("since", &since)
    guard since ?? at <= at else {
      throw coder.failure("`since` is later than `at`", "write when the old state was seen last")
    }
    try coder.number("device", &device, in: 0...UInt32.max, leftOutAt: 0)
    try coder.position(&position)
    try coder.word("kind", &kind)
    try coder.number("bytes", &bytes, in: 0...Int.max / 4)
    try coder.word("origin", &origin)
    try coder.word("carries", &carries)
    try coder.number("clock", &version.clock, in: 0...UInt64.max, leftOutAt: 0)
    try coder.number("writer", &version.device, in: 0...UInt64.max, leftOutAt: 0)
    if kind == .bulkNotice {
      try coder.place("location", &location)
      try coder.text("type", &type)
      try coder.number("token", &token, in: 0...UInt64.max)
    }
    try coder.place("client", &client)
    try coder.place("write", &write)
    if write == nil { try coder.items(&items) }
  }
}

package struct WriteLine: RecordedMembers {
  package var client: UInt32 = 0
  package var isCreation = false
  package var isRefused = false
  package var items: [RecordedItem] = []

  package init() {}

  package mutating func code(_ coder: inout MemberCoder) throws(RecordingError) {
    try coder.place("client", &client)
    try coder.flag("creation", &isCreation)
    try coder.flag("refused", &isRefused)
    try coder.items(&items)
  }
}
