import Foundation
import NormalizedCache
import NormalizedCacheFoundation
import SessionRecorder
import ShadowCache

/// An evening in the chat: pages, another user, a train in a tunnel, and the app begun again.
@main
@MainActor
struct Chat {
  static func main() async throws {
    let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))
    let garden = UniqueID(high: 2, low: 1)
    let folder = CommandLine.arguments.dropFirst().first ?? "."
    // The server keeps nothing beyond the process, so the file of an evening before is another server's.
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: "\(folder)/chat.sqlite\(ending)")
    }
    let server = try ChatServer(library: library)
    let key = EntityKey(type: Room.resourceType, id: garden)
    await server.commit([(key, .room(Room(name: "garden")))])
    for id in 1...5 as ClosedRange<UInt64> {
      await server.post("message \(id)", UniqueID(high: 3, low: id), in: garden)
    }

    // Before anything is built on the cache: what would it have saved?
    let shadow = try ShadowCache(composition: ChatApp.policy, schema: ChatSchema())
    for _ in 0..<3 {
      let query = try Messages(room: garden).key(in: library)
      let request = await shadow.didRequest(query)
      let answer = try await server.fetch(FetchRequest(target: .query(query)))
      await shadow.didAnswer(request, with: answer, bytes: 600)
    }
    print("the shadow would have saved \(await shadow.report.total.bytesSaved) of 1800 bytes")

    var app = try await ChatApp(server: server, library: library, folder: folder)
    try await show("rooms") { app.rooms.data.map(\.name) == ["garden"] }
    var messages = try app.messages(of: garden)
    try await show("the first page") { messages.data.count == 3 && messages.hasMore }
    messages.loadMore()
    try await show("the second page") { messages.data.count == 5 && !messages.hasMore }
    await server.post("hello", UniqueID(high: 3, low: 6), in: garden)
    try await show("hello, unread: 6") {
      messages.data.first?.text == "hello" && app.unread.data.first?.unread == 6
    }
    try await app.markRead(garden)
    try await show("nothing unread") { app.unread.data.isEmpty && app.unread.hasResult }
    try await visit(UniqueID(high: 2, low: 2), app, server, library)

    await server.setReachable(false)
    await app.cache.setOnline(false)
    try await app.send("from the tunnel", to: garden, after: messages.data[0].sentAt)
    try await show("from the tunnel") { messages.data.first?.text == "from the tunnel" }
    try await app.close()

    app = try await ChatApp(server: server, library: library, folder: folder)
    await app.cache.setOnline(false)
    messages = try app.messages(of: garden)
    try await show("the same after a restart") { messages.data.first?.text == "from the tunnel" }
    await server.setReachable(true)
    await app.cache.setOnline(true)
    try await show("sent") { await app.cache.outbox.isEmpty }
    let reads = await app.cache.readStatistics.total
    print("\(reads.hits) of \(reads.reads) reads were hits")
    try await app.close()
    print("recorded, \(app.recorder.report.lost) lost")
  }

  /// Another room, on the way: opened twice, then when memory was short, then when the user pulled to
  /// refresh, and once more after a minute in the background.
  static func visit(
    _ room: UniqueID, _ app: ChatApp, _ server: ChatServer, _ library: LibraryID
  ) async throws {
    let key = EntityKey(type: Room.resourceType, id: room)
    await server.commit([(key, .room(Room(name: "kitchen")))])
    for id in 1...3 as ClosedRange<UInt64> {
      await server.post("tea \(id)", UniqueID(high: 4, low: id), in: room, by: .random())
    }
    try await show("kitchen") { app.rooms.data.contains { $0.name == "kitchen" && $0.latest == 3 } }
    let page = try Messages(room: room).key(in: library)
    for _ in 0..<2 { _ = try await app.cache.query(page) }
    await app.cache.releaseMemory(toFraction: 0.9)
    _ = try await app.cache.query(page)
    await app.cache.invalidate(page)
    _ = try await app.cache.query(page)
    await app.cache.releaseMemory(toFraction: 0)
    _ = try await app.cache.query(page)
    let reads = await app.cache.readStatistics.total
    for outcome in ReadOutcome.allCases where reads[outcome] > 0 {
      print("\(reads[outcome]) of \(reads.reads) reads: \(outcome)")
    }
  }

  /// Prints a view's content when it is on screen.
  static func show(_ what: String, when isShown: @MainActor () async -> Bool) async throws {
    // Naps are counted, not seconds: who gets no processor for a while has not waited for nothing.
    for _ in 0..<4_000 {
      if await isShown() { return print(what) }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw NotShown(what: what)
  }

  struct NotShown: Error, CustomStringConvertible {
    var what: String
    var description: String { "not on screen in 20 seconds: \(what); see the client's `error`" }
  }
}
