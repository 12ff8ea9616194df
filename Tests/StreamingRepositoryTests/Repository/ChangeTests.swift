import GRDB
import StreamingRepository
import Testing

@Suite("Changes by the user", .timeLimit(.minutes(30)))
struct ChangeTests {
  private let bench: Bench
  private let repository: StreamingRepository

  init() async throws {
    bench = try Bench()
    await bench.server.set([Link(id: "1", name: "one"), Link(id: "2", name: "two")])
    repository = try await bench.open()
    try await repository.refresh(Link.self)
  }

  /// A change that waits for the server until a test ends it.
  private func change(
    showing edits: [RepositoryEdit<Link>]
  ) -> (task: Task<Void, any Error>, answer: AsyncStream<ServerError?>.Continuation) {
    let (answers, answer) = AsyncStream.makeStream(of: ServerError?.self)
    let repository = repository
    let task = Task {
      try await repository.change(Link.self, showing: edits) { _ in
        for await error in answers {
          if let error { throw error }
          return
        }
      }
    }
    return (task, answer)
  }

  @Test("S6 A chosen change shows immediately, and is gone when the call throws")
  func undone() async throws {
    let (task, answer) = change(showing: [
      .put(Link(id: "1", name: "eins")), .remove("2"), .put(Link(id: "3", name: "drei")),
    ])
    try await eventually { try await repository.names() == ["drei", "eins"] }
    #expect(try await bench.storedLinks().map(\.name) == ["one", "two"])
    answer.yield(ServerError(status: 409))
    await #expect(throws: ServerError(status: 409)) { try await task.value }
    #expect(try await repository.names() == ["one", "two"])
    #expect(await repository.statistics.failedChanges == 1)
    #expect(await repository.statistics.changes == 0)
  }

  @Test("S5 S6 A change whose answer was lost shows in the next view")
  func lostAnswer() async throws {
    let server = bench.server
    await #expect(throws: ServerError.self) {
      try await repository.change(Link.self, showing: [.remove("1")]) { _ in
        await server.remove("1")
        throw ServerError(status: 504)
      }
    }
    try await eventually { try await repository.names() == ["two"] }
  }

  @Test("S6 It does not flicker: answers that lack it are written beneath it")
  func noFlicker() async throws {
    var views = repository.updates(of: Link.self) { $0.order(Link.Columns.name) }
      .makeAsyncIterator()
    let (task, answer) = change(showing: [.put(Link(id: "3", name: "drei"))])
    #expect(try await views.next { $0.count == 3 }.map(\.name) == ["drei", "one", "two"])
    // The server has not carried it out, and others change something.
    await bench.server.set([Link(id: "1", name: "one"), Link(id: "4", name: "four")])
    try await repository.refresh(Link.self)
    #expect(try await repository.names() == ["drei", "four", "one"])
    // An answer read before the change was applied, which arrives after that.
    await bench.server.hold()
    let pull = Task { try await repository.refresh(Link.self) }
    try await eventually { await bench.server.waiting == 1 }
    await bench.server.set([
      Link(id: "1", name: "one"), Link(id: "3", name: "three", clicks: 1),
    ])
    answer.yield(nil)
    try await task.value
    try await eventually { await bench.server.waiting == 2 }
    await bench.server.release(0)
    try await pull.value
    #expect(try await repository.names() == ["drei", "four", "one"])
    await bench.server.releaseAll()
    let rows = try await views.next { $0.contains { $0.name == "three" } }
    #expect(rows.map(\.name) == ["one", "three"])
  }

  @Test("S6 Of several changes of one row the last shows, whichever fails")
  func several() async throws {
    let first = change(showing: [.put(Link(id: "1", name: "first"))])
    try await eventually { try await repository.names().contains("first") }
    let second = change(showing: [.put(Link(id: "1", name: "second"))])
    try await eventually { try await repository.names().contains("second") }
    first.answer.yield(ServerError(status: 500))
    _ = try? await first.task.value
    #expect(try await repository.names() == ["second", "two"])
    second.answer.yield(ServerError(status: 500))
    _ = try? await second.task.value
    #expect(try await repository.names() == ["one", "two"])
  }

  @Test("S6 A change that no server answered is not shown after the next launch")
  func relaunched() async throws {
    let (task, answer) = change(showing: [.remove("1")])
    try await eventually { try await repository.names() == ["two"] }
    let next = try await bench.open(nil)
    #expect(try await next.names() == ["one", "two"])
    answer.yield(nil)
    try await task.value
  }

  @Test("S6 A change that is cancelled is undone")
  func cancelled() async throws {
    let (task, _) = change(showing: [.remove("1")])
    try await eventually { try await repository.names() == ["two"] }
    let server = bench.server
    let other = Task {
      try await repository.change(Link.self, showing: [.remove("2")]) { _ in
        try await Task.sleep(for: .seconds(100_000))
        await server.remove("2")
      }
    }
    try await eventually { try await repository.names() == [] }
    other.cancel()
    await #expect(throws: CancellationError.self) { try await other.value }
    try await eventually { try await repository.names() == ["two"] }
    task.cancel()
  }

  @Test("S6 S11 More changes than may wait are refused, and nothing of them shows")
  func tooMany() async throws {
    var bench = try Bench()
    bench.options.maximumChanges = 2
    let repository = try await bench.open()
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    let (sent, hasSent) = AsyncStream.makeStream(of: Void.self)
    let waiting = Task {
      try await repository.change(Link.self, showing: [.put(Link(id: "1", name: "one"))]) { _ in
        for await _ in answers { return }
      }
    }
    try await eventually { try await repository.names() == ["one"] }
    let second = Task {
      try await repository.change(Link.self) { _ in
        hasSent.yield()
        try await Task.sleep(for: .seconds(100_000))
      }
    }
    for await _ in sent { break }
    let error = await #expect(throws: RepositoryError.self) {
      try await repository.change(Link.self, showing: [.put(Link(id: "2", name: "two"))]) { _ in
        Issue.record("sent")
      }
    }
    #expect(error?.description.hasPrefix("2 changes wait for the server already") == true)
    #expect(try await repository.names() == ["one"])
    second.cancel()
    answer.yield()
    try await waiting.value
  }

  @Test("S7 Without a network stored rows are read, and changes fail before anything is sent")
  func offline() async throws {
    await repository.setOnline(false)
    await bench.server.set([Link]())
    #expect(try await repository.names() == ["one", "two"])
    let error = await #expect(throws: RepositoryError.self) {
      try await repository.change(Link.self, showing: [.remove("1")]) { _ in
        Issue.record("sent without a network")
      }
    }
    #expect(error?.isOffline == true)
    #expect(error?.description == "there is no network; try again when there is")
    let pull = await #expect(throws: RepositoryError.self) {
      try await repository.refresh(Link.self)
    }
    #expect(pull?.isOffline == true)
    #expect(try await repository.names() == ["one", "two"])
    let next = try await bench.open(nil)
    await next.setOnline(false)
    #expect(try await next.names() == ["one", "two"])
  }
}
