import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Streams: order, gaps, epochs")
struct StreamTests {
  let folder = NoteQuery.folder(0)

  static func server() -> NoteServer {
    NoteServer(writing: (1, Note(folder: 0, title: "a")))
  }

  /// A client that observes a folder and has received all events.
  static func client(
    of server: NoteServer, _ composition: CachePolicy = .test()
  ) throws -> NoteClient {
    var client = try NoteClient(composition)
    client.observe(.folder(0), from: server)
    return client
  }

  /// Reads a folder, and answers without the server's position.
  private func loadWithoutPlace(_ client: inout NoteClient, from server: NoteServer) {
    client.read(folder)
    let fetch = client.takeFetch()
    var response = server.answer(fetch.target)
    response.place = nil
    client.complete(fetch.id, with: response)
    #expect(client.isFresh(folder) == true)
  }

  @Test("B35 Events without sequence are applied, without gap logic")
  func unsequenced() throws {
    let server = Self.server()
    var client = try Self.client(of: server)
    let note = VersionedEntity(
      key: .note(2), version: Version(clock: 50, device: 2),
      payload: Note(folder: 0, title: "b"))
    client.store.receive(
      EventEnvelope(place: nil, event: .changed(note)), library: .test, at: client.now)
    client.collect()
    #expect(client.rows(of: folder) == [1, 2])
    #expect(client.store.cursor(of: server.stream) == server.place.position)
    #expect(client.store.nextDeadline == nil)
  }

  @Test("B35 An event older than what was forgotten is not applied, but invalidates lists")
  func outdated() throws {
    var server = NoteServer()
    let first = server.write((1, Note(folder: 0, title: "a")))
    var client = try NoteClient(.test(capacity: Capacity(entities: 1)))
    client.heartbeat(from: server)
    client.receive(server.write((1, Note(folder: 5, title: "b"))))
    client.receive(server.write((2, Note(folder: 5, title: "c"))))
    #expect(client.residents == [2], "the newer value of 1 was evicted")
    _ = client.load(folder, from: server)
    client.store.receive(
      EventEnvelope(place: nil, event: first.event), library: .test, at: client.now)
    client.collect()
    #expect(client.residents == [2])
    #expect(client.load(folder, from: server) == [])
    #expect(client.read(folder) == .hit)
  }

  @Test("B35 An event that names no library doubts the lists that it might enter")
  func nameless() throws {
    let server = Self.server()
    var client = try Self.client(of: server)
    let note = VersionedEntity(
      key: .note(2), version: Version(clock: 50, device: 2),
      payload: Note(folder: 0, title: "b"))
    client.receive(EventEnvelope(place: nil, event: .changed(note)))
    #expect(client.rows(of: folder) == [1])
    #expect(client.fetches.count == 1)
    client.answerAll(from: server)
    #expect(client.read(folder) == .hit)
  }

  @Test("B36 The first sequence seen is a baseline, not a gap")
  func baseline() throws {
    var server = NoteServer()
    for number in 0..<6 { server.write((number, Note(folder: 0, title: "a"))) }
    var client = try NoteClient()
    client.receive(server.log[4])
    #expect(client.store.cursor(of: server.stream)?.sequence == 5)
    #expect(client.store.nextDeadline == nil)
    client.receive(server.log[5])
    #expect(client.store.cursor(of: server.stream)?.sequence == 6)
    #expect(client.store.statistics.gapsDetected == 0)
  }

  @Test("B36 Cached data becomes stale if its stream is first seen in a later epoch")
  func heldBeforeLaterEpoch() throws {
    var server = Self.server()
    var client = try NoteClient()
    loadWithoutPlace(&client, from: server)
    // The client does not receive the deletion, and its epoch is over.
    _ = server.delete(.note(1))
    server.restart()
    #expect(server.place.position.sequence == 0)
    client.heartbeat(from: server)
    #expect(client.isFresh(folder) == false)
    #expect(client.load(folder, from: server) == [])
  }

