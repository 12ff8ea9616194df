import CacheModel
import CacheTestSupport
import NormalizedCache
import RecordingCodec
import ResultModel
import SessionRecorder
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Recorded sessions of an app", .timeLimit(.minutes(30)))
struct RecordingTests {
  /// The outcome of each read: in the app, and in a simulation of the recording.
  private struct Outcomes {
    var app: [String] = []
    var simulated: [String] = []
    var workload: Workload

    init(of bytes: [UInt8], _ composition: CachePolicy) throws {
      workload = try SessionRecording.read(bytes)
      let result = try Simulation(of: workload).run(policy: "app", composition: composition)
      for (action, place) in result.outcomes.places.enumerated() {
        let told = workload.recordedOutcomes[ObservedRead(client: 0, action: action)]
        if told == nil, place == ReadOutcomes.none { continue }
        let name = "\(action) \(workload.clients[0].actions[action].kind)"
        app.append("\(name): \(told.map(\.rawValue) ?? "nothing")")
        let outcome =
          place == ReadOutcomes.none ? "nothing" : Outcome.allCases[Int(place)].metric.name
        // An app does not know whether a served result was fresh.
        simulated.append("\(name): \(outcome.hasPrefix("hit_") ? "hit" : outcome)")
      }
    }

    var firstDifference: (String, String)? { zip(app, simulated).first { $0 != $1 } }

    /// How often each outcome occurred, in a fixed order.
    static func counts(_ outcomes: [String]) -> [String] {
      let words = outcomes.map { String($0.split(separator: " ").last ?? "") }
      return Set(words).sorted().map { word in "\(word): \(words.count { $0 == word })" }
    }
  }

  @Test(
    "A session simulates to the app's own outcomes, read by read, with either redaction",
    arguments: [nil, Duration.milliseconds(20_001)],
    [RecorderOptions.Identifiers.kept, .numbered])
  func readByRead(timeToLive: Duration?, identifiers: RecorderOptions.Identifiers) async throws {
    let composition = RecordedTalk.composition(timeToLive: timeToLive)
    for seed in 0..<4 as Range<UInt64> {
      var talk = try await RecordedTalk(seed: seed, composition: composition)
      let file = MemoryFile()
      var options = RecorderOptions()
      options.identifiers = identifiers
      options.namesTypes = identifiers == .kept
      let recorder = await SessionRecorder.record(talk.cache, into: file, options: options)
      for _ in 0..<400 { try await talk.step() }
      await talk.leaveAll()
      await recorder.stop()
      let report = recorder.report
      #expect(report.lost == 0 && report.withoutPlace == 0 && report.error == nil)
      let outcomes = try Outcomes(of: file.bytes, composition)
      #expect(outcomes.firstDifference == nil)
      #expect(Outcomes.counts(outcomes.app) == Outcomes.counts(outcomes.simulated))
      #expect(outcomes.workload.gaps.count == 0)
      let statistics = await talk.cache.readStatistics.total
      #expect(outcomes.app.count == statistics.reads)
      #expect(statistics.hits > 30 && statistics.reads > 150)
    }
  }

  @Test("A recording in real time gives the same")
  func realTime() async throws {
    let composition = RecordedTalk.composition()
    var talk = try await RecordedTalk(seed: 5, composition: composition, inRealTime: true)
    await talk.server.setDelay(.milliseconds(2))
    let file = MemoryFile()
    let recorder = await SessionRecorder.record(talk.cache, into: file)
    for _ in 0..<300 { try await talk.step() }
    await talk.leaveAll()
    await recorder.stop()
    let outcomes = try Outcomes(of: file.bytes, composition)
    #expect(outcomes.firstDifference == nil)
    let reads = await talk.cache.readStatistics.total.reads
    #expect(outcomes.app.count == reads)
  }

  @Test(
    "A recording with evictions, deletions, tags, and edits of rows that no list shows gives the same",
    arguments: [20, 60], [Retention.observed, .tags, .referenceCount])
  func unseenRows(entities: Int, retention: Retention) async throws {
    let composition = RecordedTalk.composition(
      timeToLive: .milliseconds(20_001), entities: entities, retention: retention)
    let (differing, reads) = try await differing(composition)
    #expect(differing == 0 && reads > 800, "\(differing) of \(reads)")
  }

  @Test("A recording whose lists are answered from longer ones gives the same")
  func shorterLists() async throws {
    let composition = RecordedTalk.composition(
      timeToLive: .milliseconds(20_001), entities: 30, retention: .tags)
    let (differing, reads) = try await differing(composition, asksForLess: true)
    #expect(differing == 0 && reads > 800, "\(differing) of \(reads)")
  }

