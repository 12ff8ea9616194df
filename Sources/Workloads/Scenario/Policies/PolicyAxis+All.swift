import CacheModel

extension PolicyAxis {
  /// All axes in the order of help.
  ///
  /// The values for fuzzing are chosen so that faults appear: small limits, and usually no expiry, since a
  /// result that has expired when a program ends does not count as fresh.
  package static let all: [PolicyAxis] =
    limits + choices + EventOrigin.allCases.flatMap(ofBatches) + disk

  private static let limits: [PolicyAxis] = [
    PolicyAxis(
      "capacity-entities", \.capacity.entities, .count("entities", 0...100_000_000),
      mayBeUnlimited: true, "most entities held", standard: 10_000),
    PolicyAxis(
      "capacity-bytes", \.capacity.bytes, .size(0...(1 << 40)), mayBeUnlimited: true,
      "most bytes held", standard: .some(nil)),
    PolicyAxis(
      "capacity-memory", \.capacity.memory, .size(0...(1 << 40)), mayBeUnlimited: true,
      "most bytes of memory that values and tables are predicted to take", standard: .some(nil),
      drawn: [0, 30_000, 50_000, 55_000, 60_000, 75_000]),
    PolicyAxis(
      "high-watermark", \.capacity.highWatermark, .share,
      "eviction begins above this share of a limit", standard: 0.9),
    PolicyAxis(
      "low-watermark", \.capacity.lowWatermark, .share, "eviction ends at this share of a limit",
      standard: 0.9),
    PolicyAxis(
      "maximum-queries", \.maximumQueries, .count("queries", 0...10_000_000), mayBeUnlimited: true,
      "most queries held", standard: 100, drawn: [nil, nil, nil, 0, 1, 4]),
    PolicyAxis(
      "time-to-live", \.freshness.timeToLive, .duration(.zero ... .days(365)), mayBeUnlimited: true,
      "how long a result is fresh", standard: .seconds(300),
      drawn: [nil, nil, nil, .seconds(20), .seconds(600), .milliseconds(300), .zero]),
    PolicyAxis(
      "stale-while-revalidate", \.freshness.staleWhileRevalidate,
      .duration(.zero ... .days(365)), mayBeUnlimited: true,
      "how long an expired result is served while it is fetched again", standard: .zero,
      drawn: [.zero, .zero, .seconds(5)]),
    PolicyAxis(
      "stale-if-error", \.freshness.staleIfError, .duration(.zero ... .days(365)),
      mayBeUnlimited: true, "how long an expired result is served when the fetch fails",
      standard: .zero, drawn: [.zero, .zero, .seconds(30)]),
    PolicyAxis(
      "reorder-window", \.reorderWindow, .duration(.zero ... .minutes(10)),
      "how long a gap may stay open before it is reconciled", standard: .milliseconds(200),
      drawn: [.zero, .milliseconds(200), .seconds(5)]),
  ]

