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
    @Test("has a peak that is at least what is held now")
    func peak() throws {
      let now = try #require(ProcessMemory.resetPeak())
      #expect(now > 0)
      #expect(try #require(ProcessMemory.peak()) > 0)
    }
  #endif
}
