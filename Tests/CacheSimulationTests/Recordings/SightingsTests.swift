import CacheModel
import RecordingCodec
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("What a recording tells of the freshness of hits")
struct SightingsTests {
  /// Reads of a directory and of another list, with the answers that the server gave to some of them.
  private static func recording() -> Workload {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    let other = tiny.directoryOfFiles(1)
    tiny.pushesEvents = false
    tiny.queries.append(QuerySpec(kind: .directory, subject: UInt64(other), limit: 10))
    let change = tiny.change(file, at: 5, name: 2)
    for second in [1, 3, 5, 7] { tiny.act(.read(query: 0), at: Double(second)) }
    for second in [8, 9] { tiny.act(.read(query: 1), at: Double(second)) }
    var workload = tiny.workload
    workload.truth = .observed
    workload.answeredPolicy = "app"
    let changed = workload.items[workload.mutations[Int(change)].items.lowerBound].revision
    func answer(_ query: UInt32, _ second: Double, _ result: [UInt32]) {
      let at = TinyWorkload.instant(second)
      var answer = RecordedAnswer(asked: at, at: at, target: .query(query), bytes: 1_000)
      answer.result = result
      workload.clients[0].answers.append(answer)
    }
    answer(0, 1, [1])
    answer(0, 3, [1])
    answer(0, 5, [changed])
    answer(1, 8, [3])
    return workload
  }

  @Test("A hit is compared with the server's answer to the same read; without one it is unknown")
  func judged() throws {
    let all = try values(of: Self.recording(), composition())
    #expect(all[.hitFresh] == 1)
    // What the answer of second 5 has replaced stays outdated after it.
    #expect(all[.hitStale] == 2)
    #expect(all[.hitUnknown] == 1)
    #expect(all[.freshHitRatio] == nil && all[.staleReadShare] == nil)
    #expect(all[.freshHitRatio, .lower] == 1.0 / 6)
    #expect(all[.freshHitRatio, .upper] == 2.0 / 6)
    #expect(all[.staleReadShare, .lower] == 2.0 / 6)
    #expect(all[.staleReadShare, .upper] == 3.0 / 6)
  }

  @Test("Results that the app's own cache may have shown are no answers of the server")
  func ownCache() throws {
    var workload = Self.recording()
    workload.answeredPolicy = nil
    let results = workload.clients[0].answers.map { $0.result ?? [] }
    workload.clients[0].answers = []
    for (number, result) in results.enumerated() {
      let read = ObservedRead(client: 0, action: number == 3 ? 4 : number)
      workload.observedResults[read] = result
      workload.recordedOutcomes[read] = number == 0 ? .miss : .hit
    }
    let all = try values(of: workload, composition())
    #expect(all[.hitFresh] == 0)
    #expect(all[.hitUnknown] == 2)
  }

  @Test("What is fully known has one value; a scenario has no ends")
  func withoutDoubt() throws {
    var workload = Self.recording()
    workload.clients[0].actions.removeLast()
    let all = try values(of: workload, composition())
    #expect(all[.hitUnknown] == 0)
    #expect(all[.freshHitRatio] == 1.0 / 5)
    #expect(all[.freshHitRatio, .upper] == 1.0 / 5)
    workload.truth = .known
    let known = try values(of: workload, composition())
    #expect(known.rows.allSatisfy { $0.statistic != .lower && $0.metric != .hitUnknown })
  }

