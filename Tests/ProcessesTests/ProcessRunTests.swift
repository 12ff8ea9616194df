import CacheTestSupport
import Foundation
import Testing

@testable import Processes

@Suite("Running a program", .startsProcesses)
struct ProcessRunTests {
  private func shell(_ script: String, deadline: Duration = .seconds(300)) -> ProcessRun {
    ProcessRun(
      executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script], deadline: deadline)
  }

  @Test("All of its output is read, whatever it writes to standard error meanwhile")
  func output() async throws {
    let complaints = "head -c 300000 /dev/zero >&2"
    let said = try await shell(
      "\(complaints); head -c 200000 /dev/zero | tr '\\0' x; \(complaints)"
    )
    .output()
    #expect(said == String(repeating: "x", count: 200_000))
  }

  @Test("One that fails gives its exit code and its complaint")
  func failure() async {
    await #expect(throws: ProcessRunError.failed(status: 3, message: "no\n")) {
      try await shell("echo no >&2; exit 3").output()
    }
  }

  @Test("It does not see hidden variables")
  func environment() async throws {
    var run = shell("echo \"${PATH-gone}\"")
    run.hiddenVariables = ["PATH"]
    #expect(try await run.output() != ProcessInfo.processInfo.environment["PATH"].map { "\($0)\n" })
  }

  @Test("When time is up its input ends, and it may clean up")
  func leaving() async throws {
    let mark = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidemark-test-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: mark) }
    var run = shell("read line; echo left > '\(mark.path)'", deadline: .milliseconds(50))
    run.patience = .seconds(300)
    await #expect(throws: ProcessRunError.timedOut(after: .milliseconds(50))) {
      try await run.output()
    }
    #expect(try String(contentsOf: mark, encoding: .utf8) == "left\n")
  }

  @Test("One that says line after line that gives it its time again takes longer than that time")
  func renewal() async throws {
    // Twenty of its lines would have to be late for it to be ended.
    var run = shell(
      "for i in $(seq 60); do sleep 0.1; echo begin $i; done", deadline: .seconds(4))
    run.renewal = "begin "
    let end = try await run.end()
    #expect(end.cause == .exit(0))
    #expect(end.output.hasSuffix("begin 60\n"))
  }

  @Test("Its end is reported apart from its output")
  func ending() async throws {
    let trapped = try await shell("echo last; echo why >&2; kill -ILL $$").end()
    #expect(trapped == ProcessEnd(cause: .signal(4), output: "last\n", complaint: "why\n"))
    let left = try await shell("exit 3").end()
    #expect(left == ProcessEnd(cause: .exit(3), output: "", complaint: ""))
  }

  @Test("It sees variables added to its environment")
  func addition() async throws {
    var run = shell("echo \"$ADDED\"")
    run.addedVariables = ["ADDED": "seen"]
    #expect(try await run.output() == "seen\n")
  }

  @Test("One that does not leave is ended, also where the task is cancelled")
  func cancellation() async throws {
    let mark = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidemark-test-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: mark) }
    let run = shell(
      "trap '' TERM; : > '\(mark.path)'; while :; do sleep 0.05; done", deadline: .seconds(600))
    let task = Task { try await run.output() }
    // From then on it is deaf.
    while !FileManager.default.fileExists(atPath: mark.path) {
      try await Task.sleep(for: .milliseconds(5))
    }
    task.cancel()
    await #expect(throws: ProcessRunError.failed(status: 9, message: "")) {
      try await task.value
    }
  }
}

@Suite("Turns of several subjects")
struct TurnsTests {
  @Test("They go forwards and backwards, and each subject has its own samples")
  func order() async {
    var calls: [String] = []
    let samples = await Turns(rounds: 3).take(["a", "b", "c"]) { subject, round in
      calls.append(subject)
      return "\(subject)\(round)"
    }
    #expect(calls == ["a", "b", "c", "c", "b", "a", "a", "b", "c"])
    #expect(samples == [["a0", "a1", "a2"], ["b0", "b1", "b2"], ["c0", "c1", "c2"]])
  }

  @Test("When the budget is spent the fewest rounds are taken nevertheless, and no more")
  func budget() async {
    let samples = await Turns(rounds: 9, budget: .zero).take([1, 2]) { subject, _ in subject }
    #expect(samples.map(\.count) == [Turns.fewestRounds, Turns.fewestRounds])
    let all = await Turns(rounds: 9, budget: .seconds(600)).take([1, 2]) { subject, _ in subject }
    #expect(all.map(\.count) == [9, 9])
  }

  @Test("No subjects, or no rounds, give no samples")
  func none() async {
    #expect(await Turns(rounds: 2).take([Int]()) { subject, _ in subject }.isEmpty)
    #expect(await Turns(rounds: 0).take([1]) { subject, _ in subject } == [[]])
  }
}
