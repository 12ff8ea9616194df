import CacheSimulation
import Testing

@testable import CacheChecking

@Suite("Cases that fail, made shorter")
struct ConformanceShrinkingTests {
  @Test(
    "A case that fails keeps what makes it fail",
    arguments: [("reads/1", PatchingCache.Defect.forgesVersions), ("reads/6", .reversesRows)])
  func conformance(address: String, defect: PatchingCache.Defect) throws {
    let conformance = Conformance()
    let test = try #require(Conformance.cases(address).first)
    let result = conformance.run(test) { PatchingCache(defect, $0.stored) }
    #expect(result.verdict == .fail)
    let shorter = conformance.shrunk(result, trials: 200, while: { true }) {
      PatchingCache(defect, $0.stored)
    }
    #expect(shorter.verdict == .fail && shorter.fault?.kind == result.fault?.kind)
    #expect(shorter.turns.count <= result.turns.count && !shorter.turns.isEmpty)
    if address == "reads/1" { #expect(shorter.turns.count <= 3) }
  }

  @Test("Whatever steps are left out, a case that broke a rule breaks the same")
  func faults() {
    let conformance = Conformance()
    var count = 0
    for test in Conformance.cases(nil) where !test.isRepeated {
      let result = conformance.run(test) { PatchingCache(.forgesVersions, $0.stored) }
      guard let fault = result.fault else { continue }
      count += 1
      let shorter = conformance.shrunk(result, trials: 60, while: { true }) {
        PatchingCache(.forgesVersions, $0.stored)
      }
      #expect(shorter.fault?.kind == fault.kind, "\(test.address)")
      #expect(shorter.test.steps.count <= 3, "\(test.address)")
    }
    #expect(count > 20)
  }
}
