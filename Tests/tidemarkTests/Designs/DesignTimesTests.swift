import Foundation
import Reporting
import ResultModel
import Testing

@testable import tidemark_lab

@Suite("Runs of measure designs", .timeLimit(.minutes(30)))
struct DesignTimesTests {
  @Test("A tiny round measures every design and the controls")
  func round() async throws {
    try await withTemporaryFolder { place in
      var plan = DesignPlan(folder: place)
      (plan.entries, plan.reads, plan.requests) = ([20], 20, 20)
      (plan.bodyBytes, plan.latency) = (1_000, .zero)
      let samples = try await DesignTimes(plan: plan).samples(rounds: 2)
      #expect(
        Set(samples.map(\.design)) == [
          "control", "two-tier", "two-tier, values in memory", "two-tier, bytes in memory",
          "response, manifest", "response, sidecars", "repository",
        ])
      #expect(samples.allSatisfy { $0.value.asDouble >= 0 })
      let rounds = [1, 2].map { round in
        samples.filter { $0.round == round }.map { "\($0.design) \($0.measure) \($0.statistic)" }
      }
      #expect(rounds[0] == rounds[1], "turns go backwards too, and the table does not")
      for sample in samples where sample.measure == "files" && sample.design == "two-tier" {
        #expect(sample.value == .integer(20))
      }
    }
  }

  @Test("Tables of the document are as they are counted now")
  func counts() async throws {
    try await withTemporaryFolder { place in
      let plan = DesignPlan(folder: place)
      // Those that wait for no disk: the response cache synchronizes each body that it writes.
      let sections = [
        try await CollectionCounts(plan: plan).section(), try await AgeCounts(plan: plan).section(),
      ]
      let document = try SourceFile.top.read("Documentation/DesignFindings.md")
      for section in sections {
        #expect(
          document.contains(section.table.markdown()),
          """
          \(section.title): run `tidemark measure designs count`, and put its table into the \
          document
          """)
      }
    }
  }
}
