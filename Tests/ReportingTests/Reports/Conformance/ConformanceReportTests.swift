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
            "came: " + String(repeating: "x", count: 200),
          ]
        ]),
      .init(
        group: "events", address: "events/1", title: "A change", verdict: .nonStrict,
        findings: [["came: older"]]),
    ])

  @Test("No line of the text is longer than a terminal's")
  func text() {
    let text = Self.report.text(style: .plain)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(text.hasSuffix("mine: 1 pass, 1 non-strict, 1 fail, 0 info\n"))
    #expect(text.contains("reads/2, fail: A <list> again") && text.contains("came: older"))
  }

  @Test("JUnit: a failure fails, what is poorer is told and passes")
  func junit() {
    let text = Self.report.junit()
    #expect(text.contains("<testsuite name=\"reads\" tests=\"2\" failures=\"1\" errors=\"0\">"))
    #expect(text.contains("name=\"reads/2 A &lt;list&gt; again\">\n      <failure message="))
    #expect(text.contains("<system-out>non-strict: came: older</system-out>"))
    #expect(text.contains("name=\"reads/1 A list\"/>"))
  }
}
