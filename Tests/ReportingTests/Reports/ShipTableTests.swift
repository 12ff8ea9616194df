import Analysis
import Testing

@testable import Reporting

@Suite("Table of the policies to ship")
struct ShipTableTests {
  private static func contender(
    _ policy: String, bytes: Double = 10, weight: Double = 1, fresh: Double = 0.9
  ) -> Contender {
    Contender(policy: policy, freshHitRatio: fresh, bytesFetched: bytes, peakResidentWeight: weight)
  }

  @Test("what a lead, each tie, a lone contender and no contender are called")
  func snapshot() {
    let fields: [(String, [Contender], [String])] = [
      ("lead", [Self.contender("a"), Self.contender("b", fresh: 0.5)], []),
      ("bytes", [Self.contender("a"), Self.contender("b", bytes: 2_000)], []),
      ("weight", [Self.contender("a", weight: 2_000), Self.contender("b")], []),
      ("equal", [Self.contender("a"), Self.contender("b")], []),
      ("alone", [Self.contender("a")], ["b", "c"]),
      ("nobody", [], ["a"]),
    ]
    let table = ShipTable.table(
      fields.map { ScenarioChoice(scenario: $0.0, contenders: $0.1, withoutFigures: $0.2) })
    expectSnapshot(
      table.terminal(style: .plain),
      """
      scenario  ship   fresh  ahead of  by
      ────────  ────  ──────  ────────  ─────────────────────────────────────────────────
      lead      a     90.0 %  b         40.0 points
      bytes     a     90.0 %  b         tie; fetches 10 B, not 2.0 kB
      weight    b     90.0 %  a         tie; peaks at 1 B, not 2.0 kB
      equal     –     90.0 %  –         does not tell a from b
      alone     a     90.0 %  –         nothing to compare it with; figures missing: b, c
      nobody    –          –  –         no policy has all figures; figures missing: a

      """)
  }
}
