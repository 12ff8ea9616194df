import CacheTestSupport
import Foundation
import Testing

@testable import Processes

@Suite("A process that is talked to", .startsProcesses)
struct ChildProcessTests {
  private func shell(_ script: String) throws -> ChildProcess {
    try ChildProcess(
      name: "shell", executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script])
  }

  @Test("It receives lines, and sends line by line")
  func talk() async throws {
    let child = try shell("echo ready; read word; echo \"done $word\"; read rest")
    #expect(await child.line(beginning: "ready") == "ready")
    child.tell("well")
    #expect(await child.line(beginning: "done") == "done well")
    #expect(child.isRunning)
    await child.stop(within: .seconds(60))
    #expect(!child.isRunning)
  }

  @Test("A line that begins as agreed gives it the whole time again; another does not")
  func renewal() async throws {
    let child = try ChildProcess(
      name: "shell", executable: URL(fileURLWithPath: "/bin/sh"),
      arguments: ["-c", "while read -r line; do echo $line; done"], renewal: "begin ")
    let started = ContinuousClock.now
    child.tell("still there")
    _ = await child.line(beginning: "still")
    let sinceStart = started.duration(to: .now)
    #expect(child.age >= sinceStart)
    let told = ContinuousClock.now
    child.tell("begin again")
    _ = await child.line(beginning: "begin")
    let age = child.age
    #expect(age <= told.duration(to: .now))
    await child.stop(within: .seconds(600))
  }

  @Test("One that ends without the line that is waited for says how it ended, and why")
  func noLine() async throws {
    let child = try shell("echo why >&2; exit 3")
    #expect(await child.line(beginning: "ready") == nil)
    #expect(child.exitReport == "exit code 3; why")
    #expect(await child.ended()?.cause == .exit(3))
  }

  @Test("A process that does not end when asked to is killed")
  func deaf() async throws {
    let child = try shell("echo ready; while :; do sleep 0.05; done")
    _ = await child.line(beginning: "ready")
    await child.stop(within: .milliseconds(50))
    #expect(await child.ended()?.cause == .signal(9))
  }

  @Test("Waiting ends with the task that waits, not with the process")
  func cancelled() async throws {
    let child = try shell("read rest")
    let waiting = Task { await child.ended() }
    waiting.cancel()
    #expect(await waiting.value == nil)
    #expect(child.isRunning)
    await child.stop(within: .seconds(60))
    #expect(await child.ended()?.cause == .exit(1))
  }
}
