import Testing

@testable import RealTime

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

  @Test("Many tasks may use it concurrently", .timeLimit(.minutes(30)))
  func concurrency() async {
    let thread = BackgroundThread()
    let sum = await withTaskGroup(of: Int.self) { tasks in
      for number in 0..<1_000 { tasks.addTask(executorPreference: thread) { number } }
      return await tasks.reduce(0, +)
    }
    #expect(sum == 499_500)
  }
}
