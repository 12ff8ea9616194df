import CacheModel
import FaultSearch
import NormalizedCache
import Testing
import TidemarkTestSupport

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
}
