package import CacheModel
import EvictionPolicies
import NormalizedCache

extension PolicyComposition {
  /// Draws from all compositions: every value of every axis, with its extremes.
  package static func drawn(seed: UInt64) -> PolicyComposition {
    var random = RandomSource(seed: seed).substream("composition")
    func one<Value>(of values: [Value]) -> Value { values[random.below(values.count)] }
    let orders = EvictionPolicies.forCaches.map(\.name)
    var composition = PolicyComposition(
      evictionOrder: one(of: orders),
      capacity: one(of: capacities),
      retention: one(of: [.none, .observed, .cached, .referenceCountObserved, .tags]),
      releaseBuffer: one(of: releaseBuffers),
      freshness: Freshness(
        timeToLive: one(of: lifetimes), perMethod: one(of: methodLifetimes),
        dropsExpired: random.chance(0.5),
        staleWhileRevalidate: one(of: [.zero, .zero, .seconds(5)]),
        staleIfError: one(of: [.zero, .zero, .seconds(30)])),
      eventAdmission: one(of: EventAdmission.allCases),
      // Blind membership promises nothing that could be checked after a change.
      membership: one(of: [.patch, .patch, .patch, .markStale, .markStale, .blind]),
      gapResponse: one(of: GapResponse.allCases),
      reorderWindow: one(of: [.zero, .milliseconds(200), .seconds(5)]),
      coalescingWindow: one(of: [.zero, .zero, .milliseconds(16), .seconds(1)]),
      maximumQueries: one(of: [nil, nil, nil, 0, 1, 4]))
    if random.chance(0.4) {
      composition.admission = one(of: AdmissionPolicies.all.map(\.name))
    }
    composition.drawMore(seed: seed)
    composition.drawGaps(seed: seed)
    composition.drawBatchRules(seed: seed)
    return composition
  }

  /// Draws from axes that came later, from a stream of their own, so that every seed keeps what it had
  /// on the others.
  private mutating func drawMore(seed: UInt64) {
    var random = RandomSource(seed: seed).substream("later-axes")
    if random.chance(0.2) { retention = .referenceCount }
    let reads = ReleaseBuffer.Reads.allCases
    releaseBuffer?.reads = reads[random.below(reads.count)]
    if random.chance(0.2) { freshness.start = .request }
    if random.chance(0.2) { pollInterval = .seconds(random.chance(0.5) ? 3 : 45) }
    if random.chance(0.4) { limit = .hard }
    let memory = [0, 30_000, 50_000, 55_000, 60_000, 75_000]
    if random.chance(0.2) { capacity.memory = memory[random.below(memory.count)] }
    if random.chance(0.1) { freshness.start = .answerWhileObserved }
  }

  /// Makes some caches small, with lists that are followed and hold nothing back: they have gaps.
  private mutating func drawGaps(seed: UInt64) {
    var random = RandomSource(seed: seed).substream("gaps")
    guard random.chance(0.3) else { return }
    capacity = Self.smallCapacities[random.below(Self.smallCapacities.count)]
    retention = random.chance(0.5) ? .none : .tags
    membership = .patch
    admission = "always"
    maximumQueries = nil
  }

  /// Lets some caches treat batches by what they come from.
  private mutating func drawBatchRules(seed: UInt64) {
    var random = RandomSource(seed: seed).substream("batch-rules")
    guard random.chance(0.3) else { return }
    func maybe<Value>(_ values: [Value]) -> Value? {
      random.chance(0.5) ? values[random.below(values.count)] : nil
    }
    for origin in EventOrigin.allCases where random.chance(0.6) {
      batchRules[origin] = BatchRule(
        admission: maybe(EventAdmission.allCases), membership: maybe([.patch, .markStale]),
        staleMethods: maybe([[NoteQuery.folderMethod], NoteQuery.methods]) ?? [])
    }
  }

  /// Lets most caches follow the lists of an app that declares them: the model is what is looked at.
  mutating func drawFollowing(seed: UInt64) {
    var random = RandomSource(seed: seed).substream("following")
    guard random.chance(0.7) else { return }
    membership = .patch
    gapResponse = .replay
    batchRules = [:]
    freshness = .neverExpires
    maximumQueries = nil
    guard random.chance(0.6) else { return }
    admission = "always"
    capacity = .unlimited
    eventAdmission = random.chance(0.5) ? .writeAllocate : .updateOnly
  }

  private static let smallCapacities: [Capacity] = [
    Capacity(entities: 2), Capacity(entities: 4), Capacity(entities: 8),
    Capacity(entities: 20, lowWatermark: 0.5), Capacity(entities: nil, bytes: 16),
  ]

  private static let capacities: [Capacity] = [
    .unlimited, .unlimited, Capacity(entities: 12, lowWatermark: 0.75), Capacity(entities: 5),
    Capacity(entities: nil, bytes: 30),
    Capacity(entities: 8, bytes: 12, highWatermark: 0.9, lowWatermark: 0.5),
    Capacity(entities: 1), Capacity(entities: 0), Capacity(entities: nil, bytes: 0),
    Capacity(entities: 4, lowWatermark: 0),
  ]

  private static let releaseBuffers: [ReleaseBuffer?] = [
    nil, nil, ReleaseBuffer(queries: 2, age: .seconds(10)), ReleaseBuffer(queries: nil, age: nil),
    ReleaseBuffer(queries: 0, age: nil), ReleaseBuffer(queries: nil, age: .zero),
  ]

  /// Mostly none: what has expired when a program ends is not called fresh, and shows no fault.
  private static let lifetimes: [Duration?] = [
    nil, nil, nil, .seconds(20), .seconds(600), .milliseconds(300), .zero,
  ]

  private static let methodLifetimes: [[QueryMethod: Duration]] = [
    [:], [:], [NoteQuery.folderMethod: .seconds(40)], [NoteQuery.folderMethod: .zero],
  ]
}

extension WriteBehind? {
  /// Draws whether the client stores anything, and when it writes.
  static func drawn(seed: UInt64) -> WriteBehind? {
    var random = RandomSource(seed: seed).substream("storage")
    guard random.chance(0.6) else { return nil }
    let windows: [Duration] = [.zero, .milliseconds(500), .seconds(2), .seconds(30)]
    return WriteBehind(
      window: windows[random.below(windows.count)],
      maximumChanges: [1, 12, 2_048][random.below(3)])
  }
}
