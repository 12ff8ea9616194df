import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

/// Answers and notices that come in another order than they were made: of several causes of staleness
/// the latest counts, and only what was read after it ends it.
@Suite("Causes of staleness")
struct StalenessTests {
  private static let everything = InvalidationTag(
    library: .test, resourceType: NoteSchema.noteType)

  /// Notes 1 and 2; the opaque list and folder 0 hold both, since their texts have even lengths.
  private static func server() -> NoteServer {
    NoteServer(writing: (1, Note(folder: 0, title: "a")), (2, Note(folder: 0, title: "b")))
  }

  /// Changes a note, of which only a later notice tells; the stream goes on by one.
  private static func change(
    _ number: Int, _ title: String, of server: inout NoteServer, _ client: inout NoteClient
  ) {
    server.change([(.note(number), Note(folder: 0, title: title))])
    client.receive(server.publish(.infrastructure))
  }

  enum Notice: String, CaseIterable { case outline, bulk, undecodable, tooOld }

  /// Tells the client that anything may have changed up to where the server stands.
  private static func tell(
    _ notice: Notice, _ client: inout NoteClient, from server: inout NoteServer
  ) {
    switch notice {
    case .bulk:
      client.receive(server.publish(.bulkNotice(scope: everything, count: 1, token: 1)))
    case .undecodable:
      let item = UndecodableItem(type: NoteSchema.noteType, id: nil)
      client.receive(server.publish(.partlyDecoded([], undecodable: [item])))
    case .outline, .tooOld:
      server.publish(.infrastructure)
      client.heartbeat(from: server)
      client.wait(.seconds(1))
      let reconcile = client.takeReconcile()
      let position = server.place.position
      client.complete(
        reconcile.id,
        with: notice == .outline
          ? .outline([everything], through: position) : .tooOld(now: position))
    }
  }

  @Test(
    "B27 A slow answer to another query does not make a later cause an earlier one",
    arguments: Notice.allCases, [true, false])
  func slowAnswers(notice: Notice, isObserved: Bool) throws {
    var server = Self.server()
    var client = try NoteClient(
      .test(gapResponse: notice == .outline ? .selectiveInvalidation : .replay))
    for query in [NoteQuery.opaque, .folder(0)] { _ = client.load(query, from: server) }
    if isObserved { client.store.addObserver(of: NoteQuery.opaque.key(), at: client.now) }
    for query in [NoteQuery.opaque, .folder(0)] {
      client.store.invalidate(query.key(), at: client.now)
      client.read(query)
    }
    let (own, other) = (client.takeFetch(), client.takeFetch())
    #expect(own.target == .query(NoteQuery.opaque.key()))
    Self.change(1, "c", of: &server, &client)
    let early = server.answer(other.target)
    Self.change(2, "d", of: &server, &client)
    let late = server.answer(own.target)
    server.change([(.note(3), Note(folder: 1, title: "e"))])
    Self.tell(notice, &client, from: &server)

    client.complete(other.id, with: early)
    client.complete(own.id, with: late)
    #expect(client.isFresh(.opaque) == false, "its answer was read before the last cause")
    #expect(client.fetches.count == (isObserved ? 1 : 0))
    client.answerAll(from: server)
    let rows = client.load(.opaque, from: server)
    #expect(rows == [1, 2, 3])
    #expect(client.isFresh(.opaque) == true)
  }

  @Test("B27 An outline that is told late does not make the floor of a library an earlier one")
  func lateOutline() throws {
    var server = Self.server()
    var client = try NoteClient(.test(gapResponse: .selectiveInvalidation))
    client.heartbeat(from: server)
    _ = client.store.readEntity(.note(1), library: .test, at: client.now)
    client.collect()
    let fetch = client.takeFetch()
    client.receive(server.publish(.infrastructure))
    let (slow, behind) = (server.answer(fetch.target), server.place.position)
    server.change([(.note(1), Note(folder: 0, title: "c"))])
    Self.tell(.bulk, &client, from: &server)
    // Another replica, which has not come as far, answers for the gap.
    server.publish(.infrastructure)
    client.heartbeat(from: server)
    client.wait(.seconds(1))
    client.complete(
      client.takeReconcile().id, with: .outline([Self.everything], through: behind))
    client.wait(.seconds(1))
    client.complete(client.takeReconcile().id, with: .outline([], through: server.place.position))
    client.complete(fetch.id, with: slow)
    #expect(client.isFresh(.note(1)) == false, "it was read before the bulk operation")
  }

  // MARK: Single entities

  /// Note 1 in a client that has heard everything, and then of an item that nobody could read: it
  /// was note 1, which has the title "c" since.
  private static func doubtful(
    _ server: inout NoteServer, known: Bool = true
  ) throws -> NoteClient {
    var client = try NoteClient()
    client.heartbeat(from: server)
    if known { _ = client.load(.folder(0), from: server) }
    doubt(&client, &server)
    return client
  }

