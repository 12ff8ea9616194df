package import CacheModel
import EvictionPolicies
package import NormalizedCache
import Text
import Workloads

/// A program with its cache: everything that a run needs, without random choices.
package struct FaultCase: Hashable, Sendable {
  /// The seed of its generation; also the seed of random eviction orders.
  package var seed: UInt64
  package var composition: CachePolicy
  /// The client's write-behind settings; `nil`: it has no storage.
  package var storage: WriteBehind?
  /// The queries that the app declares; empty: it has its own.
  package var shapes: [NoteShape]
  package var steps: [Step]
  /// The intentional defect of the store, in debug builds; not part of a case file.
  package var plantedDefect: PlantedDefect?
  /// The intentional defect in the interpretation of declared shapes.
  package var modelSlip: ModelSlip?

  package init(
    seed: UInt64, composition: CachePolicy, storage: WriteBehind? = nil,
    shapes: [NoteShape] = [], steps: [Step] = []
  ) {
    self.seed = seed
    self.composition = composition
    self.storage = storage
    self.shapes = shapes
    self.steps = steps
  }
}

extension FaultCase {
  /// One in this many seeds has an app that declares its queries.
  package static let declaredShare: UInt64 = 4

  /// Returns a client from a seed, without steps.
  package static func drawn(seed: UInt64) -> FaultCase {
    let isDeclared = seed % declaredShare == declaredShare - 1
    var drawn = FaultCase(
      seed: seed, composition: .drawn(seed: seed), storage: .drawn(seed: seed))
    guard isDeclared else { return drawn }
    drawn.shapes = NoteShape.drawn(seed: seed)
    drawn.composition.drawFollowing(seed: seed)
    return drawn
  }

  /// The cache's interpretation of the declared shapes.
  var model: NoteModel? {
    guard !shapes.isEmpty else { return nil }
    var declaration = NoteDeclaration(shapes)
    modelSlip?.plant(in: &declaration)
    return NoteModel(declaration)
  }
}

extension CachePolicy {
  /// The simplest policy, the goal of shrinking.
  static let plainest = CachePolicy(
    evictionOrder: "lru", capacity: .unlimited, retention: .none, freshness: .neverExpires,
    reorderWindow: .zero, maximumQueries: nil)

  /// Returns a random policy: any value of any axis, including extremes.
  ///
  /// Each axis has its own random stream. Later axes use additional streams, so that every seed keeps its
  /// other values.
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

  /// Makes some caches small, with lists that are updated in place and do not retain entities: they have
  /// gaps.
  private mutating func drawGaps(seed: UInt64) {
    var random = RandomSource(seed: seed).substream("gaps")
    guard random.chance(0.3) else { return }
    capacity = Self.smallCapacities[random.below(Self.smallCapacities.count)]
    retention = random.chance(0.5) ? .none : .tags
    membership = .patch
    admission = "always"
    maximumQueries = nil
  }

  /// Gives some caches rules for batches by origin.
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

  /// Lets most caches update the lists of an app that declares them in place, to test the model.
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
  /// Returns random write-behind settings, or none.
  static func drawn(seed: UInt64) -> WriteBehind? {
    var random = RandomSource(seed: seed).substream("storage")
    guard random.chance(0.6) else { return nil }
    let windows: [Duration] = [.zero, .milliseconds(500), .seconds(2), .seconds(30)]
    return WriteBehind(
      window: windows[random.below(windows.count)],
      maximumChanges: [1, 12, 2_048][random.below(3)])
  }
}
