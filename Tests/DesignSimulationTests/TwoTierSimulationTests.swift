import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@testable import DesignSimulation

@Suite("A two-tier cache in the simulation", .timeLimit(.minutes(30)))
struct TwoTierSimulationTests {
  private static let hitNames: Set = [Metric.hitFresh.name, Metric.hitStale.name]

  @Test(
    "has the hits of a dictionary with an age, with enough space and no writes",
    arguments: [60, 900, 3_600], [UInt64(1), 2])
  func aged(seconds: Int, seed: UInt64) throws {
    let workload = try SmallApp.workload(seed: seed)
    let (_, reads) = try SmallApp.run(workload) {
      $0.set("maximum-age", to: .duration(.seconds(seconds)))
      $0.set("disk-read-time", to: .duration(.zero))
    }
    let model = AgedDictionary(
      workload: workload, age: .seconds(seconds), roundTrip: .milliseconds(50))
    var count = 0
    for client in workload.clients.indices {
      let own = reads.filter { $0.client == client }
      let hits = Set(own.filter { Self.hitNames.contains($0.outcome.name) }.map(\.action))
      #expect(hits == model.hits(ofClient: client))
      count += hits.count
    }
    #expect(count > 50 && count < reads.count)
  }

  @Test("has its disk's contents after the end of a process, and asks for the rest")
  func relaunches() throws {
    let workload = try SmallApp.workload(
      with: "faults: [{kind: app-restart, at: 1 h, every: 1 h}]\n")
    let kept = try SmallApp.run(workload).result
    let ratio = try #require(kept.value(.coldStartHitRatio))
    let diskHits = try #require(kept.value(.diskHits, in: .all))
    #expect(ratio > 0.2 && diskHits > 20)
    // Values of no age are on no disk either.
    let forgotten = try SmallApp.run(workload) { $0.set("maximum-age", to: .duration(.zero)) }
      .result
    #expect(forgotten.value(.coldStartHitRatio) == 0 && forgotten.value(.diskHits, in: .all) == 0)
  }

