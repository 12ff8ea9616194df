import CacheModel
import NormalizedCacheCore
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Bytes by purpose", .timeLimit(.minutes(30)))
struct BytesByPurposeTests {
  /// The bytes over the link, from the cache's input and not from its counts.
  private struct Received {
    var answers = 0
    var replays = 0
    var pushed = 0

    init(_ calls: [StoreCall], in simulation: Simulation) {
      let workload = simulation.workload
      var sizes: [StreamPosition: Int] = [:]
      for mutation in workload.mutations { sizes[mutation.position] = mutation.bytes }
      func size(_ event: EventEnvelope<Handle>) -> Int {
        event.place.flatMap { sizes[$0.position] } ?? 0
      }
      for call in calls where call.at >= Instant.zero.advanced(by: workload.warmUp) {
        switch call.kind {
        case .event(let event): pushed += size(event)
        case .fetched(let answer):
          guard let response = answer.response else { continue }
          answers += 100
          answers += response.entities.reduce(0) { $0 + simulation.schema.weight(of: $1.payload) }
        case .reconciled(.events(let events, _)?):
          replays += events.reduce(100) { $0 + size($1) }
        case .reconciled(.outline(let tags, _)?): replays += 100 + 60 * tags.count
        case .reconciled(.tooOld?): replays += 100
        default: continue
        }
      }
    }
  }

  @Test(
    "Answers, catching up and pushes are all that crossed the link, under every preset",
    arguments: Preset.names.filter { !$0.hasSuffix(Preset.limitSuffix) },
    [EventContents.whole, .ids])
  func conservation(policy: String, carry: EventContents) throws {
    var workloads = [
      try RandomWorkloadTests.workload(seed: 1), try TalkScenario.workload(seed: 2),
    ]
    for index in workloads.indices { workloads[index].letEvents(carry: carry) }
    for workload in workloads {
      let simulation = Simulation(of: workload)
      let composition = try #require(Preset.named(policy)).composition(EventContentsTests.allowance)
      let log = CallLog()
      var run = try ClientSimulation(
        simulation, client: 0, policy: policy, composition: composition,
        uses: try simulation.uses(ofClient: 0, composition), inOneProcess: true)
      run.calls = log
      let end = run.end
      while let next = run.nextInstant(), next <= end { try run.takeStep(at: next) }
      let (received, tally) = (Received(log.calls, in: simulation), run.tally)
      #expect(
        tally.bytesOfAnswers + tally.bytesOfCatchUp + tally.bytesPushed
          == received.answers + received.replays + received.pushed, "\(workload.name)")
      #expect(tally.bytesPushed == received.pushed, "\(workload.name)")
      #expect(tally.bytesOfCatchUp >= received.replays, "\(workload.name)")
      if policy == "lru" { #expect(tally.bytesOfCatchUp > 0, "\(workload.name)") }
      if !composition.takesEvents { #expect(tally.bytesOfCatchUp == 0, "\(workload.name)") }
    }
  }

  @Test(
    "Replays, and refetches after a gap, are catch-up",
    arguments: [
      // Envelope and event; envelope, a tag, and the list again; the list again.
      (GapResponse.replay, 100 + 1_100), (.selectiveInvalidation, 160 + 1_100),
      (.fullInvalidation, 1_100),
    ])
  func gap(_ response: GapResponse, _ bytes: Double) throws {
    var tiny = TinyWorkload()
    let file = tiny.file(name: 1)
    tiny.act(.observe(query: 0), at: 1)
    _ = tiny.change(file, at: 3, name: 2)
    tiny.heartbeat(1, at: 4)
    tiny.act(.read(query: 0), at: 10)
    var composition = composition()
    composition.gapResponse = response
    let values = try values(of: tiny.workload, composition)
    #expect(values[.bytesOfAnswers] == 1_100)
    #expect(values[.bytesOfCatchUp] == bytes)
    #expect(values[.bytesFetched] == 1_100 + bytes)
    #expect(values[.bytesPushed] == 0)
    // Below zero, with its reason.
    #expect(values[.bytesSaved] == 1_100 + 1_100 - 1_100 - bytes)
  }

  @Test("A fetch for a read that an event made stale counts as the read's answer")
  func markedStale() throws {
    var tiny = TinyWorkload()
    _ = tiny.file(name: 1)
    tiny.act(.read(query: 0), at: 1)
    let creation = tiny.create(at: 2, name: 3)
    tiny.deliver(creation, at: 3)
    tiny.act(.read(query: 0), at: 4)
    let values = try values(of: tiny.workload, composition(membership: .markStale))
    // A list of one file, and of two.
    #expect(values[.bytesOfAnswers] == 3_200)
    #expect(values[.bytesOfCatchUp] == 0)
  }
}
