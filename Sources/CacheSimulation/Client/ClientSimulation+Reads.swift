import CacheModel
import NormalizedCacheCore
import Workloads

/// How reads wait, end, and are counted.
extension ClientSimulation where Cache: ~Copyable {
  mutating func wait(_ read: Read, for fetch: FetchID) {
    if read.isAwaited { isUserWaiting = true }
    if read.isOfView, let query = read.query { views[query].fetch = fetch }
    waiting[fetch, default: []].append(read)
  }

  /// A read that waited is answered, left or given up.
  mutating func end(_ read: Read, _ outcome: Outcome) {
    let waited = now.nanoseconds - read.since
    if read.isAwaited {
      isUserWaiting = false
      delay += waited
    }
    if outcome != .failed { note(read) { $0.waits.append(waited) } }
    count(read, outcome)
  }

  /// Ends the reads that a cache has answered in a later turn than their own.
  mutating func endAnsweredReads() {
    guard Cache.isKnownFromOutside else { return }
    for answer in store.takeAnswered() {
      for var read in waiting.removeValue(forKey: answer.ticket) ?? [] {
        let outcome = outcome(of: &read, answer)
        if answer.isFromDisk { note(read) { $0.diskHits += 1 } }
        end(read, outcome)
        if let query = read.query { showStored(query) }
      }
    }
  }

  /// A view is left: its read ends, if it still waits.
  mutating func abandonRead(of query: Int) {
    guard let fetch = views[query].fetch, let reads = waiting[fetch] else { return }
    waiting[fetch] = reads.filter { !$0.isOfView }
    for read in reads where read.isOfView {
      if isCounted(read) { tally.abandoned += 1 }
      end(read, read.outcome)
    }
  }

  mutating func count(_ read: Read, _ outcome: Outcome) {
    note(read) { $0[outcome] += 1 }
    if !read.isRedraw { timeline?.count(outcome, at: read.since) }
    guard !read.isRedraw, isCounted(read) else { return }
    if read.isOffline {
      tally.offline.count(isServed: outcome != .failed)
      if read.isTagged { tally.offlineTagged.count(isServed: outcome != .failed) }
    }
    outcomes[read.action] = UInt8(outcome.ordinal)
    records?.append(
      ReadRecord(
        read, outcome, client: client, at: now.nanoseconds, queries: input.workload.queries))
  }

  /// Adds to every class that a read counts in.
  mutating func note(_ read: Read, _ add: (inout ReadTally) -> Void) {
    guard isCounted(read) else { return }
    if read.isColdStart { add(&tally.coldStarts) }
    if read.isRedraw { return add(&tally.redraws) }
    if let query = read.query {
      add(&tally.queries[input.classOfQuery[query]])
    } else {
      add(&tally.entities)
    }
    if read.isFirst { add(&tally.firsts) }
  }

  /// Whether a read was made after the warm-up.
  func isCounted(_ read: Read) -> Bool {
    read.since >= input.workload.warmUp.wholeNanoseconds
  }
}
