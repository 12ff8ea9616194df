import Analysis
import Testing

@Suite("Student's factors")
struct StudentTTests {
  @Test("are those of SciPy to nine digits, for every level and count that selections use")
  func table() throws {
    let rows = try SelectionData.rows(of: "student-factors.csv")
    #expect(rows.count > 400)
    for row in rows {
      let tail = try #require(row["tail"].flatMap(Double.init))
      let freedom = try #require(row["degrees_of_freedom"].flatMap(Int.init))
      let factor = try #require(row["factor"].flatMap(Double.init))
      let own = StudentT.quantile(level: 1 - tail, degreesOfFreedom: freedom)
      #expect(abs(own / factor - 1) < 1e-9, "\(tail), \(freedom): \(own), not \(factor)")
    }
  }

  @Test("have a closed form for one and two degrees of freedom")
  func closedForms() {
    // tan(π/4 · 3/2) = 1 + √2, of the Cauchy distribution; and t² / (2 + t²) = level² of the next.
    let one = StudentT.quantile(level: 0.75, degreesOfFreedom: 1)
    #expect(abs(one - (1 + 2.0.squareRoot())) < 1e-12)
    let two = StudentT.quantile(level: 0.6, degreesOfFreedom: 2)
    #expect(abs(two - (0.72 / 0.64).squareRoot()) < 1e-12)
  }

  @Test("fall as seeds are added, and rise with the level")
  func monotone() {
    for freedom in 1..<150 {
      let here = StudentT.quantile(level: 0.99, degreesOfFreedom: freedom)
      #expect(StudentT.quantile(level: 0.99, degreesOfFreedom: freedom + 1) < here)
      #expect(StudentT.quantile(level: 0.991, degreesOfFreedom: freedom) > here)
    }
  }
}
