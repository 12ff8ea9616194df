import CacheModel
import CacheTestSupport
import NormalizedCache
import Testing

@testable import FaultSearch

@Suite("Lists of summaries next to lists of whole entities")
struct SummaryTests {
  /// The first lists the whole notes of a folder, the second a summary of each.
  static let shapes: [NoteShape] = [false, true].map { showsSummaries in
    var shape = NoteShape(
      types: .notes, subject: .folder, star: nil, bound: nil,
      order: [.init(field: .title, isDescending: false)], rows: 100, isPaged: false)
    shape.showsSummaries = showsSummaries
    return shape
  }
  private let wholes = NoteQuery.declared(shape: 0, variant: 0)
  private let summaries = NoteQuery.declared(shape: 1, variant: 0)

  private static func client(
    _ composition: CachePolicy = .test()
  ) throws -> NoteClient {
    let model = FaultCase(seed: 1, composition: composition, shapes: shapes).model
    return try NoteClient(composition, schema: NoteSchema(model))
  }

  private static func note(_ title: String, _ length: Int = 3) -> Note {
    Note(folder: 0, title: title, text: String(repeating: "x", count: length))
  }

  private static func server() -> NoteServer {
    var server = NoteWorld(shapes).servers[0]
    server.write((1, note("a")), (2, note("b")))
    return server
  }

  private static func texts(_ rows: [VersionedEntity<Note>?]?) -> String {
    (rows ?? []).map { row in
      row.map { "\($0.payload.title)\($0.payload.isSummary ? "" : "+")" } ?? "-"
    }.joined()
  }

  @Test("B17 A summary is never shown as a whole: a query of wholes is partial, and asks")
  func partial() throws {
    var server = Self.server()
    var client = try Self.client()
    #expect(client.load(wholes, from: server) == [1, 2])
    server.change([(.note(1), Self.note("a", 5))])
    #expect(client.load(summaries, from: server) == [1, 2])
    // The event is lost: the list of summaries brought the newer version of the first.
    #expect(Self.texts(client.store.rows(of: summaries.key())) == "ab+")
    #expect(Self.texts(client.store.rows(of: wholes.key())) == "-b+")
    #expect(client.isFresh(wholes) == false)
    #expect(client.read(wholes) == .partial)
    client.answerAll(from: server)
    #expect(client.read(wholes) == .hit)
    #expect(Self.texts(client.store.rows(of: wholes.key())) == "a+b+")
    #expect(client.store.confirmedEntity(.note(1))?.payload == Self.note("a", 5))
  }

  @Test("A single entity of which only a summary is held is partly there, and fetched")
  func entity() throws {
    let server = Self.server()
    var client = try Self.client()
    _ = client.load(summaries, from: server)
    #expect(client.isFresh(.note(1)) == false)
    let read = client.store.readEntity(.note(1), library: .test, at: client.now)
    client.collect()
    #expect(read.outcome == .partial)
    #expect(read.entity == nil)
    client.answerAll(from: server)
    let again = client.store.readEntity(.note(1), library: .test, at: client.now)
    #expect(again.outcome == .hit)
    #expect(again.entity?.payload == Self.note("a"))
    #expect(client.read(summaries) == .hit)
  }

  @Test("A summary has its own weight, and grows with the whole that an event brings")
  func weight() throws {
    var server = Self.server()
    var client = try Self.client()
    client.heartbeat(from: server)
    _ = client.load(summaries, from: server)
    #expect(client.store.residentWeight == 2)
    client.receive(server.write((2, Self.note("c", 4))))
    #expect(client.store.residentWeight == 6)
    #expect(Self.texts(client.store.rows(of: summaries.key())) == "ac+")
  }

