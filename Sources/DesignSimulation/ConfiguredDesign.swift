import CacheModel
package import CacheSimulation
package import Workloads

/// A design with its settings: where policies go, it can go too.
package struct ConfiguredDesign: BlackBoxCache {
  private let design: SimulatedDesign
  package private(set) var settings: DesignSettings

  /// `nil` where no design has the name that the settings say.
  package init?(_ settings: DesignSettings) {
    guard let design = SimulatedDesign.named(settings.design) else { return nil }
    self.design = design
    self.settings = settings
  }

  package var content: [ScenarioContent.Value] { ScenarioContent.values(of: settings) }
  package var isDeterministic: Bool { true }
  package var predictsMemory: Bool { true }

  package func held(toMemory bytes: Int) -> (any BlackBoxCache)? {
    var held = self
    held.settings.capacity = Capacity(entities: nil, memory: bytes)
    return held
  }

  package func maker(for workload: Workload) -> Maker {
    let make = design.maker(settings, for: workload)
    return { launch throws(CacheFault) in try make(launch) }
  }
}
