import CacheModel
import CacheTestSupport
import EvictionPolicies
import FaultSearch
import NormalizedCache
import Testing

/// The hot set is a folder that is read; the storm is events about notes elsewhere.
@Suite("Admission of pushed entities that are not cached")
struct AdmissionTests {
  let hot = NoteQuery.folder(0)

  static func server(notes: Int) -> NoteServer {
    var server = NoteServer()
    for number in 0..<notes {
      server.write((number, Note(folder: 0, title: "\(number)", text: "nine here")))
    }
    return server
  }

  /// A full cache of 100 notes that are read, which then receives 1,000 others.
  private func stormed(_ admission: EventAdmission, order: String, capacity: Capacity) throws -> (
    survivors: Int, outcome: ReadOutcome, residents: Int
  ) {
    var server = Self.server(notes: 100)
    var client = try NoteClient(
      .test(evictionOrder: order, capacity: capacity, eventAdmission: admission))
    _ = client.load(hot, from: server)
    client.read(hot)
    for number in 0..<1_000 {
      client.receive(
        server.write((1_000 + number, Note(folder: 1, title: "x", text: "nine here"))))
      if number.isMultiple(of: 500) { client.store.checkInvariants() }
    }
    client.store.checkInvariants()
    let survivors = client.residents.prefix { $0 < 1_000 }.count
    return (survivors, client.read(hot), client.store.residentEntities)
  }

  @Test(
    "B14 An index storm leaves the hot set untouched under update-only, and nearly so on probation",
    arguments: CachePolicy.boundedOrders, [true, false])
  func storm(order: String, isByBytes: Bool) throws {
    let capacity =
      isByBytes ? Capacity(entities: nil, bytes: 1_000) : Capacity(entities: 100)
    let allocating = try stormed(.writeAllocate, order: order, capacity: capacity)
    // Many orders spare read entities by themselves; these do not.
    if ["lru", "fifo", "random", "size", "expiring-first"].contains(order) {
      #expect(allocating.survivors == 0, "the storm is one")
    }
    let updating = try stormed(.updateOnly, order: order, capacity: capacity)
    #expect(updating == (100, .hit, 100))
    let probing = try stormed(.probation, order: order, capacity: capacity)
    #expect(probing == (90, .partial, 100), "a tenth went to those on probation")
  }

  @Test(
    "B14 Under update-only an event updates cached entities, and those that a list gains are kept")
  func updateOnly() throws {
    var server = Self.server(notes: 2)
    var client = try NoteClient(.test(eventAdmission: .updateOnly))
    _ = client.load(hot, from: server)
    client.receive(server.write((1, Note(folder: 0, title: "new title"))))
    #expect(client.store.peek(.note(1))?.payload.title == "new title")
    client.receive(
      server.write((7, Note(folder: 0, title: "enters")), (8, Note(folder: 1, title: "nowhere"))))
    #expect(client.residents == [0, 1, 7])
    #expect(client.rows(of: hot) == [0, 7, 1])
    #expect(client.read(hot) == .hit)
    #expect(client.isFresh(.note(7)) == true)
    client.receive(server.write((8, Note(folder: 0, title: "enters later"))))
    #expect(client.residents == [0, 1, 7, 8])
    client.write(9, Note(folder: 1, title: "the app's own"), clock: 1_000)
    #expect(client.residents == [0, 1, 7, 8, 9])
    client.store.checkInvariants()
  }

  @Test("B14 Under update-only a listed entity without a value is kept, unless it leaves the list")
  func updateOnlyEvicted() throws {
    var server = Self.server(notes: 3)
    var client = try NoteClient(
      .test(capacity: Capacity(entities: 2), eventAdmission: .updateOnly))
    _ = client.load(hot, from: server)
    #expect(client.residents == [1, 2])
    client.receive(server.write((0, Note(folder: 1, title: "left"))))
    #expect(client.residents == [1, 2])
    #expect(client.read(hot) == .hit)
    client.write(50, Note(folder: 3, title: "pushes 1 out"), clock: 1_000)
    #expect(client.residents == [2, 50])
    client.receive(server.write((1, Note(folder: 0, title: "still there"))))
    #expect(client.residents == [1, 50])
    client.store.checkInvariants()
  }