  private static func doubt(_ client: inout NoteClient, _ server: inout NoteServer) {
    server.change([(.note(1), Note(folder: 0, title: "a", text: "xx"))])
    let item = UndecodableItem(type: NoteSchema.noteType, id: EntityKey.note(1).id)
    client.receive(server.publish(.partlyDecoded([], undecodable: [item])))
  }

  @Test(
    "B41 The answer of a server that lags does not vouch for what could not be decoded",
    arguments: [true, false])
  func laggingAnswer(known: Bool) throws {
    var server = Self.server()
    let replica = server
    var client = try Self.doubtful(&server, known: known)
    let read = client.store.readEntity(.note(1), library: .test, at: client.now)
    let fetch = try #require(read.fetch)
    client.complete(fetch, with: replica.answer(.entity(.note(1))))
    #expect(client.isFresh(.note(1)) == false)
    client.answerAll(from: server)
    let again = client.store.readEntity(.note(1), library: .test, at: client.now)
    client.complete(try #require(again.fetch), with: server.answer(.entity(.note(1))))
    #expect(client.isFresh(.note(1)) == true)
    #expect(client.store.peek(.note(1))?.payload.text == "xx")
  }

  @Test("B41 Nor does a late answer to a change of the user's own", arguments: [true, false])
  func lateConfirmation(known: Bool) throws {
    var server = Self.server()
    var client = try NoteClient(.test(eventAdmission: .updateOnly))
    client.heartbeat(from: server)
    if known { _ = client.load(.folder(0), from: server) }
    let mutation = NoteMutation(1, .update(.note(1), .star(true)))
    try client.begin(mutation)
    let (response, events) = server.carryOut(mutation)
    for event in events { client.receive(event) }
    Self.doubt(&client, &server)
    client.commit(1, response)
    #expect(client.isFresh(.note(1)) == false)
    // One that was carried out afterwards does.
    let next = NoteMutation(2, .update(.note(1), .star(false)))
    try client.begin(next)
    client.commit(2, server.carryOut(next).response)
    #expect(client.isFresh(.note(1)) == true)
  }

  @Test(
    "B41 Doubts are not forgotten with the changes that were told during a fetch",
    arguments: [true, false])
  func manyChanges(isKept: Bool) throws {
    let target = NoteQuery.opaque
    var server = Self.server()
    var client = try NoteClient()
    _ = client.load(.folder(0), from: server)
    client.read(target)
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    Self.doubt(&client, &server)
    for _ in 0..<8_200 {
      client.receive(server.write((2, Note(folder: 0, title: "b"))))
    }
    if !isKept {
      // A later fetch is awaited in its stead, so that it brings entities and no list.
      client.store.invalidate(target.key(), at: client.now)
      client.read(target)
    }
    client.complete(fetch.id, with: response)
    #expect(client.isFresh(.note(1)) == false)
  }

  @Test("B40 An event vouches for nothing that another stream or the app has said")
  func otherStreams() throws {
    var server = Self.server()
    var source = NoteServer(source: 1)
    var client = try NoteClient()
    client.heartbeat(from: server)
    client.heartbeat(from: source)
    _ = client.load(.folder(0), from: server)
    client.receive(source.publish(.bulkNotice(scope: Self.everything, count: 1, token: 1)))
    #expect(client.isFresh(.note(1)) == false)
    client.receive(server.write((1, Note(folder: 0, title: "c"))))
    #expect(client.isFresh(.note(1)) == false, "the other source may have changed it since")
    let read = client.store.readEntity(.note(1), library: .test, at: client.now)
    client.complete(try #require(read.fetch), with: server.answer(.entity(.note(1))))
    #expect(client.isFresh(.note(1)) == true)
    // What its own stream said before is covered.
    client.receive(server.publish(.bulkNotice(scope: Self.everything, count: 1, token: 2)))
    #expect(client.isFresh(.note(1)) == false)
    client.receive(server.write((1, Note(folder: 0, title: "d"))))
    #expect(client.isFresh(.note(1)) == true)
  }

  @Test("B27 Who reads an entity after an invalidation does not join a fetch from before it")
  func joinedFetch() throws {
    let server = Self.server()
    var client = try NoteClient()
    let key = EntityKey.note(1)
    let first = client.store.readEntity(key, library: .test, at: client.now)
    #expect(client.store.readEntity(key, library: .test, at: client.now).fetch == first.fetch)
    client.store.invalidate(
      InvalidationTag(library: .test, method: NoteQuery.folderMethod), at: client.now)
    #expect(
      client.store.readEntity(key, library: .test, at: client.now).fetch == first.fetch,
      "a method says nothing of entities")
    client.store.invalidate(Self.everything, at: client.now)
    let second = client.store.readEntity(key, library: .test, at: client.now)
    #expect(second.fetch != nil && second.fetch != first.fetch)
    client.complete(try #require(first.fetch), with: server.answer(.entity(key)))
    #expect(client.isFresh(key) == false)
    client.complete(try #require(second.fetch), with: server.answer(.entity(key)))
    #expect(client.isFresh(key) == true)
  }
}
