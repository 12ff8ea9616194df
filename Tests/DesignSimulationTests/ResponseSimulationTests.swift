import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@testable import DesignSimulation

@Suite("A response cache in the simulation", .timeLimit(.minutes(30)))
struct ResponseSimulationTests {
  @Test("has its disk's contents after the end of a process, and asks for stale ones")
  func relaunches() throws {
    let workload = try SmallApp.workload(
      with: "faults: [{kind: app-restart, at: 1 h, every: 1 h}]\n")
    let kept = try SmallApp.run(workload, .response) {
      $0.set("maximum-age", to: .duration(.seconds(7_200)))
    }.result
    #expect((kept.value(.coldStartHitRatio) ?? 0) > 0.2)
    #expect((kept.value(.diskHits, in: .all) ?? 0) > 20)
    let stale = try SmallApp.run(workload, .response) {
      $0.set("maximum-age", to: .duration(.zero))
    }.result
    #expect(stale.value(.coldStartHitRatio) == 0)
  }

  @Test("serves everything without a link, even without a lifetime, and all tagged entries")
  func offline() throws {
    let workload = try SmallApp.workload(
      with: "faults: [{kind: partition, at: 2 h, for: 30 min}]\n", steps: ", {pin: 50 %}")
    for age in [0, 86_400] as [Int64] {
      let result = try SmallApp.run(workload, .response) {
        $0.set("maximum-age", to: .duration(.seconds(age)))
        $0.set("maximum-entries", to: .number(1_000))
      }.result
      #expect((result.value(.offlineHitRatio, in: .all) ?? 0) > 0.2)
      #expect(result.value(.offlineHitRatio, in: "tagged") == 1)
    }
  }

  @Test("has fewer hits the shorter max-age is, and asks instead")
  func ages() throws {
    let workload = try SmallApp.workload()
    var hits: [Double] = []
    for age in [30, 297, 86_400] as [Int64] {
      let result = try SmallApp.run(workload, .response) {
        $0.set("maximum-age", to: .duration(.seconds(age)))
      }.result
      hits.append(try #require(result.value(.hitRatio, in: .all)))
    }
    #expect(hits == hits.sorted() && hits[0] < hits[2])
  }

  @Test(
    "keeps to limits in bytes on memory and disk", arguments: [100_000, 400_000],
    ["manifest", "sidecars"])
  func bytes(memory: Int, metadata: String) throws {
    let workload = try SmallApp.workload()
    func run(_ capacity: Capacity, disk: Int?) throws -> SimulationResult {
      try SmallApp.run(workload, .response, capacity: capacity) {
        $0.diskBytes = disk
        $0.set("memory-entries", to: .number(1_000))
        $0.set("metadata", to: .word(metadata))
      }.result
    }
    let free = try run(.unlimited, disk: nil)
    let taken = try #require(free.value(.diskBytes, .peak))
    let disk = Int(taken / 2)
    let held = try run(Capacity(entities: nil, memory: memory), disk: disk)
    let predicted = try #require(held.value(.predictedBytes, .peak))
    #expect(predicted > Double(memory) / 3 && predicted <= Double(memory))
    #expect(free.value(.predictedBytes, .peak) ?? 0 > Double(memory))
    #expect(held.value(.overLimit, .peak) ?? .infinity <= 1)
    let bytes = try #require(held.value(.diskBytes, .peak))
    // The metadata of entries that have just gone may be above, until the next flush.
    #expect(bytes > Double(disk) * 0.7 && bytes <= Double(disk) * 1.1)
    #expect((held.value(.hitRatio, in: .all) ?? 0) > 0.05)
  }

  @Test("keeps to its entries on disk, and writes a file for each with sidecars")
  func files() throws {
    let workload = try SmallApp.workload()
    func run(_ entries: Int64, _ metadata: String) throws -> (files: Double, writes: Double) {
      let result = try SmallApp.run(workload, .response) {
        $0.set("maximum-entries", to: .number(entries))
        $0.set("metadata", to: .word(metadata))
      }.result
      return (
        try #require(result.value(.files, .peak)), try #require(result.value(.diskWrites))
      )
    }
    let (few, many) = (try run(5, "manifest"), try run(200, "manifest"))
    #expect(few.files < many.files)
    let sidecars = try run(200, "sidecars")
    #expect(sidecars.files > many.files * 1.5)
  }
}
