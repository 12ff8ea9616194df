import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Workloads

@Suite("A process that ends, and the next")
struct RelaunchTests {
  /// A directory of two files, read at 1 s and once more after the process ended at 10 s.
  private static func tiny(relaunches: [Double] = [10]) -> (TinyWorkload, file: UInt32) {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    _ = tiny.file(name: 2)
    tiny.relaunches = relaunches
    tiny.act(.read(query: 0), at: 1)
    return (tiny, file)
  }

  private static func stored(
    _ composition: CachePolicy = composition(), bytes: Int? = nil
  ) -> CachePolicy {
    var composition = composition
    composition.storage = DiskStorage(maximumBytes: bytes)
    return composition
  }

  @Test("B51 Stored content is served again; without a storage everything is requested again")
  func comesBack() throws {
    var (tiny, file) = Self.tiny()
    tiny.act(.read(query: 0), at: 20)
    tiny.act(.open(object: file), at: 21)
    let cold = try values(of: tiny.workload, composition(), class: "all")
    #expect(outcomes(cold) == [.missCold: 2, .hitFresh: 1])
    let warm = try values(of: tiny.workload, Self.stored(), class: "all")
    #expect(outcomes(warm) == [.missCold: 1, .hitFresh: 2])
  }

  @Test("A process's first reads of data read by an earlier process count as cold starts")
  func coldStarts() throws {
    var (tiny, file) = Self.tiny(relaunches: [10, 30])
    // First reads of a process: the first and the third. The file was never read before.
    tiny.act(.read(query: 0), at: 20)
    tiny.act(.read(query: 0), at: 21)
    tiny.act(.open(object: file), at: 22)
    tiny.act(.read(query: 0), at: 40)
    for (composition, ratio) in [(composition(), 0.0), (Self.stored(), 1.0)] {
      #expect(
        try values(of: tiny.workload, composition, class: "cold-start")[.reads] == 2)
      let total = try values(of: tiny.workload, composition)
      #expect(total[.coldStartHitRatio] == ratio)
      #expect(total[.relaunches] == 2)
    }
  }

  @Test("B51 Commits within the flush window may be lost, whole batches are not")
  func window() throws {
    // The answer is there at 1.1 s, and in the storage 500 ms and the time of a write later.
    for (end, isStored) in [(1.605, false), (1.615, true)] {
      var (tiny, _) = Self.tiny(relaunches: [end])
      tiny.act(.read(query: 0), at: 5)
      let values = try values(of: tiny.workload, Self.stored())
      #expect(values[.coldStartHitRatio] == (isStored ? 1 : 0), "\(end) s")
    }
  }

  @Test("The app requests again what views showed, and this counts as no read by the user")
  func viewsComeBack() throws {
    var (tiny, file) = Self.tiny()
    tiny.actions = []
    tiny.act(.observe(query: 0), at: 1)
    tiny.deliver(tiny.change(file, at: 50, name: 9), at: 50)
    tiny.heartbeat(1, at: 60)
    tiny.act(.unobserve(query: 0), at: 90)
    for composition in [composition(), Self.stored()] {
      let all = try values(of: tiny.workload, composition, class: "all")
      #expect(all[.reads] == 1)
      #expect(try values(of: tiny.workload, composition, class: "redraw")[.reads] == 1)
      #expect(try values(of: tiny.workload, composition, class: "cold-start")[.reads] == 1)
      // The view that came back is notified of changes.
      let total = try values(of: tiny.workload, composition)
      #expect(total[.notificationsUseful] == (composition.storage == nil ? 3 : 2))
      #expect(total[.notificationsMissed] == 0)
    }
  }

  @Test("A read that waited ends with its process, and counts as abandoned")
  func waiting() throws {
    var (tiny, _) = Self.tiny(relaunches: [1.05])
    tiny.reaction = .waits
    tiny.act(.read(query: 0), at: 3)
    let values = try values(of: tiny.workload, composition())
    #expect(outcomes(values) == [.missCold: 2])
    #expect(values[.abandoned] == 1)
  }

  @Test("Events in flight are lost, and known to be: the gap is real")
  func connection() throws {
    var (tiny, file) = Self.tiny()
    // Sent before the end, and would arrive after it.
    tiny.deliver(tiny.change(file, at: 9.9, name: 5), at: 10.1)
    tiny.deliver(tiny.change(file, at: 30, name: 6), at: 30.1)
    tiny.act(.read(query: 0), at: 40)
    let values = try values(of: tiny.workload, Self.stored())
    #expect(values[.eventsApplied] == 2, "the second, and the first by a reconcile")
    #expect(values[.gapsDetected] == 1)
    #expect(values[.falseGaps] == 0)
    #expect(values[.divergentQueries] == 0)
  }

  @Test("A limit on the storage keeps the most recently used")
  func limit() throws {
    var tiny = TinyWorkload()
    let directories = (0..<12).map { _ in tiny.directoryOfFiles(10) }
    tiny.queries = directories.map { QuerySpec(kind: .directory, subject: UInt64($0), limit: 100) }
    tiny.relaunches = [50]
    for index in directories.indices {
      tiny.act(.read(query: UInt32(index)), at: 1 + Double(index))
      tiny.act(.read(query: UInt32(index)), at: 60 + Double(index))
    }
    tiny.actions.sort { $0.at < $1.at }
    let whole = try values(of: tiny.workload, Self.stored())
    #expect(whole[.coldStartHitRatio] == 1)
    #expect(whole[.diskWrites] == 132)
    let bytes = try #require(whole[.diskBytes, .peak])
    // Ten files of 1,000 bytes and a list, twelve times.
    #expect(bytes > 120_000 && bytes < 160_000)
    let part = try values(of: tiny.workload, Self.stored(bytes: 100_000))
    #expect(try #require(part[.diskBytes, .peak]) <= 100_000)
    let ratio = try #require(part[.coldStartHitRatio])
    #expect(ratio > 0.3 && ratio < 0.8)
  }

  @Test("A failing storage costs what it refused; a corrupt one everything")
  func faults() throws {
    for (fault, isThere) in [
      (StorageFault.full, false), (.readOnly, false), (.failed, false), (.locked, false),
    ] {
      var (tiny, _) = Self.tiny()
      tiny.storageFaults = [
        StorageRefusal(during: TinyWorkload.instant(0)..<TinyWorkload.instant(20), fault: fault)
      ]
      tiny.act(.read(query: 0), at: 20)
      let values = try values(of: tiny.workload, Self.stored())
      #expect(values[.coldStartHitRatio] == (isThere ? 1 : 0), "\(fault)")
    }
    // Written at first, and lost with the next batch.
    var (tiny, file) = Self.tiny()
    tiny.deliver(tiny.change(file, at: 5, name: 7), at: 5)
    tiny.act(.read(query: 0), at: 20)
    for (fault, ratio) in [(StorageFault.full, 1.0), (.corrupt, 0)] {
      tiny.storageFaults = [
        StorageRefusal(during: TinyWorkload.instant(5)..<TinyWorkload.instant(12), fault: fault)
      ]
      #expect(
        try values(of: tiny.workload, Self.stored())[.coldStartHitRatio] == ratio, "\(fault)")
    }
  }

  @Test("Statistics are of all processes together")
  func statistics() throws {
    var (tiny, _) = Self.tiny(relaunches: [10, 20, 30])
    for second in [15.0, 25, 35] { tiny.act(.read(query: 0), at: second) }
    let values = try values(of: tiny.workload, composition())
    #expect(values[.reads] == 4)
    #expect(values[.fetches] == 4)
    // Two files and the four answers that listed them.
    #expect(values[.entityAccesses] == 8)
    #expect(values[.residentEntities, .peak] == 2)
  }

  @Test("Nothing is said of processes and storages where none ends")
  func absent() throws {
    let (tiny, _) = Self.tiny(relaunches: [])
    let rows = try Simulation.run(
      workload: tiny.workload, policyName: "test", composition: Self.stored())
    let metrics: Set<Metric> = [.relaunches, .coldStartHitRatio, .diskBytes, .diskWrites]
    #expect(rows.allSatisfy { !metrics.contains($0.metric) && $0.class != "cold-start" })
  }
}
