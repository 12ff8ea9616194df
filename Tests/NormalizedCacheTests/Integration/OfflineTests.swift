import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@MainActor
@Suite("Integration: offline, queued, reconnected, synchronised", .timeLimit(.minutes(30)))
struct OfflineTests {
  /// Two devices that show one note, the first of them offline.
  static func start() async throws -> (NoteHost, offline: Device, online: Device) {
    var server = NoteServer()
    server.write((1, Note(folder: 0, title: "b")))
    let host = NoteHost(server)
    let offline = try await Device(host: host)
    let online = try await Device(host: host)
    for device in [offline, online] { _ = try await device.cache.query(NoteQuery.folder(0).key()) }
    await offline.disconnect()
    return (host, offline, online)
  }

  @Test(
    "B49 What is changed offline shows at once, is sent once and in order, and reaches the other")
  func sync() async throws {
    let (host, a, b) = try await Self.start()
    let (own, others) = (a.titles(.folder(0)), b.titles(.folder(0)))
    for view in [own, others] {
      view.start()
      try await until { view.hasResult }
    }
    try await a.cache.enqueue(
      NoteMutation(1, .create(.temporary(1), Note(folder: 0, title: "c"))))
    try await a.cache.enqueue(NoteMutation(2, .update(.temporary(1), .title("a"))))
    try await a.cache.enqueue(NoteMutation(3, .update(.note(1), .title("d"))))
    try await until { own.data == ["a", "d"] }
    #expect(await host.sendCount == 0)
    #expect(others.data == ["b"])

    // What the other one does meanwhile is missed.
    await host.write((2, Note(folder: 0, title: "e")))
    try await until { others.data == ["b", "e"] }
    #expect(own.data == ["a", "d"])

    await a.connect(to: host)
    await host.beat()
    try await until { await a.cache.outbox.isEmpty }
    try await until { others.data == ["a", "d", "e"] }
    try await a.passReorderWindow()
    try await until { own.data == ["a", "d", "e"] && !own.isStale }
    #expect(await host.sendCount == 3)
    #expect(await host.server.notes.values.map(\.payload.title).sorted() == ["a", "d", "e"])
  }

  @Test("B49 A change that the server rejects is taken back alone, and told of")
  func rejection() async throws {
    let (host, a, b) = try await Self.start()
    let (own, others) = (a.titles(.folder(0)), b.titles(.folder(0)))
    for view in [own, others] {
      view.start()
      try await until { view.hasResult }
    }
    let rejections = Counter()
    await a.cache.onRejection { _, _ in rejections.increment() }
    await host.reject(.mutation(1))
    try await a.cache.enqueue(NoteMutation(1, .update(.note(1), .title("x"))))
    try await a.cache.enqueue(
      NoteMutation(2, .create(.temporary(1), Note(folder: 0, title: "c"))))
    try await until { own.data == ["c", "x"] }
    await a.connect(to: host)
    try await until { own.data == ["b", "c"] && others.data == ["b", "c"] }
    try await until { await a.cache.outbox.isEmpty }
    #expect(rejections.value == 1)
  }
}
