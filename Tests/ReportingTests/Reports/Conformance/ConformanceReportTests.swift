import Testing

@testable import Reporting

@Suite("The report of conformance")
struct ConformanceReportTests {
  private static let report = ConformanceReport(
    cache: "mine",
    cases: [
      .init(group: "reads", address: "reads/1", title: "A list", verdict: .pass, findings: []),
      .init(
        group: "reads", address: "reads/2", title: "A <list> again", verdict: .fail,
        findings: [
          [
            "turn 3: a read", "right: " + String(repeating: "a1=[4,4] ", count: 20),
            "received: " + String(repeating: "x", count: 200),
          ]
        ]),
      .init(
        group: "events", address: "events/1", title: "A change", verdict: .nonStrict,
        findings: [["received: older"]]),
      .init(
        group: "given", address: "given/1", title: "A row", verdict: .info,
        findings: [["not told"]], obstacle: "no `given`"),
      .init(
        group: "given", address: "given/2", title: "Two rows", verdict: .info,
        findings: [["not told"]], obstacle: "no `given`"),
    ])

  @Test("No line of the text is longer than a terminal's")
  func text() {
    let text = Self.report.text(style: .plain)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(
      Self.report.summary(style: .plain)
        == "mine: 1 pass, 1 non-strict, 1 fail, 2 info, 2 of them not run\nfail: reads/2\n")
    #expect(text.contains("reads/2, fail: A <list> again") && text.contains("received: older"))
  }

  @Test("Failures come last; cases that were not run take one line")
  func order() throws {
    let text = Self.report.text(style: .plain)
    let failed = try #require(text.firstRange(of: "reads/2, fail"))
    let poorer = try #require(text.firstRange(of: "events/1, non-strict"))
    #expect(poorer.lowerBound < failed.lowerBound)
    let lines = text.split(separator: "\n").filter { $0.contains("given") }
    #expect(lines.count == 1 && lines[0].hasPrefix("given/1 to 2"), "\(text)")
    #expect(!text.contains("not told") && Self.report.junit().contains("name=\"given/2 Two rows"))
  }

  @Test("A cause shared by many findings and cases is printed once")
  func oneCause() {
    let finding = { (turn: Int) in ["turn \(turn): a read", "why: the cache sleeps [silent]"] }
    let report = ConformanceReport(
      cache: "mine",
      cases: (1...40).map { number in
        .init(
          group: "reads", address: "reads/\(number)", title: "List \(number)", verdict: .fail,
          findings: [["told: \(number) reads"]] + (1...50).map(finding))
      })
    let text = report.text(style: .plain)
    #expect(text.split(separator: "\n").filter { $0.contains("the cache sleeps") }.count == 1)
    #expect(
      text.contains("\n  49 more findings of the same causes\n  the same in reads/2, reads/3,"))
  }

  @Test("JUnit: a failure fails, non-strict is reported and passes")
  func junit() {
    let text = Self.report.junit()
    #expect(text.contains("<testsuite name=\"reads\" tests=\"2\" failures=\"1\" errors=\"0\">"))
    #expect(text.contains("name=\"reads/2 A &lt;list&gt; again\">\n      <failure message="))
    #expect(text.contains("<system-out>non-strict: received: older</system-out>"))
    #expect(text.contains("name=\"reads/1 A list\"/>"))
  }
}
