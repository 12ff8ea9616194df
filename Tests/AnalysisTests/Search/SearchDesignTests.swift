import CacheModel
import ResultModel
import Testing

@testable import Analysis

@Suite("Designs of searches")
struct SearchDesignTests {
  @Test("A point follows from its number, whatever was drawn before")
  func byNumber() {
    let designs: [SearchDesign] = [
      .independent(dimensions: 3), .sobol(dimensions: 3),
      .latinHypercube(dimensions: 3, count: 32),
    ]
    for design in designs {
      let forwards = (0..<32).map { design.point($0, seed: 9) }
      let backwards = (0..<32).reversed().map { design.point($0, seed: 9) }
      #expect(forwards == backwards.reversed())
      #expect(Set(forwards).count == 32)
      #expect(forwards.allSatisfy { $0.allSatisfy { (0..<1).contains($0) } })
    }
  }

  @Test("A Latin hypercube has one point in each stratum of each axis")
  func latinHypercube() {
    let design = SearchDesign.latinHypercube(dimensions: 4, count: 25)
    let points = (0..<25).map { design.point($0, seed: 3) }
    for axis in 0..<4 {
      #expect(Set(points.map { Int($0[axis] * 25) }).count == 25)
    }
    #expect(Set((0..<2).map { axis in points.map { Int($0[axis] * 25) } }).count == 2)
  }
}

@Suite("Sobol points")
struct SobolSequenceTests {
  @Test("The plain points are those of Joe and Kuo in the order of Gray codes")
  func knownPoints() {
    let sequence = SobolSequence(dimensions: 6)
    // From SciPy 1.17.1: stats.qmc.Sobol(d=6, scramble=False).random(8).
    let known: [[Double]] = [
      [0, 0, 0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.75, 0.25, 0.25, 0.25, 0.75, 0.75],
      [0.25, 0.75, 0.75, 0.75, 0.25, 0.25], [0.375, 0.375, 0.625, 0.875, 0.375, 0.125],
      [0.875, 0.875, 0.125, 0.375, 0.875, 0.625], [0.625, 0.125, 0.875, 0.625, 0.625, 0.875],
      [0.125, 0.625, 0.375, 0.125, 0.125, 0.375],
    ]
    for (number, point) in known.enumerated() {
      #expect(sequence.digits(number).map { Double($0) * 0x1p-32 } == point)
    }
  }

  @Test("Every dimension has its own direction numbers")
  func laterPoint() {
    // From SciPy 1.17.1, point 777 of Sobol(d=21, scramble=False, bits=32), times 2³².
    let known: [UInt32] = [
      2_973_761_536, 4_022_337_536, 700_448_768, 1_178_599_424, 2_730_491_904, 1_530_920_960,
      817_889_280, 3_275_751_424, 1_497_366_528, 1_388_314_624, 3_200_253_952, 2_990_538_752,
      1_648_361_472, 2_034_237_440, 2_445_279_232, 2_210_398_208, 1_732_247_552, 3_711_959_040,
      1_589_641_216, 3_233_808_384, 1_019_215_872,
    ]
    #expect(SobolSequence(dimensions: 21).digits(777) == known)
  }

  @Test("Scrambled points stay a net: every block of 2ᵏ has one point in each of 2ᵏ strata")
  func staysNet() {
    let sequence = SobolSequence(dimensions: 21)
    for seed in [1, 2, 77] as [UInt64] {
      for count in [2, 16, 64] {
        for block in 0..<3 {
          let points = (block * count..<(block + 1) * count).map {
            sequence.scrambledPoint($0, seed: seed)
          }
          for dimension in 0..<21 {
            let strata = Set(points.map { Int($0[dimension] * Double(count)) })
            #expect(strata.count == count, "dimension \(dimension), \(count) points")
          }
        }
      }
    }
  }

  @Test("In two dimensions each box of a grid that has as many as there are points has one")
  func boxes() {
    let sequence = SobolSequence(dimensions: 2)
    for (across, down) in [(4, 16), (8, 8), (64, 1)] {
      let boxes = (0..<64).map { number in
        let point = sequence.scrambledPoint(number, seed: 5)
        return Int(point[0] * Double(across)) * down + Int(point[1] * Double(down))
      }
      #expect(Set(boxes).count == 64)
    }
  }

  @Test(
    "Another seed is another scrambling, and the mean of a smooth function is nearer than by chance"
  )
  func discrepancy() {
    func error(_ design: SearchDesign, _ seed: UInt64) -> Double {
      let sum = (0..<256).reduce(0.0) { sum, number in
        sum + design.point(number, seed: seed).reduce(1) { $0 * (1.5 * $1.squareRoot()) }
      }
      return abs(sum / 256 - 1)
    }
    let seeds = (1...20).map(UInt64.init)
    let sobol = seeds.map { error(.sobol(dimensions: 4), $0) }
    let random = seeds.map { error(.independent(dimensions: 4), $0) }
    #expect(Set(sobol).count == seeds.count)
    #expect(sobol.reduce(0, +) * 5 < random.reduce(0, +))
  }
}

@Suite("Successive halving")
struct SuccessiveHalvingTests {
  private func text(_ halving: SuccessiveHalving) -> [String] {
    halving.rungs.map { "\($0.settings) × \($0.seeds)/\($0.divisor)" }
  }

  @Test("Spends seeds first, then parts of the virtual time")
  func rungs() {
    #expect(
      text(SuccessiveHalving(settings: 64, seeds: 20)) == [
        "64 × 1/1", "22 × 2/1", "8 × 6/1", "3 × 20/1",
      ])
    #expect(
      text(SuccessiveHalving(settings: 64, seeds: 3)) == [
        "64 × 1/9", "22 × 1/3", "8 × 1/1", "3 × 3/1",
      ])
    #expect(text(SuccessiveHalving(settings: 3, seeds: 5)) == ["3 × 5/1"])
    // Two rungs that one seed has no room for are left out: the first has the least there is.
    #expect(
      text(SuccessiveHalving(settings: 100, seeds: 1)) == ["100 × 1/9", "4 × 1/3", "2 × 1/1"])
  }

  @Test("The last rung has everything, and no rung has less than the one before")
  func grows() {
    for settings in [1, 2, 5, 27, 81, 1_000] {
      for seeds in [1, 2, 7, 20, 100] {
        let rungs = SuccessiveHalving(settings: settings, seeds: seeds).rungs
        #expect(rungs.first?.settings == settings)
        #expect(rungs.last?.seeds == seeds && rungs.last?.divisor == 1)
        for (one, next) in zip(rungs, rungs.dropFirst()) {
          #expect(next.settings < one.settings)
          #expect(next.seeds * one.divisor > one.seeds * next.divisor)
        }
      }
    }
  }

  @Test("The best go on, of equals the first, and those without a figure last")
  func survivors() {
    #expect(SuccessiveHalving.survivors([1, 5, nil, 3, 5], count: 3) == [1, 3, 4])
    #expect(SuccessiveHalving.survivors([2, 2, 2], count: 1) == [0])
    #expect(SuccessiveHalving.survivors([nil, nil, 1], count: 2) == [0, 2])
  }
}

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
