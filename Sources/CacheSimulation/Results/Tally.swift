import CacheModel
import NormalizedCacheCore
import ResultModel

/// The size of a storage, and the amount written.
struct DiskTally: Sendable {
  /// The maximum over clients.
  var peakBytes: Int
  /// The mean over time and clients; `nil` if not measured.
  var meanBytes: Double?
  var rowsWritten: Int
  /// The maximum over clients; `nil` if the storage is not files of the cache.
  var peakFiles: Int?
}

/// Reads while the link was down.
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

struct Tally: Sendable {
  /// By the index of the class in `DataModel.classes`.
  var queries: [ReadTally]
  /// Reads of single entities by key.
  var entities = ReadTally()

  init(classes: Int) {
    queries = [ReadTally](repeating: ReadTally(), count: classes)
  }

  var ofUser: ReadTally {
    queries.reduce(into: entities) { $0.add($1) }
  }
  /// Repeated reads by views; not by the user.
  var redraws = ReadTally()
  /// The user's first reads of a query or an entity.
  var firsts = ReadTally()
  /// The first reads of a process of targets that an earlier one had read.
  var coldStarts = ReadTally()
  /// The user's reads without a link, and those of tagged queries among them.
  var offline = OfflineTally()
  var offlineTagged = OfflineTally()
  /// Whether there are two tiers: memory and the cache's own disk.
  var hasTiers = false
  /// Ends of processes.
  var relaunches = 0
  /// `nil` without writes.
  var writes: WriteTally?
  /// `nil` without a storage.
  var disk: DiskTally?
  /// Reads whose view was left before the rows arrived.
  var abandoned = 0
  /// Entities opened in a view, and those whose row was not yet on screen.
  var opensInViews = 0
  var impossibleOpens = 0

  /// Requests sent, and those of them for missed events.
  var fetches = 0
  var reconciles = 0
  /// Answers that only confirmed the cached result.
  var notModified = 0
  /// Bytes of responses to reads, views and writes.
  var bytesOfAnswers = 0
  /// Bytes of replays, and of refetches after missed events.
  var bytesOfCatchUp = 0
  var bytesPushed = 0
  /// Bytes that the same reads would have fetched without a cache.
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

  /// The store's counts since the warm-up, and its peaks.
  var store = CacheStatistics()
  /// The predicted memory in an app, an upper bound.
  var predictedBytes = 0
  /// The largest used share of a limit; 0 without limits.
  var overLimit = LimitShare.unlimited
  /// Means over time; over several clients, the mean of theirs.
  var meanEntities = 0.0
  var meanWeight = 0.0

  var bytesFetched: Int { bytesOfAnswers + bytesOfCatchUp }

  /// Entities returned or received.
  var entityAccesses: Int { store.entityAccesses + store.itemsApplied }
  /// Entities returned or received over the whole run, warm-up included.
  var workDone = 0
  /// Session actions, deliveries, requests and answers.
  var operations = 0

  mutating func count(_ request: PendingEvent.Request) {
    fetches += 1
    if case .reconcile = request { reconciles += 1 }
  }

  /// Adds another client: counts are summed, peaks are the maximum, means wait for ``divideMeans(by:)``.
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

  /// The report's counts over all clients, in its order.
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

/// The sums over the reads of one class.
struct ReadTally: Sendable {
  var counts = [Int](repeating: 0, count: Outcome.allCases.count)
  /// Reads that were served although the result had expired.
  var servedExpired = 0
  /// Hits answered from the cache's own disk.
  var diskHits = 0
  /// The ages of outdated rows that were served, in nanoseconds; one for each stale read with a known age.
  var stalenessAges: [Int64] = []
  /// The waiting times of reads, in nanoseconds; reads that are not here were served at once, or failed.
  var waits: [Int64] = []

  /// The waiting time from which users notice it: 100 ms (Nielsen, "Usability Engineering", 1993, section
  /// 5.5).
  static let feltWait: Int64 = 100_000_000

  subscript(outcome: Outcome) -> Int {
    get { counts[outcome.ordinal] }
    set { counts[outcome.ordinal] = newValue }
  }

  var reads: Int { counts.reduce(0, +) }

  /// Reads that were served at once.
  var hits: Int { self[.hitFresh] + self[.hitStale] + self[.hitUnknown] }

  /// Reads that got their rows, with or without waiting.
  var answered: Int { reads - self[.failed] }

  /// Reads that waited for more than 100 ms, or failed.
  var slow: Int { waits.count { $0 > Self.feltWait } + self[.failed] }

  mutating func add(_ other: ReadTally) {
    for index in counts.indices { counts[index] += other.counts[index] }
    servedExpired += other.servedExpired
    diskHits += other.diskHits
    stalenessAges += other.stalenessAges
    waits += other.waits
  }
}

/// The counts of a run in equal parts of virtual time, to see when hits were lost and memory was used.
///
/// Includes every read of the user, also during the warm-up: it is for display, not for the figures.
package struct Timeline: Sendable {
  package struct Part: Hashable, Sendable {
    package fileprivate(set) var reads = 0
    package fileprivate(set) var freshHits = 0
    package fileprivate(set) var staleHits = 0
    package fileprivate(set) var failures = 0
    /// The mean number of resident entities over time and clients.
    package fileprivate(set) var entities = 0.0
  }

  package private(set) var parts: [Part]
  /// The length of a part in nanoseconds; the last ends with the run.
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

  /// Integrates resident entities between two instants; times after the run are ignored.
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

  /// Adds another client of the run: reads are summed, entities wait for ``divideMeans(by:)``.
  mutating func add(_ other: Timeline) {
    for index in parts.indices {
      parts[index].reads += other.parts[index].reads
      parts[index].freshHits += other.parts[index].freshHits
      parts[index].staleHits += other.parts[index].staleHits
      parts[index].failures += other.parts[index].failures
      parts[index].entities += other.parts[index].entities
    }
  }

  mutating func divideMeans(by clients: Int) {
    for index in parts.indices { parts[index].entities /= Double(max(1, clients)) }
  }
}