  @Test("receives no event, and none counts against it")
  func noEvents() throws {
    let workload = try SmallApp.workload()
    let result = try SmallApp.run(workload).result
    #expect(result.value(.bytesPushed) == 0 && (result.value(.hitStale, in: .all) ?? 0) > 0)
    let preset = try #require(Preset.named("lru"))
    var composition = preset.composition(
      Preset.Allowance(
        capacity: .unlimited, maximumQueries: nil, freshness: .neverExpires))
    let simulation = Simulation(of: workload)
    let pushed = try simulation.run(policy: "lru", composition: composition)
    composition.takesEvents = false
    let silent = try simulation.run(policy: "lru", composition: composition)
    #expect((pushed.value(.bytesPushed) ?? 0) > 0 && silent.value(.bytesPushed) == 0)
    #expect(
      (pushed.value(.hitStale, in: .all) ?? 0) < (silent.value(.hitStale, in: .all) ?? 0))
  }

  @Test(
    "keeps to a limit on memory and nearly to one on its disk", arguments: [60_000, 250_000])
  func limits(memory: Int) throws {
    let workload = try SmallApp.workload()
    let disk = 400_000
    let result = try SmallApp.run(workload, capacity: Capacity(entities: nil, memory: memory)) {
      $0.diskBytes = disk
    }.result
    let predicted = try #require(result.value(.predictedBytes, .peak))
    #expect(predicted > Double(memory) / 3 && predicted <= Double(memory))
    let share = try #require(result.value(.overLimit, .peak))
    #expect(share > 0.5 && share <= 1)
    // A file more may lie there until the next look at all of them.
    let bytes = try #require(result.value(.diskBytes, .peak))
    let mean = try #require(result.value(.diskBytes, .mean))
    #expect(bytes > Double(disk) * 0.8 && bytes < Double(disk) * 1.5)
    #expect(mean > 0 && mean <= bytes)
    #expect((result.value(.files, .peak) ?? 0) > 5 && (result.value(.diskWrites) ?? 0) > 50)
    #expect((result.value(.memoryHits, in: .all) ?? 0) > 0)
  }

  @Test("answers from its disk after the time of a read there, and counts that as a hit")
  func diskTakesTime() throws {
    let workload = try SmallApp.workload()
    let (result, reads) = try SmallApp.run(
      workload, capacity: Capacity(entities: nil, bytes: 5_000)
    ) {
      $0.set("disk-read-time", to: .duration(.milliseconds(7)))
    }
    let fromDisk = reads.filter {
      Self.hitNames.contains($0.outcome.name) && $0.waited == 7_000_000
    }
    #expect(Double(fromDisk.count) == result.value(.diskHits, in: .all) && fromDisk.count > 50)
  }

  @Test("serves values within their age without a link, and nothing else")
  func offline() throws {
    let lines = "faults: [{kind: partition, at: 2 h, for: 30 min}]\n"
    let workload = try SmallApp.workload(with: lines, steps: ", {pin: 50 %}")
    func availability(_ seconds: Int64) throws -> (all: Double, tagged: Double) {
      let result = try SmallApp.run(workload) {
        $0.set("maximum-age", to: .duration(.seconds(seconds)))
      }.result
      return (
        try #require(result.value(.offlineHitRatio, in: .all)),
        try #require(result.value(.offlineHitRatio, in: "tagged"))
      )
    }
    let (short, long) = (try availability(300), try availability(86_400))
    #expect(short.all > 0 && short.all < long.all && long.all < 1)
    // Whatever was marked had been read.
    #expect(long.tagged == 1)
  }

  @Test("asks the server if a view is pulled down, and keeps its content without an answer")
  func pulled() throws {
    let workload = try SmallApp.workload(
      with: "faults: [{kind: partition, at: 2 h, for: 30 min}]\n", steps: ", {pull: 100 %}")
    let still = try SmallApp.workload(
      with: "faults: [{kind: partition, at: 2 h, for: 30 min}]\n")
    let day: (inout DesignSettings) -> Void = { $0.set("maximum-age", to: .unlimited) }
    let pulls = try SmallApp.run(workload, change: day).result
    let none = try SmallApp.run(still, change: day).result
    #expect((pulls.value(.fetches) ?? 0) > 1.5 * (none.value(.fetches) ?? 0))
    let availability = try #require(pulls.value(.offlineHitRatio, in: .all))
    #expect(availability > (none.value(.offlineHitRatio, in: .all) ?? 1))
  }

  @Test("loses no file to a full disk, and serves from memory meanwhile")
  func fullDisk() throws {
    let lines = "faults: [{kind: app-restart, at: 5 h, every: 3 h}, "
    let full = try SmallApp.workload(
      with: lines + "{kind: storage, at: 1 min, for: 355 min, error: full}]\n")
    let free = try SmallApp.workload(
      with: lines + "{kind: storage, at: 1 min, for: 1 min, error: full}]\n")
    let (of, without) = (try SmallApp.run(full).result, try SmallApp.run(free).result)
    #expect((of.value(.diskWrites) ?? 0) < (without.value(.diskWrites) ?? 0) / 4)
    #expect(
      (of.value(.coldStartHitRatio) ?? 1) < (without.value(.coldStartHitRatio) ?? 0))
    #expect((of.value(.hitRatio, in: .all) ?? 0) > 0.3)
  }
}

/// The model of a cache over files with enough space and without writes: a dictionary of answers, each
/// with the instant at which it came.
///
/// It reads the scripts of a workload by itself, and knows no store, no tier and no file.
struct AgedDictionary {
  private enum Key: Hashable {
    case query(UInt32)
    case object(UInt32)
  }

  let workload: Workload
  let age: Duration
  let roundTrip: Duration

  /// The actions of a client's script whose reads are served without the server.
  func hits(ofClient client: Int) -> Set<Int> {
    var hits: Set<Int> = []
    var came: [Key: Instant] = [:]
    var exists: [Key: Bool] = [:]
    for (index, action) in workload.clients[client].actions.enumerated() {
      let key: Key
      switch action.kind {
      case .read(let query), .observe(let query): key = .query(query)
      case .open(let object, _): key = .object(object)
      default: continue
      }
      if let at = came[key], at <= action.at, at.duration(to: action.at) <= age {
        hits.insert(index)
        continue
      }
      // In flight: a request now waits for the same answer.
      if let at = came[key], at > action.at { continue }
      guard isKept(key) else { continue }
      came[key] = action.at.advanced(by: roundTrip)
      exists[key] = true
    }
    return hits
  }

  private func isKept(_ key: Key) -> Bool {
    guard case .query(let query) = key else { return true }
    let spec = workload.queries[Int(query)]
    return spec.prefixLength == 0 || spec.prefixLength >= 2
  }
}
