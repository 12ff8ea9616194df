import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@testable import DesignSimulation

@Suite("A streaming repository in the simulation", .timeLimit(.minutes(30)))
struct RepositorySimulationTests {
  private static let hitNames: Set = [Metric.hitFresh.name, Metric.hitStale.name]

  private func run(
    _ workload: Workload, capacity: Capacity = .unlimited,
    change: (inout DesignSettings) -> Void = { _ in }
  ) throws -> (result: SimulationResult, reads: [ReadRecord]) {
    try SmallApp.run(workload, .streamingRepository, capacity: capacity, change: change)
  }

  @Test("waits for values that were never given, and for those given serves them, however old")
  func hits() throws {
    let workload = try SmallApp.workload()
    let (result, reads) = try run(workload)
    var asked: [Int: Set<String>] = [:]
    var misses = 0
    for read in reads where read.outcome.name != Metric.bypass.name {
      let key = "\(read.subject)"
      let isFirst = asked[read.client, default: []].insert(key).inserted
      if !Self.hitNames.contains(read.outcome.name) {
        misses += 1
        #expect(isFirst, "\(key) was there")
      }
    }
    #expect(misses > 10 && (result.value(.hitStale, in: .all) ?? 0) > 0)
    #expect(result.value(.bytesPushed) == 0)
  }

  @Test("has everything after the end of a process, and fetches viewed lists")
  func relaunches() throws {
    let workload = try SmallApp.workload(
      with: "faults: [{kind: app-restart, at: 1 h, every: 1 h}]\n")
    let with = try run(workload).result
    let without = try run(workload) { $0.set("first-view", to: .word("no")) }.result
    #expect((with.value(.coldStartHitRatio) ?? 0) > 0.2)
    #expect((with.value(.fetches) ?? 0) > (without.value(.fetches) ?? 0))
    #expect(with.value(.diskBytes, .peak) ?? 0 > 0)
  }

  @Test("fetches again when the link is back, when it is pulled, and after an interval")
  func triggers() throws {
    let partitions = (1..<11).map { "{kind: partition, at: \($0 * 30) min, for: 5 min}" }
    let lines = "faults: [\(partitions.joined(separator: ", "))]\n"
    let workload = try SmallApp.workload(with: lines)
    let plain = try run(workload).result
    let deaf = try run(workload) { $0.set("foreground", to: .word("no")) }.result
    let pulled = try run(try SmallApp.workload(with: lines, steps: ", {pull: 100 %}")).result
    let polled = try run(workload) { $0.set("refresh-interval", to: .duration(.seconds(10))) }
      .result
    let fetches = try #require(plain.value(.fetches))
    #expect(try #require(deaf.value(.fetches)) < fetches)
    #expect(try #require(pulled.value(.fetches)) > fetches * 1.2)
    #expect(try #require(polled.value(.fetches)) > fetches)
    #expect(
      try #require(plain.value(.hitStale, in: .all)) < (deaf.value(.hitStale, in: .all) ?? 0))
  }

  @Test("serves everything it was ever given without a link")
  func offline() throws {
    let workload = try SmallApp.workload(
      with: "faults: [{kind: partition, at: 2 h, for: 30 min}]\n", steps: ", {pin: 50 %}")
    let repository = try run(workload).result
    let available = try #require(repository.value(.offlineHitRatio, in: .all))
    #expect(available > 0.2 && available < 1)
    #expect(repository.value(.offlineHitRatio, in: "tagged") == 1)
  }

  @Test("writes fewer rows if it leaves unchanged ones alone, and none to a full disk")
  func rows() throws {
    let workload = try SmallApp.workload(steps: ", {pull: 100 %}")
    let all = try run(workload).result
    let changed = try run(workload) { $0.set("rewrite-unchanged", to: .word("no")) }.result
    let (written, fewer) = (
      try #require(all.value(.diskWrites)), try #require(changed.value(.diskWrites))
    )
    #expect(fewer > 0 && fewer < written / 2)
    #expect(all.value(.hitStale, in: .all) == changed.value(.hitStale, in: .all))
    let full = try run(
      try SmallApp.workload(
        with: "faults: [{kind: storage, at: 1 min, for: 355 min, error: full}]\n")
    ).result
    // Rows that are not stored are not shown, and requested again.
    #expect(try #require(full.value(.diskWrites)) < written / 10)
    #expect(try #require(full.value(.hitRatio, in: .all)) < 0.2)
  }

  @Test("takes memory for viewed rows and its tables, on any disk")
  func memory() throws {
    let workload = try SmallApp.workload()
    let result = try run(workload).result
    let predicted = try #require(result.value(.predictedBytes, .peak))
    let disk = try #require(result.value(.diskBytes, .peak))
    #expect(predicted > 2_000 && disk > 2 * predicted)
    let limited = try run(workload) { $0.diskBytes = Int(disk / 2) }.result
    #expect(limited.value(.diskBytes, .peak) ?? .infinity <= disk / 2)
  }
}
