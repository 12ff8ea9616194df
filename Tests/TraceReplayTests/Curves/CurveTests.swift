import CacheModel
import EvictionPolicies
import Testing
import TidemarkTestSupport

@testable import TraceReplay

@Suite("Curves")
struct CurveTests {
  private func zipf(requests: Int = 20_000, keys: Int = 2_000) -> InternedTrace {
    let zipf = ZipfTrace(requests: requests, keys: keys, seed: 9)
    return InternedTrace(name: "zipf", ids: zipf.ids, distinct: zipf.distinct)
  }

  /// Weights that a key keeps, from 1 to 50.
  private func weighted(_ trace: InternedTrace) -> InternedTrace {
    InternedTrace(
      name: trace.name, ids: trace.ids, distinct: trace.distinct,
      weights: trace.ids.map { Int32($0 &* 2_654_435_761 % 50) + 1 })
  }

  private func order(_ name: String) throws -> EvictionPolicyDescriptor {
    try #require(EvictionPolicies.named(name))
  }

  @Test("in bytes it counts the same as a replay, from the largest weight on")
  func bytes() throws {
    let trace = weighted(zipf(requests: 8_000, keys: 300))
    let capacities = Array(stride(from: 50, to: 9_000, by: 137))
    let curve = LRUByteCurve(of: trace, capacities: capacities)
    #expect(curve.isExact)
    #expect(curve.largestWeight == 50)
    for (capacity, misses) in zip(curve.capacities, curve.misses) {
      let counts = try order("lru").replayOperations(
        trace.lines, ReplayRules(capacity: .bytes(capacity)), RandomSource(seed: 1))
      #expect(counts.misses == misses, "\(capacity) bytes")
      #expect(counts.bytesRequested == curve.bytesRequested)
    }
    let steps = zip(curve.misses, curve.misses.dropFirst())
    #expect(steps.allSatisfy { $0 >= $1 })
  }

  @Test("in bytes, sets and updates are followed exactly, too")
  func bytesWithOperations() throws {
    let plain = weighted(zipf(requests: 6_000, keys: 100))
    var random = RandomSource(seed: 3)
    let kinds: [TraceOperation] = [.get, .get, .get, .set, .update]
    let trace = InternedTrace(
      name: "t", ids: plain.ids, distinct: plain.distinct,
      operations: plain.ids.map { _ in kinds[random.below(5)] }, weights: plain.weights)
    for updates in ReplayRules.Updates.allCases {
      let curve = LRUByteCurve(of: trace, capacities: [50, 200, 1_000, 2_000], updates: updates)
      #expect(curve.isExact)
      for (capacity, misses) in zip(curve.capacities, curve.misses) {
        let counts = try order("lru").replayOperations(
          trace.lines, ReplayRules(capacity: .bytes(capacity), updates: updates),
          RandomSource(seed: 1))
        #expect(counts.misses == misses, "\(capacity) bytes, \(updates)")
      }
    }
  }

  @Test("weights of 1 in bytes are entities")
  func unitBytes() {
    let trace = zipf(requests: 5_000, keys: 200)
    let capacities = Array(1...210)
    let curve = LRUByteCurve(of: trace, capacities: capacities)
    #expect(curve.misses == LRUCurve(of: trace).misses(capacities: capacities))
  }

  @Test("a size that changes, or a deletion, makes an estimate and says so")
  func estimates() {
    let changing = InternedTrace(name: "t", ids: [0, 0], distinct: 1, weights: [3, 4])
    #expect(!LRUByteCurve(of: changing, capacities: [10]).isExact)
    let unknown = InternedTrace(name: "t", ids: [0, 0], distinct: 1, weights: [3, 0])
    #expect(LRUByteCurve(of: unknown, capacities: [10]).isExact)
    let deleting = InternedTrace(
      name: "t", ids: [0, 0], distinct: 1, operations: [.get, .delete], weights: [3, 3])
    #expect(!LRUByteCurve(of: deleting, capacities: [10]).isExact)
  }

  @Test("without reads there are no misses, and no miss ratio, and a sample has neither")
  func nothingRead() async throws {
    func points(_ csv: String, sample: Double?) async throws -> [CurvePoint] {
      let sampling = sample.flatMap { KeySampling(rate: $0) }
      let trace = try TraceReader.read(
        Array(csv.utf8), format: .csv, name: "t", options: ReadingOptions(sampling: sampling))
      return try await CurveRequest(
        policies: [try order("lru"), try order("fifo")], capacities: [.entities(1_000)],
        drawsBound: sample == nil
      ).points(of: trace, width: 1)
    }
    let writes = (0..<400).map { "k\($0),set\n" }.joined()
    for point in try await points("key,op\n" + writes, sample: nil) {
      #expect(point.requests == 0 && point.misses == 0 && point.missRatio == nil, "\(point)")
    }
    // The one key that is read is in no sample of the others.
    for point in try await points("key,op\nk,get\n" + writes, sample: 0.1) {
      #expect(point.requests == 1 && point.misses == nil && point.missRatio == nil, "\(point)")
    }
  }

