import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Reconciles that came to nothing, and a server that can be reached again")
struct ReachableTests {
  private let folder = NoteQuery.folder(0)

  /// A client whose reconcile has failed some times, and that lags behind its server by a note.
  private func lagging(behind server: inout NoteServer, failures: Int) throws -> NoteClient {
    server = StreamTests.server()
    var client = try StreamTests.client(of: server)
    _ = server.write((2, Note(folder: 0, title: "lost")))
    client.heartbeat(from: server)
    client.wait(.milliseconds(200))
    for failure in 0..<failures {
      client.fail(client.takeReconcile().id)
      if failure < failures - 1 { client.wait(.seconds(60)) }
    }
    return client
  }

  private func comeOnline(_ client: inout NoteClient) {
    for isOnline in [false, true] { client.store.setOnline(isOnline, at: client.now) }
    client.collect()
  }

  @Test("B38 A heartbeat that names the gap ends the pause, and asks once")
  func heartbeat() throws {
    var server = NoteServer()
    var client = try lagging(behind: &server, failures: 5)
    client.heartbeat(from: server)
    #expect(client.reconciles.count == 1)
    client.heartbeat(from: server)
    #expect(client.reconciles.count == 1, "it is under way")
    client.answerAll(from: server)
    #expect(client.rows(of: folder) == [1, 2])
    client.heartbeat(from: server)
    #expect(client.reconciles.isEmpty, "nothing is missing")
    #expect(client.store.statistics.gapsDetected == 1)
    client.store.checkInvariants()
  }

  @Test("B38 A heartbeat whose reconcile fails again is no reason for shorter pauses")
  func pauses() throws {
    var server = NoteServer()
    var client = try lagging(behind: &server, failures: 3)
    client.heartbeat(from: server)
    client.fail(client.takeReconcile().id)
    client.wait(.seconds(8) - .nanoseconds(1))
    #expect(client.reconciles.isEmpty)
    client.wait(.nanoseconds(1))
    #expect(client.reconciles.count == 1)
  }

  @Test("B38 Coming online asks at once, and the pauses begin at a second again")
  func online() throws {
    var server = NoteServer()
    var client = try lagging(behind: &server, failures: 5)
    client.store.setOnline(true, at: client.now)
    client.collect()
    #expect(client.reconciles.isEmpty, "it was online")
    comeOnline(&client)
    #expect(client.reconciles.count == 1)
    client.fail(client.takeReconcile().id)
    client.wait(.seconds(1))
    #expect(client.reconciles.count == 1)
    client.answerAll(from: server)
    comeOnline(&client)
    #expect(client.reconciles.isEmpty)
    #expect(client.isFresh(folder) == true)
  }

  @Test("B37 A gap that a heartbeat names first waits for the reorder window")
  func newGap() throws {
    var server = StreamTests.server()
    var client = try StreamTests.client(of: server)
    let late = server.write((2, Note(folder: 0, title: "late")))
    client.heartbeat(from: server)
    comeOnline(&client)
    #expect(client.reconciles.isEmpty)
    client.receive(late)
    client.wait(.seconds(1))
    #expect(client.reconciles.isEmpty)
  }

  @Test(
    "B38 Reads are served while events are known to be missing, and what they show is not called fresh"
  )
  func suspect() throws {
    var server = NoteServer()
    var client = try lagging(behind: &server, failures: 1)
    #expect(client.read(folder) == .hit)
    #expect(client.isFresh(folder) == false)
    let entity = client.store.readEntity(.note(1), library: .test, at: client.now)
    #expect(entity.outcome == .hit)
    #expect(client.fetches.isEmpty)
  }
}
