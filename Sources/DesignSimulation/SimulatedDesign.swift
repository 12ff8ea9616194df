import CacheModel
package import CacheSimulation
package import Workloads

/// A cache design behind the simulation: the core that ships, in virtual time.
///
/// To add one:
///
/// 1. Declare its name and its fields as a `DesignPreset` in `Workloads/Scenario/Policies`, with the documents' own
///    numbers as what holds where a scenario says nothing.
/// 2. Write a folder here with a class that conforms to `MeasuredCache` and drives the design's core. It is told
///    of one turn after the other and never waits: what takes time goes into an ``Agenda``, and the turn says when
///    to be woken. ``Requests`` keeps the fetches under way and who waits for them, ``OwnWrites`` sends what the
///    user changes, ``VirtualFolder`` is a disk that outlives processes.
/// 3. Add a line to ``all``.
///
/// A design that takes no events says so, and gets none: nothing is delivered to it, and no byte of events counts
/// against it.
package struct SimulatedDesign: Sendable {
  package let preset: DesignPreset
  /// Prepares for a run what its clients have in common, and gives what begins the cache of each of their processes.
  let prepare: @Sendable (DesignSettings, DesignInput) -> Maker

  package typealias Maker = (CacheLaunch) throws(CacheFault) -> any MeasuredCache

  package static let all: [SimulatedDesign] = [twoTier, response, streamingRepository]

  package static func named(_ name: String) -> SimulatedDesign? {
    all.first { $0.preset.name == name }
  }

  /// What begins a cache for each client of a workload, and for each of its processes.
  ///
  /// What a client's processes store lies in the maker: a client's first process, which begins at zero, finds
  /// nothing. So a maker is for one run.
  ///
  /// - Precondition: the settings are of this design.
  package func maker(_ settings: DesignSettings, for workload: Workload) -> Maker {
    precondition(settings.design == preset.name, "the settings are of \(settings.design)")
    return prepare(settings, DesignInput(workload))
  }
}

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

extension DesignSettings {
  /// The bytes that values may have in memory; where only entities are limited, as many as they have on average.
  func valueLimit(_ input: DesignInput) -> Int? {
    let ofEntities = capacity.entities.map { entities in
      let (bytes, overflow) = entities.multipliedReportingOverflow(by: input.meanEntityBytes)
      return overflow ? .max : bytes
    }
    return [capacity.bytes, ofEntities].compactMap(\.self).min()
  }

  /// The bytes that memory may take, for a design that counts its tables too.
  func memoryLimit(_ input: DesignInput) -> Int? {
    [capacity.memory, valueLimit(input)].compactMap(\.self).min()
  }
}
