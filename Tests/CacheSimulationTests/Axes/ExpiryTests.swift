import CacheModel
import Testing
import Workloads

@testable import CacheSimulation

/// Expiry alone has a closed form, which no part of the simulator knows.
@Suite("Expiry in closed form", .timeLimit(.minutes(30)))
struct ExpiryTests {
  /// Seconds between reads of a Poisson process, one a second on average.
  private static func gaps(_ count: Int) -> [Double] {
    var random = RandomSource(seed: 7)
    return (0..<count).map { _ in random.exponential(mean: 1) }
  }

  /// How many of such reads are hits: what was fetched less than a time to live ago.
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
      // Who reads while the response is on its way waits for it.
      if at < fetched { continue }
      if at - fetched < lifetime {
        hits += 1
      } else {
        fetched = at + 1_000_000
      }
    }
    return hits
  }

  /// A view that is on screen throughout and read at such times, while a file of it is changed, and told
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
