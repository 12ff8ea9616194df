package import CacheModel
import EvictionPolicies
import NormalizedCache
import Text
import Workloads

extension CachePolicy {
  /// What every axis is shrunk to.
  static let plainest = CachePolicy(
    evictionOrder: "lru", capacity: .unlimited, retention: .none, freshness: .neverExpires,
    reorderWindow: .zero, maximumQueries: nil)

  /// Draws from all compositions: every value of every axis, with its extremes.
  ///
  /// Each axis has a stream of its own. Those that shared streams before draw from them again, so that
  /// every seed keeps what it had.
  package static func drawn(seed: UInt64) -> CachePolicy {
    var composition = plainest
    for axis in PolicyAxis.all {
      let place = Fingerprint(of: axis.name.utf8).below(.max)
      var random = RandomSource(seed: seed).substream("axis", place)
      composition.draw(axis.name, &random)
    }
    composition.drawTogether(seed: seed)
    composition.drawMore(seed: seed)
    composition.drawGaps(seed: seed)
    composition.drawBatchRules(seed: seed)
    return composition
  }

  private mutating func drawTogether(seed: UInt64) {
    var random = RandomSource(seed: seed).substream("composition")
    func one<Value>(of values: [Value]) -> Value { values[random.below(values.count)] }
    evictionOrder = one(of: EvictionPolicies.forCaches.map(\.name))
    capacity = one(of: Self.capacities)
    draw("retention", &random)
    releaseBuffer = one(of: Self.releaseBuffers)
    draw("time-to-live", &random)
    freshness.perMethod = one(of: Self.methodLifetimes)
    for name in [
      "drops-expired", "stale-while-revalidate", "stale-if-error", "event-admission", "membership",
      "gap-response", "reorder-window", "coalescing-window", "maximum-queries",
    ] {
      draw(name, &random)
    }
    if random.chance(0.4) { admission = one(of: AdmissionPolicies.all.map(\.name)) }
  }

  private mutating func drawMore(seed: UInt64) {
    var random = RandomSource(seed: seed).substream("later-axes")
    if random.chance(0.2) { retention = .referenceCount }
    if releaseBuffer != nil { draw("release-buffer-reads", &random) }
    if random.chance(0.2) { freshness.start = .request }
    pollInterval = nil
    if random.chance(0.2) { draw("poll-interval", &random) }
    if random.chance(0.4) { limit = .hard }
    if random.chance(0.2) { draw("capacity-memory", &random) }
    if random.chance(0.1) { freshness.start = .answerWhileObserved }
  }

  private mutating func draw(_ name: String, _ random: inout RandomSource) {
    guard let axis = PolicyAxis.named(name), !axis.drawn.isEmpty else { return }
    axis.write(&self, axis.drawn[random.below(axis.drawn.count)])
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
