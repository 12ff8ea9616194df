import CacheModel
import CacheTestSupport
import Foundation
import NormalizedCache
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("A cache that is known only from outside")
struct ExternalCacheDriverTests {
  /// The parts of a read that are visible from outside.
  private struct Seen: Hashable {
    var client: Int
    var action: Int
    var at: Int64
    var outcome: String
    var waited: Int64?
    var age: Int64?

    init(_ read: ReadRecord) {
      (client, action, at) = (read.client, read.action, read.at)
      // Why a read is not served is known in the cache alone.
      let known: [Metric] = [.hitFresh, .hitStale, .failed, .coalesced]
      outcome = known.contains(read.outcome) ? read.outcome.name : "miss"
      waited = read.waited
      age = read.age
    }
  }

  private static let names = [
    "flaky-network", "slow-link", "pull-only", "media-scroll", "apps/issue-tracker-summaries",
  ]

  /// A few minutes of a committed scenario, of the user's and not of the day.
  private static func workload(_ name: String) throws -> Workload {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let bytes = try [UInt8](Data(contentsOf: top.appending(path: "Scenarios/\(name).yaml")))
    var scenario = try Scenario.parse(
      bytes, file: name, vocabulary: .unchecked, models: .shipped)
    scenario.duration = min(scenario.duration, scenario.drain + .seconds(240))
    for index in scenario.users.indices { scenario.users[index].visits = nil }
    return Workload.generate(scenario, seed: nil)
  }

  @Test(
    "The store itself, put behind turns, serves every read as it does without them",
    arguments: names)
  func equalsTheStore(name: String) throws {
    let simulation = Simulation(of: try Self.workload(name))
    let composition = CachePolicy(
      evictionOrder: "unbounded", capacity: Capacity(entities: nil), retention: .none,
      freshness: Freshness(timeToLive: .seconds(20)), maximumQueries: nil)
    let direct = try simulation.reads(policy: "direct", composition: composition)
    let inTurns = try simulation.run(cache: "in-turns") { _ throws(CacheFault) in
      do throws(CachePolicyError) {
        return try StoreInTurns(composition, simulation)
      } catch {
        throw CacheFault(.notStarted, "\(error)")
      }
    }
    #expect(direct.count > 50 && inTurns.reads.count == direct.count)
    let difference = zip(direct, inTurns.reads).first { Seen($0) != Seen($1) }
    #expect(difference == nil)
    let expected = try simulation.run(policy: "direct", composition: composition).rows
    for metric in [Metric.fetches, .bytesFetched, .bytesPushed, .reads, .hitRatio, .readWait] {
      func values(_ rows: [ResultRow]) -> [MetricValue?] {
        rows.filter { $0.metric == metric }.map(\.value)
      }
      #expect(values(inTurns.result.rows) == values(expected), "\(metric.name)")
    }
  }

  @Test("Notifying views of what they show changes only the figures of notifications")
  func superfluous() throws {
    let simulation = Simulation(of: try Self.workload("flaky-network"))
    let composition = CachePolicy(
      evictionOrder: "unbounded", capacity: Capacity(entities: nil), retention: .none,
      freshness: Freshness(timeToLive: .seconds(20)), maximumQueries: nil)
    func run(repeats: Bool) throws -> (result: SimulationResult, reads: [ReadRecord]) {
      try simulation.run(cache: "in-turns") { _ throws(CacheFault) in
        do throws(CachePolicyError) {
          let cache = try StoreInTurns(composition, simulation)
          return repeats ? RepeatingCache(cache) : cache
        } catch {
          throw CacheFault(.notStarted, "\(error)")
        }
      }
    }
    let (plain, repeating) = (try run(repeats: false), try run(repeats: true))
    #expect(plain.reads == repeating.reads)
    let own: [Metric] = [.notifications, .notificationsUseful, .notificationsSpurious]
    func rows(_ result: SimulationResult, _ isOwn: Bool) -> [ResultRow] {
      result.rows.filter { own.contains($0.metric) == isOwn }
    }
    let difference = zip(rows(plain.result, false), rows(repeating.result, false)).first {
      $0 != $1
    }
    #expect(difference == nil)
    for metric in [Metric.notifications, .notificationsSpurious] {
      func count(_ result: SimulationResult) -> Double {
        result.rows.first { $0.metric == metric }?.value?.asDouble ?? .nan
      }
      #expect(count(repeating.result) > count(plain.result), "\(metric.name)")
    }
  }

