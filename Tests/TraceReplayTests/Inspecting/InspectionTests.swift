import CacheModel
import EvictionPolicies
import Testing
import TidemarkTestSupport

@testable import TraceReplay

@Suite("Inspection")
struct InspectionTests {
  @Test("the exponent that a trace was generated with is found", arguments: [0.7, 1.0, 1.3])
  func zipf(exponent: Double) throws {
    let zipf = ZipfTrace(requests: 200_000, keys: 1_000, exponent: exponent, seed: 5)
    let summary = TraceSummary(
      of: InternedTrace(name: "zipf", ids: zipf.ids, distinct: zipf.distinct))
    let fit = try #require(summary.zipf)
    #expect(abs(fit.exponent - exponent) < 0.02, "\(fit)")
    #expect(fit.standardError < 0.01)
    #expect(fit.distance < 0.02)
  }

  @Test("a popularity unlike Zipf's law has a large distance; a flat one has exponent 0")
  func notZipf() throws {
    let flat = try #require(ZipfFit(descendingCounts: Array(repeating: 7, count: 5_000)))
    #expect(flat.exponent < 1e-6 && flat.distance < 0.001)
    let steps = try #require(
      ZipfFit(descendingCounts: Array(repeating: 1_000, count: 50) + Array(repeating: 1, count: 50))
    )
    #expect(steps.distance > 0.1)
    #expect(ZipfFit(descendingCounts: [9]) == nil)
  }

  @Test("keys, reuse and working sets of a trace that can be counted by hand")
  func small() {
    let trace = InternedTrace(
      name: "abcabd", ids: [0, 1, 2, 0, 1, 3], distinct: 4,
      operations: [.get, .set, .get, .get, .get, .update], weights: [5, 0, 7, 6, 2, 0],
      lifetimes: [0, 30, 10, 20, 0, 0], times: [1, 2, 3, 2, 5, 9])
    let summary = TraceSummary(of: trace)
    #expect(summary.lines == 6 && summary.distinct == 4)
    #expect(summary.operations == [4, 1, 1, 0])
    #expect(summary.oneHitWonders == 2)
    #expect(summary.mostPopular == 2)
    #expect(summary.reuseDistances?.count == 2)
    #expect(summary.reuseDistances?.p50 == 3)
    #expect(summary.workingSets.isEmpty)
    #expect(summary.sizes?.footprint == 6 + 2 + 7)
    #expect(summary.sizes?.requested == 20)
    #expect(summary.sizes?.unknown == 2)
    #expect(summary.sizes?.mean == 5)
    #expect(summary.lifetimes?.median == 20)
    #expect(summary.duration == 8)
    #expect(summary.backwardSteps == 1)
    #expect(Set(summary.rows.map(\.name)).count == summary.rows.count)
  }

  @Test("working sets are counted in windows side by side")
  func workingSets() throws {
    let ids = (0..<1_000 as Range<UInt32>).map { $0 < 500 ? $0 % 5 : $0 % 50 }
    let summary = TraceSummary(of: InternedTrace(name: "t", ids: ids, distinct: 50))
    #expect(summary.workingSets.map(\.window) == [10, 100])
    #expect(summary.workingSets[0].mean == 7.5)
    #expect(summary.workingSets[1].max == 50)
    let most = summary.rows.first { $0.name == "working_set_10_percent_max" }
    #expect(most?.value == .count(50))
  }
}
