import CacheModel
import NormalizedCacheCore
import ResultModel

/// What a storage took, and what was written to it.
struct DiskTally: Sendable {
  /// Of several clients, of the one whose storage took most.
  var peakBytes: Int
  /// Over time; over several clients, the mean of theirs; `nil` if it was not measured.
  var meanBytes: Double?
  var rowsWritten: Int
  /// Of several clients, of the one that had most; `nil` if what is stored is no files of the cache's own.
  var peakFiles: Int?
}

/// Reads that were made while the link was down.
struct OfflineTally: Sendable {
  private(set) var reads = 0
  private(set) var served = 0

  mutating func count(isServed: Bool) {
    reads += 1
    if isServed { served += 1 }
  }

  mutating func add(_ other: OfflineTally) {
    reads += other.reads
    served += other.served
  }
}

/// What one client, or all clients of a run, did and suffered.
struct Tally: Sendable {
  /// By the place of the class in `DataModel.classes`.
  var queries: [ReadTally]
  /// Single entities opened by key.
  var entities = ReadTally()

  init(classes: Int) {
    queries = [ReadTally](repeating: ReadTally(), count: classes)
  }

  /// Those of all queries and entities together.
  var ofUser: ReadTally {
    queries.reduce(into: entities) { $0.add($1) }
  }
  /// What views asked again by themselves; no read of a user's.
  var redraws = ReadTally()
  /// Of the user's reads, those of a query or an entity that the client had never read before.
  var firsts = ReadTally()
  /// Of all reads, those that were a process's first of something that a former one had read.
  var coldStarts = ReadTally()
  /// Of the user's reads, those without a link, and those of them of what the user wants kept.
  var offline = OfflineTally()
  var offlineTagged = OfflineTally()
  /// Whether what was served came from one of two tiers, memory and the cache's own disk.
  var hasTiers = false
  /// Ends of processes.
  var relaunches = 0
  /// `nil` if there are no writes.
  var writes: WriteTally?
  /// `nil` if nothing is stored.
  var disk: DiskTally?
  /// Reads whose view was left before its rows came.
  var abandoned = 0
  /// Entities opened in a view, and those of them whose row was not on screen yet.
  var opensInViews = 0
  var impossibleOpens = 0

  /// Requests that left, and those of them that asked for missed events.
  var fetches = 0
  var reconciles = 0
  /// Answers that only confirmed what the cache had.
  var notModified = 0
  /// Of responses that a read, a view or a write asked for.
  var bytesOfAnswers = 0
  /// Of replays, and of what was fetched again because events had been missed.
  var bytesOfCatchUp = 0
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
  var falseGaps = 0

  /// What the store counted since the warm-up, and its peaks.
  var store = CacheStatistics()
  /// What a cache of this content would take in an app, at most.
  var predictedBytes = 0
  /// The largest share of a limit that was in use; 0 if there is none.
  var overLimit = LimitShare.unlimited
  /// Time-weighted means; over several clients, the mean of theirs.
  var meanEntities = 0.0
  var meanWeight = 0.0

  /// Of all responses.
  var bytesFetched: Int { bytesOfAnswers + bytesOfCatchUp }

  /// Entities handed out or taken in.
  var entityAccesses: Int { store.entityAccesses + store.itemsApplied }
  /// The same over the whole run, warm-up included.
  var workDone = 0
  /// Session actions, deliveries, requests and answers.
  var operations = 0

  /// Counts a request that has left.
  mutating func count(_ request: PendingEvent.Request) {
    fetches += 1
    if case .reconcile = request { reconciles += 1 }
  }

  /// Adds another client: counts add up, peaks are the highest, means wait for ``divideMeans(by:)``.
  mutating func add(_ other: Tally) {
    for index in queries.indices { queries[index].add(other.queries[index]) }
    entities.add(other.entities)
    redraws.add(other.redraws)
    firsts.add(other.firsts)
    coldStarts.add(other.coldStarts)
    offline.add(other.offline)
    offlineTagged.add(other.offlineTagged)
    hasTiers = hasTiers || other.hasTiers
    relaunches += other.relaunches
    if let its = other.writes {
      var own = writes ?? WriteTally()
      own.add(its)
      writes = own
    }
    if let its = other.disk {
      disk = DiskTally(
        peakBytes: max(disk?.peakBytes ?? 0, its.peakBytes),
        meanBytes: its.meanBytes.map { (disk?.meanBytes ?? 0) + $0 },
        rowsWritten: (disk?.rowsWritten ?? 0) + its.rowsWritten,
        peakFiles: its.peakFiles.map { max(disk?.peakFiles ?? 0, $0) })
    }
    for path in Self.sums { self[keyPath: path] += other[keyPath: path] }
    store.add(other.store)
    predictedBytes = max(predictedBytes, other.predictedBytes)
    overLimit = overLimit.larger(other.overLimit)
    timesToConsistency += other.timesToConsistency
    meanEntities += other.meanEntities
    meanWeight += other.meanWeight
  }

  mutating func divideMeans(by clients: Int) {
    guard clients > 0 else { return }
    meanEntities /= Double(clients)
    meanWeight /= Double(clients)
    if let mean = disk?.meanBytes { disk?.meanBytes = mean / Double(clients) }
  }

