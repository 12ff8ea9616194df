/// A violated property, as a value, so that the run that shows it can be shrunk.
package struct Divergence: Codable, Hashable, Sendable {
  package var promise: Promise
  /// The index of the step after which it was found; the number of steps after the end of faults.
  package var step: Int
  /// The affected query, note or stream.
  package var subject: String
  package var expected: String
  package var found: String

  package init(
    _ promise: Promise, step: Int, subject: String, expected: String, found: String
  ) {
    self.promise = promise
    self.step = step
    self.subject = subject
    self.expected = expected
    self.found = found
  }
}

/// A property that must hold, during a run and after it.
package enum Promise: String, Codable, Hashable, Sendable, CaseIterable {
  /// Every count of the store can be derived from its lists.
  case countsAgree = "counts agree"
  /// A query is notified at most once per commit, and only while it is observed.
  case notifiedOnce = "notified once"
  /// Every change of an observed query is notified.
  case notified = "notified"
  /// A reader that only gets incremental updates has the query's rows.
  case updatesAddUp = "updates add up"
  /// The versions that an observer sees never decrease.
  case versionsAdvance = "versions advance"
  /// A hit is complete, in order, and has the right members.
  case hitIsComplete = "a hit is complete"
  /// No result from before an invalidation is served as fresh.
  case hitIsValid = "a hit is no older than an invalidation"
  /// No entity is fresh between its invalidation and the next fetch.
  case entityIsValid = "an entity is no older than an invalidation"
  /// No result is served as fresh after its time to live.
  case hitIsInTime = "a hit has not expired"
  /// An event that a list's answer already contains does not mark the list stale.
  case shownIsNoNews = "what an answer shows is no news"
  /// When a server becomes reachable, a failed reconcile is retried immediately.
  case gapIsAskedFor = "a gap is asked for once the server can be reached"
  /// At the maximum number of queries, the least recently used one is evicted.
  case leastUsedLeaves = "the query used longest ago leaves"
  /// Nothing exceeds a hard limit except what must not be evicted.
  case hardLimitHolds = "a hard limit holds"
  /// Nothing of a cleared library remains except entities with pending edits.
  case clearedIsGone = "what is cleared is gone"
  /// After a release of memory, only observed, tagged or pending data exceeds the requested size.
  case memoryIsReleased = "memory is released"
  /// A list with evicted values has the servers' rows, in order.
  case listStays = "a list stays"
  /// A caller that waits for an answer gets all of its rows.
  case answerIsWhole = "an answer is whole"
  /// Entities that an observed query retains are not evicted.
  case retainedStays = "what is retained stays"
  /// A full entity is kept when a summary of the same version arrives.
  case wholeStays = "a whole stays"
  /// The cache has followed every stream to its end.
  case cursorArrives = "the cursor arrives"
  case queryEqualsTruth = "a fresh query equals the servers"
  case entityEqualsTruth = "a fresh entity equals the servers"
  /// An observed query has a result, which is fresh if possible.
  case observedIsServed = "an observed query is served"
  /// The displayed state is the confirmed one with pending changes applied in order.
  case overlayReplays = "pending changes replay"
  /// Eviction removes the value of a row, and moves no other row.
  case staysInPlace = "what is evicted moves nothing"
  /// Queued changes are sent one at a time, in order, and not after their answer.
  case sentOnceInOrder = "sent once, in order"
  /// A change that is stored or confirmed is applied in the end, or its rejection is reported.
  case acknowledgedIsKept = "what is acknowledged is kept"
  /// A change is applied once, however often it is sent.
  case takesEffectOnce = "a change takes effect once"
  /// The origin of a change is notified of its rejection, also as a dependent one.
  case refusalIsTold = "a refusal is told"
  /// The outbox has all queued changes without a final answer, and is empty in the end.
  case outboxKeeps = "the outbox keeps"
  /// A deleted entity reappears only in a later version.
  case staysDeleted = "the deleted stay deleted"
  /// An answer of "not modified" confirms exactly the rows of the request.
  case confirmsWhatWasRead = "not modified confirms what was read"
  /// After a batch, the storage equals the store's state when the batch was created.
  case storesOneCommit = "what is stored is the state of one commit"
  /// A new process begins with the stored state.
  case restoresWhatIsStored = "what is restored is what was stored"
  /// A flush is requested at the end of the interval, and everything is stored in the end.
  case storedInTime = "stored in time"
  /// Without faults the cache completes all pending work.
  case comesToRest = "comes to rest"
  /// The same program gives the same result twice.
  case repeatsItself = "repeats itself"
  /// No program crashes the process; only another process can check this.
  case survives = "no program ends the process"
  /// Every program terminates; only another process can check this.
  case endsInTime = "every program ends"
}

extension Divergence: CustomStringConvertible {
  /// One line for each: step, property, expected and actual value.
  package var description: String {
    """
    step \(step): \(promise.rawValue): does not hold for \(subject)
      expected  \(expected)
      found     \(found)
    """
  }
}
