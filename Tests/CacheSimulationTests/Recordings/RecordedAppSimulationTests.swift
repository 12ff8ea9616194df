import CacheModel
import RecordingCodec
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Recordings of any app, simulated")
struct RecordedAppSimulationTests {
  @Test("An app that was recorded gives the same rows")
  func sameRows() throws {
    let workload = try TalkScenario.workload(seed: 2)
    let recorded = try SessionRecording.read(SessionRecording.write(workload))
    for name in ["lru", "refcount", "spacedrive"] {
      let composition = try #require(Preset.named(name)).composition(
        Preset.Allowance(
          capacity: Capacity(entities: 60), maximumQueries: 20,
          freshness: Freshness(timeToLive: .seconds(30))))
      #expect(
        try Simulation.run(workload: recorded, policyName: name, composition: composition)
          == Simulation.run(workload: workload, policyName: name, composition: composition))
    }
  }

  @Test(
    "Users' writes are recorded, and give the same rows",
    arguments: ["{refused: 5 %}", "{shown: confirmed}", "{through: request}"])
  func sameRowsOfWrites(writes: String) throws {
    let workload = try WritingScenario.workload(writes: writes)
    let bytes = SessionRecording.write(workload)
    let recorded = try SessionRecording.read(bytes)
    #expect(recorded.writes == workload.writes)
    #expect(SessionRecording.write(recorded) == bytes)
    for name in ["lru", "spacedrive"] {
      var composition = try #require(Preset.named(name)).composition(
        Preset.Allowance(
          capacity: Capacity(entities: 40), maximumQueries: 10,
          freshness: Freshness(timeToLive: .seconds(30))))
      composition.storage = DiskStorage()
      let rows = try Simulation.run(
        workload: recorded, policyName: name, composition: composition)
      #expect(
        try rows
          == Simulation.run(workload: workload, policyName: name, composition: composition))
      #expect(rows.contains { $0.metric == .writes && ($0.value?.asDouble ?? 0) > 100 })
    }
  }

  @Test(
    "A recording of writes that contradicts itself is refused",
    arguments: [
      (
        "{\"line\":\"write\",\"client\":0,", "{\"line\":\"write\",\"client\":9,",
        "sort them by `client`"
      ),
      ("\"do\":\"write\",\"write\":1}", "\"do\":\"write\",\"write\":0}", "each write once"),
      ("\"do\":\"write\",\"write\":1}", "\"do\":\"write\",\"write\":99999}", "names no write"),
      (
        "\"kind\":\"deleted\",\"bytes\":160,\"write\"",
        "\"kind\":\"changed\",\"bytes\":160,\"write\"", "check its `kind`"
      ),
    ])
  func contradiction(text: String, wrong: String, message: String) throws {
    let bytes = SessionRecording.write(try WritingScenario.workload())
    var recording = String(decoding: bytes, as: UTF8.self)
    let range = try #require(recording.firstRange(of: text), "\(text)")
    recording.replaceSubrange(range, with: wrong)
    do throws(RecordingError) {
      _ = try SessionRecording.read(Array(recording.utf8))
      Issue.record("it is read")
    } catch {
      #expect("\(error.cause); \(error.remedy)".contains(message), "\(error)")
    }
  }

  /// Reads of a directory at these seconds, with the app's answers to them.
  private static func log(
    _ answers: [(second: Double, result: [UInt32]?)], reads: [Double], changeAt second: Double
  ) -> Workload {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.pushesEvents = false
    _ = tiny.change(file, at: second, name: 2)
    for second in reads { tiny.act(.read(query: 0), at: second) }
    var workload = tiny.workload
    workload.truth = .observed
    workload.answeredPolicy = "app"
    workload.clients[0].answers = answers.map { second, result in
      var answer = RecordedAnswer(
        asked: TinyWorkload.instant(second), at: TinyWorkload.instant(second + 0.1),
        target: .query(0), bytes: 1_000)
      answer.result = result
      if result == nil { answer.failure = .refused }
      return answer
    }
    return workload
  }

  @Test("The answer to a write reaches the cache of its client once, and is not pushed")
  func ownWrites() throws {
    var workload = Self.log([(1, [1]), (8, [2])], reads: [1, 8], changeAt: 5)
    #expect(try values(of: workload, composition())[.hitStale] == 1)
    workload.mutations[0].author = 0
    for takesEvents in [true, false] {
      var policy = composition()
      policy.takesEvents = takesEvents
      let own = try values(of: workload, policy)
      #expect(own[.hitFresh] == 1 && own[.hitStale] == 0)
      #expect(own[.bytesPushed] == 0)
    }
    let once = try values(of: workload, composition())
    workload.pushesEvents = true
    workload.clients[0].deliveries = [
      Delivery(at: TinyWorkload.instant(5), content: .event(mutation: 0))
    ]
    let logged = try values(of: workload, composition())
    #expect(logged[.hitFresh] == 1)
    #expect(logged[.bytesPushed] == 0)
    #expect(logged[.bytesFetched] == once[.bytesFetched])
  }

  @Test("What failed in the app fails under every policy, also until a query has an answer")
  func failures() throws {
    let workload = Self.log(
      [(1, nil), (6, [1]), (9, nil)], reads: [1, 2, 6, 7, 9], changeAt: 50)
    let all = try values(of: workload, composition())
    #expect(all[.failed] == 2)
    #expect(all[.missCold] == 1)
    // A cache needs no answer at second 9.
    #expect((all[.hitFresh] ?? 0) + (all[.hitUnknown] ?? 0) == 2)
    let none = try values(of: workload, composition(timeToLive: .milliseconds(1)))
    #expect(none[.failed] == 3)
  }

  @Test("How many rows reads were answered with is counted, of logs and of what is drawn")
  func askedRows() throws {
    let workload = try TalkScenario.workload(seed: 1)
    let rows = AskedRows(of: workload)
    var reads = [Int](repeating: 0, count: workload.model.shapes.count)
    for action in workload.clients.flatMap(\.actions) {
      switch action.kind {
      case .read(let query), .observe(let query):
        reads[Int(workload.queries[Int(query)].kind.rawValue) - 1] += 1
      case .redraw, .unobserve, .tag, .open, .write, .maintenance: break
      }
    }
    for place in workload.model.shapes.indices {
      let counts = rows[DataModel.kind(ofShape: place)]
      #expect(counts.count == reads[place])
      #expect(counts.last ?? 0 <= workload.model.shapes[place].rows)
      #expect(counts == counts.sorted())
    }
    #expect(rows[DataModel.kind(ofShape: 0)].last ?? 0 > 2)
  }

  @Test("The recorded policy gets the recorded answers, others those of the network")
  func answers() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.queries.append(QuerySpec(kind: .recents, subject: 0, limit: 10))
    tiny.act(.read(query: 0), at: 1)
    tiny.act(.read(query: 1), at: 5)
    // This one has no recorded answer.
    tiny.act(.read(query: 1), at: 50)
    var workload = tiny.workload
    workload.answeredPolicy = "own"
    workload.clients[0].answers = [
      RecordedAnswer(
        asked: TinyWorkload.instant(1.2), at: TinyWorkload.instant(3.2), target: .query(0),
        bytes: 70_000),
      RecordedAnswer(
        asked: TinyWorkload.instant(5), at: TinyWorkload.instant(6), target: .query(1), bytes: 0,
        failure: .refused),
    ]
    func rows(_ policy: String) throws -> (wait: Double, bytes: Double, failed: Double) {
      let rows = try Simulation.run(
        workload: workload, policyName: policy, composition: composition())
      func value(_ metric: Metric, _ statistic: Statistic = .value) -> Double {
        rows.first {
          $0.metric == metric && $0.class == "total" && $0.statistic == statistic
        }?.value?.asDouble ?? -1
      }
      return (value(.readWait, .p99), value(.bytesFetched), value(.failed))
    }
    let own = try rows("own")
    #expect(own.wait == 2e9)
    #expect(own.failed == 1)
    #expect(own.bytes > 70_000)
    let other = try rows("other")
    #expect(other.wait == Double(TinyWorkload.roundTrip))
    #expect(other.failed == 0)
    #expect(other.bytes < 5_000)
  }
}
