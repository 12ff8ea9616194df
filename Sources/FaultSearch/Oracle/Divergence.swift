/// What a run found that must not be: a value, so that the run which shows it can be shrunk.
package struct Divergence: Codable, Hashable, Sendable {
  package var promise: Promise
  /// The index of the step after which it was seen; the number of steps, where faults had ended.
  package var step: Int
  /// What it is about: a query, a note, a stream.
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

/// What must hold, during a run and after it.
package enum Promise: String, Codable, Hashable, Sendable, CaseIterable {
  /// Every count of the store can be derived from its lists.
  case countsAgree = "counts agree"
  /// A query is notified once in a commit at most, and only while it is observed.
  case notifiedOnce = "notified once"
  /// No change of an observed query goes untold.
  case notified = "notified"
  /// A reader that is given only what has changed since it looked has the rows that the query shows.
  case updatesAddUp = "updates add up"
  /// Versions seen by one observer never go back.
  case versionsAdvance = "versions advance"
  /// A hit is complete, in order, and lists what belongs.
  case hitIsComplete = "a hit is complete"
  /// Nothing is served as fresh that is older than an invalidation.
  case hitIsValid = "a hit is no older than an invalidation"
  /// No entity is called fresh before it was asked for after an invalidation.
  case entityIsValid = "an entity is no older than an invalidation"
  /// Nothing is served as fresh beyond its time to live.
  case hitIsInTime = "a hit has not expired"
  /// An event that the answer of a list shows already marks no such list stale.
  case shownIsNoNews = "what an answer shows is no news"
  /// Once the server can be reached, a reconcile that came to nothing is asked for again at once.
  case gapIsAskedFor = "a gap is asked for once the server can be reached"
  /// At the maximum of queries the one that was used longest ago leaves.
  case leastUsedLeaves = "the query used longest ago leaves"
  /// Nothing exceeds a hard limit but what may not be given up.
  case hardLimitHolds = "a hard limit holds"
  /// Of a library that was cleared nothing is left but what has pending edits.
  case clearedIsGone = "what is cleared is gone"
  /// No more is left in memory than asked for, but what is observed, tagged or pending.
  case memoryIsReleased = "memory is released"
  /// A list whose rows lost their values lists what the servers list, in order.
  case listStays = "a list stays"
  /// Who waited for an answer has every row of it.
  case answerIsWhole = "an answer is whole"
  /// What an observed query holds back is not evicted.
  case retainedStays = "what is retained stays"
  /// The whole of an entity stays when a summary of the same version comes.
  case wholeStays = "a whole stays"
  /// The cache has followed every stream to its end.
  case cursorArrives = "the cursor arrives"
  /// What a query shows as fresh equals the servers.
  case queryEqualsTruth = "a fresh query equals the servers"
  /// What an entity shows as fresh equals the servers.
  case entityEqualsTruth = "a fresh entity equals the servers"
  /// An observed query has a result, and a fresh one where it can have one.
  case observedIsServed = "an observed query is served"
  /// What is shown is the confirmed state with what is pending on top, in order.
  case overlayReplays = "pending changes replay"
  /// What is evicted takes its value along, and moves no other row.
  case staysInPlace = "what is evicted moves nothing"
  /// Queued changes are sent one at a time, in order, and none again that was answered.
  case sentOnceInOrder = "sent once, in order"
  /// A change that lies on the storage, or was confirmed, ends in effect, or refused and told.
  case acknowledgedIsKept = "what is acknowledged is kept"
  /// A change takes effect once, however often it is sent.
  case takesEffectOnce = "a change takes effect once"
  /// Whoever made a change that is refused, or falls with one, is told so.
  case refusalIsTold = "a refusal is told"
  /// The outbox has what was queued and not settled, and is empty in the end.
  case outboxKeeps = "the outbox keeps"
  /// What the store knew as deleted comes back in a later version only.
  case staysDeleted = "the deleted stay deleted"
  /// An answer of "not modified" confirms the rows that the server was asked about, and no others.
  case confirmsWhatWasRead = "not modified confirms what was read"
  /// What a batch leaves in the storage is what the store held when the batch was taken.
  case storesOneCommit = "what is stored is the state of one commit"
  /// What a new process begins with is what was stored.
  case restoresWhatIsStored = "what is restored is what was stored"
  /// A flush is asked for when the window ends, and all is stored in the end.
  case storedInTime = "stored in time"
  /// Without faults the cache comes to rest.
  case comesToRest = "comes to rest"
  /// The same program does the same twice.
  case repeatsItself = "repeats itself"
  /// No program ends the process; seen by another process only.
  case survives = "no program ends the process"
  /// Every program ends; seen by another process only.
  case endsInTime = "every program ends"
}

extension Divergence: CustomStringConvertible {
  /// One line for each: where, what, expected, found.
  package var description: String {
    """
    step \(step): \(promise.rawValue): does not hold for \(subject)
      expected  \(expected)
      found     \(found)
    """
  }
}
