import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("The updater that consumes events", .timeLimit(.minutes(30)))
struct EventCacheUpdaterTests {
  let folder = NoteQuery.folder(0).key()

  struct LineCut: Error, Hashable {}

  static func item(_ number: Int, _ title: String, clock: UInt64) -> WireItem {
    NoteWire.item(
      VersionedEntity(
        key: .note(number), version: Version(clock: clock, device: 1),
        payload: Note(folder: 0, title: title)))
  }

  static func place(_ sequence: UInt64) -> EventPlace {
    EventPlace(
      stream: StreamID(library: .test), position: StreamPosition(epoch: 1, sequence: sequence))
  }

  /// A cache that has asked for the folder when nothing was in it.
  static func empty(_ host: NoteHost) async throws -> NoteCache {
    let cache = try NoteCache(
      composition: .test(), schema: NoteSchema(), source: host, clock: ManualClock())
    _ = try await cache.query(NoteQuery.folder(0).key())
    return cache
  }

  static func titles(_ cache: NoteCache) async -> [String] {
    await cache.rows(of: NoteQuery.folder(0).key()).map(\.payload.title)
  }

  @Test("Wire events are applied in order until the sequence ends, and counted")
  func wire() async throws {
    let cache = try await Self.empty(NoteHost())
    let updater = EventCacheUpdater(cache: cache, registry: try NoteWire.registry())
    let (events, line) = AsyncStream<WireEvent>.makeStream()
    line.yield(
      WireEvent(
        place: Self.place(1),
        content: .changed([
          Self.item(1, "a", clock: 1), WireItem(type: "note", bytes: []),
          WireItem(type: "hologram", bytes: []),
        ])))
    line.yield(
      WireEvent(place: Self.place(2), content: .changed([Self.item(1, "b", clock: 2)])))
    line.yield(WireEvent(place: Self.place(2), content: .heartbeat))
    line.finish()
    await updater.consume(events)
    #expect(await Self.titles(cache) == ["b"])
    let tally = await updater.tally
    #expect(tally.events == 2)
    #expect(tally.heartbeats == 1)
    #expect(tally.undecodableItems == 1)
    #expect(tally.unknownItems == 1)
    #expect(tally.unknownTypes == ["hologram": 1])
  }

  @Test("B41 Queries that may list an undecodable item become stale, and the failure is reported")
  func staleness() async throws {
    let host = NoteHost()
    let cache = try await Self.empty(host)
    let failures = Counter()
    let updater = EventCacheUpdater(cache: cache, registry: try NoteWire.registry()) { _ in
      failures.increment()
    }
    await updater.apply(
      WireEvent(
        place: Self.place(1), content: .changed([WireItem(type: "note", bytes: [1, 2])])))
    #expect(failures.value == 1)
    let before = await host.fetchCount
    #expect(await cache.snapshot(of: folder).isFresh == false)
    _ = try await cache.query(folder)
    #expect(await host.fetchCount == before + 1)
  }

  @Test("B41 An unknown type moves the cursor: the next event is no gap")
  func unknownTypeIsNoGap() async throws {
    let host = NoteHost()
    let cache = try await Self.empty(host)
    let updater = EventCacheUpdater(cache: cache, registry: try NoteWire.registry())
    for sequence in 1...3 as ClosedRange<UInt64> {
      let content: WireEvent.Content =
        sequence == 2
        ? .changed([WireItem(type: "hologram", bytes: [])])
        : .changed([Self.item(1, "\(sequence)", clock: sequence)])
      await updater.apply(WireEvent(place: Self.place(sequence), content: content))
    }
    #expect(await Self.titles(cache) == ["3"])
    #expect(await cache.snapshot(of: folder).isFresh)
    #expect(await host.reconcileCount == 0)
  }

  @Test("The number and length of unknown names that are kept are bounded")
  func boundedNames() async throws {
    let cache = try await Self.empty(NoteHost())
    let updater = EventCacheUpdater(cache: cache, registry: try NoteWire.registry())
    let long = String(repeating: "x", count: EventTally.maximumNameLength + 1)
    let names = [long] + (0..<1_000).map { "type \($0 % 100)" }
    await updater.apply(
      WireEvent(place: nil, content: .changed(names.map { WireItem(type: $0, bytes: []) })))
    let tally = await updater.tally
    #expect(tally.unknownItems == 1_001)
    #expect(tally.unknownTypes.count == EventTally.maximumNames)
    #expect(tally.unknownTypes["type 0"] == 10)
    #expect(tally.unknownTypes[long] == nil)
  }

