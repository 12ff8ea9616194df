import CacheModel
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Reads, written down one by one")
struct ReadRecordTests {
  @Test("Each read has its time, subject, outcome, wait and error")
  func records() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 5)
    let change = tiny.change(file, at: 10, name: 2)
    tiny.act(.read(query: 0), at: 12)
    tiny.act(.open(object: file), at: 13)
    tiny.deliver(change, at: 14)
    tiny.act(.read(query: 0), at: 15)
    let simulation = Simulation(of: tiny.workload)
    let reads = try simulation.reads(policy: "keeps", composition: composition())
    #expect(
      reads.map(\.outcome) == [.missCold, .hitFresh, .hitStale, .hitStale, .hitFresh])
    #expect(reads.map(\.at) == [1, 5, 12, 13, 15].map { $0 * TinyWorkload.second })
    #expect(reads.map(\.waited) == [TinyWorkload.roundTrip, 0, 0, 0, 0])
    #expect(
      reads.map(\.age) == [nil, nil, 2 * TinyWorkload.second, 3 * TinyWorkload.second, nil])
    #expect(reads.map { $0.difference?.kind } == [nil, nil, .older, .older, nil])
    #expect(reads[2].difference?.row == 1)
    #expect(simulation.name(of: reads[0].subject) == "files.directory(0)")
    #expect(simulation.name(of: reads[3].subject) == "file \(file)")
  }

  @Test("They are the reads that the results count, outcome by outcome, the warm-up aside")
  func agreeWithResults() throws {
    for seed in UInt64(0)..<4 {
      let workload = try RandomWorkloadTests.workload(seed: seed)
      let simulation = Simulation(of: workload)
      let composition = composition(timeToLive: .seconds(30))
      let result = try simulation.run(policy: "ttl", composition: composition)
      let reads = try simulation.reads(policy: "ttl", composition: composition)
      for outcome in Outcome.allCases {
        let counted = result.rows.first {
          $0.class == .all && $0.metric == outcome.metric && $0.statistic == .value
        }
        let own = reads.count { $0.outcome == outcome.metric }
        // Where the truth is known, nothing is unknown, and no row says so.
        let told: Double? = outcome == .hitUnknown ? nil : Double(own)
        #expect(counted?.value?.asDouble == told, "\(outcome), seed \(seed)")
        #expect(outcome != .hitUnknown || own == 0, "seed \(seed)")
      }
      let differs = reads.filter { $0.outcome == .hitStale }
      #expect(differs.allSatisfy { $0.difference != nil }, "seed \(seed)")
    }
  }
}

@Suite("Rows that differ from the truth")
struct RowDifferenceTests {
  private static func rows(_ text: String) -> [Handle] {
    // A letter is an object, an upper-case one its newer state.
    text.utf8.map { byte in
      let isNew = byte < UInt8(ascii: "a")
      let object = UInt32(isNew ? byte + 32 : byte)
      return Handle(object: object, revision: isNew ? object + 1_000 : object)
    }
  }

  @Test(
    "The first row that differs is named, and how",
    arguments: [
      ("abc", "aBc", 2, RowDifference.Kind.older), ("ac", "abc", 2, .missing),
      ("ab", "abc", 3, .missing), ("abc", "ac", 2, .extra), ("abc", "ab", 3, .extra),
      ("acb", "abc", 2, .moved), ("", "a", 1, .missing), ("a", "", 1, .extra),
      ("axc", "abc", 2, .missing), ("xbc", "bc", 1, .extra),
    ])
  func differences(served: String, truth: String, row: Int, kind: RowDifference.Kind) {
    let found = RowDifference(served: Self.rows(served), truth: Self.rows(truth))
    #expect(found?.row == row)
    #expect(found?.kind == kind)
  }

  @Test("The same rows differ nowhere")
  func same() {
    #expect(RowDifference(served: Self.rows("aBc"), truth: Self.rows("aBc")) == nil)
    #expect(RowDifference(served: [], truth: []) == nil)
  }
}

@Suite("Outcomes read by read")
struct ReadOutcomesTests {
  @Test(
    "Two policies on one workload are compared read by read; the differences add up to the margin")
  func comparison() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 0), at: 5)
    tiny.act(.read(query: 0), at: 20)
    tiny.act(.open(object: file), at: 40)
    let simulation = Simulation(of: tiny.workload)
    let keeps = try simulation.run(policy: "keeps", composition: composition())
    let expires = try simulation.run(
      policy: "expires", composition: composition(timeToLive: .seconds(10)))
    let (gained, lost) = keeps.outcomes.freshHits(against: expires.outcomes)
    #expect(gained.map(\.outcome) == [.missExpired])
    #expect(gained.map(\.reads) == [2])
    #expect(lost.isEmpty)
    let margin = keeps.clients[0].freshHits - expires.clients[0].freshHits
    #expect(margin == gained.map(\.reads).reduce(0, +) - lost.map(\.reads).reduce(0, +))
    let reverse = expires.outcomes.freshHits(against: keeps.outcomes)
    #expect(reverse.lost.map(\.reads) == [2])
    #expect(reverse.gained.isEmpty)
  }

  @Test("Warm-up reads and redraws are not compared")
  func leftOut() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.warmUp = .seconds(3)
    tiny.act(.observe(query: 0), at: 1)
    tiny.act(.redraw(query: 0), at: 4)
    tiny.act(.read(query: 0), at: 5)
    let result = try Simulation(of: tiny.workload).run(policy: "a", composition: composition())
    let none = ReadOutcomes.none
    #expect(result.outcomes.places == [none, none, UInt8(Outcome.hitFresh.ordinal)])
    #expect(result.clients[0].reads == 1)
  }
}

@Suite("A run over its time")
struct TimelineTests {
  @Test("Reads are counted in the part of the run in which they were made, warm-up included")
  func reads() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.warmUp = .seconds(30)
    // The first waits, the others are hits.
    for second in [5, 12, 13, 47] { tiny.act(.read(query: 0), at: Double(second)) }
    let result = try Simulation(of: tiny.workload).run(
      policy: "a", composition: composition(), timelineParts: 10)
    let timeline = try #require(result.timeline)
    #expect(timeline.partNanoseconds == 10_000_000_000)
    #expect(timeline.parts.map(\.reads) == [1, 2, 0, 0, 1, 0, 0, 0, 0, 0])
    #expect(timeline.parts.map(\.freshHits) == [0, 2, 0, 0, 1, 0, 0, 0, 0, 0])
    #expect(timeline.parts.allSatisfy { $0.staleHits == 0 && $0.failures == 0 })
  }

  @Test("Resident entities are a mean over the part")
  func entities() {
    var timeline = Timeline(duration: .seconds(25), parts: 3)
    let second: Int64 = 1_000_000_000
    // Parts of 8⅓ seconds: the first holds 4 for 5 s and 10 for the rest.
    timeline.note(entities: 4, from: 0, to: 5 * second)
    timeline.note(entities: 10, from: 5 * second, to: 40 * second)
    let means = timeline.parts.map(\.entities)
    #expect((means[0] - 6.4).magnitude < 0.001)
    #expect((means[1] - 10).magnitude < 0.001 && (means[2] - 10).magnitude < 0.001)
  }

  @Test("It is another view of the same run, which it does not change")
  func sameRun() throws {
    let simulation = Simulation(of: try TalkScenario.workload(seed: 3))
    let plain = try simulation.run(policy: "a", composition: composition())
    let shown = try simulation.run(policy: "a", composition: composition(), timelineParts: 7)
    #expect(plain.rows == shown.rows)
    #expect(plain.timeline == nil)
  }
}
