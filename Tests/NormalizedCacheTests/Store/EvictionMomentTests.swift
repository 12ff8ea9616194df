import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("When something is evicted")
struct EvictionMomentTests {
  private static func client(
    _ retention: Retention, entities: Int, queries: Int? = nil
  ) throws -> NoteClient {
    try NoteClient(
      .test(
        capacity: Capacity(entities: entities), retention: retention, maximumQueries: queries))
  }

  @Test("B10 The rows of an answer are written one by one, and each makes its own space")
  func rowByRow() throws {
    let server = HardLimitTests.server()
    var client = try Self.client(.none, entities: 2)
    _ = client.load(.folder(1), from: server)
    #expect(
      client.load(.folder(0), from: server) == [2, 3], "the first two rows gave way to the last")
    #expect(client.store.statistics.evictions == 3)
    #expect(client.read(.folder(0)) == .partial)
  }

  @Test("B10 A hit uses its rows in their order, so that of equal ones the first goes first")
  func usesInOrder() throws {
    let server = HardLimitTests.server()
    var client = try Self.client(.none, entities: 4)
    _ = client.load(.folder(0), from: server)
    #expect(client.read(.folder(0)) == .hit)
    client.write(90, Note(folder: 9, title: "x"), clock: 1_000)
    #expect(client.residents == [1, 2, 3, 90])
  }

  @Test("B9 B10 The limit on queries is kept when a query is made, before its answer is there")
  func queriesFirst() throws {
    let server = HardLimitTests.server()
    var client = try Self.client(.cached, entities: 1, queries: 1)
    _ = client.load(.folder(0), from: server)
    #expect(client.residents == [0, 1, 2, 3], "a soft limit is exceeded by what is retained")
    client.read(.folder(1))
    #expect(client.store.cachedQueries == 1)
    #expect(client.residents == [0, 1, 2, 3], "let go, and evicted by the next write")
    client.answerAll(from: server)
    #expect(client.residents == [10])
  }

  @Test(
    "B3 B10 What a query ceases to hold may be evicted at the end of that commit, the first row first"
  )
  func released() throws {
    let server = HardLimitTests.server()
    var client = try Self.client(.observed, entities: 2)
    client.observe(.folder(0), from: server)
    #expect(client.residents == [0, 1, 2, 3])
    #expect(client.store.statistics.evictions == 0)
    client.stopObserving(.folder(0))
    #expect(client.residents == [2, 3])
    client.store.checkInvariants()
  }

  @Test("B10 Without retention nothing is evicted because an observer leaves")
  func unobserved() throws {
    let server = HardLimitTests.server()
    var client = try Self.client(.none, entities: 4)
    client.observe(.folder(0), from: server)
    client.stopObserving(.folder(0))
    #expect(client.residents == [0, 1, 2, 3])
  }
}