  /// What the report counts of all clients together, in its order.
  var counts: [(metric: Metric, count: Int)] {
    [
      (.fetches, fetches), (.notModified, notModified), (.bytesFetched, bytesFetched),
      (.bytesOfAnswers, bytesOfAnswers), (.bytesOfCatchUp, bytesOfCatchUp),
      (.bytesPushed, bytesPushed), (.bytesSaved, bytesWithoutCache - bytesFetched),
      (.bytesWastedIdentical, bytesWastedIdentical), (.notifications, notifications),
      (.notificationsUseful, usefulNotifications),
      (.notificationsSpurious, spuriousNotifications),
      (.notificationsMissed, missedNotifications), (.divergentEntities, divergentEntities),
      (.divergentQueries, divergentQueries), (.bytesToConsistency, bytesToConsistency),
      (.gapsDetected, store.gapsDetected), (.falseGaps, falseGaps), (.reconciles, reconciles),
      (.redundantReconciles, store.redundantReconciles), (.resyncs, store.resyncs),
      (.evictions, store.evictions), (.admissionRejections, store.rejections),
      (.retainedOverflow, store.retainedOverflow), (.entityAccesses, entityAccesses),
      (.eventsApplied, store.eventsApplied), (.eventItemsApplied, store.itemsApplied),
      (.duplicatesIgnored, store.duplicatesIgnored),
    ]
  }

  private static var sums: [WritableKeyPath<Tally, Int>] {
    [
      \.abandoned, \.opensInViews, \.impossibleOpens, \.fetches, \.reconciles, \.notModified,
      \.bytesOfAnswers, \.bytesOfCatchUp, \.bytesPushed, \.bytesWithoutCache,
      \.bytesWastedIdentical, \.notifications, \.usefulNotifications, \.spuriousNotifications,
      \.missedNotifications, \.divergentEntities, \.divergentQueries, \.bytesToConsistency,
      \.falseGaps, \.workDone, \.operations,
    ]
  }
}

/// The reads of one class, added up.
struct ReadTally: Sendable {
  var counts = [Int](repeating: 0, count: Outcome.allCases.count)
  /// Reads that were served although the result had outlived its time to live.
  var servedExpired = 0
  /// Of the hits, those that the cache's own disk answered.
  var diskHits = 0
  /// The age of outdated rows that were served, in nanoseconds; one for each stale read with a known age.
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

  /// Reads that were served at once.
  var hits: Int { self[.hitFresh] + self[.hitStale] + self[.hitUnknown] }

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

/// A run in equal parts of virtual time, to see when hits were lost and memory was taken.
///
/// Counts every read of the user, those of the warm-up too: it shows a run, and is no figure of it.
package struct Timeline: Sendable {
  /// What happened in one part.
  package struct Part: Hashable, Sendable {
    package fileprivate(set) var reads = 0
    package fileprivate(set) var freshHits = 0
    package fileprivate(set) var staleHits = 0
    package fileprivate(set) var failures = 0
    /// Resident entities, the mean over time; of several clients, the mean of theirs.
    package fileprivate(set) var entities = 0.0
  }

  package private(set) var parts: [Part]
  /// How long a part lasts, in nanoseconds; the last ends with the run.
  package let partNanoseconds: Int64
  private let duration: Int64

  init(duration: Duration, parts count: Int) {
    precondition(count > 0, "a timeline without parts")
    self.duration = duration.wholeNanoseconds
    partNanoseconds = max(1, (self.duration + Int64(count) - 1) / Int64(count))
    parts = [Part](repeating: Part(), count: count)
  }

  private func place(of nanoseconds: Int64) -> Int {
    min(Int(nanoseconds / partNanoseconds), parts.count - 1)
  }

  /// Counts a read by when it was made.
  mutating func count(_ outcome: Outcome, at nanoseconds: Int64) {
    let place = place(of: nanoseconds)
    parts[place].reads += 1
    switch outcome {
    case .hitFresh: parts[place].freshHits += 1
    case .hitStale: parts[place].staleHits += 1
    case .failed: parts[place].failures += 1
    default: break
    }
  }

  /// Adds up how many entities were resident between two instants; what follows the run is not shown.
  mutating func note(entities: Int, from start: Int64, to end: Int64) {
    var start = start
    let end = min(end, duration)
    while start < end {
      let place = place(of: start)
      let partEnd = place == parts.count - 1 ? end : min(end, Int64(place + 1) * partNanoseconds)
      parts[place].entities +=
        Double(partEnd - start) / Double(length(of: place)) * Double(entities)
      start = partEnd
    }
  }

  private func length(of place: Int) -> Int64 {
    max(1, min(duration, Int64(place + 1) * partNanoseconds) - Int64(place) * partNanoseconds)
  }

  /// Adds another client of the run: reads add up, entities wait for ``divideMeans(by:)``.
  mutating func add(_ other: Timeline) {
    for index in parts.indices {
      parts[index].reads += other.parts[index].reads
      parts[index].freshHits += other.parts[index].freshHits
      parts[index].staleHits += other.parts[index].staleHits
      parts[index].failures += other.parts[index].failures
      parts[index].entities += other.parts[index].entities
    }
  }

  /// Makes means of the sums over this many clients.
  mutating func divideMeans(by clients: Int) {
    for index in parts.indices { parts[index].entities /= Double(max(1, clients)) }
  }
}
