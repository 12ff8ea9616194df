import CacheModel
import Foundation
import RecordingCodec
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

/// Recordings of a few lines whose outcomes are stated: what Behaviours.md and Methodology.md say, for readers who
/// writes a cache or a simulator from them.
@Suite("Small recordings with stated outcomes")
struct SmallRecordingTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "Recordings")

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: "\(name).jsonl"), encoding: .utf8)
  }

  private static func simulation(_ name: String) throws -> Simulation {
    Simulation(of: try SessionRecording.read([UInt8](text(name).utf8)))
  }

  private static func preset(_ name: String, queries: Int? = 100) throws -> CachePolicy {
    let allowance = Preset.Allowance(
      capacity: Capacity(entities: 10_000, highWatermark: 0.9, lowWatermark: 0.9),
      maximumQueries: queries, freshness: Freshness(timeToLive: .seconds(300)))
    return try #require(Preset.named(name)).composition(allowance)
  }

  private static func reads(
    _ recording: String, _ preset: String, queries: Int? = 100
  ) throws -> [Metric] {
    try simulation(recording)
      .reads(policy: preset, composition: Self.preset(preset, queries: queries)).map(\.outcome)
  }

  private static func counts(_ recording: String, _ preset: String) throws -> RunValues {
    let result = try simulation(recording)
      .run(policy: preset, composition: Self.preset(preset))
    return RunValues(rows: result.rows.filter { $0.class == .total })
  }

  @Test(
    "B26 A query that was never answered is cold, whatever happened to it since",
    arguments: ["lru", "ttl", "refcount", "refcount-observed", "tanstack"],
    [
      "never-answered-beyond-its-lifetime", "never-answered-within-its-lifetime",
      "never-answered-and-left",
    ])
  func neverAnswered(preset: String, recording: String) throws {
    #expect(try Self.reads(recording, preset) == [.failed, .missCold])
  }

  @Test(
    "B18 An event that the answer shows already costs no fetch, whichever row it is about",
    arguments: ["event-in-the-answer-first-row", "event-in-the-answer-last-row"])
  func containedEvent(recording: String) throws {
    #expect(try Self.counts(recording, "lru")[.fetches] == 1)
  }

  @Test("B38 A reconcile that could not leave is asked for when the link is back, and counted then")
  func reconcileWithoutALink() throws {
    #expect(
      try Self.reads("reconcile-without-a-link", "lru") == [
        .missCold, .hitFresh, .hitFresh, .hitFresh, .hitFresh,
      ])
    let counts = try Self.counts("reconcile-without-a-link", "lru")
    #expect(counts[.gapsDetected] == 1)
    #expect(counts[.reconciles] == 1)
    #expect(counts[.fetches] == 2, "the query, and what was missed")
  }

  @Test("B9 A search of fewer than three letters is kept while it is observed, and no longer")
  func shortSearch() throws {
    #expect(
      try Self.reads("short-search", "lru") == [
        .bypass, .missCold, .hitFresh, .bypass, .missCold,
      ])
  }

  @Test(
    "B9 Losing its last observer is a use of a query: of three at a maximum of two, the one left first goes",
    arguments: ["lru", "refcount", "ttl"])
  func lastObserver(preset: String) throws {
    #expect(
      try Self.reads("last-observers-leave", preset, queries: 2) == [
        .missCold, .missCold, .missCold, .hitFresh, .missEvicted,
      ])
  }

  @Test("B12 A capacity of one entity holds one, whatever the share at which eviction begins")
  func capacityOfOne() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    for second in 1...6 { tiny.act(.open(object: file), at: Double(second)) }
    for share in [0, 0.5, 0.9, 1] {
      var composition = composition()
      composition.capacity = Capacity(entities: 1, highWatermark: share, lowWatermark: share)
      #expect(
        outcomes(try values(of: tiny.workload, composition, class: "entity")) == [
          .missCold: 1, .hitFresh: 5,
        ], "\(share)")
    }
  }

  @Test("An event of the infrastructure has a list of items, which is empty")
  func infrastructure() throws {
    func recording(items: String) throws -> Workload {
      let event =
        "{\"line\":\"mutation\",\"at\":6000000000,\"device\":2,\"epoch\":1,\"sequence\":2,"
        + "\"kind\":\"infrastructure\",\"bytes\":300\(items)}\n"
      let before = "{\"line\":\"delivery\",\"client\":0,\"at\":1000000000"
      let text = try Self.text("event-in-the-answer-first-row")
        .replacingOccurrences(of: before, with: event + before)
      return try SessionRecording.read([UInt8](text.utf8))
    }
    #expect(try recording(items: ",\"items\":[]").mutations.last?.items.isEmpty == true)
    #expect(throws: RecordingError.self) { try recording(items: "") }
    #expect(throws: RecordingError.self) { try recording(items: ",\"items\":[{\"object\":1}]") }
  }
}
