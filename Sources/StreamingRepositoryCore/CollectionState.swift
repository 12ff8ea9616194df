import CacheModel

/// What a store knows of a collection of the account at hand.
struct CollectionState<Collection: Hashable & Sendable>: Sendable {
  /// A request that follows when one on its way has ended.
  struct Following: Sendable {
    var trigger: RepositoryTrigger
    var callers: [CallerNumber]
  }

  let collection: Collection
  var observers = 0
  /// A view fetches unless an answer of this number or a later one was written.
  var neededFrom = RequestNumber(0)
  /// In the order in which they were sent.
  var requests: [RequestNumber] = []
  var following: Following?
  /// A trigger that met no network.
  var missed: RepositoryTrigger?
  /// The newest answer that came.
  var received = RequestNumber(0)
  /// The newest answer that the file has.
  var written = RequestNumber(0)
  var writtenAt: Instant?
  /// Who waits until an answer of that number or a later one is written.
  var callers: [(caller: CallerNumber, request: RequestNumber)] = []

  init(_ collection: Collection, neededFrom: RequestNumber) {
    self.collection = collection
    self.neededFrom = neededFrom
  }

  /// Whether what is stored was asked for since it had to be.
  var isCurrent: Bool { written >= neededFrom }

  /// Whether something is on its way, or waits to be written, that will make it so.
  func isUnderway(waiting: RequestNumber?) -> Bool {
    following != nil || requests.last.map { $0 >= neededFrom } == true
      || waiting.map { $0 >= neededFrom } == true
  }

  /// Takes out all who wait for an answer up to a number.
  mutating func takeCallers(through number: RequestNumber) -> [CallerNumber] {
    guard !callers.isEmpty else { return [] }
    let ended = callers.filter { $0.request <= number }.map(\.caller)
    callers.removeAll { $0.request <= number }
    return ended
  }

  /// Takes out all who wait.
  mutating func takeAllCallers() -> [CallerNumber] {
    let ended = callers.map(\.caller) + (following?.callers ?? [])
    callers = []
    following = nil
    return ended
  }
}
