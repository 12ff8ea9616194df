import Testing

@testable import Analysis

@Suite("Successive halving")
struct SuccessiveHalvingTests {
  private func text(_ halving: SuccessiveHalving) -> [String] {
    halving.rungs.map { "\($0.settings) × \($0.seeds)/\($0.divisor)" }
  }

  @Test("Spends seeds first, then parts of the virtual time")
  func rungs() {
    #expect(
      text(SuccessiveHalving(settings: 64, seeds: 20)) == [
        "64 × 1/1", "22 × 2/1", "8 × 6/1", "3 × 20/1",
      ])
    #expect(
      text(SuccessiveHalving(settings: 64, seeds: 3)) == [
        "64 × 1/9", "22 × 1/3", "8 × 1/1", "3 × 3/1",
      ])
    #expect(text(SuccessiveHalving(settings: 3, seeds: 5)) == ["3 × 5/1"])
    // Two rungs that one seed has no room for are left out: the first has the least there is.
    #expect(
      text(SuccessiveHalving(settings: 100, seeds: 1)) == ["100 × 1/9", "4 × 1/3", "2 × 1/1"])
  }

  @Test("The last rung has everything, and no rung has less than the one before")
  func grows() {
    for settings in [1, 2, 5, 27, 81, 1_000] {
      for seeds in [1, 2, 7, 20, 100] {
        let rungs = SuccessiveHalving(settings: settings, seeds: seeds).rungs
        #expect(rungs.first?.settings == settings)
        #expect(rungs.last?.seeds == seeds && rungs.last?.divisor == 1)
        for (one, next) in zip(rungs, rungs.dropFirst()) {
          #expect(next.settings < one.settings)
          #expect(next.seeds * one.divisor > one.seeds * next.divisor)
        }
      }
    }
  }

  @Test("The best go on, of equals the first, and who has no figure last")
  func survivors() {
    #expect(SuccessiveHalving.survivors([1, 5, nil, 3, 5], count: 3) == [1, 3, 4])
    #expect(SuccessiveHalving.survivors([2, 2, 2], count: 1) == [0])
    #expect(SuccessiveHalving.survivors([nil, nil, 1], count: 2) == [0, 2])
  }
}
