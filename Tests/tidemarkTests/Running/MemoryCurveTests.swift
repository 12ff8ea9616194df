import Analysis
import CacheTestSupport
import Testing

@testable import tidemark

@Suite("A curve over memory")
struct MemoryCurveTests {
  private static let unlimited = Circumstance.unlimited

  /// Shares of fresh reads, in percent, by memory limit.
  private func curve(
    _ points: [(memory: Int, fresh: [Double])], ends: Int = 1
  ) -> MemoryCurve {
    let figures = [Figure.freshHitRatio(), .staleReadShare].prefix(ends)
    var curve = MemoryCurve(of: Array(figures), .maximise)
    for point in points {
      let columns = zip(figures, point.fresh).map {
        ObservedSample.Column($0, [$1 / 100, $1 / 100])
      }
      curve.add(
        ObservedSample(contender: "a", seedCount: 2, columns: columns), memory: point.memory)
    }
    return curve
  }

  @Test("The knee is the least memory within a point of no limit")
  func knee() {
    let all = curve([
      (1_000, [20]), (2_000, [59.5]), (4_000, [60.1]), (Self.unlimited, [60.3]),
    ])
    #expect(
      all.kneeText()
        == "2.0 kB is within 1 point of unlimited (59.5 % and 60.3 %); 1.0 kB is not (20.0 %)")
    let rival = curve([(1_000, [10]), (2_000, [61]), (Self.unlimited, [61])])
    #expect(all.kneeText(besides: ("b", rival))?.hasSuffix("; b has 61.0 % with 2.0 kB") == true)
    #expect(all.kneeText(besides: ("b", all)) == all.kneeText())
    #expect(all.least(within: 0.003, of: [[0.6, 0.6]]) == 4_000)
    let flat = curve([(1_000, [60]), (2_000, [60]), (Self.unlimited, [60])])
    #expect(flat.kneeText()?.hasPrefix("1.0 kB or less is within") == true)
    #expect(curve([(1_000, [60])]).kneeText() == nil)
  }

  @Test("More helps only where a step that was simulated shows it")
  func more() throws {
    let all = curve([(1_000, [20]), (2_000, [20.4]), (4_000, [35]), (Self.unlimited, [80])])
    let step = try #require(all.better(than: all.points[0]))
    #expect(step.memory == 4_000)
    #expect(all.better(than: step) == nil)
    #expect(
      all.kneeText()
        == "with 4.0 kB 35.0 %, without a limit 80.0 %: no limit up to there is within 1 point")
  }

  @Test("Figures that a recording leaves open are shown with both ends, and both must be near")
  func ends() throws {
    let all = curve(
      [(1_000, [10, 30]), (2_000, [10, 40]), (Self.unlimited, [10, 40])], ends: 2)
    #expect(all.text(all.points[0]) == "10.0–30.0 %")
    #expect(all.knee?.memory == 2_000)
  }

  @Test("A point that lacks a figure is none")
  func missing() {
    var all = curve([(1_000, [20])])
    all.add(nil, memory: 2_000)
    all.add(ObservedSample(contender: "a", seedCount: 1, columns: []), memory: 4_000)
    #expect(all.points.count == 1)
  }
}
