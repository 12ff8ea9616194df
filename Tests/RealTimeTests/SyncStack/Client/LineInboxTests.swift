import CacheModel
import FoundationEssentials
import Synchronization
import Testing

@testable import RealTime

@Suite("The inbox of a client", .timeLimit(.minutes(30)))
struct LineInboxTests {
  private final class Gate: Sendable {
    let openings = Atomic<Int>(0)
  }

  private func inbox(lines: Int, bytes: Int = 1_000_000) -> (LineInbox, Gate) {
    var limits = WireLimits()
    limits.inboxLines = lines
    limits.inboxBytes = bytes
    let gate = Gate()
    let inbox = LineInbox(limits: limits) { gate.openings.add(1, ordering: .relaxed) }
    return (inbox, gate)
  }

  private func line(_ number: Int, bytes: Int = 10) -> ReceivedLine {
    ReceivedLine(
      bytes: Data(repeating: 0, count: bytes), received: Instant(nanoseconds: Int64(number)))
  }

  @Test(
    "Lines come out in the order in which they came in, whoever is first", arguments: [1, 2_000])
  func order(ahead: Int) async throws {
    let (inbox, _) = inbox(lines: 10_000)
    for number in 0..<ahead { inbox.offer(line(number)) }
    let reader = Task {
      var numbers: [Int64] = []
      while let line = try await inbox.next() { numbers.append(line.received.nanoseconds) }
      return numbers
    }
    for number in ahead..<3_000 {
      inbox.offer(line(number))
      if number % 100 == 0 { await Task.yield() }
    }
    inbox.finish(.success(()))
    #expect(try await reader.value == Array(0..<3_000))
  }

  @Test("A full inbox holds the socket, and lets it go when half is taken")
  func holds() async throws {
    let (inbox, gate) = inbox(lines: 10)
    for number in 0..<10 {
      #expect(!inbox.isFull())
      inbox.offer(line(number))
    }
    #expect(inbox.isFull())
    for taken in 1...10 {
      _ = try await inbox.next()
      #expect(gate.openings.load(ordering: .relaxed) == (taken >= 5 ? 1 : 0))
    }
    #expect(!inbox.isFull())
  }

  @Test("Bytes count as well as lines")
  func bytes() {
    let (inbox, _) = inbox(lines: 1_000, bytes: 500)
    for number in 0..<5 {
      #expect(!inbox.isFull())
      inbox.offer(line(number, bytes: 100))
    }
    #expect(inbox.isFull())
  }

  @Test("What came before the end is handed out; then the end is said, again and again")
  func ends() async throws {
    let (inbox, _) = inbox(lines: 10)
    inbox.offer(line(1))
    inbox.finish(.failure(.lineTooLong(limit: 7)))
    inbox.finish(.success(()))
    inbox.offer(line(2))
    #expect(try await inbox.next()?.received.nanoseconds == 1)
    for _ in 0..<2 {
      await #expect(throws: SyncProtocolError.lineTooLong(limit: 7)) { try await inbox.next() }
    }
  }

  @Test("A task that is cancelled while it waits waits no longer")
  func cancelled() async {
    let (inbox, _) = inbox(lines: 10)
    let reader = Task { try await inbox.next() }
    reader.cancel()
    await #expect(throws: SyncProtocolError.closed) { try await reader.value }
  }
}

@Suite("A thread in the background")
struct BackgroundThreadTests {
  @Test("Work comes back with its result, and its error, in order", .timeLimit(.minutes(30)))
  func work() async throws {
    struct Refused: Error {}
    let thread = BackgroundThread()
    var results: [Int] = []
    for number in 0..<100 {
      results.append(
        await withTaskExecutorPreference(thread) {
          await Task.yield()
          return number * 2
        })
    }
    #expect(results == (0..<100).map { $0 * 2 })
    await #expect(throws: Refused.self) {
      try await withTaskExecutorPreference(thread) { throw Refused() }
    }
  }

  @Test("Many tasks may use it at once", .timeLimit(.minutes(30)))
  func concurrency() async {
    let thread = BackgroundThread()
    let sum = await withTaskGroup(of: Int.self) { tasks in
      for number in 0..<1_000 { tasks.addTask(executorPreference: thread) { number } }
      return await tasks.reduce(0, +)
    }
    #expect(sum == 499_500)
  }
}
