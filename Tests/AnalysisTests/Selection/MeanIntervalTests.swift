import Analysis
import Testing

@Suite("Mean and interval")
struct MeanIntervalTests {
  /// Student's own example (1908): hours of sleep gained by two drugs, of the same ten patients.
  private static let one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
  private static let other = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

  @Test("Student's sleepers, paired: 1.58 ± 0.88 hours")
  func paired() throws {
    let gain = try #require(PairedInterval(of: Self.other, less: Self.one))
    #expect(abs(gain.mean - 1.58) < 1e-12)
    #expect(abs(gain.standardDeviation - 1.229995) < 1e-6)
    #expect(gain.count == 10)
    #expect(gain.level == 0.95)
    // As `t.test` of R prints it.
    #expect(abs(gain.low - 0.7001142) < 1e-7)
    #expect(abs(gain.high - 2.4598858) < 1e-7)
    #expect(abs(gain.halfWidth - 0.8798858) < 1e-7)
  }

  @Test("The same, each drug by itself")
  func alone() throws {
    let one = try #require(MeanInterval(of: Self.one))
    #expect(abs(one.mean - 0.75) < 1e-12)
    #expect(abs(one.low - -0.5297804) < 1e-7)
    #expect(abs(one.high - 2.0297804) < 1e-7)
  }

  @Test("A difference that is the same everywhere has no width, though both sides vary")
  func constantDifference() throws {
    let shifted = Self.one.map { $0 + 0.5 }
    let difference = try #require(PairedInterval(of: shifted, less: Self.one))
    #expect(abs(difference.mean - 0.5) < 1e-12)
    #expect(difference.halfWidth < 1e-12)
    let same = try #require(PairedInterval(of: Self.one, less: Self.one))
    #expect((same.low, same.mean, same.high) == (0, 0, 0))
  }

  @Test("One value has no interval, and none has no mean")
  func tooFew() {
    #expect(MeanInterval(of: [1]) == nil)
    #expect(MeanInterval(of: []) == nil)
    #expect(MeanInterval(of: [1, 1])?.halfWidth == 0)
  }

  @Test("A higher level is wider")
  func level() throws {
    let usual = try #require(MeanInterval(of: Self.one))
    let wide = try #require(MeanInterval(of: Self.one, level: 0.99))
    #expect(wide.level == 0.99)
    // The ratio of the two factors of nine degrees of freedom, 3.2498 and 2.2622.
    #expect(abs(wide.halfWidth / usual.halfWidth - 3.249836 / 2.262157) < 1e-6)
  }
}

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
