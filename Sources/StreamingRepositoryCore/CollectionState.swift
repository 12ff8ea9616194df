import CacheModel

/// A store's record of a collection of the current account.
struct CollectionState<Collection: Hashable & Sendable>: Sendable {
  /// A request that follows when one in flight has ended.
  struct Following: Sendable {
    var trigger: RepositoryTrigger
    var callers: [CallerNumber]
  }

  let collection: Collection
  var observers = 0
  /// A view fetches unless an answer with this number or a later one was written.
  var neededFrom = RequestNumber(0)
  /// The requests in flight, in the order in which they were sent.
  var requests: [RequestNumber] = []
  var following: Following?
  /// A trigger that occurred offline.
  var missed: RepositoryTrigger?
  var received = RequestNumber(0)
  /// The newest answer in the file.
  var written = RequestNumber(0)
  var writtenAt: Instant?
  /// The callers that wait until an answer with this number or a later one is written.
  var callers: [(caller: CallerNumber, request: RequestNumber)] = []

  init(_ collection: Collection, neededFrom: RequestNumber) {
    self.collection = collection
    self.neededFrom = neededFrom
  }

  /// Whether the stored rows were requested recently enough.
  var isCurrent: Bool { written >= neededFrom }

  /// Returns whether an answer in flight, or waiting to be written, will make it current.
  func isUnderway(waiting: RequestNumber?) -> Bool {
    following != nil || requests.last.map { $0 >= neededFrom } == true
      || waiting.map { $0 >= neededFrom } == true
  }

  /// Removes and returns the callers that wait for an answer up to a number.
  mutating func takeCallers(through number: RequestNumber) -> [CallerNumber] {
    guard !callers.isEmpty else { return [] }
    let ended = callers.filter { $0.request <= number }.map(\.caller)
    callers.removeAll { $0.request <= number }
    return ended
  }

  mutating func takeAllCallers() -> [CallerNumber] {
    let ended = callers.map(\.caller) + (following?.callers ?? [])
    callers = []
    following = nil
    return ended
  }
}
