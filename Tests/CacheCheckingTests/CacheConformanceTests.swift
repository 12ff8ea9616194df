import CacheSimulation
import Testing
import TidemarkTestSupport

@Suite("The cases of conformance, for tests of one's own cache", .timeLimit(.minutes(30)))
struct CacheConformanceTests {
  @Test("Each case has its address, and a sound cache fails none")
  func sound() {
    let results = CacheConformance.cases.map { test in test.run { PatchingCache(nil, $0.stored) } }
    #expect(CacheConformance.cases.map(\.address) == ConformanceTests.addresses)
    let failed = results.filter { $0.verdict == .fail }
    #expect(failed.isEmpty, "\(failed)")
    let verdicts = Set(results.map(\.verdict))
    #expect(verdicts.isSuperset(of: [.pass, .nonStrict, .info]))
  }

  @Test("A planted defect fails its case", arguments: PatchingCache.Defect.allCases)
  func planted(defect: PatchingCache.Defect) throws {
    let test = try #require(CacheConformance.cases.first { $0.address == defect.place })
    let result = test.run { PatchingCache(defect, $0.stored) }
    #expect(result.verdict == (defect == .answersOverEvents ? .nonStrict : .fail), "\(result)")
  }

  @Test("A result says what was told, what is right and what came, and asks for no line")
  func words() throws {
    let test = try #require(CacheConformance.cases.first { $0.address == "reads/6" })
    let text = "\(test.run { _ in PatchingCache(.reversesRows) })"
    #expect(text.hasPrefix("reads/6, fail: A list of a thousand rows"), "\(text)")
    #expect(
      text.contains("told: 1 read q 3 (files in \"big\")") && text.contains("right: "), "\(text)")
    let first = try #require(CacheConformance.cases.first { $0.address == "reads/1" })
    let forged = "\(first.run { _ in PatchingCache(.forgesVersions) })"
    #expect(forged.contains("keep the versions of rows as they were sent"), "\(forged)")
    #expect(!forged.contains("third member"), "\(forged)")
  }
}
