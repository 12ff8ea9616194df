import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Values that events replace")
struct ReplacedValueTests {
  @Test("B13 An observer that writes, and one that reads, see the newest value; none is kept")
  func observers() async throws {
    var server = ObserverTests.server()
    let cache = try await ObserverTests.loaded(from: server, NoteSource())
    let record = ObserverTests.Record()
    let key = NoteQuery.folder(0).key()
    let events = ["b", "c"].map { server.write((1, Note(folder: 0, title: $0))) }
    _ = await cache.observe(key) { cache, key in
      let titles = ObserverTests.titles(key, in: cache)
      record.add(titles, on: cache)
      if titles == "b" { cache.receive(events[1]) }
    }
    await cache.receive(events[0])
    #expect(await record.lines(on: cache) == ["a", "b", "c"])
    #expect(await cache.keptValues == 0)
  }

  @Test("Of a batch that tells of an entity several times the newest value shows; none is kept")
  func batch() async throws {
    let cache = try await ObserverTests.loaded(from: ObserverTests.server(), NoteSource())
    // In and out of turn, known and new, and more of them than are looked up ahead.
    let clocks: [UInt64] = [100, 103, 101, 102, 107, 104, 106, 105, 111, 108, 110, 109]
    let items = clocks.enumerated().map { index, clock in
      VersionedEntity(
        key: .note(1 + index % 3), version: Version(clock: clock, device: 1),
        payload: Note(folder: 0, title: "\(clock)"))
    }
    await cache.receive(EventEnvelope(place: nil, event: .batchChanged(items)), library: .test)
    for note in 1...3 {
      let newest = items.filter { $0.key == .note(note) }.map(\.version.clock).max()
      #expect(await cache.entity(.note(note))?.version.clock == newest)
      #expect(await cache.entity(.note(note))?.payload.title == newest.map { "\($0)" })
    }
    #expect(await cache.keptValues == 0)
  }
}
