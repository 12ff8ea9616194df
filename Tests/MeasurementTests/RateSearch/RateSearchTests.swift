import CacheModel
import Testing

@testable import Measurement

@Suite("The search for the highest rate")
struct RateSearchTests {
  private typealias Verdict = RateSearch.Verdict

  /// Searches to the end under a verdict for each rate and the how-manieth try at it.
  private func search(
    _ plan: RateSearch.Plan = .init(), _ verdict: (_ rate: Double, _ try: Int) -> Verdict
  ) -> RateSearch {
    var search = RateSearch(plan: plan)
    while let rate = search.next {
      search.tell(verdict(rate, search.trials.count { $0.rate == rate }))
    }
    #expect(search.trials.count <= plan.largestRuns)
    return search
  }

  @Test("It doubles, then bisects")
  func path() {
    let found = search { rate, _ in rate <= 5_000 ? .met : .missed }
    #expect(found.trials.map(\.rate) == [1_000, 2_000, 4_000, 8_000, 5_700, 4_800, 5_200])
    #expect(found.finding == .between(met: 4_800, missed: 5_200))
    #expect(found.highestMet == 4_800 && found.lowestMissed == 5_200)
  }

  @Test("Below its first rate it halves")
  func downwards() {
    let found = search { rate, _ in rate <= 300 ? .met : .missed }
    #expect(found.trials.map(\.rate) == [1_000, 500, 250, 350, 300, 320])
    #expect(found.finding == .between(met: 300, missed: 320))
  }

  @Test(
    "Wherever the edge lies, it is found as closely as asked",
    arguments: Array(stride(from: 60.0, to: 31_000, by: 517)))
  func edges(edge: Double) {
    let found = search { rate, _ in rate <= edge ? .met : .missed }
    guard case .between(let met, let missed) = found.finding else {
      Issue.record("\(found.finding)")
      return
    }
    #expect(met <= edge && edge < missed)
    #expect(missed / met <= found.plan.resolution)
    #expect(found.trials.count <= 12)
  }

  @Test("What is met up to the end of the range is said to be so")
  func always() {
    let found = search { _, _ in .met }
    #expect(found.finding == .metUpToTheEnd(32_000))
    #expect(found.trials.count == 6 && found.lowestMissed == nil)
  }

  @Test("What is never met ends at the lowest rate")
  func never() {
    let found = search { _, _ in .missed }
    #expect(found.finding == .neverMet(missed: 50))
    #expect(found.highestMet == nil)
  }

  @Test("What can be decided nowhere is tried again, and never met")
  func nowhere() {
    let found = search { _, _ in .inconclusive }
    #expect(found.trials.prefix(4).map(\.rate) == [1_000, 1_000, 1_000, 500])
    #expect(found.trials.count == 16 && found.highestMet == nil)
    guard case .inconclusive = found.finding else {
      Issue.record("\(found.finding)")
      return
    }
  }

  @Test("A moment of noise costs another try, and not the rate")
  func noise() {
    let found = search { rate, attempt in
      attempt == 0 ? .inconclusive : rate <= 3_000 ? .met : .missed
    }
    #expect(found.finding == .between(met: 3_000, missed: 3_300))
  }

  @Test("Where the machine cannot decide any more, the rate below is still met")
  func undecidedAbove() {
    let found = search { rate, _ in rate <= 3_000 ? .met : .inconclusive }
    #expect(found.finding == .undecidedAbove(met: 3_000, undecided: 3_300))
    #expect(found.lowestMissed == nil)
  }

  @Test(
    "Under any verdicts every rate met lies below every other, and runs are bounded",
    arguments: 0..<200 as Range<UInt64>)
  func anything(seed: UInt64) {
    var random = RandomSource(seed: seed)
    let found = search { _, _ in Verdict.allCases[Int(random.below(3))] }
    let last = Dictionary(
      found.trials.map { ($0.rate, $0.verdict) }, uniquingKeysWith: { $1 })
    let met = last.filter { $0.value == .met }.keys.max()
    let unmet = last.filter { $0.value != .met }.keys.min()
    if let met, let unmet { #expect(met < unmet) }
    #expect(found.highestMet == met)
    for trial in found.trials {
      #expect((found.plan.lowest...found.plan.highest).contains(trial.rate))
      #expect(found.trials.count { $0.rate == trial.rate } <= 1 + found.plan.repetitions)
    }
  }

  @Test("A first rate outside the range is moved to its end")
  func range() {
    var plan = RateSearch.Plan()
    plan.first = 100_000
    #expect(RateSearch(plan: plan).next == 32_000)
    plan.first = 1
    #expect(RateSearch(plan: plan).next == 50)
  }
}
