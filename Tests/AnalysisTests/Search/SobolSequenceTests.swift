import Testing

@testable import Analysis

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
