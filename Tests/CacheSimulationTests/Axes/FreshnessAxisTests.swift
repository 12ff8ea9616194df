import CacheModel
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Expired results in tiny workloads")
struct FreshnessAxisTests {
  private static func seconds(_ range: Range<Double>) -> Range<Instant> {
    TinyWorkload.instant(range.lowerBound)..<TinyWorkload.instant(range.upperBound)
  }

  /// A directory that is read at these seconds.
  private func reads(at seconds: [Double]) -> TinyWorkload {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    _ = tiny.file(name: 2)
    for second in seconds { tiny.act(.read(query: 0), at: second) }
    return tiny
  }

  private func composition(
    timeToLive: Duration? = .seconds(10), whileRevalidate: Duration = .zero,
    ifError: Duration = .zero, dropsExpired: Bool = false
  ) -> CachePolicy {
    CachePolicy(
      evictionOrder: "lru", capacity: .unlimited, retention: .none,
      freshness: Freshness(
        timeToLive: timeToLive, dropsExpired: dropsExpired, staleWhileRevalidate: whileRevalidate,
        staleIfError: ifError),
      maximumQueries: nil)
  }

  @Test("Within its window an expired result is served immediately, and fetched at the same time")
  func staleWhileRevalidate() throws {
    let workload = reads(at: [1, 15, 16]).workload
    let served = try values(of: workload, composition(whileRevalidate: .seconds(10)))
    #expect(outcomes(served) == [.missCold: 1, .hitFresh: 2])
    #expect(served[.servedExpired] == 1)
    #expect(served[.servedExpiredShare] == 1.0 / 3)
    #expect(served[.fetches] == 2)
    let waited = try values(of: workload, composition())
    #expect(outcomes(waited) == [.missCold: 1, .missExpired: 1, .hitFresh: 1])
    #expect(waited[.servedExpired] == 0)
    #expect(waited[.fetches] == 2)
  }

  @Test("Beyond the window it is fetched and waited for, and so is a result without a lifetime")
  func beyondWindow() throws {
    let late = try values(
      of: reads(at: [1, 30]).workload, composition(whileRevalidate: .seconds(10)))
    #expect(outcomes(late) == [.missCold: 1, .missExpired: 1])
    let always = try values(
      of: reads(at: [1, 2, 3]).workload,
      composition(timeToLive: .zero, whileRevalidate: .seconds(1_000)))
    #expect(outcomes(always) == [.missCold: 1, .hitFresh: 2])
    #expect(always[.fetches] == 3)
    #expect(always[.servedExpired] == 2)
  }

  @Test("A view that is served immediately asks again after neither a heartbeat nor a notification")
  func toldWhileRevalidating() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    let change = tiny.change(file, at: 5, name: 2)
    tiny.deliver(change, at: 6)
    for second in 7...20 { tiny.heartbeat(1, at: Double(second)) }
    let values = try values(
      of: tiny.workload, composition(timeToLive: .zero, whileRevalidate: .seconds(1_000)))
    #expect(values[.fetches] == 1)
    #expect(values[.notificationsUseful] == 2)
    #expect(values[.notificationsMissed] == 0)
  }

  @Test(
    "If the server answers with errors, expired results are served for as long as allowed",
    arguments: [(0.0, isServed: false), (3.0, false), (10.0, true)])
  func staleIfError(_ window: Double, isServed: Bool) throws {
    var tiny = reads(at: [1, 15])
    tiny.errors = [Self.seconds(14..<20)]
    let values = try values(
      of: tiny.workload, composition(ifError: .milliseconds(Int(window * 1_000))))
    // It has waited for the answer, whatever the result.
    #expect(
      outcomes(values)
        == (isServed ? [.missCold: 1, .missExpired: 1] : [.missCold: 1, .failed: 1]))
    #expect(values[.servedExpired] == (isServed ? 1 : 0))
    #expect(values[.reads] == 2)
    #expect(values[.fetches] == 2)
  }

  @Test("A single entity is served in the same way")
  func entityOnError() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.open(object: file), at: 1)
    tiny.act(.open(object: file), at: 15)
    tiny.errors = [Self.seconds(14..<20)]
    let served = try values(
      of: tiny.workload, composition(ifError: .seconds(10)), class: "entity")
    #expect(outcomes(served) == [.missCold: 1, .missExpired: 1])
    #expect(served[.servedExpired] == 1)
    let failed = try values(of: tiny.workload, composition(), class: "entity")
    #expect(outcomes(failed) == [.missCold: 1, .failed: 1])
  }

  @Test("A result that is dropped when it expires is not there when the link is down")
  func dropsExpired() throws {
    var tiny = reads(at: [1, 14, 20])
    tiny.queries.append(QuerySpec(kind: .tagList, subject: 0, limit: 10))
    tiny.partitions = [Self.seconds(18..<30)]
    // The read at 14 s fetches again, so that at 20 s nothing has expired.
    let kept = try values(of: tiny.workload, composition())
    #expect(outcomes(kept) == [.missCold: 1, .missExpired: 1, .hitFresh: 1])
    var older = reads(at: [1, 20])
    older.partitions = [Self.seconds(18..<30)]
    let stale = try values(of: older.workload, composition())
    #expect(outcomes(stale) == [.missCold: 1, .hitFresh: 1])
    #expect(stale[.servedExpired] == 1)
    let dropped = try values(of: older.workload, composition(dropsExpired: true))
    #expect(outcomes(dropped) == [.missCold: 1, .failed: 1])
  }

  @Test("A method may live longer than others; a result without expiry is never refetched")
  func lifetimes() throws {
    let workload = reads(at: [1, 15]).workload
    var longer = composition()
    longer.freshness.perMethod[QueryKind.directory.method] = .seconds(60)
    for lasting in [longer, composition(timeToLive: nil)] {
      let values = try values(of: workload, lasting)
      #expect(outcomes(values) == [.missCold: 1, .hitFresh: 1])
    }
  }

  @Test("An answer that the cache has already is confirmed, and costs its envelope")
  func notModified() throws {
    var tiny = reads(at: [1, 20])
    let repeated = try values(of: tiny.workload, composition())
    #expect(repeated[.bytesFetched] == 4_200)
    #expect(repeated[.bytesWastedIdentical] == 2_000)
    #expect(repeated[.notModified] == 0)
    tiny.saysNotModified = true
    let confirmed = try values(of: tiny.workload, composition())
    #expect(outcomes(confirmed) == [.missCold: 1, .missExpired: 1])
    #expect(confirmed[.bytesFetched] == 2_200)
    #expect(confirmed[.bytesWastedIdentical] == 0)
    #expect(confirmed[.notModified] == 1)
  }

  @Test("An answer that has changed is given in full, whether or not the client knows of it")
  func modified() throws {
    for isTold in [false, true] {
      var tiny = TinyWorkload()
      let file = tiny.file(name: 1)
      tiny.act(.read(query: 0), at: 1)
      let change = tiny.change(file, at: 5, name: 2)
      if isTold { tiny.deliver(change, at: 6) }
      tiny.act(.read(query: 0), at: 20)
      tiny.act(.read(query: 0), at: 40)
      tiny.saysNotModified = true
      let values = try values(of: tiny.workload, composition())
      #expect(outcomes(values) == [.missCold: 1, .missExpired: 2])
      // In full at 1 and 20 s; confirmed at 40 s.
      #expect(values[.notModified] == 1, "told: \(isTold)")
      #expect(values[.divergentQueries] == 0)
    }
  }
}

