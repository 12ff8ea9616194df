import CacheModel
import NormalizedCache
import ResultModel
import Testing

@testable import RealTime

@Suite("Curves of scale")
struct ScaleTests {
  private static func turns(_ costs: [Double]) -> [[ScaleRound]] {
    costs.map { cost in
      // One turn in three is disturbed; the median does not see it.
      [
        ScaleRound(event: cost, read: 5), ScaleRound(event: cost * 40, read: 500),
        ScaleRound(event: cost, read: 5),
      ]
    }
  }

  private static func value(_ metric: Metric, _ name: ResultClass, _ rows: [ResultRow]) -> Double? {
    rows.first { $0.metric == metric && $0.class == name }?.value?.asDouble
  }

  @Test("A power law is found again", arguments: [-0.5, 0, 0.1, 1, 2])
  func fit(exponent: Double) throws {
    let points = [(1.0, 0), (4.0, 1), (16.0, 2), (64.0, 3)].map { size, step in
      (size: size, cost: 3 * PortableMath.exp(exponent * Double(step) * PortableMath.log(4)))
    }
    let fit = try #require(PowerFit(points))
    #expect(abs(fit.exponent - exponent) < 1e-9)
    #expect(abs(fit.factor - 3) < 1e-9)
  }

  @Test("One size, or nothing that took time, gives no exponent")
  func noFit() {
    #expect(PowerFit([]) == nil)
    #expect(PowerFit([(10, 3)]) == nil)
    #expect(PowerFit([(10, 3), (10, 4)]) == nil)
    #expect(PowerFit([(10, 3), (100, 0)]) == nil)
  }

  @Test("A cost that does not grow is flat, one that grows with the square root is not")
  func flatness() {
    let sizes = [100, 10_000, 1_000_000]
    let flat = ScaleCurve(axis: .entities, sizes: sizes, turns: Self.turns([20, 20, 20]))
      .rows(seed: 1)
    #expect(Self.value(.isCostFlat, "entities/event", flat) == 1)
    #expect(Self.value(.operationCost, "entities/event/10000", flat) == 20)
    #expect(Self.value(.cacheOperationsPerSecond, "entities/read/100", flat) == 2e8)
    let root = ScaleCurve(axis: .entities, sizes: sizes, turns: Self.turns([10, 100, 1_000]))
      .rows(seed: 1)
    #expect(Self.value(.isCostFlat, "entities/event", root) == 0)
    #expect(abs((Self.value(.costExponent, "entities/event", root) ?? 0) - 0.5) < 1e-9)
    #expect(Self.value(.isCostFlat, "entities/read", root) == 1)
  }

  @Test("The exponent is the median over the turns, with an interval from six on")
  func interval() throws {
    // Seven turns that grow by other powers: 0, 0.1 … 0.6.
    let turns = [10.0, 1_000].map { size in
      (0..<7).map { turn in
        let power = PortableMath.exp(Double(turn) / 10 * PortableMath.log(size))
        return ScaleRound(event: power, read: power)
      }
    }
    func exponent(_ turns: [[ScaleRound]]) throws -> ResultRow {
      let rows = ScaleCurve(axis: .queries, sizes: [10, 1_000], turns: turns).rows(seed: 1)
      return try #require(rows.first { $0.metric == .costExponent })
    }
    let row = try exponent(turns)
    #expect(abs((row.value?.asDouble ?? 0) - 0.3) < 1e-9)
    let interval = try #require(row.confidenceInterval)
    #expect(abs(interval.lowerBound) < 1e-9 && abs(interval.upperBound - 0.6) < 1e-9)
    #expect(try exponent(turns.map { Array($0.prefix(5)) }).confidenceInterval == nil)
  }

  @Test("A doubling over three decades is still flat; work that itself grows is judged by itself")
  func limits() {
    let sizes = [1_000, 1_000_000]
    let doubled = ScaleCurve(axis: .entities, sizes: sizes, turns: Self.turns([10, 19.9]))
    #expect(Self.value(.isCostFlat, "entities/event", doubled.rows(seed: 1)) == 1)
    let linear = ScaleCurve(axis: .fanOut, sizes: [1, 1_000], turns: Self.turns([10, 10_000]))
    #expect(Self.value(.isCostFlat, "fan-out/event", linear.rows(seed: 1)) == 1)
  }

  @Test("Without turns the cells are empty, not zero")
  func empty() {
    let rows = ScaleCurve(axis: .queries, sizes: [1, 2], turns: [[], []]).rows(seed: 1)
    #expect(rows.allSatisfy { $0.value == nil })
  }

  @Test("Sizes grow along each axis", arguments: ScaleAxis.allCases)
  func sizes(axis: ScaleAxis) {
    for isQuick in [false, true] {
      let sizes = axis.sizes(isQuick: isQuick)
      #expect(sizes.count > 1 && sizes == sizes.sorted() && Set(sizes).count == sizes.count)
    }
  }

  @Test("Each axis runs, and every row of it is in the registry", arguments: ScaleAxis.allCases)
  func runs(axis: ScaleAxis) async throws {
    var run = ScaleRun(axes: [axis], seed: 1)
    run.makeQuick()
    (run.rounds, run.operations) = (1, 10)
    let rows = try await run.run()
    // Two operations: cost and throughput at two sizes, the exponent, and whether it is flat.
    #expect(rows.count == 12)
    for row in rows {
      #expect(row.metric.statistics.contains(row.statistic), "\(row.metric)")
      #expect(row.class.subject == axis.rawValue)
    }
  }

  @Test("An event on a handle that ten queries list notifies all ten")
  func fanOut() throws {
    let subject = try HandleSubject(entities: 100, fanOut: 10, seed: 1)
    #expect(subject.listings(ofFile: 7) == 10)
    subject.prepare(50)
    _ = subject.perform(50)
    #expect(subject.listings(ofFile: 7) == 10, "changes leave every list as it is")
  }
}
