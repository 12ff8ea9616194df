import CacheChecking
import CacheModel
import CacheSimulation
import NormalizedCache
import Testing

@Suite("The store before the cases of conformance")
struct StoreConformanceTests {
  private static let simulation = Simulation(of: ConformanceWorld.workload)

  /// What comes of a case where the store itself is put behind turns, with answers that are fresh for 300 s.
  private static func result(_ test: ConformanceCase) -> ConformanceResult {
    Conformance().run(test) { launch throws(CacheFault) in
      do throws(CachePolicyError) {
        return try StoreInTurns(
          CachePolicy(
            evictionOrder: "lru", capacity: launch.capacity, retention: .none,
            freshness: Freshness(timeToLive: .seconds(300)), maximumQueries: nil),
          simulation)
      } catch {
        throw CacheFault(.notStarted, "\(error)")
      }
    }
  }

  @Test(
    "The store itself, put behind turns, passes every case strictly",
    arguments: Conformance.cases(nil).map(\.address))
  func passes(address: String) throws {
    let test = try #require(Conformance.cases(address).first)
    let result = Self.result(test)
    let isAsked = Set(test.needs).isSubset(of: [.writes])
    let isFigure = address == "time/3" || !isAsked
    #expect(result.verdict == (isFigure ? .info : .pass), "\(address): \(result.findings)")
    #expect(result.turns.isEmpty != isAsked)
  }

  @Test("How long a list is fresh is told as the time since its answer")
  func freshness() throws {
    let result = Self.result(try #require(Conformance.cases("time/3").first))
    let came = try #require(result.findings.first?.came)
    #expect(came.hasPrefix("at 300 s after its answer, at 120 s not yet"), "\(came)")
  }
}