/// Expiry alone has a closed form, which no part of the simulator knows.
@Suite("Expiry in closed form", .timeLimit(.minutes(30)))
struct ExpiryTests {
  /// Seconds between reads of a Poisson process, one a second on average.
  private static func gaps(_ count: Int) -> [Double] {
    var random = RandomSource(seed: 7)
    return (0..<count).map { _ in random.exponential(mean: 1) }
  }

  /// The number of these reads that are hits: of results fetched less than a time to live ago.
  ///
  /// Times are whole nanoseconds, as in the simulator.
  private static func hits(_ gaps: [Double], timeToLive: Double) -> Int {
    let lifetime = Int64(timeToLive * 1e9)
    var now = 0.0
    // The response is a millisecond on its way; it is as old as its arrival. The view opens at 0.
    var fetched: Int64 = 1_000_000
    var hits = 0
    for gap in gaps {
      now += gap
      let at = Int64(now * 1e9)
      // A read while the response is in flight waits for it.
      if at < fetched { continue }
      if at - fetched < lifetime {
        hits += 1
      } else {
        fetched = at + 1_000_000
      }
    }
    return hits
  }

  /// A view that is on screen throughout and read at such times, while a file of it is changed, and notified
  /// of, every ten seconds.
  private func workload(_ gaps: [Double], heartbeat: Double) -> Workload {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 0)
    var at = 0.0
    for gap in gaps {
      at += gap
      tiny.act(.read(query: 0), at: at)
    }
    tiny.duration = .seconds(Int64(at) + 1)
    var changes: [(at: Double, sequence: UInt64)] = []
    for index in 1..<Int(at / 10) {
      let change = tiny.change(file, at: Double(index) * 10, name: 1, modified: Int64(index))
      tiny.deliver(change, at: Double(index) * 10 + 0.001)
      changes.append((Double(index) * 10, UInt64(change) + 1))
    }
    var next = 0
    for beat in stride(from: heartbeat, to: at, by: heartbeat) {
      while next < changes.count, changes[next].at + 0.002 < beat { next += 1 }
      if next > 0 { tiny.heartbeat(changes[next - 1].sequence, at: beat) }
    }
    tiny.deliveries.sort { $0.at < $1.at }
    return tiny.workload
  }

  @Test(
    "Hits are M / (1 + M), where M reads are expected within a time to live",
    arguments: [0.2, 1.0, 5.0])
  func closedForm(timeToLive: Double) {
    let gaps = Self.gaps(250_000)
    let hits = Double(Self.hits(gaps, timeToLive: timeToLive)) / Double(gaps.count)
    #expect(abs(hits - timeToLive / (1 + timeToLive)) < 0.003)
  }

  @Test(
    "B24 The simulator counts the same hits to the read, whatever the heartbeat",
    arguments: [1.0, 5.0, 60.0])
  func simulated(heartbeat: Double) throws {
    let gaps = Self.gaps(4_000)
    var workload = workload(gaps, heartbeat: heartbeat)
    workload.network.minimumRoundTrip = 1_000_000
    let simulation = Simulation(of: workload)
    for timeToLive in [0.2, 1.0, 5.0] {
      let result = try simulation.run(
        policy: "ttl",
        composition: composition(timeToLive: .milliseconds(Int64(timeToLive * 1_000))))
      let client = result.clients[0]
      #expect(client.reads == gaps.count + 1)
      #expect(client.freshHits == Self.hits(gaps, timeToLive: timeToLive))
    }
  }
}
