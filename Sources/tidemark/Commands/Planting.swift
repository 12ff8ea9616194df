import ArgumentParser
import FaultSearch
import NormalizedCache

/// A mistake that the searched store makes on purpose, so that a test sees it found; in debug builds
/// only.
struct Planting: ParsableArguments {
  #if PLANTED_DEFECTS
    @Option(help: .hidden, transform: Self.defect)
    var plant: PlantedDefect?

    private static func defect(_ name: String) throws -> PlantedDefect {
      guard let defect = PlantedDefect(rawValue: name) else {
        throw ValidationError("no defect is called \(name)")
      }
      return defect
    }

    /// The options that hand it on to another process.
    var arguments: [String] { plant.map { ["--plant", $0.rawValue] } ?? [] }

    func planted(_ faultCase: FaultCase) -> FaultCase {
      var planted = faultCase
      planted.plantedDefect = plant
      return planted
    }
  #else
    var arguments: [String] { [] }

    func planted(_ faultCase: FaultCase) -> FaultCase { faultCase }
  #endif
}
