import CacheModel
import CacheTestSupport
import EvictionPolicies
import FaultSearch
import NormalizedCache
import Testing

@Suite("Admission: what a full cache takes in", .timeLimit(.minutes(30)))
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

  @Test("B14 Nothing that arrives once drives out what is read, wherever it comes from")
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

  @Test("B14 What is asked for often enough is taken in")
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

  @Test("B7 What a query retains is kept without a question, however rarely it is used")
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

  @Test("B11 Rows that are turned away still reach those who wait for them")
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
    arguments: PolicyComposition.boundedOrders)
  func limits(order: String) throws {
    let capacities = [
      Capacity(entities: 7), Capacity(entities: nil, bytes: 40),
      Capacity(entities: 6, bytes: 30, highWatermark: 0.9, lowWatermark: 0.6),
    ]
    for admission in PolicyComposition.admissions {
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
    func message(_ composition: PolicyComposition) -> String? {
      #expect(throws: CompositionError.self) { _ = try NoteClient(composition) }?.description
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