  /// A cache of 20 that was filled with events about notes 0 to 19: all are on probation.
  private func onProbation(_ server: inout NoteServer) throws -> NoteClient {
    var client = try NoteClient(
      .test(
        capacity: Capacity(entities: 20), retention: .observed, eventAdmission: .probation))
    for number in 0..<20 {
      client.receive(server.write((number, Note(folder: number % 2, title: "\(number)"))))
    }
    return client
  }

  @Test("B14 Those on probation go first in first out, while they take more than their tenth")
  func firstInFirstOut() throws {
    var server = NoteServer()
    var client = try onProbation(&server)
    client.receive(server.write((0, Note(folder: 0, title: "an event is no use of it"))))
    for number in 20..<23 { client.receive(server.write((number, Note(folder: 9, title: "x")))) }
    #expect(client.residents == Array(3..<23))
    for number in 30..<60 { client.write(number, Note(folder: 8, title: "x"), clock: 1_000) }
    #expect(client.residents == [21, 22] + Array(42..<60), "within its tenth it goes no more")
    client.store.checkInvariants()
  }

  @Test("B14 A read, a list that is read, a fetch and a hold end the probation")
  func endOfProbation() throws {
    var server = NoteServer()
    var client = try onProbation(&server)
    _ = client.store.readEntity(.note(0), library: .test, at: client.now)
    client.read(.folder(1))
    client.store.checkInvariants()
    let fetch = client.takeFetch()
    client.complete(fetch.id, with: server.answer(fetch.target))
    client.store.checkInvariants()
    // Ten by the fetch, one by the read; held ones come back released.
    client.observe(.folder(1), from: server)
    client.store.checkInvariants()
    client.stopObserving(.folder(1))
    for number in 100..<200 { client.receive(server.write((number, Note(folder: 9, title: "")))) }
    #expect(client.residents == [0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19] + Array(191..<200))
    client.store.checkInvariants()
  }

  @Test("B14 A list filled by events alone ends their probation when it is read")
  func readingAList() throws {
    var server = NoteServer()
    var client = try NoteClient(
      .test(capacity: Capacity(entities: 10), eventAdmission: .probation))
    _ = client.load(hot, from: server)
    for number in 0..<3 {
      client.receive(server.write((number, Note(folder: 0, title: "\(number)"))))
    }
    #expect(client.read(hot) == .hit)
    client.store.checkInvariants()
    for number in 20..<90 { client.receive(server.write((number, Note(folder: 1, title: "")))) }
    #expect(client.read(hot) == .hit)
  }
}

@Suite("Admission into a full cache", .timeLimit(.minutes(30)))
struct AdmissionPolicyTests {
  let hot = NoteQuery.folder(0)

  /// A cache of ten, of which nine are read three times.
  private func filled(
    _ server: inout NoteServer, admission: String, retention: Retention = .none
  ) throws -> NoteClient {
    server = AdmissionTests.server(notes: 9)
    var client = try NoteClient(
      .test(admission: admission, capacity: Capacity(entities: 10), retention: retention))
    _ = client.load(hot, from: server)
    for _ in 0..<3 { client.read(hot) }
    client.write(99, Note(folder: 9, title: "the tenth"), clock: 1)
    return client
  }

  @Test(
    "B14 Entities that arrive once do not displace those that are read, wherever they come from")
  func storm() throws {
    for (admission, isHeld) in [("always", false), ("tinylfu", true), ("probation", true)] {
      var server = NoteServer()
      var client = try filled(&server, admission: admission)
      for number in 100..<200 {
        if number.isMultiple(of: 2) {
          client.receive(server.write((number, Note(folder: 1, title: "x"))))
        } else {
          client.write(number, Note(folder: 2, title: "x"), clock: 1)
        }
      }
      client.store.checkInvariants()
      #expect(client.read(hot) == (isHeld ? .hit : .partial), "\(admission)")
      #expect(client.store.residentEntities == 10)
      let rejections = client.store.statistics.rejections
      #expect(admission == "tinylfu" ? rejections >= 90 : rejections == 0)
    }
  }

