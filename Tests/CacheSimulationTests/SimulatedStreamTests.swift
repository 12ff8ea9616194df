import CacheModel
import EvictionPolicies
import NormalizedCache
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Your own policies and caches under a scenario's streams", .timeLimit(.minutes(30)))
struct SimulatedStreamTests {
  private static let yaml = """
    name: small
    description: Two phones and a laptop, for a few minutes.
    seed: 7
    duration: 6 min
    drain: 1 min
    data:
      entities:
        folder: {size: 945 B, has: {parent: {one: folder, cascade: yes}, name: text}}
        file:
          count: 5_000
          size: 950 B
          has:
            parent: {one: folder, tree: {depth: 2, fan-out: 8}, cascade: yes}
            name: text
            modified: {time: 200 d}
      queries:
        inside: {list: [file, folder], where: parent is subject, order: name, first: 1_000}
        recents: {list: file, order: modified descending, first: 100}
      operations:
        create: {create: file}
        modify: {set: file.modified, prefer: popular}
        rename: {set: file.name, prefer: popular}
    writers:
      - {name: laptop, rate: 20/min, mix: {modify: 60 %, create: 20 %, rename: 20 %}}
    users:
      - name: phone
        clients: 2
        think: 2 s
        mix: {browse: 70 %, recents: 30 %}
        activities:
          browse: [{stroll: {through: inside, revisit: 50 %, opens: 0.5}}]
          recents: [visit: recents]
    cache:
      capacity-entities: 200 entities
    policies:
      - ttl
      - {name: lru-observed, preset: lru, retention: observed}
    """

  private static func scenario(_ yaml: String = yaml) throws -> SimulatedScenario {
    try SimulatedScenario(yaml.utf8, file: "small.yaml")
  }

  @Test("Of some clients, each has the figures that it has among all")
  func someClients() throws {
    let yaml = Self.yaml.replacing("clients: 2", with: "clients: 3")
    let workload = Workload.generate(
      try Scenario.parse(Array(yaml.utf8), file: "small.yaml", vocabulary: .unchecked))
    let composition = composition(entities: 30)
    func run(_ clients: [Int]?) throws -> [[Int]] {
      try Simulation(of: workload, clients: clients)
        .run(policy: "lru", composition: composition).clients.map { [$0.reads, $0.freshHits] }
    }
    let all = try run(nil)
    #expect(all.count == 3 && Set(all).count == 3)
    #expect(try run([2, 0]) == [all[2], all[0]])
  }

  @Test("A scenario says its name, its policies and its seeds")
  func reading() throws {
    let scenario = try Self.scenario()
    #expect(scenario.name == "small")
    #expect(scenario.policies == ["ttl", "lru-observed"])
    #expect(scenario.seeds(3) == [7, 8, 9] && scenario.seeds(-1) == [])
    let stream = scenario.stream()
    #expect(stream.seed == 7 && stream.clients == ["phone-1", "phone-2"])
  }

