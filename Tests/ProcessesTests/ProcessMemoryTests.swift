import CacheTestSupport
import Foundation
import Testing

@testable import Processes

@Suite("The memory of the process")
struct ProcessMemoryTests {
  @Test("is read from lines of the system")
  func lines() {
    let text = "Name:\tx\nVmHWM:\t   12 kB\nVmRSS:\t       8 kB\nVmRSSX:\t 9 kB\n"
    #expect(ProcessMemory.bytes(of: "VmHWM", in: text) == 12 * 1024)
    #expect(ProcessMemory.bytes(of: "VmRSS", in: text) == 8 * 1024)
    #expect(ProcessMemory.bytes(of: "MemAvailable", in: text) == nil)
    #expect(ProcessMemory.bytes(of: "VmHWM", in: "VmHWM: 12 MB") == nil)
    #expect(ProcessMemory.bytes(of: "VmHWM", in: "VmHWM: many kB") == nil)
    #expect(ProcessMemory.bytes(of: "VmHWM", in: nil) == nil)
  }

  #if os(Linux)
    @Test("has a peak of at least its present memory")
    func peak() throws {
      let now = try #require(ProcessMemory.resetPeak())
      #expect(now > 0)
      #expect(try #require(ProcessMemory.peak()) > 0)
    }
  #endif
}

@Suite("The memory process", .startsProcesses)
struct MemoryRunTests {
  @Test("An executable that is not there is named")
  func missing() async {
    let path = "/nonexistent/tidemark-memory"
    await #expect(throws: MemoryRunError.process(.executableMissing(path: path))) {
      try await MemoryRun(executable: URL(fileURLWithPath: path)).rows(seed: 1)
    }
  }

  @Test("A process that prints no rows fails, though it exits with 0")
  func silent() async throws {
    await #expect(throws: MemoryRunError.unreadable(.truncated)) {
      try await MemoryRun(executable: URL(fileURLWithPath: "/bin/true")).rows(seed: 1)
    }
  }

  @Test("A process that fails gives its exit code")
  func failing() async throws {
    await #expect(throws: MemoryRunError.process(.failed(status: 1, message: ""))) {
      try await MemoryRun(executable: URL(fileURLWithPath: "/bin/false")).rows(seed: 1)
    }
  }

  @Test("A process that does not end is ended")
  func endless() async throws {
    await #expect(throws: MemoryRunError.process(.timedOut(after: .milliseconds(50)))) {
      try await MemoryRun(
        executable: URL(fileURLWithPath: "/usr/bin/yes"), deadline: .milliseconds(50)
      ).rows(seed: 1)
    }
  }
}
