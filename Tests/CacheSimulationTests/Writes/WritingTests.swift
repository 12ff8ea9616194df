import CacheModel
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Users write", .timeLimit(.minutes(30)))
struct WritingTests {
  private static func composition(_ preset: Preset, isStored: Bool = true) -> CachePolicy {
    var composition = preset.composition(
      Preset.Allowance(
        capacity: Capacity(entities: 40), maximumQueries: 10,
        freshness: Freshness(timeToLive: .seconds(30))))
    composition.storage = isStored ? DiskStorage() : nil
    return composition
  }

  private static func values(
    _ workload: Workload, _ preset: Preset, isStored: Bool = true
  ) throws -> [Metric: Double] {
    let rows = try Simulation(of: workload).run(
      policy: preset.name, composition: composition(preset, isStored: isStored)
    ).rows
    var values: [Metric: Double] = [:]
    for row in rows where row.class == "total" {
      guard [.value, .p95].contains(row.statistic) else { continue }
      values[row.metric] = row.value?.asDouble
    }
    return values
  }

  @Test(
    "B49 No acknowledged write is lost, and none takes effect twice, under any preset and fault",
    arguments: Preset.all)
  func nothingIsLost(preset: Preset) throws {
    let workload = try WritingScenario.workload(seed: preset.name.count.isMultiple(of: 2) ? 1 : 2)
    for isStored in ["lru", "ttl"].contains(preset.name) ? [true, false] : [true] {
      let values = try Self.values(workload, preset, isStored: isStored)
      let name = "\(preset.name), stored \(isStored)"
      #expect(values[.writesLost] == 0, "\(name)")
      #expect(values[.duplicateWrites] == 0, "\(name)")
      #expect(values[.notificationsMissed] == 0, "\(name)")
      #expect(values[.writes] ?? 0 > 100, "\(name)")
      #expect(values[.writesRefused] ?? 0 > 0, "\(name)")
      // Without a storage, writes that waited when the process ended are lost.
      if !isStored { #expect(values[.writesUnacknowledged] ?? 0 > 0, "\(name)") }
    }
  }

  @Test(
    "Writes shown when confirmed, and writes sent once, end as well",
    arguments: ["{shown: confirmed, refused: 5 %}", "{through: request, refused: 5 %}"])
  func otherWays(writes: String) throws {
    let workload = try WritingScenario.workload(writes: writes)
    for name in ["lru", "ttl"] {
      let preset = try #require(Preset.named(name))
      let values = try Self.values(workload, preset)
      #expect(values[.writesLost] == 0, "\(name)")
      #expect(values[.duplicateWrites] == 0, "\(name)")
      if writes.contains("request") {
        #expect(values[.writesFailed] ?? 0 > 0, "\(name)")
      } else {
        #expect(values[.writesFailed] == 0, "\(name)")
        // Nothing shows before the way there and back.
        #expect(values[.writeVisibleLatency] ?? 0 > 100_000_000, "\(name)")
      }
    }
  }

  @Test("Without faults a write shows immediately and is confirmed after a round trip")
  func times() throws {
    let workload = try WritingScenario.workload(
      writes: "{}", faults: "[]", network: "jitter: 0 ms")
    let values = try Self.values(workload, try #require(Preset.named("lru")))
    #expect(values[.writeVisibleLatency] == 0)
    #expect(values[.writesFailed] == 0)
    #expect(values[.writesUnacknowledged] == 0)
    // The entry is written to the storage first.
    #expect(values[.writeConfirmed] ?? 0 > 120_000_000)
    #expect(values[.writeConfirmed] ?? 0 < 400_000_000)
    // Only writes to entities that others have deleted meanwhile are refused.
    #expect(values[.writesRefused] ?? 0 < 0.1 * (values[.writes] ?? 0))
  }

  @Test("Without writes there are no figures of writes")
  func noFigures() throws {
    let lru = try #require(Preset.named("lru"))
    let rows = try Simulation(of: TalkScenario.workload(seed: 1))
      .run(policy: "lru", composition: Self.composition(lru)).rows
    #expect(!rows.contains { $0.metric == .writes || $0.metric == .writesLost })
  }

  // MARK: What counts as lost, and as twice

  private static func ledger(_ workload: Workload) -> WriteLedger {
    var ledger = WriteLedger(workload, client: 0)
    for write in workload.writes.indices where workload.writes[write].client == 0 {
      ledger.begin(UInt32(write), isQueued: true, at: .zero)
    }
    return ledger
  }

  @Test(
    "A write is lost if it was acknowledged, is not in effect, and its refusal was not reported")
  func lost() throws {
    let workload = try WritingScenario.workload()
    var ledger = Self.ledger(workload)
    var effects = [Int](repeating: 0, count: workload.writes.count)
    #expect(ledger.tally(effects: effects, from: 0).lost == 0, "nothing is acknowledged yet")
    for write in 0..<4 as Range<UInt32> { ledger.note(\.acknowledgedAt, of: write, at: .zero) }
    #expect(ledger.tally(effects: effects, from: 0).lost == 4)
    effects[0] = 1
    effects[1] = 2
    ledger.note(\.refusedAt, of: 2, at: .zero)
    let tally = ledger.tally(effects: effects, from: 0)
    #expect(tally.lost == 1)
    #expect(tally.twice == 1)
    // A notification of a refusal that did not happen is wrong.
    ledger.note(\.refusedAt, of: 0, at: .zero)
    #expect(ledger.tally(effects: effects, from: 0).lost == 2)
  }

  @Test("A server carries a write out once under one name, and says the same again")
  func onceUnderOneName() throws {
    let workload = try WritingScenario.workload(writes: "{}")
    let simulation = Simulation(of: workload)
    var server = SimulatedServer(workload, order: simulation.order, client: 0)
    let write = try #require(
      workload.writes.firstIndex { $0.client == 0 && $0.isCreation && !$0.isRefused })
    let number = UInt32(write)
    server.advance(to: Instant(nanoseconds: 100_000_000_000))
    let name = WriteNames.token(of: number)
    let isCarriedOut = [server.take(name, content: number), server.take(name, content: number)]
    #expect(isCarriedOut == [true, false])
    let once = server.writing?.effects[write]
    #expect(once == 1)
    // Under another name the same content counts twice.
    let other = MutationToken(rawValue: UniqueID(high: 1, low: UInt64(number)))
    _ = server.take(other, content: number)
    let twice = server.writing?.effects[write]
    #expect(twice == 2)
  }

  @Test("Others hear of a user's writes, and its own come when they arrive")
  func othersHear() throws {
    let workload = try WritingScenario.workload()
    let heard = workload.mutations.filter { $0.write != nil }
    #expect(heard.count > 100)
    #expect(heard.contains { workload.writes[Int($0.write ?? 0)].client == 1 })
    let simulation = Simulation(of: workload)
    for client in 0...1 {
      var server = SimulatedServer(workload, order: simulation.order, client: client)
      server.advance(to: .zero.advanced(by: workload.duration))
      let own = heard.count { workload.writes[Int($0.write ?? 0)].client == UInt32(client) }
      let count = server.mutations.count
      #expect(count == workload.mutations.count - own)
      let sequences = server.mutations.map(\.position)
      #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 })
    }
  }
}