  @Test(
    "The true shares lie between the ends for every policy, and a policy that wins at both wins",
    arguments: [false, true], [UInt64(1), 2])
  func bounds(showsSummaries: Bool, seed: UInt64) throws {
    var known =
      try showsSummaries
      ? TalkScenario.summaries(seed: seed) : TalkScenario.workload(seed: seed)
    known.network = NetworkModel(minimumRoundTrip: 2, meanExtra: 0, bytesPerSecond: nil, seed: 1)
    known.pushesEvents = false
    for client in known.clients.indices {
      known.clients[client].deliveries = []
      known.clients[client].partitions = []
    }
    // Of every fourth read it is not recorded what the server answered.
    let recording = Self.recording(of: known) { $0 % 4 != 3 }
    #expect(recording.mutations.count < known.mutations.count)
    var shares: [(policy: String, fresh: Double, low: Double, high: Double)] = []
    var unknown = 0.0
    for preset in Preset.all {
      let composition = preset.composition(
        Preset.Allowance(
          capacity: Capacity(entities: 100), maximumQueries: 30,
          freshness: Freshness(timeToLive: .seconds(20))))
      func all(_ workload: Workload) throws -> RunValues {
        let run = try Simulation(of: workload).run(policy: preset.name, composition: composition)
        return RunValues(rows: run.rows.filter { $0.class == "all" })
      }
      let (truth, told) = (try all(known), try all(recording))
      for metric in [Metric.staleReadShare, .freshHitRatio] {
        let value = try #require(truth[metric])
        let low = try #require(told[metric, .lower])
        let high = try #require(told[metric, .upper])
        #expect(
          low <= value && value <= high, "\(preset.name): \(metric) \(low) \(value) \(high)")
        if metric == .freshHitRatio { shares.append((preset.name, value, low, high)) }
      }
      unknown = max(unknown, told[.hitUnknown] ?? 0)
    }
    #expect(unknown > 10)
    let best = try #require(shares.map(\.low).max())
    let highest = try #require(shares.map(\.high).max())
    let truly = try #require(shares.map(\.fresh).max())
    for share in shares where share.low == best && share.high == highest {
      #expect(share.fresh == truly, "\(share.policy) wins at both ends")
    }
  }

  /// What a browser would have recorded: the answers of the server to reads, and the changes that they show.
  private static func recording(of known: Workload, isTold: (Int) -> Bool) -> Workload {
    var recording = known
    recording.truth = .observed
    recording.answeredPolicy = "app"
    var server = SimulatedServer(known, order: StateOrder(of: known))
    let reads = known.clients.indices.flatMap { client in
      known.clients[client].actions.map { (client: client, action: $0) }
    }.sorted { $0.action.at < $1.action.at }
    var firstSeen = [Instant?](repeating: nil, count: known.catalog.revisions.count)
    var count = 0
    for (client, action) in reads {
      server.advance(to: action.at.advanced(by: .nanoseconds(1)))
      let target: RecordedAnswer.Target
      let result: [UInt32]
      switch action.kind {
      case .read(let query), .observe(let query), .redraw(let query):
        target = .query(query)
        result = server.answer(Int(query)).rows.map(\.revision)
      case .open(let object, _):
        target = .object(object)
        let state = server.current[Int(object)]
        result = state == SimulatedServer.noRevision ? [] : [state]
      case .unobserve, .tag, .write, .maintenance: continue
      }
      count += 1
      guard isTold(count) else { continue }
      var answer = RecordedAnswer(
        asked: action.at, at: action.at.advanced(by: .nanoseconds(2)), target: target, bytes: 1)
      answer.result = result
      recording.clients[client].answers.append(answer)
      for state in result where firstSeen[Int(state)] == nil { firstSeen[Int(state)] = answer.at }
    }
    // A state that was seen began when it was seen first, at the latest; no other is in the file.
    recording.mutations = []
    recording.items = []
    let later = firstSeen.indices.filter { $0 >= known.catalog.initialCount }.compactMap { state in
      firstSeen[state].map { (state: state, at: $0) }
    }.sorted { ($0.at, $0.state) < ($1.at, $1.state) }
    for (state, at) in later {
      let first = recording.items.count
      recording.items.append(
        MutationItem(
          object: known.catalog.revisions[state].object, revision: UInt32(state)))
      var mutation = Mutation(
        at: at, device: 0, position: StreamPosition(epoch: 0, sequence: 0), kind: .changed,
        items: first..<first + 1, bytes: 1)
      mutation.isPlaced = false
      recording.mutations.append(mutation)
    }
    return recording
  }
}
