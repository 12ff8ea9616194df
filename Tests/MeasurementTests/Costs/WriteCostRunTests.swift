import Metrics
import Testing

@testable import Measurement

@Suite("Cost of a user's changes, small runs", .timeLimit(.minutes(10)))
struct WriteCostRunTests {
  @Test("Every kind of change has a figure beside every length of the queue, and its growth")
  func rows() async throws {
    var run = WriteCostRun(seed: 1)
    run.rounds = 2
    run.samplesPerRound = 3
    let rows = try await run.run(scenario: "write-cost")
    func row(_ metric: String, _ name: String, _ statistic: Statistic = .max) throws -> ResultRow {
      try #require(
        rows.first {
          $0.metric == metric && $0.class == name && $0.statistic == statistic.rawValue
        }, "\(metric) \(name)")
    }
    for length in WriteCostRun.queueLengths {
      // Of a queue the last tenth of the way, and each change was seen by an observer.
      #expect(
        try row("write_to_shown", "enqueue/\(length)").sampleCount == 2 * max(length / 10, 1))
      #expect(try row("write_to_shown", "mutate/\(length)").sampleCount == 2 * 3 * 2)
      for answer in ["confirmed", "refused"] {
        #expect(try row("write_to_settled", "\(answer)/\(length)").sampleCount == 2 * 3)
        // What is settled was shown before.
        #expect(
          try (row("write_to_settled", "\(answer)/\(length)").value?.asDouble ?? 0) > 0)
      }
    }
    #expect(try row("write_to_settled", "offline/1000").sampleCount == 2)
    #expect(try row("write_growth_ratio", "enqueue", .value).sampleCount == 200)
    for row in rows {
      let metric = try #require(MetricRegistry.named(row.metric), "\(row.metric)")
      #expect(metric.allows(statistic: row.statistic), "\(row.identity)")
    }
    #expect(Set(rows.map(\.identity)).count == rows.count)
  }
}
