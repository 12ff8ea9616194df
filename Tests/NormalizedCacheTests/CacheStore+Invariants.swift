import NormalizedCache
import Testing

extension CacheStore {
  /// Records an issue unless every count can be derived from the lists; O(everything).
  ///
  /// A trap would end the run, and every other test with it.
  func checkInvariants(sourceLocation: SourceLocation = #_sourceLocation) {
    if let failure = invariantFailure() {
      Issue.record("\(failure)", sourceLocation: sourceLocation)
    } else {
      checkOrder()
    }
  }
}
