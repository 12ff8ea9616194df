/// The reads of one class, added up.
struct ReadTally: Sendable {
  var counts = [Int](repeating: 0, count: Outcome.allCases.count)
  /// Reads that were served although the result had outlived its time to live.
  var servedExpired = 0
  /// How old what was served wrong was, in nanoseconds; one for each stale read that can tell.
  var stalenessAges: [Int64] = []

  subscript(outcome: Outcome) -> Int {
    get { counts[Self.index(of: outcome)] }
    set { counts[Self.index(of: outcome)] = newValue }
  }

  var reads: Int { counts.reduce(0, +) }

  mutating func add(_ other: ReadTally) {
    for index in counts.indices { counts[index] += other.counts[index] }
    servedExpired += other.servedExpired
    stalenessAges += other.stalenessAges
  }

  private static func index(of outcome: Outcome) -> Int {
    switch outcome {
    case .hitFresh: 0
    case .hitStale: 1
    case .partial: 2
    case .missCold: 3
    case .missExpired: 4
    case .missEvicted: 5
    case .missInvalidated: 6
    case .coalesced: 7
    case .bypass: 8
    case .failed: 9
    }
  }
}

/// What one client, or all clients of a run, did and suffered.
struct Tally: Sendable {
  /// By the place of the class in `QueryClass.allCases`.
  var queries = [ReadTally](repeating: ReadTally(), count: 3)
  /// Single entities opened by key; not part of the total.
  var entities = ReadTally()

  var fetches = 0
  /// Answers that only confirmed what the cache had.
  var notModified = 0
  var bytesFetched = 0
  var bytesPushed = 0
  /// What the same reads would have fetched with no cache at all.
  var bytesWithoutCache = 0
  var bytesWastedIdentical = 0

  var notifications = 0
  var usefulNotifications = 0
  var spuriousNotifications = 0
  var missedNotifications = 0

  var divergentEntities = 0
  var divergentQueries = 0
  var timesToConsistency: [Int64] = []
  var bytesToConsistency = 0
  var gapsDetected = 0
  var falseGaps = 0
  var reconciles = 0
  var redundantReconciles = 0
  var resyncs = 0

  var peakEntities = 0
  var peakWeight = 0
  var peakQueries = 0
  /// What a cache of this content would take in an app, at most.
  var predictedBytes = 0
  /// The largest share of a limit that was in use; `nil`: there is no limit.
  var overLimit: Double?
  /// Time-weighted means; over several clients, the mean of theirs.
  var meanEntities = 0.0
  var meanWeight = 0.0
  var evictions = 0
  var rejections = 0
  var retainedOverflow = 0

  var entityAccesses = 0
  var eventsApplied = 0
  var itemsApplied = 0
  var duplicatesIgnored = 0
  /// Session actions, deliveries, requests and answers.
  var operations = 0

  /// Adds another client: counts add up, peaks are the highest, means wait for ``divideMeans(by:)``.
  mutating func add(_ other: Tally) {
    for index in queries.indices { queries[index].add(other.queries[index]) }
    entities.add(other.entities)
    for path in Self.sums { self[keyPath: path] += other[keyPath: path] }
    for path in Self.peaks { self[keyPath: path] = max(self[keyPath: path], other[keyPath: path]) }
    if let share = other.overLimit { overLimit = max(overLimit ?? share, share) }
    timesToConsistency += other.timesToConsistency
    meanEntities += other.meanEntities
    meanWeight += other.meanWeight
  }

  mutating func divideMeans(by clients: Int) {
    guard clients > 0 else { return }
    meanEntities /= Double(clients)
    meanWeight /= Double(clients)
  }

  private static var sums: [WritableKeyPath<Tally, Int>] {
    [
      \.fetches, \.notModified, \.bytesFetched, \.bytesPushed, \.bytesWithoutCache,
      \.bytesWastedIdentical,
      \.notifications, \.usefulNotifications, \.spuriousNotifications, \.missedNotifications,
      \.divergentEntities, \.divergentQueries, \.bytesToConsistency,
      \.gapsDetected, \.falseGaps, \.reconciles, \.redundantReconciles, \.resyncs, \.evictions,
      \.rejections,
      \.retainedOverflow, \.entityAccesses, \.eventsApplied, \.itemsApplied,
      \.duplicatesIgnored, \.operations,
    ]
  }

  private static var peaks: [WritableKeyPath<Tally, Int>] {
    [\.peakEntities, \.peakWeight, \.peakQueries, \.predictedBytes]
  }
}
