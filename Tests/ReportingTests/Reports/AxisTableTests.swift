import Analysis
import Testing

@testable import Reporting

@Suite("Table of axes")
struct AxisTableTests {
  @Test("A line per scenario has the points of each change, signed; a dash where there is none")
  func table() {
    func effect(_ scenario: String, _ change: String, _ with: [Double]?) -> AxisEffect {
      AxisEffect(
        scenario: scenario, change: change,
        difference: with.flatMap { PairedInterval(of: $0, less: [0.5, 0.5]) })
    }
    let text = AxisTable.table([
      effect("a", "sieve", [0.51, 0.53]), effect("a", "ttl 60 s", [0.4, 0.4]),
      effect("b", "ttl 60 s", nil), effect("b", "sieve", [0.5, 0.5]),
    ]).terminal(style: .plain)
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines[0] == "scenario sieve ttl 60 s")
    // Two seeds: the half width is 12.706 · 0.01, of a standard error of 0.01.
    #expect(lines[2] == "a +2.0 ± 12.7 -10.0 ± 0.0")
    #expect(lines[3] == "b 0.0 ± 0.0 –")
  }
}
