import CacheModel
import EvictionPolicies
import Testing
import TidemarkTestSupport

@Suite("Bounds", .timeLimit(.minutes(30)))
struct BoundTests {
  static let capacities = [1, 2, 5, 10, 40, 100, 400]

  private func misses(of name: String, _ trace: ZipfTrace, capacity: Int) throws -> Int {
    let descriptor = try #require(EvictionPolicies.named(name))
    return descriptor.replayUnitSize(
      trace.ids.span, trace.distinct, capacity, RandomSource(seed: 7)
    ).misses
  }

  @Test(
    "no policy misses less than the clairvoyant, nor that less than once per key",
    arguments: capacities)
  func order(capacity: Int) throws {
    for exponent in [0.0, 0.7, 1.0, 1.3] {
      let trace = ZipfTrace(requests: 4_000, keys: 300, exponent: exponent, seed: 9)
      let bypass = try misses(of: "clairvoyant-bypass", trace, capacity: capacity)
      let forced = try misses(of: "clairvoyant", trace, capacity: capacity)
      #expect(try misses(of: "unbounded", trace, capacity: capacity) == trace.distinct)
      #expect(trace.distinct <= bypass)
      #expect(bypass <= forced)
      for descriptor in EvictionPolicies.all
      where descriptor.isBounded && descriptor.name != "clairvoyant-bypass" {
        #expect(
          try misses(of: descriptor.name, trace, capacity: capacity) >= forced, "\(descriptor.name)"
        )
      }
    }
  }

  @Test("the clairvoyant misses as rarely as the best of all choices", arguments: [1, 2, 3])
  func optimum(capacity: Int) throws {
    for seed in 1...12 as ClosedRange<UInt64> {
      let trace = ZipfTrace(requests: 11, keys: 5, exponent: 0.3, seed: seed)
      let forced = Self.fewest(trace.ids[...], resident: [], capacity, mayBypass: false)
      let bypass = Self.fewest(trace.ids[...], resident: [], capacity, mayBypass: true)
      #expect(try misses(of: "clairvoyant", trace, capacity: capacity) == forced)
      #expect(try misses(of: "clairvoyant-bypass", trace, capacity: capacity) == bypass)
    }
  }

  /// Tries every victim at every miss.
  private static func fewest(
    _ requests: ArraySlice<UInt32>, resident: Set<UInt32>, _ capacity: Int, mayBypass: Bool
  ) -> Int {
    guard let id = requests.first else { return 0 }
    let rest = requests.dropFirst()
    func follow(_ resident: Set<UInt32>) -> Int {
      fewest(rest, resident: resident, capacity, mayBypass: mayBypass)
    }
    if resident.contains(id) { return follow(resident) }
    if resident.count < capacity { return 1 + follow(resident.union([id])) }
    var choices = resident.map { resident.subtracting([$0]).union([id]) }
    if mayBypass { choices.append(resident) }
    return 1 + (choices.map(follow).min() ?? 0)
  }
}