  @Test("All that is wrong with a file is said with its place")
  func unreadable() throws {
    let wrong = Self.yaml.replacing("think: 2 s", with: "think: 2 m/s")
      .replacing("seed: 7", with: "sead: 7")
    let error = try #require(throws: SimulationError.self) { try Self.scenario(wrong) }
    let lines = "\(error)".split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("small.yaml:") }, "\(error)")
  }

  @Test("A policy by name gives what the simulation gives", arguments: ["lru", "lru-observed"])
  func byName(policy: String) throws {
    let scenario = try Self.scenario()
    let run = try scenario.stream(seed: 3).run(policy: policy)
    let composition = try #require(scenario.scenario.composition(for: policy))
    let limits = SharedLimits(capacity: scenario.scenario.cache.capacity, maximumQueries: nil)
    let workload = Workload.generate(scenario.scenario, seed: 3)
    let expected = try Simulation(of: workload, sharedLimits: limits)
      .run(policy: policy, composition: composition).rows
    #expect(run.rows == expected)
    #expect(run.value(of: .evictions).map(\.asDouble) ?? 0 > 0)
    #expect(run.value(of: .hitRatio, in: "no such class") == nil)
  }

  @Test("A policy by value takes the place of a preset's order, and its name is the rows'")
  func byValue() throws {
    let stream = try Self.scenario().stream()
    let lru = try stream.run(policy: "lru")
    let again = try stream.run(evictionOrder: try #require(EvictionPolicies.named("lru")))
    #expect(again.rows == lru.rows)
    let own = try stream.run(evictionOrder: EvictionPolicyDescriptor(Stack<Sound>.self))
    #expect(own.rows.allSatisfy { $0.policy == "stack" })
    #expect(own.value(of: .evictions) != lru.value(of: .evictions))
    let held = try stream.run(
      evictionOrder: EvictionPolicyDescriptor(Stack<Sound>.self), in: "lru-observed")
    #expect(held.rows != own.rows)
  }

  @Test("A policy that names a retained victim ends with a report, and traps nothing")
  func retainedVictim() throws {
    let stream = try Self.scenario().stream()
    let failure = try #require(throws: PolicyFailure.self) {
      try stream.run(
        evictionOrder: EvictionPolicyDescriptor(Stack<KeepsRetained>.self), in: "lru-observed")
    }
    #expect(failure.scenario == "small" && failure.policy == "stack" && failure.seed == 7)
    #expect("\(failure)".contains("which didRetain took out of the order"), "\(failure)")
    #expect("\(failure)".contains("forget the slot in didRetain"), "\(failure)")
  }

  @Test("An unknown policy is answered by those that there are")
  func unknownPolicy() throws {
    let stream = try Self.scenario().stream()
    let error = try #require(throws: SimulationError.self) { try stream.run(policy: "lur") }
    #expect("\(error)".hasPrefix("no policy is called \"lur\"; there are ttl, lru-observed, lru"))
  }

  @Test("Each read that counts has an outcome, and the same ones in every run of a stream")
  func reads() throws {
    let stream = try Self.scenario().stream()
    let runs = [try stream.run(policy: "lru"), try stream.run(policy: "ttl")]
    for run in runs {
      #expect(run.value(of: .reads, in: "all") == .integer(Int64(run.reads.count)))
      let hits = run.reads.count { $0.outcome == .hitFresh }
      #expect(run.value(of: .hitFresh, in: "all") == .integer(Int64(hits)))
    }
    func questions(_ run: SimulatedRun) -> [String] {
      run.reads.map { "\($0.client) \($0.action) \($0.subject)" }
    }
    #expect(questions(runs[0]) == questions(runs[1]) && !runs[0].reads.isEmpty)
    #expect(runs[0].reads != runs[1].reads)
  }

  @Test("The rows of several runs are one file")
  func csv() throws {
    let stream = try Self.scenario().stream()
    let runs = [try stream.run(policy: "lru"), try stream.run(policy: "no-cache")]
    let rows = try TidyTable.read(SimulatedRun.csv(runs)).rows
    #expect(rows == runs[0].rows + runs[1].rows)
  }

  @Test("A recording gives the stream again, only for the scenario of its app")
  func recordings() throws {
    let scenario = try Self.scenario()
    let workload = Workload.generate(scenario.scenario, seed: 3)
    let recording = SessionRecording.write(workload)
    let drawn = try scenario.stream(seed: 3).run(policy: "lru")
    let recorded = try scenario.stream(recorded: recording, file: "a.jsonl").run(policy: "lru")
    #expect(recorded.rows == drawn.rows && recorded.reads == drawn.reads)
    let plain = try SimulatedStream(recording: recording, file: "a.jsonl").run(policy: "unbounded")
    let unbounded = try scenario.stream(seed: 3).run(policy: "unbounded")
    #expect(plain.reads == unbounded.reads)
    // Only the scenario has a limit to be over.
    #expect(
      plain.rows.filter { $0.metric != .overLimit }
        == unbounded.rows.filter { $0.metric != .overLimit })
    let error = try #require(throws: SimulationError.self) {
      try SimulatedStream(recording: recording.dropLast(30), file: "a.jsonl")
    }
    #expect("\(error)".hasPrefix("a.jsonl: "), "\(error)")
  }

  // MARK: Caches

  private static let kept = CachePolicy(
    evictionOrder: "unbounded", capacity: Capacity(entities: nil), retention: .none,
    freshness: Freshness(timeToLive: .seconds(20)), maximumQueries: nil)

  @Test("Your own cache has its figures, and none for what cannot be seen from outside")
  func ownCache() throws {
    let stream = try Self.scenario().stream()
    let run = try stream.run(cache: "mine") { _ throws(CacheFault) in
      do throws(CachePolicyError) {
        return try StoreInTurns(Self.kept, stream.simulation)
      } catch {
        throw CacheFault(.notStarted, "\(error)")
      }
    }
    #expect(run.rows.allSatisfy { $0.policy == "mine" })
    #expect(run.value(of: .evictions) == nil)
    let direct = try stream.simulation.run(policy: "direct", composition: Self.kept).rows
    let ratio = direct.first { $0.metric == .hitRatio && $0.class == .total }?.value
    #expect(run.value(of: .hitRatio) == ratio && ratio != nil)
  }

  @Test("A cache that breaks a rule ends its run with the rule")
  func brokenCache() throws {
    let stream = try Self.scenario().stream()
    let failure = try #require(throws: CacheFailure.self) {
      try stream.run(cache: "forger") { _ in
        AnsweringCache { turn in
          TurnAnswer(replies: [.serve(turn: turn, [ServedRow(object: 0, version: 0)])])
        }
      }
    }
    #expect(failure.fault.kind == .forgedVersion && failure.client == "phone-1")
  }

  @Test("A cache that does otherwise the second time is found")
  func notDeterministic() throws {
    let stream = try Self.scenario().stream()
    var starts = 0
    let failure = try #require(throws: CacheFailure.self) {
      try stream.run(cache: "moody") { _ in
        starts += 1
        // The first clients of the first run wait, the others are given up at once.
        let isPatient = starts <= stream.clients.count
        return AnsweringCache { turn in
          TurnAnswer(replies: isPatient ? [] : [.fail(turn: turn)])
        }
      }
    }
    #expect(failure.fault.kind == .notDeterministic)
    #expect(failure.fault.at != nil, "\(failure)")
  }

  @Test("A cache receives the meaning of numbers at its start")
  func launch() throws {
    let scenario = try Self.scenario()
    let stream = scenario.stream()
    var launches: [CacheLaunch] = []
    _ = try stream.run(cache: "none") { launch in
      launches.append(launch)
      return AnsweringCache { TurnAnswer(replies: [.fail(turn: $0)]) }
    }
    #expect(launches.map(\.client) == ["phone-1", "phone-2", "phone-1", "phone-2"])
    let launch = try #require(launches.first)
    #expect(launch.capacity.entities == 200)
    let workload = stream.simulation.workload
    #expect(launch.listCount == workload.queries.count)
    let inside = try #require((0..<launch.listCount).first { launch.list($0).subject != nil })
    #expect(launch.list(inside).name == "inside")
    let types = workload.catalog.revisions.map { launch.name(of: launch.type(ofObject: $0.object)) }
    let folder = try #require(types.firstIndex(of: "folder"))
    #expect(launch.field("modified", ofState: UInt32(folder)) == nil)
    let files = types.indices.filter { types[$0] == "file" }
    for state in [try #require(files.first), try #require(files.last)] {
      let revision = workload.catalog.revisions[state]
      let values = workload.catalog.values[Int(workload.catalog.valueStarts[state])...]
      let state = UInt32(state)
      #expect(launch.object(ofState: state) == revision.object)
      #expect(launch.bytes(ofState: state) == Int(revision.bytes))
      #expect(launch.field("parent", ofState: state) == .one(UInt32(values[values.startIndex])))
      #expect(
        launch.field("name", ofState: state)
          == .text(LetterCode.decode(values[values.startIndex + 1])))
      #expect(launch.name(of: launch.type(ofObject: revision.object)) == "file")
      #expect(launch.field("no such field", ofState: state) == nil)
    }
  }
}

/// Answers every read in the same way.
private final class AnsweringCache: CacheUnderTest {
  private let answer: (Int) -> TurnAnswer

  init(_ answer: @escaping (Int) -> TurnAnswer) { self.answer = answer }

  func take(_ turn: CacheTurn) -> TurnAnswer {
    switch turn.operation {
    case .read, .observe, .open: answer(turn.number)
    default: TurnAnswer()
    }
  }

  func end() {}
}