  @Test("An error of the sequence reaches the caller, after all that came before it")
  func failure() async throws {
    let cache = try await Self.empty(NoteHost())
    let updater = EventCacheUpdater(cache: cache, registry: try NoteWire.registry())
    let (events, line) = AsyncThrowingStream<WireEvent, any Error>.makeStream()
    for clock in 1...100 as ClosedRange<UInt64> {
      line.yield(
        WireEvent(
          place: Self.place(clock), content: .changed([Self.item(1, "\(clock)", clock: clock)])))
    }
    line.finish(throwing: LineCut())
    await #expect(throws: LineCut.self) { try await updater.consume(events) }
    #expect(await Self.titles(cache) == ["100"])
    #expect(await updater.tally.events == 100)
  }

  @Test("Cancelling the task ends it; an event already handed over is applied")
  func cancellation() async throws {
    let cache = try await Self.empty(NoteHost())
    let updater = EventCacheUpdater(cache: cache, registry: try NoteWire.registry())
    let (events, line) = AsyncStream<WireEvent>.makeStream()
    let following = Task { await updater.consume(events) }
    line.yield(
      WireEvent(place: Self.place(1), content: .changed([Self.item(1, "a", clock: 1)])))
    try await until { await updater.tally.events == 1 }
    following.cancel()
    await following.value
    #expect(await Self.titles(cache) == ["a"])
  }

  /// Hands over one event after its task has been cancelled.
  struct LateSequence: AsyncSequence, AsyncIteratorProtocol {
    var hasGiven = false

    mutating func next() async -> WireEvent? {
      withUnsafeCurrentTask { $0?.cancel() }
      defer { hasGiven = true }
      return hasGiven
        ? nil
        : WireEvent(
          place: EventCacheUpdaterTests.place(1),
          content: .changed([EventCacheUpdaterTests.item(1, "late", clock: 1)]))
    }

    func makeAsyncIterator() -> LateSequence { self }
  }

  @Test("An event that the sequence hands over as the task is cancelled is not lost")
  func nothingIsLost() async throws {
    let cache = try await Self.empty(NoteHost())
    let updater = EventCacheUpdater(cache: cache, registry: try NoteWire.registry())
    await Task { await updater.consume(LateSequence()) }.value
    #expect(await Self.titles(cache) == ["late"])
  }

  @Test("B28 Ready envelopes are applied as they are, a batch in one commit")
  func envelopes() async throws {
    var server = NoteServer()
    let cache = try await Self.empty(NoteHost())
    let updater = EventCacheUpdater(cache: cache)
    let calls = Counter()
    let observation = await cache.observe(folder) { _, _ in calls.increment() }
    let (events, line) = AsyncStream<EventEnvelope<Note>>.makeStream()
    line.yield(
      server.write((1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b"))))
    line.yield(server.delete(.note(1)))
    line.finish()
    await updater.consume(events)
    #expect(await Self.titles(cache) == ["b"])
    #expect(calls.value == 3)
    await observation.cancel()
  }

  @Test("B35 Events without a place concern the updater's library")
  func library() async throws {
    let cache = try await Self.empty(NoteHost())
    let updater = EventCacheUpdater(
      cache: cache, registry: try NoteWire.registry(), library: .test)
    await updater.apply(WireEvent(place: nil, content: .changed([Self.item(1, "a", clock: 1)])))
    #expect(await Self.titles(cache) == ["a"])
  }

  @Test("B48 An event over the wire ends the change that it reports, and names new entities")
  func mutationToldOf() async throws {
    let host = NoteHost()
    let cache = try await Self.empty(host)
    let updater = EventCacheUpdater(cache: cache, registry: try NoteWire.registry())
    let events = await host.connect()
    await cache.setOnline(false)
    let mutation = NoteMutation(1, .create(.temporary(1), Note(folder: 0, title: "a")))
    try await cache.enqueue(mutation)
    try await cache.enqueue(NoteMutation(2, .update(.temporary(1), .title("b"))))
    // An earlier run of the app had sent the first; its answer was lost.
    _ = try await host.send(mutation)
    await host.disconnect()
    await updater.consume(events)
    #expect(await Self.titles(cache) == ["b"])
    #expect(await cache.rows(of: folder).map(\.key) == [.note(1_001)])
    #expect(await cache.outbox.map(\.edits.count) == [0, 1])
  }
}
