import ResultModel
import Testing

@testable import Analysis

@Suite("Several scenarios in one total, and the judgement of the best")
struct ScenarioTotalTests {
  private let memory = Constraint(.peakMemory, .atMost, 100)

  private func sample(
    _ name: String, _ objective: Figure, _ values: [Double], memory: Double = 50
  ) -> ObservedSample {
    ObservedSample(
      contender: name, seedCount: values.count,
      columns: [
        .init(objective, values), .init(.peakMemory, values.map { _ in memory }),
        .init(.overLimit, values.map { _ in 0.5 }),
      ])
  }

  @Test("Ratios are averaged, seed by seed, and a limit binds in every scenario")
  func ratios() throws {
    let rule = Goal.freshReads(subjectTo: [memory])
    let total = ScenarioTotal(rule, scenarios: ["one", "two"]) { _, _ in 1 }
    let objective = rule.objective
    let both = total.sample(
      "a", [sample("a", objective, [0.2, 0.4]), sample("a", objective, [0.6, 1], memory: 150)])
    let means = try #require(both.complete(total.rule.objective))
    #expect(means.map { ($0 * 10).rounded() } == [4, 7])
    let broken = total.rule.constraints.filter { constraint in
      both.complete(constraint.figure)?.contains { !constraint.isKept(by: $0) } ?? true
    }
    #expect(broken.map(\.figure.name) == ["predicted_bytes in two"])
  }

  @Test("Figures other than ratios are relative to a reference, so that no scenario dominates")
  func references() throws {
    let rule = Goal(.minimise, .bytesReceived)
    let total = ScenarioTotal(rule, scenarios: ["busy", "quiet"]) { scenario, _ in
      [1_000, 10][scenario]
    }
    let both = total.sample(
      "a",
      [sample("a", .bytesReceived, [1_100, 900]), sample("a", .bytesReceived, [5, 15])])
    #expect(both.complete(total.rule.objective) == [0.8, 1.2])
    #expect(total.rule.objective.unit == .factor)
  }

  @Test("What ranks equivalent contenders is in the total too, so that the cheapest is preferred")
  func preferences() throws {
    let rule = Goal.freshReads()
    func sample(_ name: String, memory: Double) -> ObservedSample {
      self.sample(name, rule.objective, [0.6, 0.61, 0.62], memory: memory)
    }
    for scenarios in [["one"], ["one", "two"]] {
      let total = ScenarioTotal(rule, scenarios: scenarios) { _, _ in 50 }
      let verdict = Selection.verdict(
        by: total.rule, among: ["large", "small"], memoryUnknown: [], plan: .fixed(3)
      ) { _ in
        [("large", 150.0), ("small", 100)].map { name, memory in
          total.sample(name, scenarios.map { _ in sample(name, memory: memory) })
        }
      }
      guard case .equivalent(let equivalence) = verdict.outcome else {
        Issue.record("\(verdict.outcome)")
        continue
      }
      #expect(equivalence.preferred == ["small"])
    }
  }

  @Test("A seed without a figure has no total")
  func missing() {
    let rule = Goal.freshReads()
    let total = ScenarioTotal(rule, scenarios: ["one", "two"]) { _, _ in 1 }
    let both = total.sample(
      "a", [sample("a", rule.objective, [0.2, .nan]), sample("a", rule.objective, [0.6, 1])])
    #expect(both.complete(total.rule.objective) == nil)
  }

  @Test("A setting is found if it is significantly ahead of every rival, and keeps every limit")
  func judgement() {
    let rule = Goal.freshReads(subjectTo: [memory])
    func judge(_ own: [Double], _ rivals: [[Double]], memory: Double = 50) -> Judgement {
      Judgement(
        of: sample("own", rule.objective, own, memory: memory),
        against: rivals.enumerated().map { sample("rival \($0)", rule.objective, $1) }, by: rule)
    }
    let own = [0.5, 0.52, 0.51, 0.53, 0.5]
    #expect(judge(own, [[0.4, 0.42, 0.41, 0.43, 0.41], [0.3, 0.3, 0.3, 0.3, 0.3]]).isBetter)
    #expect(!judge(own, [own, [0.3, 0.3, 0.3, 0.3, 0.3]]).isBetter)
    #expect(!judge(own, [[0.3, 0.3, 0.3, 0.3, 0.3]], memory: 120).isBetter)
    #expect(!judge(own, []).isBetter)
    // Whoever breaks a limit is no rival, however good.
    func against(_ rivals: [(values: [Double], memory: Double)]) -> Judgement {
      Judgement(
        of: sample("own", rule.objective, own),
        against: rivals.enumerated().map {
          sample("rival \($0)", rule.objective, $1.values, memory: $1.memory)
        }, by: rule)
    }
    let better = [0.9, 0.92, 0.91, 0.93, 0.91]
    let worse = [0.3, 0.3, 0.3, 0.3, 0.3]
    #expect(against([(better, 120), (worse, 50)]).isBetter)
    #expect(!against([(better, 50), (worse, 50)]).isBetter)
    let alone = against([(better, 120)])
    #expect(alone.isBetter && alone.rivals.isEmpty)
    // Two rivals share out the 5 %.
    #expect(judge(own, [[0.4, 0.4, 0.4, 0.4, 0.4], own]).leads[0].interval?.level == 0.975)
  }

  @Test("A limit that the goal has already is not listed twice")
  func repeatedLimit() {
    let rule = Goal.freshReads(subjectTo: [memory])
    #expect(rule.subject(to: [memory]) == rule)
  }
}
