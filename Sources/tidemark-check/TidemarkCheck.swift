import ArgumentParser
import CommandLineInterface
import FaultSearch
import NormalizedCacheCore

/// The commands of `tidemark check` and `tidemark conform`, for authors of caches.
struct TidemarkCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tidemark", abstract: "Check caches with random programs and conformance tests.",
    version: CommandLineMain.version,
    subcommands: [CheckCommand.self, ConformCommand.self, RunSearchCommand.self])
}

@main
enum Main {
  static func main() async { await CommandLineMain.run(TidemarkCheck.self) }
}

/// An intentional defect of the searched store or of its interpretation of a declared model, with which a
/// test verifies the search; in debug builds only.
struct Planting: ParsableArguments {
  #if PLANTED_DEFECTS
    @Option(help: .hidden, transform: Self.mistake)
    var plant: Mistake?

    enum Mistake: Sendable {
      case defect(PlantedDefect)
      case slip(ModelSlip)

      var name: String {
        switch self {
        case .defect(let defect): defect.rawValue
        case .slip(let slip): slip.rawValue
        }
      }
    }

    private static func mistake(_ name: String) throws -> Mistake {
      if let defect = PlantedDefect(rawValue: name) { return .defect(defect) }
      if let slip = ModelSlip(rawValue: name) { return .slip(slip) }
      throw ValidationError("no defect is called \(name)")
    }

    /// The options that pass it to another process.
    var arguments: [String] { plant.map { ["--plant", $0.name] } ?? [] }

    func planted(_ faultCase: FaultCase) -> FaultCase {
      var planted = faultCase
      switch plant {
      case .defect(let defect): planted.plantedDefect = defect
      case .slip(let slip): planted.modelSlip = slip
      case nil: break
      }
      return planted
    }
  #else
    var arguments: [String] { [] }

    func planted(_ faultCase: FaultCase) -> FaultCase { faultCase }
  #endif
}
