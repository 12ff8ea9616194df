import ResultModel
import Testing

@testable import RealTime

@Suite("Cost of a user's changes, small runs", .timeLimit(.minutes(30)))
struct WriteCostRunTests {
  @Test("Every kind of change has a figure beside every length of the queue, and its growth")
  func rows() async throws {
    var run = WriteCostRun(seed: 1)
    run.rounds = 2
    run.samplesPerRound = 3
    let rows = try await run.run(scenario: "write-cost")
    func row(_ metric: Metric, _ name: ResultClass, _ statistic: Statistic = .max) throws
      -> ResultRow
    {
      try #require(
        rows.first {
          $0.metric == metric && $0.class == name && $0.statistic == statistic
        }, "\(metric) \(name)")
    }
    for length in WriteCostRun.queueLengths {
      // Of a queue the last tenth of the way, and each change was seen by an observer.
      #expect(
        try row(.writeToShown, ResultClass("enqueue", size: length)).sampleCount == 2
          * max(length / 10, 1))
      #expect(try row(.writeToShown, ResultClass("mutate", size: length)).sampleCount == 2 * 3 * 2)
      for answer in ["confirmed", "refused"] {
        #expect(try row(.writeToSettled, ResultClass(answer, size: length)).sampleCount == 2 * 3)
        // What is settled was shown before.
        #expect(
          try (row(.writeToSettled, ResultClass(answer, size: length)).value?.asDouble ?? 0) > 0)
      }
    }
    #expect(try row(.writeToSettled, "offline/1000").sampleCount == 2)
    #expect(try row(.writeGrowthRatio, "enqueue", .value).sampleCount == 200)
    for row in rows {
      #expect(row.metric.statistics.contains(row.statistic), "\(row.identity)")
    }
    #expect(Set(rows.map(\.identity)).count == rows.count)
  }
}