  /// How many reads of seven sessions of all kinds simulate to another outcome than the app's.
  private func differing(
    _ composition: CachePolicy, asksForLess: Bool = false
  ) async throws -> (Int, of: Int) {
    var (differing, reads) = (0, 0)
    // In the first four, rows come back to lists elsewhere than they stood, or lists have rows without values;
    // in the last two, fetches are under way for long, or still at the end.
    for seed in [3, 11, 16, 18, 20, 22, 28] as [UInt64] {
      var talk = try await RecordedTalk(seed: seed, composition: composition)
      talk.editsAny = true
      talk.keepsHouse = true
      talk.asksForLess = asksForLess
      let file = MemoryFile()
      let recorder = await SessionRecorder.record(talk.cache, into: file)
      for _ in 0..<400 { try await talk.step() }
      await recorder.stop()
      #expect(recorder.report.withoutPlace == 0)
      let outcomes = try Outcomes(of: file.bytes, composition)
      reads += outcomes.app.count
      differing += zip(outcomes.app, outcomes.simulated).count { $0 != $1 }
    }
    return (differing, reads)
  }

  @Test("An answer that comes too late to be applied does not change the recorded list")
  func lateAnswer() async throws {
    let composition = RecordedTalk.composition()
    let talk = try await RecordedTalk(seed: 1, composition: composition)
    let file = MemoryFile()
    let recorder = await SessionRecorder.record(talk.cache, into: file)
    let room = UniqueID(high: 5, low: 1)
    let key = try Thread(room: room).key(in: TalkServer.library)
    await talk.server.setHolding(true)
    let view = await talk.cache.observe(key) { _, _ in }
    while await talk.server.heldAnswers == 0 { await Task.yield() }
    // Cleared queries are requested again, and answered before the first request.
    await talk.server.setHolding(false)
    await talk.cache.clear(library: TalkServer.library)
    _ = try await talk.cache.query(key)
    let new = Message(room: room, sentAt: 1_000, text: "new")
    await talk.cache.receive(await talk.server.write(1_000, new))
    _ = try await talk.cache.query(key)
    await talk.server.letGo()
    var answers = 0
    while answers < 2 {
      await recorder.flush()
      answers = file.text.split(separator: "\n").count { $0.contains("\"line\":\"answer\"") }
    }
    #expect(try await talk.cache.query(key).first?.payload == new)
    await view.cancel()
    await recorder.stop()
    let outcomes = try Outcomes(of: file.bytes, composition)
    #expect(outcomes.firstDifference == nil)
    #expect(outcomes.app.count { $0.hasSuffix(" hit") } == 2)
  }