  @Test("Figures that cannot be seen from outside are empty, not zero")
  func emptyCells() throws {
    let rows = try run { turn in
      guard case .read = turn.operation else { return TurnAnswer() }
      return TurnAnswer(replies: [.serve(turn: turn.number, [])])
    }
    for metric in [
      Metric.evictions, .residentEntities, .predictedBytes, .overLimit, .cachedQueries,
    ] {
      let values = rows.filter { $0.metric == metric }
      #expect(!values.isEmpty && values.allSatisfy { $0.value == nil }, "\(metric.name)")
    }
    // Two of three reads were of a list that was not empty by then.
    let all = rows.filter { $0.class == "all" }
    #expect(all.first { $0.metric == .reads }?.value == .integer(3))
    #expect(all.first { $0.metric == .hitStale }?.value == .integer(3))
  }

  @Test("A read that is never answered fails after a minute, and at the end of the run")
  func unanswered() throws {
    let rows = try run { _ in TurnAnswer() }
    #expect(
      rows.first { $0.class == "all" && $0.metric == .failed }?.value == .integer(3))
  }

  @Test("An answer in a later turn is compared like a hit, unless the server was asked meanwhile")
  func laterTurns() throws {
    func counts(asking: Bool) throws -> [Metric: Int] {
      var waiting: [Int] = []
      let rows = try run { turn in
        switch turn.operation {
        case .read:
          waiting.append(turn.number)
          return TurnAnswer(
            replies: asking ? [.fetch(id: turn.number, .query(0), since: nil)] : [],
            wake: turn.at.advanced(by: .nanoseconds(1)))
        case .wake:
          defer { waiting = [] }
          return TurnAnswer(replies: waiting.map { .serve(turn: $0, []) })
        default: return TurnAnswer()
        }
      }
      return outcomes(RunValues(rows: rows.filter { $0.class == "all" }))
    }
    #expect(try counts(asking: false) == [.hitStale: 3])
    #expect(try counts(asking: true)[.hitStale] == nil)
  }

  @Test("An answer after that minute is allowed, but a second one is not")
  func late() throws {
    func answering(_ count: Int) throws -> [ResultRow] {
      try run { turn in
        guard turn.at >= .zero.advanced(by: .seconds(61)) else {
          return TurnAnswer(wake: .zero.advanced(by: .seconds(61)))
        }
        guard case .wake = turn.operation else { return TurnAnswer() }
        return TurnAnswer(replies: Array(repeating: .serve(turn: 1, []), count: count))
      }
    }
    let rows = try answering(1)
    #expect(
      rows.first { $0.class == "all" && $0.metric == .failed }?.value == .integer(3))
    let failure = try #require(throws: CacheFailure.self) { try answering(2) }
    #expect(failure.fault.kind == .noSuchRead)
  }

  // MARK: Rules

  @Test(
    "A cache that breaks the rules ends its run, by name",
    arguments: [
      ([.serve(turn: 7, [])], nil, .noSuchRead),
      ([.serve(turn: 1, []), .serve(turn: 1, [])], nil, .noSuchRead),
      ([.serve(turn: 1, [ServedRow(object: 1, version: 1)])], nil, .forgedVersion),
      ([.serve(turn: 1, [ServedRow(object: 1, version: 999_999)])], nil, .forgedVersion),
      ([.serve(turn: 1, [ServedRow(object: 1, version: -1)])], nil, .forgedVersion),
      ([.fetch(id: 1, .query(9), since: nil)], nil, .unknownQuery),
      ([.fetch(id: 1, .object(99), since: nil)], nil, .unknownQuery),
      ([.fetch(id: 1, .query(0), since: nil), .fetch(id: 1, .query(0), since: nil)], nil, .usedID),
      ([.fetch(id: -1, .query(0), since: nil)], nil, .usedID),
      ([.notify(query: 9, [])], nil, .unknownQuery),
      ([], Instant(nanoseconds: 1), .wakeInThePast),
    ] as [([CacheReply], Instant?, CacheFault.Kind)])
  func rules(replies: [CacheReply], wake: Instant?, kind: CacheFault.Kind) throws {
    let failure = try #require(throws: CacheFailure.self) {
      try run { turn in
        turn.number == 1 ? TurnAnswer(replies: replies, wake: wake) : TurnAnswer()
      }
    }
    #expect(failure.fault.kind == kind && failure.fault.turn == 1)
    #expect(failure.description.contains("cache fake, client") && failure.fault.at == .zero + 1)
  }

  @Test("A cache that asks to be woken forever at one instant is stopped")
  func wakesForEver() throws {
    let failure = try #require(throws: CacheFailure.self) {
      try run { TurnAnswer(wake: $0.at) }
    }
    #expect(failure.fault.kind == .wakesForEver)
  }

  @Test("A row may be served in the version that was sent, and in no later one")
  func versions() throws {
    var states: [UInt32] = []
    let rows = try run { turn in
      switch turn.operation {
      case .read:
        return TurnAnswer(replies: [.fetch(id: turn.number, .query(0), since: nil)])
      case .response(let id, .rows(let sent, _, _)):
        states = sent.map(\.state)
        return TurnAnswer(replies: [
          .serve(turn: id, states.map { ServedRow(object: Int($0), version: Int($0)) })
        ])
      default: return TurnAnswer()
      }
    }
    #expect(!states.isEmpty)
    #expect(rows.first { $0.class == "all" && $0.metric == .hitRatio }?.value == .real(0))
  }

  @Test("Stored data is there for the next process, except for its last moment")
  func relaunch() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.relaunches = [10, 20]
    for at in [1.0, 11, 19.995, 21] { tiny.act(.read(query: 0), at: at) }
    var found: [[StoredText]] = []
    let result = try Simulation(of: tiny.workload).run(cache: "storing") { launch in
      found.append(launch.stored)
      return FakeCache(features: [.storage]) { turn in
        switch turn.operation {
        case .read where turn.at < .zero + 5:
          return TurnAnswer(replies: [.fetch(id: turn.number, .query(0), since: nil)])
        case .read:
          // Served from the storage; the last write does not survive its process.
          return TurnAnswer(replies: [
            .store(key: "\(turn.at.nanoseconds / 10_000_000)", "x"),
            .serve(turn: turn.number, launch.stored.first.map { Self.rows($0.value) } ?? []),
          ])
        case .response(let id, .rows(let sent, _, _)):
          let versions = sent.map { "\($0.state)" }.joined(separator: " ")
          return TurnAnswer(replies: [
            .store(key: "0", versions), .serve(turn: id, Self.rows(versions)),
          ])
        default: return TurnAnswer()
        }
      }
    }
    #expect(found.map { $0.map(\.key) } == [[], ["0"], ["0", "1100"]])
    let all = result.result.rows.filter { $0.class == "all" }
    #expect(all.first { $0.metric == .hitFresh }?.value == .integer(3))
    let rows = result.result.rows
    #expect(rows.first { $0.metric == .diskWrites }?.value == .integer(3))
    #expect(result.reads.map(\.outcome).dropFirst().allSatisfy { $0 == .hitFresh })
  }

  @Test("Disk use is a mean per client, and the peak is the highest")
  func diskOfSeveralClients() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    var workload = tiny.workload
    var other = workload.clients[0]
    other.name = "other"
    workload.clients.append(other)
    var sizes = [1_000, 3_000]
    let rows = try Simulation(of: workload).run(cache: "full") { _ in
      FullDisk(bytes: sizes.removeFirst())
    }.result.rows.filter { $0.metric == .diskBytes }
    #expect(rows.map(\.statistic) == [.peak, .mean])
    #expect(rows.map { $0.value?.asDouble } == [3_000, 2_000])
  }

  private static func rows(_ versions: String) -> [ServedRow] {
    versions.split(separator: " ").compactMap { Int($0) }.map { ServedRow(object: $0, version: $0) }
  }

  @Test("A cache that stores without declaring it is stopped")
  func storesUnsaid() throws {
    let failure = try #require(throws: CacheFailure.self) {
      try run { _ in TurnAnswer(replies: [.store(key: "a", "b")]) }
    }
    #expect(failure.fault.kind == .unknownMessage)
  }

  @Test("A cache that needs list membership, and has not declared support, is not started")
  func givenUnsaid() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    func run(_ features: Set<CacheFeature>) throws {
      _ = try Simulation(of: tiny.workload).run(cache: "a@given") { launch in
        #expect(launch.membership == .given)
        return FakeCache(features: features) { _ in TurnAnswer() }
      }
    }
    try run([.given])
    let failure = try #require(throws: CacheFailure.self) { try run([]) }
    #expect(failure.fault.kind == .lacksFeature)
  }

  @Test("A view begins once: later reads of its list are reads")
  func viewBegins() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    for second in [2.0, 3] { tiny.act(.read(query: 0), at: second) }
    var asked: [String] = []
    _ = try Simulation(of: tiny.workload).run(cache: "fake") { _ in
      FakeCache { turn in
        switch turn.operation {
        case .observe: asked.append("observe")
        case .read: asked.append("read")
        default: return TurnAnswer()
        }
        return TurnAnswer(replies: [.serve(turn: turn.number, [])])
      }
    }
    #expect(asked == ["observe", "read", "read"])
  }

  @Test("A cache that does not know parts is not started where lists show a part of each row")
  func partsUnsaid() throws {
    let simulation = Simulation(of: try Self.workload("apps/issue-tracker-summaries"))
    let failure = try #require(throws: CacheFailure.self) {
      try simulation.run(cache: "plain") { _ in FakeCache { _ in TurnAnswer() } }
    }
    #expect(failure.fault.kind == .lacksFeature)
    #expect("\(failure)".contains("`parts`: its lists show a part of each row"), "\(failure)")
    #expect("\(failure)".contains("name it in `features` of hello"), "\(failure)")
  }

  @Test("A part that is served where the whole is asked for ends the run")
  func partAsWhole() throws {
    let simulation = Simulation(of: try Self.workload("apps/issue-tracker-summaries"))
    var sent: [UInt32: ServedRow] = [:]
    let failure = try #require(throws: CacheFailure.self) {
      try simulation.run(cache: "mixing") { _ in
        FakeCache(features: [.parts]) { turn in
          switch turn.operation {
          case .read(let query), .observe(let query):
            return TurnAnswer(replies: [.fetch(id: turn.number, .query(query), since: nil)])
          case .open(let object):
            let rows = sent[object].map { [$0] } ?? []
            return TurnAnswer(replies: [.serve(turn: turn.number, rows)])
          case .response(let id, .rows(let rows, _, _)):
            for row in rows { sent[row.object] = row.served }
            return TurnAnswer(replies: [.serve(turn: id, rows.map(\.served))])
          default: return TurnAnswer()
          }
        }
      }
    }
    #expect(failure.fault.kind == .partAsWhole, "\(failure)")
  }

  @Test("Every fault has a meaning and a remedy of its own")
  func registry() {
    let kinds = CacheFault.Kind.allCases
    #expect(Set(kinds.map(\.meaning)).count == kinds.count)
    #expect(kinds.allSatisfy { !$0.remedy.isEmpty && !$0.meaning.hasSuffix(".") })
    // A message ends with the document's word for it.
    #expect(
      kinds.allSatisfy { "\(CacheFault($0, "a"))".hasSuffix("\($0.remedy) [\($0.rawValue)]") })
    let fault = CacheFault(.ended, turn: 7, at: Instant(nanoseconds: 1_021_000_000))
    #expect("\(fault)".hasPrefix("turn 7 at 1021000000 ns (1.021 s): "))
  }

  /// Three reads of a directory of two files.
  private func run(_ take: @escaping (CacheTurn) -> TurnAnswer) throws -> [ResultRow] {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    _ = tiny.file(name: 2)
    for at in [1.0, 2, 3] { tiny.act(.read(query: 0), at: at) }
    return try Simulation(of: tiny.workload).run(cache: "fake") { _ in FakeCache(take) }.result.rows
  }
}

private final class FakeCache: CacheUnderTest {
  private let answer: (CacheTurn) -> TurnAnswer

  let features: Set<CacheFeature>

  init(features: Set<CacheFeature> = [], _ answer: @escaping (CacheTurn) -> TurnAnswer) {
    self.features = features
    self.answer = answer
  }

  func take(_ turn: CacheTurn) -> TurnAnswer { answer(turn) }
  func end() {}
}

extension Instant {
  fileprivate static func + (instant: Instant, seconds: Int64) -> Instant {
    Instant(nanoseconds: instant.nanoseconds + seconds * 1_000_000_000)
  }
}

/// Serves empty lists, and takes the same on its disk all the time.
private final class FullDisk: MeasuredCache {
  let use: CacheUse
  let takesEvents = true

  init(bytes: Int) {
    var use = CacheUse()
    use.diskBytes = bytes
    self.use = use
  }

  func refresh(_ query: Int) {}
  func take(_ turn: CacheTurn) -> TurnAnswer {
    guard case .read = turn.operation else { return TurnAnswer() }
    return TurnAnswer(replies: [.serve(turn: turn.number, [])])
  }
  func end() {}
}
