import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("The outbox: changes made offline")
struct OutboxTests {
  let folder = NoteQuery.folder(0)

  private static func server() -> NoteServer {
    NoteServer(writing: (1, Note(folder: 0, title: "a")))
  }

  private static func client(of server: NoteServer) throws -> NoteClient {
    var client = try NoteClient()
    client.observe(.folder(0), from: server)
    return client
  }

  private func create(_ mutation: Int, _ title: String) -> NoteMutation {
    NoteMutation(mutation, .create(.temporary(mutation), Note(folder: 0, title: title)))
  }

  /// Lets the server carry out everything that is sent; returns the mutations' numbers in order.
  private func sendAll(_ client: inout NoteClient, to server: inout NoteServer) -> [UInt64] {
    var sent: [UInt64] = []
    while let mutation = client.takeSend() {
      sent.append(mutation.token.rawValue.low)
      client.complete(mutation.token, with: server.carryOut(mutation).response)
    }
    return sent
  }

  @Test("B49 Offline changes show immediately, and are sent once, in order, on reconnect")
  func order() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    client.setOnline(false)
    for (number, title) in [(1, "b"), (2, "c")] { try client.enqueue(create(number, title)) }
    try client.enqueue(NoteMutation(3, .update(.temporary(1), .title("d"))))
    #expect(client.titles(of: folder) == "acd")
    client.wait(.seconds(3_600))
    #expect(client.sends == [])
    client.setOnline(true)
    #expect(client.sends == [.mutation(1)], "one at a time")
    client.setOnline(false)
    client.setOnline(true)
    client.wait(.seconds(3_600))
    #expect(client.sends == [.mutation(1)], "what is in flight is not sent again")
    let sent = sendAll(&client, to: &server)
    #expect(sent == [1, 2, 3])
    #expect(client.titles(of: folder) == "acd")
    #expect(server.answer(folder.key()).entities.map(\.payload.title) == ["a", "c", "d"])
    #expect(client.store.outbox.isEmpty)
  }

  @Test("B49 Edits of an entity whose creation is rejected are rolled back as a whole")
  func dependents() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    try client.enqueue(create(1, "b"))
    try client.enqueue(
      NoteMutation(
        2, .update(.temporary(1), .title("c")),
        .create(.temporary(2), Note(folder: 0, title: "d"))))
    try client.enqueue(NoteMutation(3, .update(.note(1), .title("e"))))
    try client.enqueue(NoteMutation(4, .delete(.temporary(2))))
    _ = client.takeSend()
    let fallen = client.reject(.mutation(1))
    #expect(fallen == [1, 2, 4].map { .mutation($0) })
    #expect(client.titles(of: folder) == "e")
    let sent = sendAll(&client, to: &server)
    #expect(sent == [3])
  }

  @Test("B49 Without an answer the same is sent again, later each time, and the order is kept")
  func backOff() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    try client.enqueue(create(1, "b"))
    try client.enqueue(create(2, "c"))
    var pauses: [Int] = []
    for _ in 0..<8 {
      guard let sent = client.takeSend() else { break }
      #expect(sent.token == .mutation(1))
      _ = server.carryOut(sent)
      client.fail(sent.token)
      #expect(client.sends == [])
      var pause = 0
      while client.sends.isEmpty, pause < 100 {
        client.wait(.seconds(1))
        pause += 1
      }
      pauses.append(pause)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60])
    let sent = sendAll(&client, to: &server)
    #expect(sent == [1, 2])
    #expect(server.notes.count == 3, "the server carried out one token once")
    #expect(client.store.nextDeadline == nil)
  }

  /// Fails what is sent this many times; returns the pauses after it in seconds.
  private func pauses(_ times: Int, _ client: inout NoteClient) -> [Int] {
    (0..<times).map { _ in
      if let sent = client.takeSend() { client.fail(sent.token) }
      var pause = 0
      while client.sends.isEmpty, pause < 100 {
        client.wait(.seconds(1))
        pause += 1
      }
      return pause
    }
  }

  @Test("B49 Once one has gone through, the next that fails waits a second again")
  func backOffBeginsAnew() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    for number in 1...3 { try client.enqueue(create(number, "b")) }
    let first = pauses(4, &client)
    #expect(first == [1, 2, 4, 8])
    if let sent = client.takeSend() {
      client.complete(sent.token, with: server.carryOut(sent).response)
    }
    let second = pauses(2, &client)
    #expect(second == [1, 2])
    // A refusal is an answer as well.
    if let sent = client.takeSend() { _ = client.reject(sent.token) }
    let third = pauses(2, &client)
    #expect(third == [1, 2])
  }

  @Test("B49 The pause after a failure goes on when a later change is taken back")
  func backOffOutlastsOthers() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    for number in 1...3 { try client.enqueue(create(number, "b")) }
    let before = pauses(3, &client)
    #expect(before == [1, 2, 4])
    if let sent = client.takeSend() { client.fail(sent.token) }
    client.rollBack(2)
    #expect(client.sends == [])
    var pause = 0
    while client.sends.isEmpty, pause < 100 {
      client.wait(.seconds(1))
      pause += 1
    }
    #expect(pause == 8)
    client.rollBack(3)
    let after = pauses(1, &client)
    #expect(after == [16])
    let sent = sendAll(&client, to: &server)
    #expect(sent == [1])
  }

  @Test("B49 After coming online the pauses begin again")
  func backOffAfterReconnect() throws {
    var client = try Self.client(of: Self.server())
    try client.enqueue(create(1, "b"))
    let before = pauses(3, &client)
    #expect(before == [1, 2, 4])
    _ = client.takeSend()
    client.setOnline(false)
    client.fail(.mutation(1))
    client.setOnline(true)
    let after = pauses(2, &client)
    #expect(after == [1, 2])
  }

  @Test("B49 An event that comes first ends the change; its entry only asks for the outcome")
  func eventFirst() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    try client.enqueue(create(1, "b"))
    let sent = client.takeSend()
    let mutation = try #require(sent)
    let (response, events) = server.carryOut(mutation)
    for event in events { client.receive(event) }
    #expect(client.titles(of: folder) == "ab")
    #expect(client.store.outbox.map(\.edits.count) == [0])
    client.fail(.mutation(1))
    client.wait(.seconds(1))
    #expect(client.sends == [.mutation(1)])
    client.complete(.mutation(1), with: response)
    #expect(client.titles(of: folder) == "ab")
    #expect(client.store.outbox.isEmpty)
  }

  @Test("B49 A refusal of a change that an event has confirmed takes nothing back")
  func refusedAfterEvent() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    try client.enqueue(create(1, "b"))
    try client.enqueue(NoteMutation(2, .update(.temporary(1), .title("c"))))
    let sent = client.takeSend()
    for event in server.carryOut(try #require(sent)).events { client.receive(event) }
    let fallen = client.reject(.mutation(1))
    #expect(fallen == [])
    #expect(client.titles(of: folder) == "ac")
    #expect(client.sends == [.mutation(2)])
  }

  @Test("A change that an event ended counts as one towards the limit, until its answer")
  func limit() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    for number in 1...1_024 { try client.enqueue(create(number, "b")) }
    let sent = client.takeSend()
    let (response, events) = server.carryOut(try #require(sent))
    for event in events { client.receive(event) }
    let full = MutationError.tooManyPending(limit: 1_024)
    #expect(throws: full) { try client.enqueue(create(2_000, "c")) }
    client.complete(.mutation(1), with: response)
    try client.enqueue(create(2_000, "c"))
    #expect(throws: full) { try client.enqueue(create(2_001, "c")) }
  }

  @Test("B49 Waiting mutations can be taken back; sent ones cannot")
  func takingBack() throws {
    var server = Self.server()
    var client = try Self.client(of: server)
    for (number, title) in [(1, "b"), (2, "c"), (3, "d")] {
      try client.enqueue(create(number, title))
    }
    let takenBack = [client.rollBack(1), client.rollBack(2)]
    #expect(takenBack == [false, true])
    #expect(client.titles(of: folder) == "abd")
    let sent = sendAll(&client, to: &server)
    #expect(sent == [1, 3])
  }
}
