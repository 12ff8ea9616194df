import StreamingRepository
import Synchronization
import Testing

@Suite("The one task of a repository", .timeLimit(.minutes(30)))
struct LifetimeTests {
  @Test("S1 The task and the repository go with the last reference")
  func released() async throws {
    let bench = try Bench()
    var repository: StreamingRepository? = try await bench.open()
    let task = try #require(await repository?.sync)
    _ = try await repository?.links()
    weak let left = repository
    repository = nil
    await task.value
    try await eventually { left == nil }
  }

  @Test("S1 A request that waits does not keep the repository, and is cancelled")
  func releasedWhileFetching() async throws {
    let bench = try Bench()
    var repository: StreamingRepository? = try await bench.open()
    await bench.server.hold()
    _ = try await repository?.links()
    try await eventually { await bench.server.waiting == 1 }
    let task = try #require(await repository?.sync)
    weak let left = repository
    repository = nil
    await task.value
    try await eventually { left == nil }
    await bench.server.releaseAll()
    try await eventually { await bench.server.cancelled == 1 }
    #expect(try await bench.storedLinks() == [])
  }

  @Test("S1 A view does not keep the repository, and ends with it")
  func releasedWhileViewed() async throws {
    let bench = try Bench()
    var repository: StreamingRepository? = try await bench.open()
    let updates = try #require(repository).updates(of: Link.self)
    let seen = Atomic(0)
    let viewing = Task {
      for try await _ in updates { seen.add(1, ordering: .relaxed) }
    }
    try await eventually {
      let written = await repository?.statistics.written
      return written == 1 && seen.load(ordering: .relaxed) > 0
    }
    repository = nil
    try await viewing.value
    for try await _ in updates { Issue.record("a view of what has gone") }
  }

  @Test("S1 It runs from start to stop, and again")
  func stopped() async throws {
    let bench = try Bench()
    await bench.server.set([Link(id: "1", name: "one")])
    let repository = try await bench.open()
    await bench.server.hold()
    let pull = Task { try await repository.refresh(Link.self) }
    try await eventually { await bench.server.waiting == 1 }
    let task = try #require(await repository.sync)
    await repository.stop()
    await task.value
    let error = await #expect(throws: RepositoryError.self) { try await pull.value }
    #expect(error?.isStopped == true)
    await bench.server.releaseAll()
    try await eventually { await bench.server.cancelled == 1 }
    await #expect(throws: RepositoryError.self) { try await repository.refresh(Link.self) }
    await #expect(throws: RepositoryError.self) {
      try await repository.change(Link.self) { _ in }
    }
    #expect(try await repository.names() == [])
    await repository.start()
    await repository.start()
    try await repository.refresh(Link.self)
    #expect(try await repository.names() == ["one"])
  }

  @Test("S1 A stopped repository logs out, too")
  func logOutWhileStopped() async throws {
    let bench = try Bench()
    await bench.server.set([Link(id: "1", name: "one")])
    let repository = try await bench.open()
    try await repository.refresh(Link.self)
    await repository.stop()
    try await repository.logOut()
    #expect(try await bench.storedLinks() == [])
  }

  @Test("S12 Each iteration of a view has all that it may have, whoever else iterates")
  func consumers() async throws {
    let bench = try Bench()
    await bench.server.set([Link(id: "1", name: "one")])
    let repository = try await bench.open()
    let updates = repository.updates(of: Link.self)
    try await withThrowingTaskGroup(of: [Link].self) { group in
      for _ in 0..<8 {
        group.addTask {
          var views = updates.makeAsyncIterator()
          return try await views.next { !$0.isEmpty }
        }
      }
      for try await links in group { #expect(links == [Link(id: "1", name: "one")]) }
    }
    // The stream that wakes the task that writes is the task's alone: a variable that nothing else holds.
    #expect(await repository.statistics.written == 1)
  }

  @Test(
    "S13 Whenever it is stopped, an answer is in the file whole or not at all", arguments: 0..<8)
  func cancelled(round: Int) async throws {
    let bench = try Bench()
    let repository = try await bench.open()
    var last = 0
    for emission in 1...12 {
      let rows = (0..<200).map { Link(id: "\($0)", name: "\(emission)", clicks: emission) }
      await bench.server.set(rows)
      let pull = Task { try await repository.refresh(Link.self) }
      for _ in 0..<(round * 7 + emission * 5) { await Task.yield() }
      await repository.stop()
      let isWritten = await (try? pull.value) != nil
      let stored = try await bench.storedLinks()
      let clicks = Set(stored.map(\.clicks))
      #expect(clicks.count <= 1)
      #expect(stored.isEmpty || stored.count == 200)
      let found = clicks.first ?? 0
      #expect(found == emission || found == last)
      if isWritten { #expect(found == emission) }
      last = found
      await repository.start()
    }
  }
}

extension RepositoryError {
  var isStopped: Bool { if case .stopped = self { true } else { false } }
  var isOffline: Bool { if case .offline = self { true } else { false } }
  var isLocked: Bool { if case .locked = self { true } else { false } }
  var isFull: Bool { if case .full = self { true } else { false } }
  var isLoggedOut: Bool { if case .loggedOut = self { true } else { false } }

  var source: (any Error)? { if case .source(let error) = self { error } else { nil } }
}