  private static let choices: [PolicyAxis] = [
    PolicyAxis(
      "eviction-order", \.evictionOrder, .registered(.evictionOrders),
      "the order in which entities are evicted"),
    PolicyAxis(
      "admission", \.admission, .registered(.admissions),
      "which entities enter a full cache"),
    PolicyAxis(
      "limit", \.limit, "whether retained entities are released if a limit is exceeded",
      drawn: []),
    PolicyAxis(
      "retention", \.retention, "entities that are kept from eviction",
      drawn: [.none, .observed, .cached, .referenceCountObserved, .tags]),
    PolicyAxis(
      "release-buffer-queries", .count("queries", 0...10_000_000), mayBeUnlimited: true,
      "most queries held after their last observer left",
      read: { $0.releaseBuffer.map(\.queries) },
      write: { $0.halfOfReleaseBuffer.queries = $1 }),
    PolicyAxis(
      "release-buffer-age", .duration(.zero ... .days(365)), mayBeUnlimited: true,
      "how long a query is held after its last observer left",
      read: { $0.releaseBuffer.map(\.age) },
      write: { $0.halfOfReleaseBuffer.age = $1 }),
    PolicyAxis(
      "release-buffer-reads", .words(of: ReleaseBuffer.Reads.self),
      "effect of a read without an observer on the release buffer",
      read: { $0.releaseBuffer?.reads }, write: { $0.releaseBuffer?.reads = $1 },
      drawn: ReleaseBuffer.Reads.allCases),
    PolicyAxis(
      "time-to-live-from", \.freshness.start, "from when the age of a result counts", drawn: []),
    PolicyAxis(
      "drops-expired", \.freshness.dropsExpired, .flag,
      "whether an expired query without observers is dropped", drawn: [true, false]),
    PolicyAxis(
      "event-admission", \.eventAdmission, "what happens to pushed entities that are not cached"),
    // Blind membership promises nothing that could be checked after a change.
    PolicyAxis(
      "membership", \.membership, "what happens to lists when entities change",
      drawn: [.patch, .patch, .patch, .markStale, .markStale, .blind]),
    PolicyAxis(
      "events", .words(of: NetworkSection.Events.self),
      "whether the server's events reach the cache",
      read: { $0.takesEvents ? NetworkSection.Events.push : .none },
      write: { $0.takesEvents = $1 == .push }),
    PolicyAxis("gap-response", \.gapResponse, "what happens when events were missed"),
    PolicyAxis(
      "coalescing-window", \.coalescingWindow, .duration(.zero ... .minutes(10)),
      "the shortest time between two notifications of one query",
      drawn: [.zero, .zero, .milliseconds(16), .seconds(1)]),
    PolicyAxis(
      "poll-interval", \.pollInterval, .duration(.milliseconds(100) ... .days(365)),
      mayBeUnlimited: true,
      "how long after its last answer an observed query is fetched again",
      drawn: [.seconds(3), .seconds(45)]),
  ]

  private static func ofBatches(of origin: EventOrigin) -> [PolicyAxis] {
    let word = origin.rawValue
    return [
      PolicyAxis(
        "event-admission.\(word)", .words(of: EventAdmission.self),
        "what happens to entities that are not cached in a batch of the \(word)",
        read: { $0.batchRules[origin]?.admission },
        write: { $0.batchRules[origin, default: BatchRule()].admission = $1 }),
      PolicyAxis(
        "membership.\(word)", .words(of: Membership.self),
        "what happens to lists at a batch of the \(word)",
        read: { $0.batchRules[origin]?.membership },
        write: { $0.batchRules[origin, default: BatchRule()].membership = $1 }),
      PolicyAxis(
        "marks-stale.\(word)", .list,
        "queries of which every list is invalidated after a batch of the \(word)",
        read: { $0.batchRules[origin]?.staleMethods },
        write: { $0.batchRules[origin, default: BatchRule()].staleMethods = $1 }),
    ]
  }

  private static let disk: [PolicyAxis] = [
    PolicyAxis(
      "storage", .flag, "whether the cache outlives the process",
      read: { $0.storage != nil },
      write: { $0.storage = $1 ? $0.storage ?? DiskStorage() : nil }),
    PolicyAxis(
      "disk-bytes", .size(0...(1 << 40)), mayBeUnlimited: true, "most bytes in the storage",
      read: { $0.storage.map(\.maximumBytes) }, write: { $0.storage?.maximumBytes = $1 }),
    PolicyAxis(
      "flush-window", .duration(.zero ... .minutes(10)),
      "how long the first change of a batch waits to be stored",
      read: { $0.storage?.window }, write: { $0.storage?.window = $1 }),
  ]
}

extension CachePolicy {
  /// The half that a scenario does not mention is unchanged, or unlimited without a previous value.
  fileprivate var halfOfReleaseBuffer: ReleaseBuffer {
    get { releaseBuffer ?? ReleaseBuffer(queries: nil, age: nil) }
    set { releaseBuffer = newValue }
  }
}