  @Test("B27 An older whole does not replace a newer summary, and is shown to waiting callers")
  func olderWhole() throws {
    var server = Self.server()
    var client = try Self.client()
    client.store.addObserver(of: wholes.key(), at: client.now)
    client.read(wholes)
    let fetch = client.takeFetch()
    let older = server.answer(fetch.target)
    server.change([(.note(1), Self.note("a", 5))])
    _ = client.load(summaries, from: server)
    client.complete(fetch.id, with: older)
    let told = client.store.rows(of: fetch.target, answeredBy: older)
    #expect(told.map(\.payload) == [Self.note("a"), Self.note("b")])
    #expect(Self.texts(client.store.rows(of: wholes.key())) == "-b+")
    // Requested again, after a pause, since it is observed.
    #expect(client.fetches.count == 0)
    client.wait(.seconds(1))
    #expect(client.fetches.count == 1)
    client.answerAll(from: server)
    #expect(client.isFresh(wholes) == true)
  }

  @Test("B31 An observer of whole entities is notified of a gap, and it is closed")
  func observed() throws {
    var server = Self.server()
    var client = try Self.client()
    client.observe(wholes, from: server)
    _ = client.takeNotified()
    server.change([(.note(2), Self.note("b", 1))])
    client.read(summaries)
    let fetch = client.takeFetch()
    client.complete(fetch.id, with: server.answer(fetch.target))
    #expect(client.takeNotified().contains(wholes.key()))
    #expect(client.fetches.map(\.target) == [.query(wholes.key())])
    client.answerAll(from: server)
    #expect(client.takeNotified().contains(wholes.key()))
    #expect(Self.texts(client.store.rows(of: wholes.key())) == "a+b+")
  }

  @Test("B53 A stored summary is restored as a summary")
  func restored() throws {
    let server = Self.server()
    var client = try Self.client()
    _ = client.load(summaries, from: server)
    _ = client.store.readEntity(.note(2), library: .test, at: client.now)
    client.answerAll(from: server)
    let stored = client.store.storedState(wallClock: client.now, at: client.now)
    var other = try Self.client()
    other.store.restore(stored, wallClock: client.now, at: other.now)
    other.collect()
    other.store.checkInvariants()
    #expect(other.read(summaries) == .hit)
    #expect(Self.texts(other.store.rows(of: summaries.key())) == "ab+")
    let one = other.store.readEntity(.note(1), library: .test, at: other.now)
    let two = other.store.readEntity(.note(2), library: .test, at: other.now)
    #expect(one.outcome == .partial && one.entity == nil)
    #expect(two.outcome == .hit)
  }

  @Test("B17 A summary in answer to a query of wholes is a typed error")
  func refused() throws {
    let server = Self.server()
    var client = try Self.client()
    client.read(wholes)
    let fetch = client.takeFetch()
    let answer = server.answer(summaries.key())
    guard case .rejected(let error) = client.complete(fetch.id, with: answer) else {
      Issue.record("the answer was taken")
      return
    }
    #expect(error == .summaryOnly(.note(1), fetch.target))
    #expect(error.description.contains("set QueryPlan.showsSummaries"))
    #expect(client.residents == [])
  }

  @Test("B45 A change of a row shows over its summary, and not where the whole is shown")
  func pending() throws {
    var server = Self.server()
    var client = try Self.client()
    _ = client.load(wholes, from: server)
    server.change([(.note(1), Self.note("a", 5))])
    _ = client.load(summaries, from: server)
    try client.begin(
      NoteMutation(
        token: .mutation(1), library: .test, edits: [.update(.note(1), .title("c"))]))
    #expect(Self.texts(client.store.rows(of: summaries.key())) == "b+c")
    #expect(Self.texts(client.store.rows(of: wholes.key())) == "-b+")
    let read = client.store.readEntity(.note(1), library: .test, at: client.now)
    client.collect()
    #expect(read.outcome == .partial && read.entity == nil)
    client.answerAll(from: server)
    #expect(Self.texts(client.store.rows(of: wholes.key())) == "b+c+")
  }
}
