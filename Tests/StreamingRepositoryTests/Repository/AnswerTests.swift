import StreamingRepository
import Testing

@Suite("Answers that come late, and accounts", .timeLimit(.minutes(30)))
struct AnswerTests {
  @Test("S10 An older answer that comes after a newer one is dropped")
  func lateAnswer() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    await bench.server.hold()
    await bench.server.set([Link(id: "1", name: "old")])
    let first = Task { try await repository.refresh(Link.self) }
    try await eventually { await bench.server.waiting == 1 }
    await bench.server.set([Link(id: "1", name: "new")])
    let second = Task { try await repository.refresh(Link.self) }
    try await eventually { await bench.server.waiting == 2 }
    await bench.server.release(1)
    try await second.value
    // Data newer than the request suffices.
    try await first.value
    #expect(try await repository.names() == ["new"])
    await bench.server.releaseAll()
    try await eventually { await repository.statistics.olderAnswers == 1 }
    #expect(try await repository.names() == ["new"])
    #expect(await repository.statistics.written == 1)
  }

  @Test("S11 Of several answers waiting to be written only the newest of a collection is kept")
  func bounded() async throws {
    var bench = try Bench()
    bench.options.busyTimeout = .seconds(1_000)
    let repository = try await bench.open()
    let other = try await OtherProcess(bench)
    try await other.lock()
    var pulls: [Task<Void, any Error>] = []
    for number in 1...6 {
      await bench.server.set([Link(id: "1", name: "\(number)")])
      pulls.append(Task { try await repository.refresh(Link.self) })
      try await eventually { await repository.statistics.answers == number }
    }
    #expect(await repository.statistics.superseded == 4)
    try await other.unlock()
    for pull in pulls { try await pull.value }
    #expect(try await repository.names() == ["6"])
    #expect(await repository.statistics.written == 2)
  }

  @Test("S11 However often a user pulls, at most two requests of a collection are in flight")
  func boundedRequests() async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    await bench.server.hold()
    let pulls = (0..<20).map { _ in Task { try await repository.refresh(Link.self) } }
    try await eventually { await bench.server.waiting == 2 }
    for _ in 0..<100 { await Task.yield() }
    #expect(await bench.server.waiting == 2)
    await bench.server.set([Link(id: "1", name: "one")])
    await bench.server.releaseAll()
    for pull in pulls { try await pull.value }
    #expect(await bench.server.requests <= 4)
  }

  @Test("S9 Rows belong to an account; a logout deletes only that account's")
  func accounts() async throws {
    let bench = try Bench()
    await bench.server.set([Link(id: "1", name: "ada's")], of: "ada")
    await bench.server.set([Link(id: "1", name: "bob's")], of: "bob")
    let repository = try await bench.open("ada")
    var views = repository.updates(of: Link.self).makeAsyncIterator()
    _ = try await views.next { $0.map(\.name) == ["ada's"] }
    try await repository.logIn("bob")
    _ = try await views.next { $0.map(\.name) == ["bob's"] }
    #expect(try await bench.storedLinks(of: "ada").count == 1)
    try await repository.logOut()
    _ = try await views.next { $0.isEmpty }
    #expect(await repository.account == nil)
    #expect(try await bench.storedLinks(of: "ada").count == 1)
    #expect(try await bench.storedLinks(of: "bob").isEmpty)
    let error = await #expect(throws: RepositoryError.self) {
      try await repository.refresh(Link.self)
    }
    #expect(error?.isLoggedOut == true)
    await #expect(throws: RepositoryError.self) { try await repository.logOut() }
    // Without a network the first account has its rows still.
    await repository.setOnline(false)
    try await repository.logIn("ada")
    #expect(try await repository.names() == ["ada's"])
  }

  @Test("S9 The account is the same in the next launch")
  func remembered() async throws {
    let bench = try Bench()
    await bench.server.set([Link(id: "1", name: "one")])
    let first = try await bench.open("ada")
    try await first.refresh(Link.self)
    let second = try await bench.open(nil)
    #expect(await second.account == "ada")
    #expect(try await second.names() == ["one"])
  }

  @Test("S9 An answer requested before a logout is not written after it")
  func lateAnswerAfterLogout() async throws {
    let bench = try Bench()
    await bench.server.set([Link(id: "1", name: "one")])
    let repository = try await bench.open("ada")
    await bench.server.hold()
    let pull = Task { try await repository.refresh(Link.self) }
    try await eventually { await bench.server.waiting == 1 }
    try await repository.logOut()
    let error = await #expect(throws: RepositoryError.self) { try await pull.value }
    #expect(error?.isLoggedOut == true)
    await bench.server.releaseAll()
    try await eventually { await bench.server.cancelled == 1 }
    #expect(try await bench.storedLinks() == [])
    #expect(await repository.statistics.written == 0)
  }

  @Test("S9 A logout that the file cannot take leaves the account logged in")
  func failedLogout() async throws {
    let bench = try Bench()
    await bench.server.set([Link(id: "1", name: "one")])
    let repository = try await bench.open("ada")
    try await repository.refresh(Link.self)
    let other = try await OtherProcess(bench)
    try await other.lock()
    let error = await #expect(throws: RepositoryError.self) { try await repository.logOut() }
    #expect(error?.isLocked == true)
    #expect(await repository.account == "ada")
    #expect(try await repository.names() == ["one"])
    try await other.unlock()
    try await repository.logOut()
    #expect(try await bench.storedLinks() == [])
  }
}
