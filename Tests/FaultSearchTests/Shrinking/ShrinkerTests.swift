import CacheModel
import FaultSearch
import Testing

@Suite("Shrinking", .timeLimit(.minutes(30)))
struct ShrinkerTests {
  /// Fails if note 3 is deleted after an observation, whatever else happens.
  private static func run(_ faultCase: FaultCase) -> Divergence? {
    var isObserved = false
    for (index, step) in faultCase.steps.enumerated() {
      if case .observe = step { isObserved = true }
      if isObserved, case .publish(_, .delete(let numbers), _, _) = step, numbers.contains(3) {
        return Divergence(.notified, step: index, subject: "", expected: "", found: "")
      }
    }
    return nil
  }

  private static func failing() throws -> (FaultCase, Divergence) {
    for seed in 0..<200 as Range<UInt64> {
      let faultCase = FaultSearch.search(seed: seed, steps: 300).faultCase
      if let divergence = run(faultCase) { return (faultCase, divergence) }
    }
    throw NothingFails()
  }

  private struct NothingFails: Error {}

  @Test("The shrunk program is what the failure needs")
  func remainsWhatIsNeeded() throws {
    let (faultCase, divergence) = try Self.failing()
    var shrinker = Shrinker(faultCase, divergence, run: Self.run)
    shrinker.shrink()
    let steps = shrinker.smallest.steps
    #expect(steps.count == 2)
    #expect(steps.first?.kind == .observe)
    guard case .publish(_, .delete([3]), _, .sent)? = steps.last else {
      Issue.record("\(steps)")
      return
    }
    #expect(shrinker.divergence.step == 1)
    #expect(shrinker.smallest.composition.evictionOrder == "lru")
    #expect(shrinker.smallest.composition.capacity == .unlimited)
  }

  @Test("The effort is bounded")
  func effortIsBounded() throws {
    let (faultCase, divergence) = try Self.failing()
    var runs = 0
    var shrinker = Shrinker(faultCase, divergence, attempts: 25) {
      runs += 1
      return Self.run($0)
    }
    shrinker.shrink()
    #expect(runs == 25)
    #expect(Self.run(shrinker.smallest) != nil)
  }

  @Test("Another failure is not taken for the one that is shrunk")
  func keepsTheFailure() throws {
    let (faultCase, divergence) = try Self.failing()
    var shrinker = Shrinker(faultCase, divergence) { candidate in
      guard let found = Self.run(candidate) else { return nil }
      let isShort = candidate.steps.count < 5
      return isShort
        ? Divergence(.countsAgree, step: 0, subject: "", expected: "", found: "") : found
    }
    shrinker.shrink()
    #expect(shrinker.smallest.steps.count == 5)
    #expect(shrinker.divergence.promise == .notified)
  }
}
