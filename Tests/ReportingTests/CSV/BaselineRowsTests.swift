import ResultModel
import Testing

@testable import Reporting

@Suite("Rows of a baseline")
struct BaselineRowsTests {
  private func row(
    _ metric: Metric, _ statistic: Statistic = .value, class: ResultClass = .total,
    in scenario: String = "chat"
  ) -> ResultRow {
    ResultRow(
      scenario: scenario, policy: "lru", seed: 1, class: `class`, metric: metric,
      statistic: statistic, value: .integer(1))
  }

  @Test("what the summary shows, every class that a model names, and what became of writes")
  func keeps() {
    let kept = BaselineRows(targets: [])
    #expect(kept.keeps(row(.fetches)))
    #expect(kept.keeps(row(.hitRatio, class: "inbox")))
    #expect(kept.keeps(row(.reads, class: "inbox")))
    for metric in MetricRegistry.ofWrites { #expect(kept.keeps(row(metric)), "\(metric)") }
    #expect(!kept.keeps(row(.readWait, .max, class: "inbox")))
  }

  @Test("what a target asks for, in its scenario only")
  func targets() {
    let target = Target(
      scenario: "chat", metric: .readWait, statistic: .p99, class: "inbox", comparison: .atMost,
      limit: 1, policies: ["lru"])
    let kept = BaselineRows(targets: [target])
    #expect(kept.keeps(row(.readWait, .p99, class: "inbox")))
    #expect(!kept.keeps(row(.readWait, .p99, class: "inbox", in: "shop")))
    #expect(!kept.keeps(row(.readWait, .p99, class: "all")))
    #expect(!kept.keeps(row(.readWait, .p50, class: "inbox")))
  }
}
