import CacheModel
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

/// One bandwidth per direction: transfers take turns.
@Suite("Links")
struct LinkTests {
  private static let milliseconds = 1_000_000.0

  @Test("Responses wait for each other")
  func responses() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.bytesPerSecond = 11_000
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 1), at: 1)
    let values = try values(of: tiny.workload, composition())
    // 1,100 bytes take 100 ms; the second response leaves when the first has.
    let request = 100 / 11_000.0 * 1e9
    #expect(abs((values[.readWait, .p50] ?? 0) - (200 * Self.milliseconds + request)) < 10)
    #expect(abs((values[.readWait, .p99] ?? 0) - (300 * Self.milliseconds + request)) < 10)
  }

  @Test("An event that is sent before a response delays it, one that is sent after does not")
  func eventsDelayReads() throws {
    func wait(eventAt seconds: Double) throws -> Double {
      var tiny = TinyWorkload()
      let file = tiny.file(name: 1)
      tiny.bytesPerSecond = 11_000
      tiny.act(.read(query: 0), at: 1)
      let change = tiny.change(file, at: seconds, name: 1, modified: 5)
      tiny.send(change)
      return try values(of: tiny.workload, composition())[.readWait, .p99] ?? 0
    }
    let alone = try wait(eventAt: 5)
    // The request is at the server at 1.059 s; an event of 1,100 bytes takes 100 ms.
    #expect(abs(try wait(eventAt: 1.05) - alone - 91 * Self.milliseconds) < Self.milliseconds)
    #expect(try wait(eventAt: 1.07) == alone)
  }

  @Test("Events arrive in the order of sending, unless reordering is allowed")
  func order() throws {
    func gaps(isOvertaken: Bool) throws -> Double? {
      var tiny = TinyWorkload()
      let file = tiny.file(name: 1)
      let other = tiny.file(name: 2)
      tiny.bytesPerSecond = 1_000_000
      tiny.act(.read(query: 0), at: 1)
      let first = tiny.change(file, at: 2, name: 1, modified: 5)
      tiny.send(first, isOvertaken: isOvertaken, delay: 2)
      let second = tiny.change(other, at: 3, name: 2, modified: 6)
      tiny.send(second, delay: 0.001)
      return try values(of: tiny.workload, composition())[.gapsDetected]
    }
    // In order both arrive at 4 s; overtaken, the second is there at 3 s, and the first is missing.
    #expect(try gaps(isOvertaken: false) == 0)
    #expect(try gaps(isOvertaken: true) == 1)
  }

  @Test("A storm delays a read, and only where the link has a limit")
  func storm() throws {
    func wait(bytesPerSecond: Int?) throws -> Double {
      var tiny = TinyWorkload()
      _ = tiny.file(name: 1)
      tiny.bytesPerSecond = bytesPerSecond
      for index in 0..<200 {
        tiny.send(
          tiny.create(at: 1 + Double(index) / 1_000, name: 50, parent: Revision.noObject))
      }
      tiny.act(.read(query: 0), at: 1.1)
      return try values(of: tiny.workload, composition())[.readWait, .p99] ?? 0
    }
    #expect(try wait(bytesPerSecond: nil) == 100 * Self.milliseconds)
    // The request is at the server at 1.151 s. The 152 events until then and the response take 11 ms
    // each from 1 s on, and the way takes 50 ms: the rows are there at 2.733 s.
    #expect(try wait(bytesPerSecond: 100_000) == 1_633 * Self.milliseconds)
  }

  @Test("Requests have a delay of their own")
  func requests() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.bytesPerSecond = 1_000
    // A request of 100 bytes takes 100 ms to leave; five opens at once leave one after the other.
    let files = [file] + (0..<4).map { tiny.file(name: UInt64($0 + 2)) }
    for file in files { tiny.act(.open(object: file), at: 1) }
    let values = try values(of: tiny.workload, composition(), class: "entity")
    // The responses, 1,100 bytes each, are what takes long.
    #expect(values[.readWait, .p99] == (100 + 100 + 5 * 1_100) * Self.milliseconds)
  }

  @Test(
    "Without events only results requested before a change are stale, and nothing is an error")
  func withoutEvents() throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.pushesEvents = false
    tiny.act(.observe(query: 0), at: 1)
    _ = tiny.change(file, at: 2, name: 1, modified: 5)
    tiny.act(.read(query: 0), at: 3)
    tiny.act(.open(object: file), at: 4)
    let total = try values(of: tiny.workload, composition())
    #expect(outcomes(total) == [.missCold: 1, .hitStale: 1])
    #expect(total[.divergentQueries] == 1)
    #expect(total[.divergentEntities] == 1)
    #expect(total[.gapsDetected] == 0)
    #expect(total[.bytesPushed] == 0)
    // Expired results are requested again, and then agree.
    let expiring = try values(of: tiny.workload, composition(timeToLive: .milliseconds(1_500)))
    #expect(outcomes(expiring) == [.missCold: 1, .missExpired: 1])
  }
}

@Suite("Gaps: lost and late events")
struct GapTests {
  /// Three changes; each is delivered at its second, or never.
  private func gaps(deliveredAt seconds: [Double?]) throws -> RunValues {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    // The answer is the stream's first place: from here on every event counts.
    tiny.act(.read(query: 0), at: 1)
    let changes = seconds.indices.map { index in
      (tiny.change(file, at: 2 + Double(index), name: UInt64(index) + 2), seconds[index])
    }
    let delivered = changes.compactMap { change, second in second.map { (change, $0) } }
    for (change, second) in delivered.sorted(by: { $0.1 < $1.1 }) {
      tiny.deliver(change, at: second)
    }
    return try values(of: tiny.workload, composition())
  }

  @Test(
    "A gap is false where all are only late, and real where one was lost",
    arguments: [([nil, 6, 7], 0), ([20, nil, 6], 0), ([20, 21, 6], 1)] as [([Double?], Double)])
  func falseGaps(seconds: [Double?], expected: Double) throws {
    let values = try gaps(deliveredAt: seconds)
    #expect(values[.gapsDetected] == 1)
    #expect(values[.falseGaps] == expected)
  }
}

@Suite("How long requests take")
struct RequestTimingTests {
  private static func roundTrips(client: Int, _ count: Int = 20_000) -> [Double] {
    let network = NetworkModel(
      minimumRoundTrip: 10_000_000, meanExtra: 20_000_000, bytesPerSecond: nil, seed: 7)
    var timing = RequestTiming(network, client: client)
    return (0..<count).map { _ in Double(timing.nextRoundTrip()) / 1e6 }
  }

  @Test("The least time, and an exponential time of the mean that is asked for")
  func distribution() {
    let extra = Self.roundTrips(client: 0).map { $0 - 10 }
    #expect(extra.allSatisfy { $0 >= 0 })
    // Five standard errors of a mean of 20,000 times: 20 ms / √20,000 is 0.14 ms.
    #expect(abs(extra.reduce(0, +) / 20_000 - 20) < 0.7)
    // Beyond the mean lie exp(−1), beyond twice the mean exp(−2).
    for (times, share) in [(1.0, 0.3679), (2.0, 0.1353)] {
      let beyond = Double(extra.count { $0 > 20 * times }) / 20_000
      #expect(abs(beyond - share) < 0.017, "beyond \(times) means: \(beyond)")
    }
  }

  @Test("Drawn from the number of the request, again for each client")
  func repeats() {
    #expect(Self.roundTrips(client: 0, 10) == Self.roundTrips(client: 0, 10))
    #expect(Self.roundTrips(client: 1, 10) != Self.roundTrips(client: 0, 10))
  }
}
