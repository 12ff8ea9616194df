import Analysis
import CacheModel
import ResultModel
import Testing

@Suite("Pareto front")
struct ParetoFrontTests {
  private static let objectives: [Polarity] = [.higherIsBetter, .lowerIsBetter, .lowerIsBetter]

  @Test("every point is on the front or dominated by one that is", arguments: 0..<40)
  func againstDefinition(seed: UInt64) {
    var random = RandomSource(seed: seed)
    // Few distinct values, so that ties and equal points occur.
    let points = (0..<40).map { _ in (0..<3).map { _ in Double(random.below(6)) } }
    func isAtLeastAsGood(_ left: [Double], _ right: [Double]) -> Bool {
      left[0] >= right[0] && left[1] <= right[1] && left[2] <= right[2]
    }
    let front = ParetoFront.indices(of: points, objectives: Self.objectives)
    #expect(front == front.sorted())
    for index in points.indices {
      let dominators = points.indices.filter {
        isAtLeastAsGood(points[$0], points[index]) && points[$0] != points[index]
      }
      #expect(front.contains(index) == dominators.isEmpty)
      if !dominators.isEmpty { #expect(dominators.contains { front.contains($0) }) }
    }
  }

  @Test("one objective leaves all of the best; no points leave none")
  func edges() {
    let single = ParetoFront.indices(of: [[2], [3], [1], [3]], objectives: [.higherIsBetter])
    #expect(single == [1, 3])
    #expect(ParetoFront.indices(of: [], objectives: Self.objectives) == [])
  }
}
