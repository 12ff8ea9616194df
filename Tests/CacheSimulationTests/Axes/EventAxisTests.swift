import CacheModel
import NormalizedCache
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("How events reach lists and observers, in tiny workloads")
struct EventAxisTests {
  @Test(
    "A new file is listed, makes the list stale, or goes unnoticed",
    arguments: [
      (Membership.patch, Metric.hitFresh), (.markStale, .missInvalidated), (.blind, .hitStale),
    ])
  func membership(_ membership: Membership, _ outcome: Metric) throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    let creation = tiny.create(at: 2, name: 3)
    tiny.deliver(creation, at: 3)
    tiny.act(.read(query: 0), at: 4)
    let values = try values(of: tiny.workload, composition(membership: membership))
    #expect(outcomes(values) == [.missCold: 1, outcome: 1])
  }

  @Test(
    "Missed events are replayed, or make the affected lists or everything stale",
    arguments: [
      (GapResponse.replay, [.missCold: 2, .hitFresh: 2]),
      (.selectiveInvalidation, [.missCold: 2, .hitFresh: 1, .missInvalidated: 1]),
      (.fullInvalidation, [.missCold: 2, .missInvalidated: 2]),
    ] as [(GapResponse, [Metric: Int])])
  func gapResponse(_ response: GapResponse, _ expected: [Metric: Int]) throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .tagList, subject: 0, limit: 10))
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 1), at: 2)
    _ = tiny.change(file, at: 3, name: 2)
    tiny.heartbeat(1, at: 4)
    tiny.act(.read(query: 0), at: 10)
    tiny.act(.read(query: 1), at: 11)
    var composition = composition()
    composition.gapResponse = response
    let values = try values(of: tiny.workload, composition)
    #expect(outcomes(values) == expected)
    #expect(values[.gapsDetected] == 1)
  }

  @Test("An event that is late by less than the reorder window leaves no gap")
  func reorderWindow() throws {
    for (window, gaps) in [(Duration.milliseconds(200), 1.0), (.seconds(1), 0)] {
      var tiny = TinyWorkload()
      let file = tiny.file(name: 1)
      tiny.act(.read(query: 0), at: 1)
      let first = tiny.change(file, at: 2, name: 2)
      let second = tiny.change(file, at: 2.1, name: 3)
      tiny.deliver(second, at: 3)
      tiny.deliver(first, at: 3.5)
      var composition = composition()
      composition.reorderWindow = window
      #expect(try values(of: tiny.workload, composition)[.gapsDetected] == gaps)
    }
  }

  /// Three changes of a file on screen within a quarter of a second.
  private func burst() -> TinyWorkload {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    for (index, at) in [3, 3.1, 3.2].enumerated() {
      let change = tiny.change(file, at: at, name: UInt64(index + 2))
      tiny.deliver(change, at: at)
    }
    return tiny
  }

  @Test(
    "Within a window a view is notified once, of the last state",
    arguments: [
      (Duration.zero, 4.0), (.milliseconds(50), 4), (.milliseconds(150), 4), (.seconds(1), 3),
      (.seconds(5), 2),
    ])
  func coalescingWindow(_ window: Duration, _ notifications: Double) throws {
    var composition = composition()
    composition.coalescingWindow = window
    let values = try values(of: burst().workload, composition)
    // The first is the first result; no window makes any of the changes worth nothing.
    #expect(values[.notifications] == notifications)
    #expect(values[.notificationsUseful] == notifications)
    #expect(values[.notificationsMissed] == 0)
  }

  @Test("A view is owed nothing within its window, and everything after it")
  func owedAfterWindow() throws {
    let tiny = burst()
    var composition = composition()
    composition.coalescingWindow = .seconds(10)
    var client = try ClientSimulation(
      Simulation(of: tiny.workload), client: 0, policy: "lru", composition: composition)
    while let next = client.nextInstant(), next < TinyWorkload.instant(4) {
      try client.takeStep(at: next)
    }
    // Notified at 1.1 s of the first result; the changes at 3 s wait until 11.1 s.
    #expect(client.tally.notifications == 1)
    try client.checkViews()
    client.pass(to: TinyWorkload.instant(11.1))
    try client.checkViews()
    // The cache's notification is not delivered.
    client.pass(to: TinyWorkload.instant(11.2))
    var missed: DivergenceError?
    do { try client.checkViews() } catch let error as DivergenceError { missed = error }
    guard case .missedNotification = missed?.finding else {
      Issue.record("not noticed: \(String(describing: missed))")
      return
    }
  }

  @Test("An order by use keeps used entities; another does not")
  func evictionOrder() throws {
    for (order, expected) in [
      ("lru", [.missCold: 3, .hitFresh: 2]), ("fifo", [.missCold: 4, .hitFresh: 1]),
    ] as [(String, [Metric: Int])] {
      var tiny = TinyWorkload()
      let files = (1...3).map { tiny.file(name: UInt64($0)) }
      for (second, index) in [0, 1, 0, 2, 0].enumerated() {
        tiny.act(.open(object: files[index]), at: Double(second + 1))
      }
      var composition = composition(entities: 2)
      composition.evictionOrder = order
      #expect(
        outcomes(try values(of: tiny.workload, composition, class: "entity")) == expected)
    }
  }
}
