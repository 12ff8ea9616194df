/// The reads of one class, added up.
struct ReadTally: Sendable {
  var counts = [Int](repeating: 0, count: Outcome.allCases.count)
  /// Reads that were served although the result had outlived its time to live.
  var servedExpired = 0
  /// Of the hits, those that a disk of the cache's own answered.
  var diskHits = 0
  /// How old what was served wrong was, in nanoseconds; one for each stale read that can tell.
  var stalenessAges: [Int64] = []
  /// How long reads waited for their rows, in nanoseconds; a read that is not here was served at once,
  /// or failed.
  var waits: [Int64] = []

  /// From how long a wait on a user feels it: 100 ms (Nielsen, "Usability Engineering", 1993,
  /// section 5.5).
  static let feltWait: Int64 = 100_000_000

  subscript(outcome: Outcome) -> Int {
    get { counts[outcome.ordinal] }
    set { counts[outcome.ordinal] = newValue }
  }

  var reads: Int { counts.reduce(0, +) }

  /// Reads that got their rows, at once or after a wait.
  var answered: Int { reads - self[.failed] }

  /// Reads that waited for more than 100 ms, or for nothing.
  var slow: Int { waits.count { $0 > Self.feltWait } + self[.failed] }

  mutating func add(_ other: ReadTally) {
    for index in counts.indices { counts[index] += other.counts[index] }
    servedExpired += other.servedExpired
    diskHits += other.diskHits
    stalenessAges += other.stalenessAges
    waits += other.waits
  }
}
