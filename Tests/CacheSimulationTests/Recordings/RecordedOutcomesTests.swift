import CacheModel
import RecordingCodec
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Outcomes that a log reports for its own cache")
struct RecordedOutcomesTests {
  /// A log of actions with their outcomes.
  private static func log(
    _ actions: [(SessionAction.Kind, RecordedOutcome?)], warmUp: Duration = .zero
  ) -> Workload {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .tagList, subject: 0, limit: 10))
    for (second, action) in actions.enumerated() { tiny.act(action.0, at: Double(second + 1)) }
    tiny.warmUp = warmUp
    var workload = tiny.workload
    workload.truth = .observed
    for (number, action) in actions.enumerated() {
      workload.recordedOutcomes[ObservedRead(client: 0, action: number)] = action.1
    }
    return workload
  }

  /// The measured values of a class.
  private static func values(
    _ outcomes: RecordedOutcomes, _ name: ResultClass = .all
  ) -> RunValues {
    RunValues(rows: outcomes.rows.filter { $0.class == name })
  }

  @Test("The words are a hit, a miss, and the outcomes of the reports")
  func words() {
    #expect(
      RecordedOutcome.allCases.map(\.rawValue) == ["hit", "miss"]
        + Outcome.allCases.filter { $0 != .hitUnknown }.map(\.metric.name)
    )
  }

  @Test("Named outcomes are counted, those that did not occur as zero, and sum to the reads")
  func named() throws {
    let workload = Self.log([
      (.read(query: 0), .missCold), (.read(query: 0), .hitFresh), (.read(query: 0), .hitStale),
      (.observe(query: 1), .missExpired), (.open(object: 1), .hitFresh),
      (.redraw(query: 1), .partial), (.unobserve(query: 1), nil),
    ])
    let outcomes = try #require(RecordedOutcomes(of: workload))
    #expect(outcomes.reads == 5)
    #expect(outcomes.told == 5)
    let all = Self.values(outcomes)
    #expect(all[.reads] == 5)
    #expect(
      CacheSimulationTests.outcomes(all) == [
        .hitFresh: 2, .hitStale: 1, .missCold: 1, .missExpired: 1,
      ])
    #expect(all[.failed] == 0)
    #expect(all[.hitRatio] == 0.6)
    #expect(all[.freshHitRatio] == 0.4)
    #expect(all[.staleReadShare] == 0.2)
    #expect(Self.values(outcomes, "file")[.reads] == 3)
    #expect(Self.values(outcomes, "album-tag")[.missExpired] == 1)
    #expect(Self.values(outcomes, "entity")[.hitRatio] == 1)
    #expect(Self.values(outcomes, "total")[.reads] == 4)
    #expect(Self.values(outcomes, "redraw")[.partial] == 1)
    // The first read of each query and of the entity.
    let first = Self.values(outcomes, "first")
    #expect(
      CacheSimulationTests.outcomes(first) == [
        .hitFresh: 1, .missCold: 1, .missExpired: 1,
      ])
    #expect(outcomes.rows.allSatisfy { $0.policy == "recorded" && $0.scenario == "tiny" })
  }

  @Test("Outcomes that plain hits and misses leave open are missing, not zero")
  func plain() throws {
    let outcomes = try #require(
      RecordedOutcomes(
        of: Self.log([
          (.read(query: 0), .miss), (.read(query: 0), .hit), (.read(query: 0), .hit),
          (.read(query: 1), .hit), (.open(object: 1), .miss),
        ])))
    let all = Self.values(outcomes)
    #expect(all.known == [.reads: 5, .hitRatio: 0.6])
    // All reads of tags were hits, so nothing else occurred there.
    let tags = Self.values(outcomes, "album-tag")
    #expect(tags[.hitRatio] == 1)
    #expect(tags[.missCold] == 0)
    #expect(tags[.hitFresh] == nil)
    // And no entity was a hit.
    let entity = Self.values(outcomes, "entity")
    #expect(entity[.hitFresh] == 0)
    #expect(entity[.freshHitRatio] == 0)
    #expect(entity[.missCold] == nil)
    #expect(Self.values(outcomes, "search").known == [:])
    let search = outcomes.rows.filter { $0.class == "search" }
    #expect(search.allSatisfy { $0.value == nil && $0.sampleCount == 0 })
  }

  @Test("Only reads that have an outcome are in the figures, and none of the warm-up")
  func partial() throws {
    let actions: [(SessionAction.Kind, RecordedOutcome?)] = [
      (.read(query: 0), .miss), (.read(query: 0), nil), (.read(query: 0), .hit),
      (.read(query: 0), .hit),
    ]
    let outcomes = try #require(RecordedOutcomes(of: Self.log(actions)))
    #expect(outcomes.reads == 4)
    #expect(outcomes.told == 3)
    #expect(Self.values(outcomes)[.reads] == 3)
    let warm = try #require(RecordedOutcomes(of: Self.log(actions, warmUp: .seconds(2))))
    #expect(warm.reads == 3)
    #expect(Self.values(warm)[.hitRatio] == 1)
    // The first read was made in the warm-up.
    #expect(Self.values(warm, "first").known == [:])
  }

  @Test("A log without outcomes has no row")
  func none() {
    #expect(RecordedOutcomes(of: Self.log([(.read(query: 0), nil)])) == nil)
    #expect(
      RecordedOutcomes(of: Self.log([(.read(query: 0), .hit)], warmUp: .seconds(5))) == nil)
  }
}
