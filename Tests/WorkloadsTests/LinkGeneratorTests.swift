import CacheModel
import Testing

@testable import Workloads

/// The effects of a link on events, each fault by itself and against its law.
@Suite("Links that are drawn")
struct LinkGeneratorTests {
  /// 220 s of events at 60 a second, which without faults arrive as they are sent.
  private static func workload(_ network: String, faults: String = "") throws -> Workload {
    let scenario = try SmallLibrary.scenario(
      """
      duration: 4 min
      drain: 20 s
      writers: [{name: laptop, rate: 60/s, mix: {modify: 100 %}}]
      users: [{name: phone, mix: {album: 50 %, tag: 50 %}, \(SmallLibrary.activities)}]
      network: {delay: 0 s, jitter: 0 s, heartbeat: 1 h, \(network)}
      \(faults)
      """)
    return Workload.generate(scenario, seed: 12)
  }

  /// The events of the first client with their delays in seconds, in order of arrival.
  private static func delays(_ workload: Workload) -> [(mutation: Int, delay: Double)] {
    workload.clients[0].deliveries.compactMap { delivery in
      guard case .event(let mutation) = delivery.content else { return nil }
      let sent = workload.mutations[Int(mutation)].at
      return (Int(mutation), Double(delivery.at.nanoseconds - sent.nanoseconds) / 1e9)
    }
  }

  @Test("Without a fault every event arrives immediately, in order")
  func faultless() throws {
    let workload = try Self.workload("loss: 0 %")
    let events = Self.delays(workload)
    #expect(abs(events.count - 13_200) < 600)
    #expect(events.map(\.mutation) == Array(workload.mutations.indices))
    #expect(events.allSatisfy { $0.delay == 0 })
  }

  @Test("A restart comes again until the drain begins, and not as it begins")
  func restarts() throws {
    let workload = try Self.workload(
      "loss: 0 %", faults: "faults: [{kind: app-restart, at: 40 s, every: 1 min}]")
    let seconds = workload.clients[0].relaunches.map { $0.nanoseconds / 1_000_000_000 }
    #expect(seconds == [40, 100, 160])
  }

  @Test("Delayed events are overtaken if others follow soon enough")
  func reordered() throws {
    let workload = try Self.workload("reorder: 10 %, reorder-delay: 200 ms")
    let events = Self.delays(workload)
    let count = Double(events.count)
    // An event that is not late keeps its time, whatever happens to earlier ones.
    #expect(abs(Double(events.count { $0.delay == 0 }) / count - 0.9) < 0.013)
    let late = events.map(\.delay).filter { $0 > 0 }
    #expect(abs(late.reduce(0, +) / Double(late.count) - 0.2) < 0.03)
    var newest = -1
    var overtaken = 0
    for event in events {
      if event.mutation < newest { overtaken += 1 }
      newest = max(newest, event.mutation)
    }
    // Of events that come in time there are 54 a second: one of them comes before an exponential time of
    // 200 ms is over in 10.8 of 11.8 cases.
    #expect(abs(Double(overtaken) / count - 0.1 * 10.8 / 11.8) < 0.013)
  }

  @Test("A link that stops delivers the gathered events after its time, all together")
  func held() throws {
    for delay in Self.delays(try Self.workload("stall: 100 %, stall-for: 2 s")).map(\.delay) {
      #expect(delay == 2)
    }
    let some = try Self.workload("stall: 0.1 %, stall-for: 2 s")
    let arrivals = some.clients[0].deliveries.map(\.at)
    let delays = Self.delays(some)
    // Some 13 stops of 2 s, each of some 120 events that arrive together.
    var together: [Int] = []
    var run = 1
    for (before, after) in zip(arrivals, arrivals.dropFirst()) {
      run = before == after ? run + 1 : 1
      if run == 60 { together.append(60) }
    }
    #expect((5...22).contains(together.count))
    #expect(abs((delays.map(\.delay).max() ?? 0) - 2) < 1e-9)
    #expect(delays.map(\.mutation) == delays.map(\.mutation).sorted())
  }

  @Test("In the drain nothing is lost, late or twice")
  func quietEnd() throws {
    let scenario = try SmallLibrary.scenario(
      """
      duration: 100 s
      drain: 50 s
      users: [{name: phone, mix: {album: 50 %, tag: 50 %}, \(SmallLibrary.activities)}]
      network: {delay: 0 s, jitter: 0 s, heartbeat: 1 s, loss: 50 %, duplicate: 50 %, stall: 20 %}
      """)
    for seed in 1...5 as ClosedRange<UInt64> {
      let beats = Workload.generate(scenario, seed: seed).clients[0].deliveries
      let quiet = beats.map(\.at.nanoseconds).filter { $0 > 60_000_000_000 }
      // One a second, at the second.
      #expect(quiet == (61...99).map { $0 * 1_000_000_000 })
    }
  }

  @Test("A link that comes back learns the server's position immediately")
  func reconnection() throws {
    let workload = try Self.workload(
      "loss: 0 %",
      faults: """
        faults:
          - {kind: partition, at: 60 s, for: 10 s}
          - {kind: partition, at: 100 s, for: 20 s}
        """)
    for end in [70, 120] as [Int64] {
      let at = Instant(nanoseconds: end * 1_000_000_000)
      let beats = workload.clients[0].deliveries.filter { $0.at == at }.map(\.content)
      let last = try #require(workload.mutations.last { $0.at <= at })
      #expect(beats == [.heartbeat(last.position)])
    }
  }
}
