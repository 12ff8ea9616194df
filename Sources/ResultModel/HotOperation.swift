/// An operation of the cache that apps wait for, alone: what two builds are compared by, in time, in
/// instructions and in allocations.
package enum HotOperation: String, Hashable, Sendable, CaseIterable {
  /// A change of one listed file, by the actor to ten observers.
  case event = "single"
  /// The same in the store, without the actor and without observers.
  case storeEvent = "single/store"
  /// A change of a thousand files, by the actor to ten observers of each listing.
  case batch = "batch-1000"
  /// The bytes of a change become an event.
  case decoding = "decode"
  /// All hundred rows of a listing, from the actor.
  case read = "listing"
  /// A user's change that the server confirms at once.
  case write = "confirmed"

  /// What a row of it is called.
  package var `class`: ResultClass {
    guard let name = ResultClass(text: rawValue) else {
      preconditionFailure("\(rawValue) is no class")
    }
    return name
  }

  /// How many are counted.
  package var counted: Int {
    switch self {
    case .event, .storeEvent: 2_000
    case .batch: 10
    case .decoding, .read: 200
    case .write: 1_000
    }
  }

  /// Instructions of one.
  package var instructions: Metric {
    switch self {
    case .event, .storeEvent, .batch, .decoding: .instructionsPerEvent
    case .read: .instructionsPerRead
    case .write: .instructionsPerWrite
    }
  }

  /// Allocations of one.
  package var allocations: Metric {
    switch self {
    case .event, .storeEvent, .batch, .decoding: .allocationsPerEvent
    case .read: .allocationsPerRead
    case .write: .allocationsPerWrite
    }
  }

  /// What the scenario column says of its time.
  package static let scenario = "operations"

  /// What a row of the work is called that no build changes, timed beside the operations.
  package static let controlClass: ResultClass = "control"
}
