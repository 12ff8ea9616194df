import CacheChecking
import CacheModel
import CacheSimulation
import Testing
import Workloads

@testable import DesignSimulation

@Suite("The designs before the cases of conformance", .timeLimit(.minutes(30)))
struct DesignConformanceTests {
  /// Cases that a design fails by what its document says, with the promise of `Documentation/Designs.md`.
  private static let departures: [String: [String: String]] = [
    "streaming-repository": [
      "writes/7": "S7: without a network a change fails, and is not kept",
      "writes/8": "S7: likewise",
      "writes/9": "S6: a change without an answer is undone; its rows are fetched again",
    ]
  ]

  @Test(
    "No design fails in any but those that its document rules out",
    arguments: SimulatedDesign.all.map(\.preset.name))
  func failsNowhere(_ name: String) throws {
    let design = try #require(SimulatedDesign.named(name))
    let conformance = Conformance()
    let cases = Conformance.cases(nil)
    #expect(cases.count >= 70)
    let departures = Self.departures[name] ?? [:]
    var failed: [String] = []
    for test in cases {
      var settings = DesignSettings(design.preset, capacity: test.capacity)
      // A case asks what is served, and does not wait for a disk.
      for field in design.preset.fields where field.name.hasPrefix("disk-") {
        settings.set(field.name, to: .duration(.zero))
      }
      let result = conformance.run(test) { launch throws(CacheFault) in
        try design.maker(settings, for: ConformanceWorld.workload)(launch)
      }
      guard result.verdict == .fail else { continue }
      failed.append(test.address)
      #expect(
        departures[test.address] != nil,
        "\(test.address) \(test.title): \(result.findings); told: \(result.told)")
    }
    #expect(failed.sorted() == departures.keys.sorted())
  }
}
