import CacheModel
import NormalizedCacheCore
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

/// Contents of events: whole changed entities, changed fields, or only ids.
@Suite("Contents of events", .timeLimit(.minutes(30)))
struct EventContentsTests {
  static let allowance = Preset.Allowance(
    capacity: Capacity(entities: 300), maximumQueries: 40,
    freshness: Freshness(timeToLive: .seconds(30)))

  private static func workloads(_ carry: EventContents) throws -> [Workload] {
    try [
      RandomWorkloadTests.workload(seed: 0), TalkScenario.workload(seed: 1),
      TalkScenario.summaries(seed: 2),
    ].map {
      var workload = $0
      workload.letEvents(carry: carry)
      return workload
    }
  }

  private func tiny(
    _ carry: EventContents, membership: Membership = .patch, change: Bool = true
  ) throws -> RunValues {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    let event = change ? tiny.change(file, at: 2, name: 2) : tiny.create(at: 2, name: 2)
    tiny.deliver(event, at: 3)
    tiny.act(.read(query: 0), at: 4)
    var workload = tiny.workload
    workload.letEvents(carry: carry)
    return try values(of: workload, composition(membership: membership))
  }

  @Test("With ids a read of a changed entity, or of a list that may have it, is a fetch")
  func ids() throws {
    for change in [true, false] {
      let values = try tiny(.ids, change: change)
      #expect(outcomes(values) == [.missCold: 1, .missInvalidated: 1], "\(change)")
      // An envelope and an id.
      #expect(values[.bytesPushed] == 160)
      #expect(values[.bytesOfAnswers] == (change ? 2_200.0 : 3_200.0))
      #expect(values[.divergentQueries] == 0 && values[.divergentEntities] == 0)
    }
    // A cache that leaves lists as they are does not look for new rows.
    let blind = try tiny(.ids, membership: .blind, change: false)
    #expect(outcomes(blind) == [.missCold: 1, .hitStale: 1])
  }

  @Test("With changes a cached entity is served, and the changed fields are what was sent")
  func changes() throws {
    let values = try tiny(.changes)
    #expect(outcomes(values) == [.missCold: 1, .hitFresh: 1])
    // An envelope, an id, and one of four fields of a state of 1,000 bytes; all of a new entity.
    #expect(values[.bytesPushed] == 410)
    #expect(try tiny(.changes, change: false)[.bytesPushed] == 1_100)
    #expect(try outcomes(tiny(.changes, change: false)) == [.missCold: 1, .hitFresh: 1])
    #expect(try tiny(.whole)[.bytesPushed] == 1_100)
  }

