import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

/// Pictures: the titles of a list's rows in order; `-` is a row that has lost its value.
@Suite("Pending rows next to rows without a value")
struct GapTests {
  let folder = NoteQuery.folder(0)

  /// A cache that an observed list fills.
  private static func client(
    of server: NoteServer, observing query: NoteQuery = .folder(0)
  ) throws -> NoteClient {
    let rows = min(server.notes.count, query.limit ?? .max)
    var client = try NoteClient(.test(capacity: Capacity(entities: rows)))
    client.observe(query, from: server)
    _ = client.takeNotified()
    return client
  }

  private static func create(_ number: Int, _ title: String) -> NoteMutation {
    NoteMutation(
      number, .create(.temporary(number), Note(folder: 0, title: title, isStarred: true)))
  }

  /// Has a note lose its value: whatever else may go is used, and something unrelated arrives.
  private static func evict(_ number: Int, from client: inout NoteClient) {
    for other in client.residents where other != number {
      _ = client.store.readEntity(.note(other), library: .test, at: client.now)
    }
    client.write(1_000 + number, Note(folder: 9, title: "x"), clock: 1)
    #expect(!client.residents.contains(number))
  }

  @Test(
    "B45 A pending row stays where it is when others lose their values",
    arguments: ["acegi", "a", "eg", "abdd", "deef"])
  func staysInPlace(titles: String) throws {
    let orders = [Array(1...titles.count), (1...titles.count).reversed()]
    for order in orders {
      var client = try Self.client(of: NoteServer.titled(titles))
      try client.begin(Self.create(1, "d"))
      try client.begin(Self.create(2, "f"))
      _ = client.takeNotified()
      var picture = String((titles + "df").sorted())
      #expect(client.titles(of: folder) == picture)
      for number in order {
        let before = client.titles(of: folder).count
        Self.evict(number, from: &client)
        #expect(client.titles(of: folder).count == before)
        let rows = client.store.rows(of: folder.key()) ?? []
        // Each letter keeps its position, or is lost.
        for (row, letter) in zip(rows, picture) {
          #expect(row == nil || row?.payload.title == "\(letter)")
        }
        #expect(rows.compactMap { $0?.key }.filter { $0.id.high == 1 }.count == 2)
      }
      #expect(client.takeNotified() == [], "what was told stands where it was told")
      picture = client.titles(of: folder)
      #expect(picture.count { $0 == "-" } == titles.count)
    }
  }

  @Test("B45 A window shows the row before its last row, even if that row has lost its value")
  func window() throws {
    let window = NoteQuery.starred(limit: 3)
    var client = try Self.client(of: NoteServer.titled("bdfh"), observing: window)
    try client.begin(Self.create(1, "c"))
    try client.begin(Self.create(2, "g"))
    #expect(client.titles(of: window) == "bcd", "g may stand beyond the window")
    _ = client.takeNotified()
    for (number, picture) in [(3, "bcd"), (2, "bc-"), (1, "-c-")] {
      Self.evict(number, from: &client)
      #expect(client.titles(of: window) == picture)
    }
    #expect(client.takeNotified() == [])
    client.rollBack(1)
    #expect(client.titles(of: window) == "---")
  }

  @Test("B45 An entity that starts before a window's end without a value may belong behind it")
  func begunAtEnd() throws {
    let window = NoteQuery.starred(limit: 3)
    var client = try Self.client(of: NoteServer.titled("bdfh"), observing: window)
    Self.evict(3, from: &client)
    try client.begin(Self.create(1, "e"))
    #expect(client.titles(of: window) == "bd-")
    #expect(client.takeNotified() == [])
    try client.begin(Self.create(2, "c"))
    #expect(client.titles(of: window) == "bcd")
  }

  @Test("B45 An entity that starts next to rows without a value follows the last row before it")
  func begunBesideGaps() throws {
    let server = NoteServer.titled("aceg")
    var client = try Self.client(of: server)
    for number in [2, 3] { Self.evict(number, from: &client) }
    #expect(client.titles(of: folder) == "a--g")
    try client.begin(Self.create(1, "f"))
    #expect(client.titles(of: folder) == "af--g")
    #expect(client.takeNotified() == [folder.key()])
    Self.evict(1, from: &client)
    #expect(client.titles(of: folder) == "-f--g")
    #expect(client.takeNotified() == [])
    try client.begin(Self.create(2, "h"))
    #expect(client.titles(of: folder) == "-f--gh")
    try client.begin(Self.create(3, "b"))
    #expect(client.titles(of: folder) == "b-f--gh", "at the beginning where none is known")
    _ = client.takeNotified()
    // With the values the positions are known, and observers are notified.
    client.read(folder)
    client.answerAll(from: server)
    #expect(client.titles(of: folder) == "abcefgh")
    #expect(client.takeNotified() == [folder.key()])
  }

  @Test("B45 An entity that followed a deleted row follows the row before that")
  func predecessorDeleted() throws {
    var server = NoteServer.titled("acd")
    var client = try Self.client(of: server)
    try client.begin(Self.create(1, "b"))
    try client.begin(Self.create(2, "cc"))
    for number in 1...3 { Self.evict(number, from: &client) }
    #expect(client.titles(of: folder) == "-b-cc-")
    _ = client.takeNotified()
    client.receive(server.delete(.note(2)))
    #expect(client.titles(of: folder) == "-bcc-")
    #expect(client.takeNotified() == [folder.key()])
    client.receive(server.delete(.note(1)))
    #expect(client.titles(of: folder) == "bcc-")
  }

  @Test("B48 A row next to one without a value, removed as the server gives it a key, is missed")
  func renamedAway() throws {
    let window = NoteQuery.starred(limit: 3)
    var client = try Self.client(of: NoteServer.titled("bdfh"), observing: window)
    try client.begin(Self.create(1, "c"))
    for number in [3, 2, 1] { Self.evict(number, from: &client) }
    #expect(client.titles(of: window) == "-c-")
    _ = client.takeNotified()
    client.commit(1, MutationResponse(keys: [.temporary(1): .note(1_001)]))
    #expect(client.titles(of: window) == "---")
    #expect(client.takeNotified() == [window.key()])
  }
}
