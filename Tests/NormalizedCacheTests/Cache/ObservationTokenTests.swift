import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Observations that end on release", .timeLimit(.minutes(30)))
struct ObservationTokenTests {
  private let folder = NoteQuery.folder(0).key()

  @Test("B33 The observation lasts as long as a reference to its token")
  func release() async throws {
    let cache = try NoteCache.test(source: NoteHost())
    var token: ObservationToken? = ObservationToken(await cache.observe(folder) { _, _ in })
    let other = token
    token = nil
    #expect(await cache.isObserved(folder))
    withExtendedLifetime(other) {}
    _ = consume other
    try await until { await !cache.isObserved(folder) }
  }

  @Test("B33 Cancelled, it has ended when the call returns, and letting it go does no harm")
  func cancel() async throws {
    let cache = try NoteCache.test(source: NoteHost())
    let token = ObservationToken(await cache.observe(folder) { _, _ in })
    await token.cancel()
    #expect(await !cache.isObserved(folder))
  }
}