  @Test("B35 A value of an unknown library becomes stale with changes of any library")
  func unknownLibrary() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    let note = VersionedEntity(
      key: .note(8), version: Version(clock: 50, device: 2),
      payload: Note(folder: 7, title: "b"))
    client.receive(EventEnvelope(place: nil, event: .changed(note)))
    #expect(client.isFresh(.note(8)) == true)
    server.restart()
    client.heartbeat(from: server)
    #expect(client.isFresh(.note(8)) == false)
  }

  @Test(
    "B36 The cursor is the last contiguously applied event",
    arguments: [[2, 1, 0], [1, 0, 2], [0, 2, 1], [2, 0, 1]])
  func cursor(arrival: [Int]) throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    let events = (0..<3).map { server.write(($0 + 2, Note(folder: 0, title: "\($0)"))) }
    let base = server.place.position.sequence - 3
    var arrived: Set<Int> = []
    for index in arrival {
      client.receive(events[index])
      arrived.insert(index)
      let contiguous = (0..<3).prefix { arrived.contains($0) }.count
      #expect(client.store.cursor(of: server.stream)?.sequence == base + UInt64(contiguous))
      #expect(client.residents.count == 1 + contiguous, "nothing is applied before its turn")
    }
    #expect(client.store.nextDeadline == nil)
    #expect(client.store.statistics.gapsDetected == 0)
    #expect(client.store.statistics.reconciles == 0)
    #expect(client.store.statistics.gapsHealed == (arrival == [0, 1, 2] ? 0 : 1))
  }

  @Test("B37 Duplicates are applied once and never move the cursor back")
  func duplicates() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    let first = server.write((1, Note(folder: 0, title: "b")))
    let second = server.write((1, Note(folder: 0, title: "c")))
    let third = server.write((1, Note(folder: 0, title: "d")))
    for event in [first, first, third, third, second, first, third, second] {
      client.receive(event)
    }
    #expect(client.store.statistics.duplicatesIgnored == 5)
    #expect(client.store.statistics.eventsApplied == 3)
    #expect(client.store.cursor(of: server.stream) == server.place.position)
  }

  @Test("B38 A gap triggers one reconcile, and events that come meanwhile wait their turn")
  func gap() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    _ = server.write((2, Note(folder: 0, title: "lost")))
    client.receive(server.write((3, Note(folder: 0, title: "b"))))
    #expect(client.isFresh(folder) == false, "events are known to be missing")
    client.wait(.milliseconds(199))
    #expect(client.reconciles.isEmpty)
    client.wait(.milliseconds(1))
    #expect(client.reconciles.map(\.after.sequence) == [1])
    let reconcile = client.takeReconcile()
    client.receive(server.write((4, Note(folder: 0, title: "c"))))
    client.wait(.seconds(5))
    #expect(client.reconciles.isEmpty, "one is under way")
    #expect(client.rows(of: folder) == [1])
    client.complete(
      reconcile.id,
      with: .events(Array(server.log[1...2]), through: StreamPosition(epoch: 1, sequence: 3)))
    #expect(client.rows(of: folder) == [1, 3, 4, 2])
    #expect(client.store.cursor(of: server.stream) == server.place.position)
    #expect(client.isFresh(folder) == true)
    #expect(client.fetches.isEmpty, "after a replay nothing is invalidated")
    #expect(client.store.statistics.reconciles == 1)
  }

  @Test(
    "B38 A reconcile is redundant where all that it found had come by itself",
    arguments: [(late: [1, 2], isRedundant: true), (late: [2], isRedundant: false)])
  func redundancy(late: [Int], isRedundant: Bool) throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    _ = server.write((2, Note(folder: 0, title: "late")))
    _ = server.write((3, Note(folder: 0, title: "b")))
    client.heartbeat(from: server)
    client.wait(.milliseconds(200))
    for index in late { client.receive(server.log[index]) }
    client.answerAll(from: server)
    #expect(client.rows(of: folder) == [1, 3, 2])
    #expect(client.store.statistics.reconciles == 1)
    #expect(client.store.statistics.redundantReconciles == (isRedundant ? 1 : 0))
  }

  @Test("B38 A failed reconcile is tried again, each time after twice as long, up to a minute")
  func backOff() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    _ = server.write((2, Note(folder: 0, title: "lost")))
    client.heartbeat(from: server)
    client.wait(.milliseconds(200))
    for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
      let reconcile = client.takeReconcile()
      client.fail(reconcile.id)
      #expect(client.isFresh(folder) == false)
      client.wait(.seconds(seconds) - .nanoseconds(1))
      #expect(client.reconciles.isEmpty, "after \(seconds) s")
      client.wait(.nanoseconds(1))
      #expect(client.reconciles.count == 1, "after \(seconds) s")
    }
    client.answerAll(from: server)
    #expect(client.rows(of: folder) == [1, 2])
    #expect(client.store.nextDeadline == nil)
  }

  @Test("B38 An answer that brings nothing, though more exists, is not requested again immediately")
  func withoutProgress() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    _ = server.write((2, Note(folder: 0, title: "lost")))
    client.heartbeat(from: server)
    client.wait(.milliseconds(200))
    let first = client.takeReconcile()
    client.complete(first.id, with: .events([], through: first.after))
    client.wait(.milliseconds(999))
    #expect(client.reconciles.isEmpty)
    client.wait(.milliseconds(1))
    let second = client.takeReconcile()
    client.complete(second.id, with: .events([], through: second.after))
    client.wait(.milliseconds(1_999))
    #expect(client.reconciles.isEmpty)
    client.wait(.milliseconds(1))
    #expect(client.reconciles.count == 1)
  }

  @Test("B38 Missing events that come late close the gap while a retry is pending")
  func lateHealing() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    let lost = server.write((2, Note(folder: 0, title: "late")))
    client.receive(server.write((3, Note(folder: 0, title: "b"))))
    client.wait(.milliseconds(200))
    client.fail(client.takeReconcile().id)
    client.receive(lost)
    #expect(client.rows(of: folder) == [1, 3, 2])
    #expect(client.store.nextDeadline == nil)
    #expect(client.isFresh(folder) == true)
  }

  @Test("B38 Each gap response restores the truth", arguments: GapResponse.allCases)
  func responses(response: GapResponse) throws {
    var server = Self.server()
    var client = try Self.client(of: server, .test(gapResponse: response))
    _ = server.write((2, Note(folder: 0, title: "lost")))
    client.heartbeat(from: server)
    client.wait(.milliseconds(200))
    #expect(client.store.statistics.reconciles == (response == .fullInvalidation ? 0 : 1))
    #expect(client.fetches.count == (response == .fullInvalidation ? 1 : 0))
    client.answerAll(from: server)
    #expect(client.rows(of: folder) == [1, 2])
    #expect(client.isFresh(folder) == true)
    #expect(client.store.statistics.resyncs == (response == .fullInvalidation ? 1 : 0))
  }

  @Test("B39 A new epoch leads to one resync", arguments: [true, false])
  func epoch(byHeartbeat: Bool) throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    server.restart()
    let event = server.write((2, Note(folder: 0, title: "b")))
    for _ in 0..<2 {
      if byHeartbeat { client.heartbeat(from: server) } else { client.receive(event) }
    }
    #expect(client.store.statistics.resyncs == 1)
    #expect(client.fetches.count == 1)
    #expect(client.rows(of: folder).first == 1, "the data stays meanwhile")
    client.answerAll(from: server)
    #expect(client.rows(of: folder) == [1, 2])
    #expect(client.isFresh(folder) == true)
  }

  @Test("B39 A reconcile answered from an epoch that is over is asked again")
  func reconcileOfFormerEpoch() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    let before = server.place.position
    server.restart()
    client.receive(server.write((2, Note(folder: 0, title: "b"))))
    client.answerAll(from: server)
    _ = server.write((3, Note(folder: 0, title: "lost")))
    client.receive(server.write((4, Note(folder: 0, title: "d"))))
    client.wait(.milliseconds(200))
    client.complete(client.takeReconcile().id, with: .events([], through: before))
    client.wait(.seconds(1))
    client.answerAll(from: server)
    #expect(client.store.cursor(of: server.stream) == server.place.position)
    #expect(client.isFresh(folder) == true)
  }

  @Test("B39 Events of an epoch that is over are ignored")
  func formerEpoch() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    let late = server.write((1, Note(folder: 0, title: "late")))
    server.restart()
    client.heartbeat(from: server)
    client.receive(late)
    #expect(client.store.statistics.duplicatesIgnored == 1)
    #expect(client.store.cursor(of: server.stream) == server.place.position)
  }

  @Test("B39 More events than may wait behind a gap are let go, and asked for")
  func lag() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    _ = server.write((2, Note(folder: 0, title: "lost")))
    for number in 0..<1_500 {
      client.receive(server.write((number % 50 + 3, Note(folder: 0, title: "\(number)"))))
    }
    client.wait(.milliseconds(200))
    client.answerAll(from: server)
    #expect(client.store.cursor(of: server.stream) == server.place.position)
    #expect(
      client.rows(of: folder) == server.answer(folder.key()).entities.map { Int($0.key.id.low) })
    #expect(client.store.statistics.resyncs == 0)
  }

  @Test("B40 Streams of several devices interleave without false gaps")
  func severalStreams() throws {
    var laptop = NoteServer(source: 1)
    var phone = NoteServer(source: 2)
    var client = try NoteClient()
    for round in 0..<5 {
      for _ in 0..<(round % 3) {
        client.receive(laptop.write((round, Note(folder: 0, title: "l"))))
      }
      client.receive(phone.write((round + 10, Note(folder: 0, title: "p"))))
    }
    #expect(client.store.nextDeadline == nil)
    #expect(client.store.cursor(of: laptop.stream)?.sequence == 4)
    #expect(client.store.cursor(of: phone.stream)?.sequence == 5)
  }

  @Test("B40 A place in one stream says nothing of another")
  func placesDoNotCompare() throws {
    var hub = NoteServer()
    for number in 0..<20 { hub.write((number, Note(folder: 0, title: "a"))) }
    var phone = NoteServer(source: 2)
    var client = try NoteClient()
    client.observe(folder, from: hub)
    // The list was read at place 20 of the hub; this is place 1 of the phone, and newer.
    client.receive(phone.write((99, Note(folder: 0, title: "0"))))
    #expect(client.rows(of: folder).first == 99)
    client.receive(
      phone.publish(.bulkNotice(scope: InvalidationTag(library: .test), count: 1, token: 1)))
    #expect(client.fetches.count == 1)
  }

  @Test("B40 A server may name more libraries and streams than the cache distinguishes")
  func manyLibraries() throws {
    var client = try NoteClient()
    func library(_ number: UInt64) -> LibraryID {
      LibraryID(rawValue: UniqueID(high: 7, low: number))
    }
    for number in 1...1_100 as ClosedRange<UInt64> {
      let note = VersionedEntity(
        key: .note(Int(number)), version: Version(clock: 1, device: 1),
        payload: Note(folder: 0, title: "a"))
      client.receive(
        EventEnvelope(
          place: .init(
            stream: StreamID(library: library(number)),
            position: StreamPosition(epoch: 1, sequence: 1)),
          event: .changed(note)))
    }
    #expect(client.store.cursor(of: StreamID(library: library(1_000))) != nil)
    #expect(client.store.cursor(of: StreamID(library: library(1_100))) == nil)
    #expect(client.store.peek(.note(1_100)) != nil, "its events are applied all the same")
    // Libraries beyond the limit become stale together, and none is missed.
    var key = folder.key()
    key.library = library(1_090)
    client.read(key)
    client.store.completeFetch(
      client.takeFetch().id, with: FetchResponse(entities: [], hasMore: false, place: nil),
      at: client.now)
    #expect(client.read(key) == .hit)
    client.store.invalidate(InvalidationTag(library: library(1_100)), at: client.now)
    #expect(client.read(key) == .missInvalidated)
  }

  @Test("B43 A bulk notice marks the data that it concerns, once per token")
  func bulk() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    _ = client.load(.folder(1), from: server)
    let scope = InvalidationTag(library: .test, method: NoteQuery.folderMethod)
    client.receive(server.publish(.bulkNotice(scope: scope, count: 500, token: 7)))
    #expect(client.fetches.count == 1, "only the observed one is fetched")
    client.answerAll(from: server)
    #expect(client.read(.folder(1)) == .missInvalidated)
    client.answerAll(from: server)
    client.receive(server.publish(.bulkNotice(scope: scope, count: 500, token: 7)))
    #expect(client.fetches.isEmpty)
    #expect(client.read(.folder(1)) == .hit)
  }

  @Test("B44 Infrastructure events move the cursor and notify no observer")
  func infrastructure() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    _ = client.takeNotified()
    client.receive(server.publish(.infrastructure))
    #expect(client.takeNotified() == [])
    #expect(client.store.cursor(of: server.stream) == server.place.position)
    #expect(client.isFresh(folder) == true)
  }
}
