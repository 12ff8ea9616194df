import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Rows of a query as an app takes them")
struct RowTests {
  private static let folder = NoteQuery.folder(0)

  private static func server() -> NoteServer {
    var server = NoteServer()
    for number in 0..<20 { server.write((number, Note(folder: 0, title: "\(100 + number)"))) }
    return server
  }

  /// Whole, mapped, and with gaps: the three must tell the same.
  private static func check(_ client: borrowing NoteClient) {
    let key = folder.key()
    let rows = client.store.rows(of: key)
    let resident = client.store.residentRows(of: key)
    #expect(resident?.rows == rows?.compactMap { $0 })
    #expect(resident?.missing == rows?.count { $0 == nil })
    let mapped = client.store.mapRows(of: key) {
      VersionedEntity(key: $0, version: $1, payload: $2)
    }
    #expect(mapped == resident?.rows ?? [])
  }

  @Test("B16 Mapped rows are the rows, in order, those without a value left out")
  func mapped() throws {
    var server = Self.server()
    var client = try NoteClient(.test(capacity: Capacity(entities: 12)))
    Self.check(client)
    #expect(client.store.residentRows(of: Self.folder.key()) == nil)
    client.observe(Self.folder, from: server)
    #expect(client.store.residentRows(of: Self.folder.key())?.missing == 8)
    Self.check(client)
    client.receive(server.write((3, Note(folder: 0, title: "099"))))
    client.receive(server.delete(.note(5)))
    client.answerAll(from: server)
    Self.check(client)
  }

  @Test("B45 Mapped rows show what is pending")
  func pending() throws {
    let server = Self.server()
    var client = try NoteClient()
    client.observe(Self.folder, from: server)
    try client.begin(NoteMutation(1, .update(.note(4), .title("zzz"))))
    let titles = client.store.mapRows(of: Self.folder.key()) { _, _, note in note.title }
    #expect(titles.last == "zzz")
    Self.check(client)
  }

  @Test("What a transform throws is thrown")
  func failure() throws {
    struct Failure: Error {}
    var client = try NoteClient()
    client.observe(Self.folder, from: Self.server())
    #expect(throws: Failure.self) {
      try client.store.mapRows(of: Self.folder.key()) { _, _, _ throws(Failure) -> Int in
        throw Failure()
      }
    }
  }
}
