import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Coalescing: notifications at a bounded rate", .timeLimit(.minutes(30)))
struct CoalescingTests {
  static let window = Duration.milliseconds(100)

  /// A client that observes the folders 0 to 2, and has received no notification yet.
  private static func client(
    of server: NoteServer, window: Duration = window
  ) throws -> NoteClient {
    var client = try NoteClient(.test(coalescingWindow: window))
    for folder in 0..<3 { client.observe(.folder(folder), from: server) }
    client.wait(.seconds(1))
    _ = client.takeNotified()
    return client
  }

  struct Notice: Hashable {
    var at: Instant
    var folder: Int
  }

  private static func folders(_ keys: [QueryKey]) -> [Int] {
    keys.map { key in
      if case .folder(let folder) = NoteQuery(key) { folder } else { -1 }
    }
  }

  @Test("B30 A shell that wakes late, or not at all, is notified with the next commit")
  func lateShell() throws {
    var server = NoteServer()
    var client = try Self.client(of: server)
    client.receive(server.write((1, Note(folder: 0, title: "a"))))
    client.receive(server.write((1, Note(folder: 0, title: "b"))))
    _ = client.takeNotified()
    client.now = client.now.advanced(by: .seconds(5))
    client.receive(server.write((2, Note(folder: 1, title: "a")), (1, Note(folder: 0, title: "c"))))
    #expect(Set(Self.folders(client.takeNotified())) == [0, 1], "one for each")
  }

  @Test("B30 An observer that stops receives nothing more, and a new one is notified immediately")
  func observers() throws {
    var server = NoteServer()
    var client = try Self.client(of: server)
    client.receive(server.write((1, Note(folder: 0, title: "a"))))
    client.receive(server.write((1, Note(folder: 0, title: "b"))))
    _ = client.takeNotified()
    client.stopObserving(.folder(0))
    #expect(client.store.nextDeadline == nil)
    client.wait(.seconds(1))
    #expect(client.takeNotified().isEmpty)
    client.observe(.folder(0), from: server)
    client.receive(server.write((1, Note(folder: 0, title: "c"))))
    #expect(Self.folders(client.takeNotified()) == [0])
  }

  @Test("B30 A window of zero notifies every commit")
  func zero() throws {
    var server = NoteServer()
    var client = try Self.client(of: server, window: .zero)
    for number in 0..<5 {
      client.receive(server.write((1, Note(folder: 0, title: "\(number)"))))
    }
    #expect(client.takeNotified().count == 5)
    #expect(client.store.nextDeadline == nil)
  }

  @Test("B30 Coalescing does what a table of last notifications does", arguments: 0..<16)
  func model(seed: Int) throws {
    var random = RandomSource(seed: UInt64(seed))
    var server = NoteServer()
    var client = try Self.client(of: server)
    var told: [Notice] = []
    var expected: [Notice] = []
    var last = Array(repeating: Instant(nanoseconds: .min / 2), count: 3)
    var due: [Int: Instant] = [:]

    func pass(to instant: Instant, _ client: inout NoteClient) {
      while let deadline = client.store.nextDeadline, deadline <= instant {
        client.wait(client.now.duration(to: deadline))
        for folder in Self.folders(client.takeNotified()) {
          told.append(Notice(at: client.now, folder: folder))
        }
      }
      client.now = instant
      while let (folder, at) = due.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
        at <= instant
      {
        due[folder] = nil
        last[folder] = at
        expected.append(Notice(at: at, folder: folder))
      }
    }

    for number in 0..<300 {
      // In steps of 10 ms, so that some changes fall on the end of a window.
      let step = Duration.milliseconds(10 * random.below(8))
      pass(to: client.now.advanced(by: step), &client)
      let folder = random.below(3)
      client.receive(server.write((folder, Note(folder: folder, title: "\(number)"))))
      for folder in Self.folders(client.takeNotified()) {
        told.append(Notice(at: client.now, folder: folder))
      }
      if client.now >= last[folder].advanced(by: Self.window) {
        last[folder] = client.now
        expected.append(Notice(at: client.now, folder: folder))
      } else {
        due[folder] = last[folder].advanced(by: Self.window)
      }
      client.store.checkInvariants()
    }
    pass(to: client.now.advanced(by: .seconds(1)), &client)
    func sorted(_ notices: [Notice]) -> [Notice] {
      notices.sorted { ($0.at, $0.folder) < ($1.at, $1.folder) }
    }
    #expect(sorted(told) == sorted(expected))
    #expect(told.count > 100)
  }
}
