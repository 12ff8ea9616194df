import Foundation
package import Testing

/// Lets three tests that start processes run at a time, however many have begun, and each for half an hour.
///
/// All tests of a run begin at once. What starts processes would then compete with hundreds of its kind for
/// the processors, and what it waits for would come minutes later. The time limit of the testing library
/// counts from when a test begins; this one counts from when its turn has come. Three, since they wait for
/// their processes some of the time.
package struct StartsProcesses: TestTrait, SuiteTrait, TestScoping {
  /// The tests of a suite take turns, not the suite.
  package var isRecursive: Bool { true }

  private static let turns = {
    // A shell's job in the background ignores an interrupt, and so would all that tests start.
    signal(SIGINT, SIG_DFL)
    return Turns(atOnce: 3)
  }()
  private static let limit = Duration.seconds(30 * 60)

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(body) { body in
      try await Self.turns.take {
        try await withThrowingTaskGroup { group in
          group.addTask { try await body() }
          group.addTask {
            try await Task.sleep(for: Self.limit)
            Issue.record("It takes longer than \(Self.limit).", sourceLocation: test.sourceLocation)
          }
          defer { group.cancelAll() }
          try await group.next()
        }
      }
    }
  }
}

extension Trait where Self == StartsProcesses {
  /// For every test that starts a process, or kills one.
  package static var startsProcesses: Self { Self() }
}

/// Lets a number of tests through at a time, in the order in which they came.
package actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init(atOnce: Int) { free = atOnce }

  /// Calls `body` when its turn has come.
  package nonisolated func take(_ body: () async throws -> Void) async throws {
    await begin()
    do {
      try await body()
    } catch {
      await end()
      throw error
    }
    await end()
  }

  private func begin() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func end() {
    guard waiting.isEmpty else { return waiting.removeFirst().resume() }
    free += 1
  }
}

/// A process of this machine, as `/proc` has it.
package struct RunningProcess: Hashable, Sendable {
  package var number: Int32
  /// Its command line.
  package var words: [String]

  /// Whether this machine says which processes run.
  package static let areListed = FileManager.default.isReadableFile(atPath: "/proc/self/environ")

  /// The processes that have a mark: in their command lines, or in the environment that they were started with,
  /// which a process hands on to all that it starts.
  ///
  /// Ended processes have none, whether or not they were waited for.
  package static func all(with mark: String) throws -> [RunningProcess] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name in
      guard let number = Int32(name) else { return nil }
      let words = texts(of: "/proc/\(name)/cmdline")
      guard (words + texts(of: "/proc/\(name)/environ")).contains(where: { $0.contains(mark) })
      else { return nil }
      return RunningProcess(number: number, words: words)
    }
  }

  /// Empty where the process has ended meanwhile, or is another user's.
  private static func texts(of file: String) -> [String] {
    String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
      .split(separator: "\u{0}").map(String.init)
  }
}