  @Test(
    "Requests without an answer at the end of a recording are in flight in the simulation too")
  func unanswered() async throws {
    let composition = RecordedTalk.composition()
    let talk = try await RecordedTalk(seed: 1, composition: composition)
    let file = MemoryFile()
    let recorder = await SessionRecorder.record(talk.cache, into: file)
    let key = try Thread(room: UniqueID(high: 5, low: 1)).key(in: TalkServer.library)
    _ = try await talk.cache.query(key)
    await talk.server.setHolding(true)
    var views: [QueryObservation] = []
    await talk.cache.invalidate(key)
    for asked in 1...2 {
      views.append(await talk.cache.observe(key) { _, _ in })
      while await talk.server.heldAnswers == 0 { await Task.yield() }
      (talk.clock as? ManualClock)?.advance(by: .seconds(asked))
    }
    await recorder.stop()
    await talk.server.letGo()
    for view in views { await view.cancel() }
    let outcomes = try Outcomes(of: file.bytes, composition)
    #expect(outcomes.firstDifference == nil)
    #expect(
      outcomes.app.map { $0.split(separator: " ").last } == [
        "miss_cold", "miss_invalidated", "coalesced",
      ])
    #expect(outcomes.workload.clients[0].answers.map(\.failure) == [nil, .unanswered])
  }

  @Test("Recording may begin at any time: the cache's content is in the file")
  func beginsLate() async throws {
    let composition = RecordedTalk.composition()
    var talk = try await RecordedTalk(seed: 2, composition: composition)
    for _ in 0..<100 { try await talk.step() }
    let before = await talk.cache.readStatistics.total
    let file = MemoryFile()
    let recorder = await SessionRecorder.record(talk.cache, into: file)
    for _ in 0..<60 { try await talk.step() }
    await recorder.stop()
    let after = await talk.cache.readStatistics.total
    let outcomes = try Outcomes(of: file.bytes, composition)
    #expect(outcomes.app.count == after.reads - before.reads)
    let hits = outcomes.simulated.count { $0.hasSuffix(" hit") }
    // Which of its entities the cache would have dropped first is not in the file.
    #expect(abs(hits - (after.hits - before.hits)) <= 3)
  }

  @Test("A file that is full is followed by another, and each can be simulated by itself")
  func rotation() async throws {
    var talk = try await RecordedTalk(seed: 3, composition: RecordedTalk.composition())
    let file = MemoryFile()
    var options = RecorderOptions()
    options.maximumBytes = 40_000
    let recorder = await SessionRecorder.record(talk.cache, into: file, options: options)
    for _ in 0..<300 {
      try await talk.step()
      await recorder.flush()
    }
    await recorder.stop()
    #expect(file.files.count > 1 && recorder.report.files == file.files.count)
    #expect(recorder.report.lost == 0)
    var reads = 0
    for text in file.files {
      #expect(text.utf8.count < 60_000)
      reads += try Outcomes(of: Array(text.utf8), RecordedTalk.composition()).app.count
    }
    let all = await talk.cache.readStatistics.total.reads
    #expect(reads == all)
  }

  @Test("A full disk costs lines, which the next file and the report count; the cache goes on")
  func fullDisk() async throws {
    var talk = try await RecordedTalk(seed: 4, composition: RecordedTalk.composition())
    let file = MemoryFile()
    let recorder = await SessionRecorder.record(talk.cache, into: file)
    for _ in 0..<40 { try await talk.step() }
    await recorder.flush()
    file.setFull(true)
    for _ in 0..<40 {
      try await talk.step()
      await recorder.flush()
    }
    #expect(recorder.report.error == "no space left on device")
    #expect(recorder.report.lost > 30)
    file.setFull(false)
    for _ in 0..<200 {
      try await talk.step()
      await recorder.flush()
    }
    await recorder.stop()
    #expect(recorder.report.error == nil && file.files.count == 2)
    for text in file.files {
      #expect(try Outcomes(of: Array(text.utf8), RecordedTalk.composition()).app.count > 5)
    }
    let gaps = try SessionRecording.read(file.bytes).gaps
    #expect(gaps.map(\.cause) == [.file] && gaps.map(\.lines) == [recorder.report.lost])
  }

  @Test("While the disk stalls the cache continues, and lost operations are counted")
  func stalledDisk() async throws {
    var talk = try await RecordedTalk(seed: 4, composition: RecordedTalk.composition())
    let file = MemoryFile()
    var options = RecorderOptions()
    options.bufferedOperations = 50
    let recorder = await SessionRecorder.record(talk.cache, into: file, options: options)
    await recorder.flush()
    file.setStalled(true)
    for _ in 0..<200 { try await talk.step() }
    let lost = recorder.report.lost
    #expect(lost > 50)
    file.setStalled(false)
    await recorder.flush()
    for _ in 0..<20 { try await talk.step() }
    await recorder.stop()
    #expect(recorder.report.lost == lost)
    let workload = try SessionRecording.read(file.bytes)
    #expect(workload.gaps.allSatisfy { $0.cause == .buffer })
    #expect(workload.gaps.reduce(0) { $0 + $1.lines } == lost)
  }

  @Test("Operations that the format cannot express are a gap too")
  func withoutPlace() async throws {
    let talk = try await RecordedTalk(seed: 1, composition: RecordedTalk.composition())
    let file = MemoryFile()
    let recorder = await SessionRecorder.record(talk.cache, into: file)
    await talk.cache.invalidate(
      InvalidationTag(library: TalkServer.library, method: Thread.method))
    await recorder.stop()
    #expect(recorder.report.withoutPlace == 1)
    #expect(try SessionRecording.read(file.bytes).gaps.map(\.cause) == [.format])
  }

  @Test("A fetch that fails is in the file, and fails in the simulation")
  func failure() async throws {
    let talk = try await RecordedTalk(seed: 1, composition: RecordedTalk.composition())
    await talk.server.setRefusing(true)
    let file = MemoryFile()
    let recorder = await SessionRecorder.record(talk.cache, into: file)
    let key = try Thread(room: UniqueID(high: 5, low: 1)).key(in: TalkServer.library)
    await #expect(throws: TalkServer.Refused.self) { _ = try await talk.cache.query(key) }
    await recorder.stop()
    let outcomes = try Outcomes(of: file.bytes, RecordedTalk.composition())
    #expect(outcomes.workload.clients[0].answers.map(\.failure) == [.refused])
    #expect(outcomes.simulated.map { $0.hasSuffix("failed") } == [true])
  }

  @Test("Neither values nor inputs nor names are in a file, unless names are asked for")
  func redaction() async throws {
    for namesTypes in [false, true] {
      var talk = try await RecordedTalk(seed: 6, composition: RecordedTalk.composition())
      let file = MemoryFile()
      var options = RecorderOptions()
      options.namesTypes = namesTypes
      options.identifiers = namesTypes ? .kept : .numbered
      let recorder = await SessionRecorder.record(talk.cache, into: file, options: options)
      for _ in 0..<100 { try await talk.step() }
      await recorder.stop()
      let text = file.text
      #expect(!text.contains("text ") && !text.contains("edited") && !text.contains("letters"))
      #expect(text.contains("thread") == namesTypes && text.contains("message") == namesTypes)
      let id = UniqueID(high: 7, low: 59).description
      #expect(text.contains(id) == namesTypes)
      #expect(text.contains(TalkServer.library.rawValue.description) == namesTypes)
    }
  }
}
