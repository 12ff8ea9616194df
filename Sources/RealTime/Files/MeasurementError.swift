/// Why a measurement has no result.
package enum MeasurementError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The cache asked the server for something that the run does not hold.
  case unexpectedRequest(String)
  /// An observer was not told of events that changed what it observes.
  case notificationsMissing(lane: String, count: Int, first: Int)
  /// A storage does not hold what its cache was told.
  case notStored(storage: String, entities: Int, of: Int)
  /// A full cache takes no memory.
  case nothingCounted

  package var description: String {
    switch self {
    case .unexpectedRequest(let request):
      "the cache asked for \(request), which a measurement never causes; "
        + "use a composition that keeps observed queries"
    case .notificationsMissing(let lane, let count, let first):
      "\(lane): \(count) events changed an observed query without notifying its observers, "
        + "the first is event \(first); use a composition that keeps observed queries, or report a fault of the cache"
    case .notStored(let storage, let entities, let all):
      "the \(storage) storage holds the last value of \(entities) of \(all) changed files; "
        + "this is a fault of the cache or of the storage"
    case .nothingCounted:
      "a full cache takes no memory, so nothing was counted; the counter does not serve this process"
    }
  }
}
