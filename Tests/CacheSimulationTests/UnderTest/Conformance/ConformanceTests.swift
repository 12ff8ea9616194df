import CacheModel
import NormalizedCache
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Cases of conformance")
struct ConformanceTests {
  private static let conformance = Conformance()
  private static let simulation = Simulation(of: ConformanceWorld.workload)

  static let addresses = Conformance.cases(nil).map(\.address)

  private static func test(_ address: String) throws -> ConformanceCase {
    try #require(Conformance.cases(address).first)
  }

  private static func words(_ result: ConformanceResult) -> String {
    result.findings.map {
      "\($0.verdict.rawValue), turn \($0.turn ?? 0): \($0.asked); right: "
        + "\($0.right.joined(separator: " or ")); came: \($0.came); \($0.meaning)"
    }.joined(separator: "\n")
  }

  @Test("The store itself, put behind turns, passes every case strictly", arguments: addresses)
  func store(address: String) throws {
    let test = try Self.test(address)
    let result = Self.conformance.run(test) { launch throws(CacheFault) in
      do throws(CompositionError) {
        return try StoreInTurns(
          PolicyComposition(
            evictionOrder: "lru", capacity: launch.capacity, retention: .none,
            freshness: Freshness(timeToLive: .seconds(300)), maximumQueries: nil),
          Self.simulation)
      } catch {
        throw CacheFault(.notStarted, "\(error)")
      }
    }
    let isAsked = Set(test.needs).isSubset(of: [.writes])
    let isFigure = address == "time/3" || !isAsked
    #expect(result.verdict == (isFigure ? .info : .pass), "\(address): \(Self.words(result))")
    #expect(result.turns.isEmpty != isAsked)
  }

  @Test("A cache that follows events in the simplest way fails nowhere", arguments: addresses)
  func simple(address: String) throws {
    let result = Self.conformance.run(try Self.test(address)) { PatchingCache(nil, $0.stored) }
    #expect(result.verdict != .fail, "\(address): \(Self.words(result))")
  }

  @Test("A planted defect shows where it should", arguments: PatchingCache.Defect.allCases)
  func defects(defect: PatchingCache.Defect) throws {
    let test = try Self.test(defect.place)
    let clean = Self.conformance.run(test) { PatchingCache(nil, $0.stored) }.verdict
    let result = Self.conformance.run(test) { PatchingCache(defect, $0.stored) }
    // An answer that is older than an event is allowed, where the event was not shown before.
    let expected = defect == .answersOverEvents ? ConformanceResult.Verdict.nonStrict : .fail
    #expect(clean == .pass, "\(defect.place)")
    #expect(result.verdict == expected, "\(defect): \(Self.words(result))")
  }

  @Test("What breaks the rules ends its case alone, and is named")
  func faults() throws {
    let result = Self.conformance.run(try Self.test("reads/1")) { _ in
      PatchingCache(.forgesVersions)
    }
    #expect(result.fault?.kind == .forgedVersion && result.verdict == .fail)
    #expect(result.findings.last?.meaning == CacheFault.Kind.forgedVersion.question)
    let start = Self.conformance.run(try Self.test("start/1")) { _ throws(CacheFault) in
      throw CacheFault(.silentAtStart)
    }
    #expect(start.findings.last?.meaning.contains("flushed") == true && start.turns.isEmpty)
  }

  @Test("Who never comes to rest is stopped")
  func restless() throws {
    for defect in [PatchingCache.Defect.asksForEver, .wakesForEver] {
      let test = try Self.test(defect.place)
      let result = Self.conformance.run(test) { _ in PatchingCache(defect) }
      #expect(result.verdict == .fail, "\(defect)")
    }
  }

  @Test("Cases are named by address, by group, or all")
  func selection() {
    #expect(Conformance.cases("gaps/3").map(\.address) == ["gaps/3"])
    #expect(Conformance.cases("gaps").allSatisfy { $0.address.hasPrefix("gaps/") })
    #expect(Conformance.cases("gap").isEmpty && Conformance.cases("gaps/99").isEmpty)
    #expect(Set(Self.addresses).count == Self.addresses.count && Self.addresses.count > 50)
    #expect(Set(Conformance.cases(nil).map(\.title)).count == Self.addresses.count)
  }
}
