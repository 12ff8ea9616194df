import ArgumentParser
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
      let document = try SourceFile.top.read("Documentation/Findings.md")
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

@Suite("The samples of measure designs", .timeLimit(.minutes(30)))
struct SampleTableTests {
  private static func sample(_ value: Int64, round: Int) -> DesignSample {
    DesignSample(
      design: "two-tier, values", measure: "read", entries: 200, statistic: .p50,
      value: .integer(value), unit: .nanoseconds, count: 1_000, round: round)
  }

  private let table = SampleTable(samples: [
    sample(3_000, round: 1), sample(1_000, round: 2), sample(2_000, round: 3),
    DesignSample(
      design: "control", measure: "amplification", value: .real(1.5), unit: .factor, round: 1),
  ])

  @Test("A line is the median of the rounds, between the lowest and the highest")
  func medians() {
    let rows = table.table().rows.map { $0.map(\.text) }
    #expect(
      rows == [
        ["two-tier, values", "read", "200", "p50", "2.0 µs", "1.0 µs", "3.0 µs"],
        ["control", "amplification", "", "", "1.50 ×", "1.50 ×", "1.50 ×"],
      ])
  }

  @Test("The CSV has a row for each round")
  func rows() throws {
    let lines = String(decoding: try table.csv(), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines[0] == "round,design,measure,entries,statistic,value,unit,samples")
    #expect(lines[1] == "1,\"two-tier, values\",read,200,p50,3000,nanoseconds,1000")
    #expect(lines[4] == "1,control,amplification,,value,1.5,factor,1")
  }

  @Test("Sizes are read, or refused", arguments: ["", "19", "20,", "200,x", "100001", "-5"])
  func refusesSizes(text: String) {
    #expect(SizeList(argument: text) == nil)
    #expect(SizeList(argument: "20,2000")?.sizes == [20, 2_000])
  }

  @Test(
    "Sizes too small to show anything are refused",
    arguments: [["--reads", "999"], ["--rounds", "0"], ["--bytes", "99"], ["--latency", "-1"]])
  func refuses(arguments: [String]) {
    #expect(throws: (any Error).self) { try DesignTimesCommand.parse(arguments) }
  }
}
