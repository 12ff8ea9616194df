public import CacheModel
import DequeModule

/// A mutation that is neither committed nor rolled back.
@usableFromInline struct PendingMutation<Payload: Sendable, Change: Sendable>: Sendable {
  /// Without edits once an event has told of it, or its time is over: it shows nothing, and only
  /// waits for an answer to write.
  @usableFromInline var mutation: ClientMutation<Payload, Change>
  /// Whether an event has told that the server carried it out.
  @usableFromInline var isCarriedOut = false
  /// The store's index of its library.
  @usableFromInline var library: Int16
  /// The library's last verification when the mutation began.
  @usableFromInline var verification: UInt32
  /// How many doubts of its library there were then; `nil`: an earlier process had it.
  @usableFromInline var doubts: UInt32?
  /// When it is given up; `nil`: never.
  @usableFromInline var deadline: Instant?
  /// The revision of the outbox that first had it; `nil` where its caller sends it.
  @usableFromInline var queuedAt: UInt64?

  @inlinable var isQueued: Bool { queuedAt != nil }

  @inlinable init(
    mutation: ClientMutation<Payload, Change>, library: Int16, verification: UInt32,
    doubts: UInt32?, deadline: Instant?, queuedAt: UInt64?
  ) {
    self.mutation = mutation
    self.library = library
    self.verification = verification
    self.doubts = doubts
    self.deadline = deadline
    self.queuedAt = queuedAt
  }
}

/// The ordered overlay: what lies over the confirmed state.
///
/// It holds edits, never results. What is shown is computed from the confirmed state and these edits
/// whenever somebody looks, so taking a mutation out is all that a rollback is.
@usableFromInline struct PendingMutations<Payload: Sendable, Change: Sendable>: Sendable {
  @usableFromInline typealias Edit = ClientMutation<Payload, Change>.Edit

  /// In the order in which they began.
  @usableFromInline private(set) var entries: [PendingMutation<Payload, Change>] = []
  /// The edits of all of them by entity: entities in the order of their first edit, edits in order.
  @usableFromInline private(set) var edited: [EntityEdits<Payload, Change>] = []
  @usableFromInline private(set) var indexOfKey: [EntityKey: Int] = [:]
  @usableFromInline private(set) var editCount = 0
  @usableFromInline private(set) var aliases = KeyAliases()

  @usableFromInline init() {}

  /// Whether what is shown is the confirmed state.
  @inlinable var showsNothing: Bool { editCount == 0 }

  @inlinable func hasEdits(of key: EntityKey) -> Bool {
    editCount > 0 && indexOfKey[key] != nil
  }

  /// The pending edits of one entity in order.
  @inlinable func edits(of key: EntityKey) -> [Edit] {
    editCount > 0 ? indexOfKey[key].map { edited[$0].edits } ?? [] : []
  }

  @inlinable func index(of token: MutationToken) -> Int? {
    entries.firstIndex { $0.mutation.token == token }
  }

  @inlinable var nextDeadline: Instant? { entries.lazy.compactMap(\.deadline).min() }

  /// Adds a mutation on top of the others.
  ///
  /// O(its edits).
  @usableFromInline mutating func append(_ entry: PendingMutation<Payload, Change>) {
    entries.append(entry)
    noteEdits(of: entry)
  }

  @usableFromInline mutating func remove(at index: Int) {
    entries.remove(at: index)
    noteEdits()
  }

  /// Takes a mutation's edits away; it goes on waiting for its answer, without a deadline.
  @usableFromInline mutating func clearEdits(at index: Int, isCarriedOut: Bool) {
    entries[index].mutation.edits = []
    entries[index].isCarriedOut = isCarriedOut
    entries[index].deadline = nil
    forgetOldestSpent()
    noteEdits()
  }

  /// Of those that show nothing and are nobody's to send, a bounded number is remembered.
  private mutating func forgetOldestSpent() {
    let spent = entries.indices.filter {
      entries[$0].mutation.edits.isEmpty && !entries[$0].isQueued
    }
    if spent.count > StoreLimits.pendingMutations { entries.remove(at: spent[0]) }
  }

  /// Calls entities by their server's keys, in every pending edit and in reads to come.
  ///
  /// - Parameters:
  ///   - keys: the server's keys, by the client's.
  ///   - edit: an edit under the server's keys.
  @usableFromInline mutating func rename(
    _ keys: [EntityKey: EntityKey], _ edit: (Edit) -> Edit
  ) {
    guard !keys.isEmpty else { return }
    for former in keys.keys.sorted() {
      if let key = keys[former], key != former { aliases.note(former, is: key) }
    }
    for index in entries.indices {
      entries[index].mutation.edits = entries[index].mutation.edits.map(edit)
    }
    noteEdits()
  }

  /// Sorts the edits by entity anew; O(pending edits).
  private mutating func noteEdits() {
    edited.removeAll(keepingCapacity: true)
    indexOfKey.removeAll(keepingCapacity: true)
    editCount = 0
    for entry in entries { noteEdits(of: entry) }
  }

  private mutating func noteEdits(of entry: PendingMutation<Payload, Change>) {
    editCount += entry.mutation.edits.count
    for edit in entry.mutation.edits {
      if let index = indexOfKey[edit.key] {
        edited[index].edits.append(edit)
      } else {
        indexOfKey[edit.key] = edited.count
        edited.append(EntityEdits(key: edit.key, library: entry.library, edits: [edit]))
      }
    }
  }
}

/// The pending edits of one entity.
@usableFromInline struct EntityEdits<Payload: Sendable, Change: Sendable>: Sendable {
  @usableFromInline var key: EntityKey
  @usableFromInline var library: Int16
  @usableFromInline var edits: [ClientMutation<Payload, Change>.Edit]

  @usableFromInline init(
    key: EntityKey, library: Int16, edits: [ClientMutation<Payload, Change>.Edit]
  ) {
    self.key = key
    self.library = library
    self.edits = edits
  }
}

/// The server's keys of entities that were created under keys of the client's own; a bounded number,
/// oldest forgotten first.
@usableFromInline struct KeyAliases: Sendable {
  @usableFromInline private(set) var keys: [EntityKey: EntityKey] = [:]
  private var order: Deque<EntityKey> = []

  @usableFromInline init() {}

  @usableFromInline var isEmpty: Bool { order.isEmpty }

  @usableFromInline mutating func note(_ former: EntityKey, is key: EntityKey) {
    if keys.updateValue(key, forKey: former) == nil {
      order.append(former)
      if order.count > StoreLimits.keyAliases, let oldest = order.popFirst() { keys[oldest] = nil }
    }
  }

  @usableFromInline func resolve(_ key: EntityKey) -> EntityKey { keys[key] ?? key }
}
