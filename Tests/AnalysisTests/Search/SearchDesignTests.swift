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