  @Test("Changed fields of an entity that is not cached give no value")
  func changesOfTheUnknown() throws {
    for (carry, list, entity) in [
      (EventContents.whole, Metric.hitFresh, Metric.hitFresh),
      (.changes, .missInvalidated, .missCold), (.ids, .missInvalidated, .missCold),
    ] {
      var tiny = TinyWorkload()
      _ = tiny.file(name: 1)
      let directory = tiny.directoryOfFiles(1)
      tiny.act(.read(query: 0), at: 1)
      // It might be in the list now, or elsewhere in it: names order lists.
      let change = tiny.change(directory + 1, at: 2, name: 9, parent: directory)
      tiny.deliver(change, at: 3)
      tiny.act(.read(query: 0), at: 4)
      tiny.act(.open(object: directory + 1), at: 5)
      var workload = tiny.workload
      workload.letEvents(carry: carry)
      #expect(
        try outcomes(values(of: workload, composition()))
          == (list == .hitFresh
            ? [.missCold: 1, .hitFresh: 1] : [.missCold: 1, list: 1]),
        "\(carry)")
      #expect(
        try outcomes(values(of: workload, composition(), class: "entity")) == [entity: 1],
        "\(carry)")
    }
  }

  @Test(
    "A cache has no value that neither an answer nor an event brought, under every preset",
    arguments: Preset.all.map(\.name), [EventContents.ids, .changes])
  func nothingUnsent(policy: String, carry: EventContents) throws {
    for workload in try Self.workloads(carry) {
      let simulation = Simulation(of: workload)
      let composition = try #require(Preset.named(policy)).composition(Self.allowance)
      let log = CallLog()
      var run = try ClientSimulation(
        simulation, client: 0, policy: policy, composition: composition,
        uses: try simulation.uses(ofClient: 0, composition), inOneProcess: true)
      run.calls = log
      var brought: Set<UInt32> = []
      var looked = 0
      var unsent = 0
      let end = run.end
      var step = 0
      while let next = run.nextInstant(), next <= end {
        try run.takeStep(at: next)
        step += 1
        for call in log.calls[looked...] { brought.formUnion(Self.states(in: call, carry)) }
        looked = log.calls.count
        guard step % 25 == 0 else { continue }
        run.store.forEachResident { _, handle in
          if !brought.contains(handle.revision) { unsent += 1 }
        }
      }
      #expect(unsent == 0, "\(workload.name)")
      #expect(step > 100)
    }
  }

  /// The states whose values arrived; with ids events bring none.
  private static func states(in call: StoreCall, _ carry: EventContents) -> [UInt32] {
    switch call.kind {
    case .fetched(let answer): answer.response?.entities.map(\.payload.revision) ?? []
    case .event(let event): carry == .ids ? [] : states(in: event)
    case .reconciled(.events(let events, _)?):
      carry == .ids ? [] : events.flatMap { states(in: $0) }
    default: []
    }
  }

  private static func states(in event: EventEnvelope<Handle>) -> [UInt32] {
    switch event.event {
    case .changed(let entity): [entity.payload.revision]
    case .batchChanged(let entities), .partlyDecoded(let entities, _):
      entities.map(\.payload.revision)
    case .deleted, .bulkNotice, .infrastructure: []
    }
  }

  @Test(
    "B56 Every change is notified and nothing diverges, whatever events carry",
    arguments: Preset.all.map(\.name), [EventContents.ids, .changes])
  func promises(policy: String, carry: EventContents) throws {
    for workload in try Self.workloads(carry) {
      let simulation = Simulation(of: workload)
      let composition = try #require(Preset.named(policy)).composition(Self.allowance)
      let result = try simulation.run(policy: policy, composition: composition)
      #expect(result.total(.notificationsMissed) == 0, "\(workload.name)")
      guard composition.promisesConvergence else { continue }
      for metric in [Metric.divergentEntities, .divergentQueries] {
        #expect(result.total(metric) == 0, "\(workload.name) \(metric)")
      }
    }
  }

  @Test("Changed fields take no more bytes than the whole, and ids no more than they")
  func sizes() throws {
    let (whole, changes, ids) = (
      try Self.workloads(.whole), try Self.workloads(.changes), try Self.workloads(.ids)
    )
    for index in whole.indices {
      var smaller = (changes: 0, ids: 0)
      for place in whole[index].mutations.indices {
        let all = whole[index].mutations[place].bytes
        let some = changes[index].mutations[place].bytes
        let none = ids[index].mutations[place].bytes
        #expect(some <= all && none <= some)
        if some < all { smaller.changes += 1 }
        if none < some { smaller.ids += 1 }
      }
      #expect(smaller.changes > 0 && smaller.ids > 0)
      for preset in ["lru", "no-cache"] {
        let pushed = try [whole, changes, ids].map { workloads in
          let composition = try #require(Preset.named(preset)).composition(Self.allowance)
          return try #require(
            Simulation(of: workloads[index]).run(policy: preset, composition: composition)
              .total(.bytesPushed))
        }
        #expect(pushed[0] > pushed[1] && pushed[1] > pushed[2], "\(pushed)")
      }
    }
  }

  @Test(
    "A client without push is the client in a scenario without events",
    arguments: Preset.all.filter(\.needsSubscription).map(\.name))
  func withoutPush(client: String) throws {
    let silent = try Scenario.parse(
      Array(TalkScenario.text.replacing("network: {", with: "network: {events: none, ").utf8),
      file: "talk.yaml", vocabulary: .unchecked)
    let own = try #require(Preset.named(client)).composition(Self.allowance)
    let without = try #require(Preset.named(client + Preset.noPushSuffix))
      .composition(Self.allowance)
    let expected = try Simulation(of: Workload.generate(silent, seed: 3))
      .run(policy: client, composition: own)
    let found = try Simulation(of: TalkScenario.workload(seed: 3))
      .run(policy: client, composition: without)
    #expect(found.total(.bytesPushed) == 0 && (found.total(.reads) ?? 0) > 0)
    #expect(found.rows.map(\.metric) == expected.rows.map(\.metric))
    for (one, other) in zip(found.rows, expected.rows) {
      #expect(one.value == other.value, "\(one.metric) \(one.class) \(one.statistic)")
    }
  }
}

extension SimulationResult {
  fileprivate func total(_ metric: Metric) -> Double? {
    rows.first { $0.metric == metric && $0.class == .total && $0.statistic == .value }?
      .value?.asDouble
  }
}