  @Test("B14 An entity that is requested often enough is admitted")
  func persistence() throws {
    var server = NoteServer()
    var client = try filled(&server, admission: "tinylfu")
    for number in 200..<210 { client.write(number, Note(folder: 3, title: "x"), clock: 1) }
    let note = Note(folder: 1, title: "wanted")
    var attempts = 0
    while !client.residents.contains(50) && attempts < 15 {
      attempts += 1
      client.write(50, note, clock: UInt64(attempts))
    }
    #expect((2..<15).contains(attempts))
    client.store.checkInvariants()
  }

  @Test("B7 Entities retained by a query are kept unconditionally, however rarely they are used")
  func retained() throws {
    var server = NoteServer()
    var client = try filled(&server, admission: "tinylfu", retention: .observed)
    client.heartbeat(from: server)
    for number in 10..<15 {
      client.receive(server.write((number, Note(folder: 1, title: "cold"))))
    }
    #expect(client.residents == Array(0..<9) + [99])
    client.observe(.folder(1), from: server)
    #expect(client.rows(of: .folder(1)) == [10, 11, 12, 13, 14])
    #expect(client.isFresh(.folder(1)) == true)
    #expect(client.store.residentEntities == 10)
    client.receive(server.write((15, Note(folder: 1, title: "enters what is observed"))))
    #expect(client.rows(of: .folder(1)) == [10, 11, 12, 13, 14, 15])
    #expect(client.residents.contains(15))
    client.store.checkInvariants()
  }

  @Test("B11 Rows that are not admitted still reach waiting callers")
  func waiting() throws {
    var server = NoteServer()
    var client = try filled(&server, admission: "tinylfu")
    for number in 10..<15 { server.write((number, Note(folder: 1, title: "\(number)"))) }
    client.read(.folder(1))
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    client.complete(fetch.id, with: response)
    #expect(client.store.rows(of: fetch.target, answeredBy: response) == response.entities)
    #expect(client.store.statistics.rejections > 0)
    #expect(client.read(.folder(1)) == .partial)
    #expect(client.read(hot) == .hit)
    client.store.checkInvariants()
  }

  @Test(
    "B10 Limits and invariants hold under every order with every admission",
    arguments: CachePolicy.boundedOrders)
  func limits(order: String) throws {
    let capacities = [
      Capacity(entities: 7), Capacity(entities: nil, bytes: 40),
      Capacity(entities: 6, bytes: 30, highWatermark: 0.9, lowWatermark: 0.6),
    ]
    for admission in CachePolicy.admissions {
      for (index, capacity) in capacities.enumerated() {
        var server = NoteServer()
        var client = try NoteClient(
          .test(
            evictionOrder: order, admission: admission, capacity: capacity,
            freshness: Freshness(timeToLive: .seconds(50)),
            eventAdmission: EventAdmission.allCases[index]))
        var random = RandomSource(seed: UInt64(index)).substream("limits")
        for _ in 0..<120 {
          let number = random.below(15)
          let text = String(repeating: "x", count: random.below(9))
          switch random.below(5) {
          case 0: client.read(.folder(random.below(2)))
          case 1: _ = client.store.readEntity(.note(number), library: .test, at: client.now)
          case 2: client.receive(server.delete(.note(number)))
          case 3: client.wait(.seconds(Int64(random.below(9))))
          default:
            client.receive(
              server.write((number, Note(folder: random.below(2), title: "", text: text))))
          }
          if random.chance(0.3) { client.answerAll(from: server) }
          client.store.checkInvariants()
          #expect(client.store.residentEntities <= capacity.entities ?? .max)
          #expect(client.store.residentWeight <= capacity.bytes ?? .max)
        }
      }
    }
  }

  @Test("Names that nothing is called are rejected, with those that there are")
  func names() {
    func message(_ composition: CachePolicy) -> String? {
      #expect(throws: CachePolicyError.self) { _ = try NoteClient(composition) }?.description
    }
    #expect(
      message(.test(admission: "tinylru"))
        == "no admission is called \"tinylru\"; known: always, tinylfu, probation")
    #expect(
      message(.test(evictionOrder: "clairvoyant"))?.hasPrefix(
        "the eviction order \"clairvoyant\" needs to know the future") == true)
    #expect(
      message(.test(evictionOrder: "lru+tinylfu"))?.hasPrefix("no eviction order is called")
        == true)
  }
}
