import Analysis
import ArgumentParser
import CommandLineInterface

/// How many seeds a comparison runs: a number, or as many as it takes.
enum SeedCount: ExpressibleByArgument {
  case fixed(Int)
  case automatic

  /// More seeds than this tell nothing that fewer do not.
  private static let most = 1_000

  init?(argument: String) {
    if argument == "auto" {
      self = .automatic
    } else if let count = Int(argument), (1...Self.most).contains(count) {
      self = .fixed(count)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { ["1…\(most)", "auto"] }

  var plan: SeedPlan {
    switch self {
    case .fixed(let count): .fixed(count)
    case .automatic: .automatic
    }
  }

  /// What `--seeds` means, for help.
  static let help: ArgumentHelp = """
    Run so many seeds, each policy on the same ones, and compare pair by pair; auto: 10, 20, 40 or 100, \
    until it is decided. Default: one seed, which is no verdict.
    """
}