  @Test("every policy's points equal those of a replay, LRU's from one pass")
  func points() async throws {
    let trace = weighted(zipf(requests: 4_000, keys: 200))
    let request = CurveRequest(
      policies: [try order("lru"), try order("fifo")],
      capacities: [.entities(5), .entities(50), .bytes(700)])
    let points = try await request.points(of: trace, width: 3)
    #expect(points.map(\.policy) == ["lru", "lru", "lru", "fifo", "fifo", "fifo"])
    #expect(
      points.map(\.method) == [.onePass, .onePass, .onePass, .replay, .replay, .replay])
    for point in points {
      let cell = try Replay.cell(
        try order(point.policy), at: point.capacity, of: trace, options: Replay.Options())
      let row = Replay.run(cell, of: trace, seed: 1)
      #expect(point.misses == row.counts.misses)
      #expect(point.missRatio == Double(row.counts.misses) / 4_000)
    }
  }

  @Test("where something expires, LRU is replayed like any other")
  func expiring() async throws {
    let request = CurveRequest(
      policies: [try order("lru")], capacities: [.entities(10)],
      options: Replay.Options(timeToLive: 50, interval: 1))
    let points = try await request.points(of: zipf(requests: 500, keys: 20), width: 1)
    #expect(points.map(\.method) == [.replay])
  }

  @Test("usual capacities grow from few to all")
  func usualCapacities() {
    for distinct in [1, 2, 9, 100, 12_345] {
      let trace = InternedTrace(name: "t", ids: [0], distinct: distinct)
      let capacities = MissRatioCurve.usualCapacities(for: trace)
      #expect(capacities.last == distinct)
      #expect(zip(capacities, capacities.dropFirst()).allSatisfy { $0 < $1 }, "\(capacities)")
    }
  }

  @Test("a sample keeps all requests of its keys, and about its share of the keys")
  func sampling() throws {
    let sampling = try #require(KeySampling(rate: 0.1))
    var text = ""
    for request in 0..<30_000 { text += "\(request % 3_000)\nk\(request % 2_000)\n" }
    let format = try #require(TraceFormats.named("text"))
    let sample = try TraceReader.read(
      Array(text.utf8), format: format, name: "t", options: ReadingOptions(sampling: sampling))
    #expect(sample.sampledFrom == SampledFrom(sampling: sampling, gets: 60_000))
    #expect((400...600).contains(sample.distinct), "\(sample.distinct)")
    var uses = [Int](repeating: 0, count: sample.distinct)
    for id in sample.ids { uses[Int(id)] += 1 }
    #expect(uses.allSatisfy { $0 == 10 || $0 == 15 })
  }

  @Test(
    "a sample covers caches with room for a hundred of its keys, and names a rate with enough keys")
  func sampleReach() throws {
    var trace = InternedTrace(
      name: "t", ids: Array(0..<1_000), distinct: 1_000,
      weights: Array(repeating: 50, count: 1_000))
    #expect(SampleReach(of: trace) == nil)
    let sampling = try #require(KeySampling(rate: 0.125))
    trace.sampledFrom = SampledFrom(sampling: sampling, gets: 8_000)
    let reach = try #require(SampleReach(of: trace))
    #expect(!reach.hasEnoughKeys)
    #expect(reach.rateWithEnoughKeys == 0.63)
    #expect(reach.smallestEntities == 800)
    #expect(reach.tells(of: .entities(800)) && !reach.tells(of: .entities(799)))
    #expect(reach.tells(of: .bytes(40_000)) && !reach.tells(of: .bytes(39_999)))
    let usual = MissRatioCurve.usualCapacities(for: trace)
    #expect(usual.allSatisfy { reach.tells(of: .entities($0)) }, "\(usual)")
    // A sample of all keys is the whole, which tells of any cache.
    trace.sampledFrom?.sampling = try #require(KeySampling(rate: 1))
    #expect(SampleReach(of: trace) == nil)
  }

  @Test("rates out of range are none, and a sample without keys is an error")
  func samplingRange() {
    for rate in [0, -1, 1.01, Double.nan, .infinity] { #expect(KeySampling(rate: rate) == nil) }
    #expect(KeySampling(rate: 1)?.rate == 1)
    #expect(throws: TraceError.self) {
      try TraceReader.read(
        Array("a\n".utf8), format: .text, name: "t",
        options: ReadingOptions(sampling: KeySampling(rate: 1e-9)))
    }
  }

  @Test("a sample's curve is near the whole's, for LRU and for others")
  func sampledCurve() async throws {
    var text = ""
    for id in zipf(requests: 100_000, keys: 20_000).ids { text += "\(id)\n" }
    func read(_ sampling: KeySampling?) throws -> InternedTrace {
      try TraceReader.read(
        Array(text.utf8), format: .text, name: "t", options: ReadingOptions(sampling: sampling))
    }
    let request = CurveRequest(
      policies: [try order("lru"), try order("fifo")],
      capacities: [300, 1_000, 3_000, 10_000].map { .entities($0) })
    let exact = try await request.points(of: try read(nil), width: 1)
    let sampled = try await request.points(of: try read(KeySampling(rate: 0.1)), width: 1)
    for (exact, sampled) in zip(exact, sampled) {
      #expect(sampled.method == .sample)
      #expect(sampled.requests == 100_000)
      #expect(exact.sampledKeys == nil && (sampled.sampledKeys ?? 0) > 1_000)
      #expect(sampled.capacity == exact.capacity)
      let (estimate, truth) = (try #require(sampled.missRatio), try #require(exact.missRatio))
      #expect(abs(estimate - truth) < 0.04, "\(sampled), \(truth)")
    }
    // A sample of all keys is the whole.
    let all = try await request.points(of: try read(KeySampling(rate: 1)), width: 1)
    #expect(all.map(\.missRatio) == exact.map(\.missRatio))
    await #expect(throws: CapacityError.belowSample(1, smallest: 10)) {
      try await CurveRequest(policies: request.policies, capacities: [.entities(1)])
        .points(of: try read(KeySampling(rate: 0.1)), width: 1)
    }
  }
}
