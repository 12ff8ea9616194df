import CacheModel
import CacheTestSupport
import FaultSearch
import Foundation
import Testing
import Workloads

@Suite("The search for faults", .timeLimit(.minutes(30)))
struct SearchTests {
  /// Together 800 seeds, of which 50 are run twice and must do the same; each share is a test of its
  /// own, so that they use every core.
  private static let shares = 20
  private static let seedsPerShare = 40

  @Test(
    "B51 B57 No program breaks a promise, under any policy, nor does its stored content",
    arguments: 0..<shares)
  func noProgramBreaksAPromise(share: Int) {
    let first = share * Self.seedsPerShare
    for seed in first..<first + Self.seedsPerShare {
      let outcome = FaultSearch.search(seed: UInt64(seed), steps: 100)
      if let divergence = outcome.divergence {
        Issue.record(
          """
          \(divergence)
          tidemark check --first-seed \(seed) --seeds 1 --steps 100
          """)
      }
    }
  }

  @Test("Every kind of step is taken, and does something")
  func everyKindOfStepDoesSomething() {
    var tally = StepTally()
    for seed in 0..<100 { tally += FaultSearch.search(seed: UInt64(seed), steps: 100).tally }
    #expect(tally.confirmations > 0, "no server ever said that nothing has changed")
    for (index, kind) in StepKind.allCases.enumerated() {
      #expect(tally.effective[index] > 0, "\(kind.rawValue)")
      // An answered fetch may have no waiting caller; little else is wasted.
      #expect(tally.effective[index] * 5 >= tally.taken[index] * 2, "\(kind.rawValue)")
    }
  }

  @Test("Every value of every axis is drawn")
  func everyAxisIsDrawn() {
    let drawn = (0..<2_000).map { CachePolicy.drawn(seed: $0) }
    #expect(Set(drawn.map(\.evictionOrder)) == Set(CachePolicy.evictionOrders))
    #expect(Set(drawn.map(\.admission)) == Set(CachePolicy.admissions))
    // The search has a storage of its own, and servers that always push; batches are drawn together.
    let others = ["storage", "disk-bytes", "flush-window", "events"]
    for axis in PolicyAxis.all where !others.contains(axis.name) && axis.field.form != .list {
      let values = Set(drawn.map { axis.read($0) })
      #expect(axis.drawn.allSatisfy(values.contains), "\(axis.name)")
      if case .choice(let words) = axis.field.form, !axis.name.contains(".") {
        #expect(words.allSatisfy { values.contains(.word($0)) }, "\(axis.name)")
      } else {
        #expect(values.count > 1, "\(axis.name)")
      }
    }
    #expect(
      drawn.contains { $0.capacity.entities == 0 } && drawn.contains { $0.capacity.bytes == 0 })
  }

  @Test(
    "A program follows from its seed: replayed, it does the same",
    arguments: 0..<20 as Range<UInt64>)
  func replayDoesTheSame(seed: UInt64) {
    let first = FaultSearch.search(seed: seed, steps: 200)
    let second = FaultSearch.search(seed: seed, steps: 200)
    #expect(first.faultCase == second.faultCase)
    #expect(first.digest == second.digest)
    #expect(FaultSearch.digest(of: first.faultCase) == first.digest)
  }

  @Test("A difference between two runs is pinned to the step that made it")
  func pinsTheFirstDifference() {
    var first = FaultSearch.search(seed: 3, steps: 50).faultCase
    first.steps.append(.wait(milliseconds: 1))
    var second = first
    second.steps[first.steps.count - 1] = .wait(milliseconds: 2)
    let difference = FaultSearch.firstDifference(first, second)
    #expect(difference?.promise == .repeatsItself)
    #expect(difference?.step == first.steps.count - 1)
  }
}

@Suite("Committed cases", .timeLimit(.minutes(30)))
struct CommittedCaseTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Cases")

  private static let names: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix(".case") }.sorted()
  }()

  @Test("There are some")
  func thereAreSome() {
    #expect(!Self.names.isEmpty)
  }

  @Test("A failure found once is not reported again", arguments: names)
  func isNotFoundAgain(name: String) throws {
    let bytes = try Data(contentsOf: Self.folder.appendingPathComponent(name))
    let faultCase = try CaseFile.read([UInt8](bytes))
    #expect(FaultSearch.replay(faultCase) == nil)
  }
}
