import CacheModel
import CacheSimulation
import Testing
import Workloads

@testable import DesignSimulation

@Suite("The designs before the cases of conformance", .timeLimit(.minutes(10)))
struct DesignConformanceTests {
  @Test("No design fails in any", arguments: SimulatedDesign.all.map(\.preset.name))
  func failsNowhere(_ name: String) throws {
    let design = try #require(SimulatedDesign.named(name))
    let conformance = Conformance()
    let cases = Conformance.cases(nil)
    #expect(cases.count >= 70)
    for test in cases {
      var settings = DesignSettings(design.preset, capacity: test.capacity)
      // A case asks what is served, and does not wait for a disk.
      for field in design.preset.fields where field.name.hasPrefix("disk-") {
        settings.set(field.name, to: .number(0))
      }
      let result = conformance.run(test) { launch throws(CacheFault) in
        try design.maker(settings, for: ConformanceWorld.workload)(launch)
      }
      #expect(
        result.verdict != .fail,
        "\(test.address) \(test.title): \(result.findings); told: \(result.told)")
    }
  }
}
