import Testing

@testable import Processes

@Suite("Turns of several subjects")
struct TurnsTests {
  @Test("They go forwards and backwards, and each subject has its own samples")
  func order() async {
    var calls: [String] = []
    let samples = await Turns(rounds: 3).take(["a", "b", "c"]) { subject, round in
      calls.append(subject)
      return "\(subject)\(round)"
    }
    #expect(calls == ["a", "b", "c", "c", "b", "a", "a", "b", "c"])
    #expect(samples == [["a0", "a1", "a2"], ["b0", "b1", "b2"], ["c0", "c1", "c2"]])
  }

  @Test("When the budget is spent the fewest rounds are taken nevertheless, and no more")
  func budget() async {
    let samples = await Turns(rounds: 9, budget: .zero).take([1, 2]) { subject, _ in subject }
    #expect(samples.map(\.count) == [Turns.fewestRounds, Turns.fewestRounds])
    let all = await Turns(rounds: 9, budget: .seconds(600)).take([1, 2]) { subject, _ in subject }
    #expect(all.map(\.count) == [9, 9])
  }

  @Test("No subjects, or no rounds, give no samples")
  func none() async {
    #expect(await Turns(rounds: 2).take([Int]()) { subject, _ in subject }.isEmpty)
    #expect(await Turns(rounds: 0).take([1]) { subject, _ in subject } == [[]])
  }
}
