import ResultModel
import Testing

@testable import Analysis

@Suite("Rows over seeds")
struct RowsOverSeedsTests {
  private func rows(
    seed: UInt64, _ ratio: Double?, peak: Int64, age: Int64?, ages: Int
  ) -> [ResultRow] {
    [
      ResultRow(
        scenario: "s", policy: "p", seed: seed, metric: .freshHitRatio,
        value: ratio.map { .real($0) }, sampleCount: 10),
      ResultRow(
        scenario: "s", policy: "p", seed: seed, metric: .residentWeight, statistic: .peak,
        value: .integer(peak)),
      ResultRow(
        scenario: "s", policy: "p", seed: seed, metric: .stalenessAge, statistic: .p50,
        value: age.map { .integer($0) }, sampleCount: ages),
    ]
  }

  @Test("One seed's rows are its own")
  func one() {
    var over = RowsOverSeeds()
    let own = rows(seed: 7, 0.5, peak: 3, age: 1, ages: 2)
    over.append(own)
    #expect(over.means == own)
    #expect(over.eachSeed == own)
  }

  @Test("Several seeds give the mean with its interval, and the largest peak")
  func several() {
    var over = RowsOverSeeds()
    over.append(rows(seed: 1, 0.4, peak: 3, age: nil, ages: 0))
    over.append(rows(seed: 2, 0.5, peak: 9, age: 4, ages: 1))
    over.append(rows(seed: 3, 0.9, peak: 5, age: 6, ages: 5))
    #expect(over.eachSeed.map(\.seed) == [1, 1, 1, 2, 2, 2, 3, 3, 3])
    #expect(over.eachSeed[3].value == .real(0.5))
    let (ratio, peak, age) = (over.means[0], over.means[1], over.means[2])
    #expect(ratio.seed == nil)
    #expect(ratio.sampleCount == 3)
    #expect(abs((ratio.value?.asDouble ?? 0) - 0.6) < 1e-12)
    // Student's factor of two degrees of freedom is 4.302653; the standard deviation is 0.264575.
    let half = 4.302_653 * 0.264_575 / 3.0.squareRoot()
    #expect(abs((ratio.confidenceInterval?.lowerBound ?? 0) - (0.6 - half)) < 1e-5)
    #expect(abs((ratio.confidenceInterval?.upperBound ?? 0) - (0.6 + half)) < 1e-5)
    #expect(peak.value == .integer(9))
    #expect(peak.confidenceInterval == nil)
    // Where nothing was stale there is no age; that is no zero, and not missing.
    #expect(age.sampleCount == 2)
    #expect(age.value == .real(5))
  }

  @Test("A figure missing in one seed is missing")
  func missing() {
    var over = RowsOverSeeds()
    over.append(rows(seed: 1, 0.4, peak: 3, age: 1, ages: 1))
    over.append(rows(seed: 2, nil, peak: 3, age: 1, ages: 1))
    #expect(over.means[0].value == nil)
    #expect(over.means[0].sampleCount == nil)
    #expect(over.means[0].confidenceInterval == nil)
  }

  @Test(
    "Means have seven digits, and read as they are written",
    arguments: [
      (0.578_960_274_644_433_6, 0.578_960_3), (212_345_678.3, 212_345_700), (-1.25, -1.25),
      (0, 0), (1e-9 / 3, 3.333_333e-10), (1_234_567.5, 1_234_568),
    ] as [(Double, Double)])
  func digits(value: Double, rounded: Double) {
    #expect(value.rounded(digits: 7) == rounded)
  }

  @Test("A row that one replicate lacks had nothing to observe there")
  func otherKinds() {
    var over = RowsOverSeeds()
    let first = rows(seed: 1, 0.4, peak: 3, age: 2, ages: 3)
    let second = rows(seed: 2, 0.6, peak: 5, age: 4, ages: 1)
    over.append([first[0]])
    over.append([second[2], second[0]])
    over.append(first)
    #expect(over.means.map(\.metric) == [.freshHitRatio, .stalenessAge, .residentWeight])
    #expect(over.means.map(\.sampleCount) == [3, 2, 1])
    #expect(over.means[2].value == .integer(3))
    #expect(over.eachSeed.count == 9)
    #expect(over.eachSeed[1].value == nil && over.eachSeed[1].sampleCount == 0)
  }

  @Test("A user's figure is the mean over the user's recordings, without an interval")
  func user() {
    let recordings = [
      rows(seed: 7, 0.4, peak: 3, age: nil, ages: 0), rows(seed: 7, 0.6, peak: 9, age: 4, ages: 1),
    ]
    let user = RowsOverSeeds.ofUser(recordings, number: 2)
    #expect(user.map(\.seed) == [2, 2, 2])
    #expect(user.map(\.value) == [.real(0.5), .integer(9), .integer(4)])
    #expect(user.allSatisfy { $0.confidenceInterval == nil })
    let one = RowsOverSeeds.ofUser([recordings[1]], number: 3)
    #expect(one.map(\.value) == recordings[1].map(\.value) && one[0].sampleCount == 10)
  }
}
