import Testing

@testable import Processes

@Suite("The machine")
struct MachineDescriptionTests {
  @Test("The processor is read from the first line that names it")
  func processor() {
    let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz: fast \nmodel name\t: Other\n"
    #expect(MachineDescription.cpuModel(in: text) == "Some CPU @ 2.00GHz: fast")
    #expect(MachineDescription.cpuModel(in: "processor\t: 0\n") == nil)
    #expect(MachineDescription.cpuModel(in: nil) == nil)
  }

  @Test("The load is the three averages")
  func load() {
    #expect(MachineDescription.load(in: "0.31 0.23 0.14 1/120 4711\n") == "0.31 0.23 0.14")
    #expect(MachineDescription.load(in: "0.31") == nil)
    #expect(MachineDescription.load(in: nil) == nil)
  }

  @Test("This machine reports time, cores and compiler")
  func current() {
    let machine = MachineDescription.current()
    for key in ["date", "cores", "memory_bytes", "operating_system", "compiler", "build"] {
      #expect(machine[key]?.isEmpty == false, "\(key)")
    }
    #expect(Set(machine.entries.map(\.key)).count == machine.entries.count)
  }
}
