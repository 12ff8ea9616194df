import CommandLineInterface
import FaultSearch
import Foundation

/// What a searching process tells the one that started it: a line before each thing that it does, which
/// may be its last.
enum SearchWord {
  /// A program begins, which may take the time limit.
  case begins(seed: UInt64)
  /// A step of it, as a case file says it.
  case step(String)
  /// Its steps are taken; all comes to rest.
  case rest
  /// It has ended.
  case done(StepTally, Divergence?)

  /// Whether it says how a program ended.
  var isOutcome: Bool { if case .done = self { true } else { false } }

  /// How lines begin that say that a program begins.
  static let beginning = "begin "

  private struct Outcome: Codable {
    var tally: StepTally
    var divergence: Divergence?
  }

  func say() throws {
    let line =
      switch self {
      case .begins(let seed): "\(Self.beginning)\(seed)"
      case .step(let text): "step \(text)"
      case .rest: "rest"
      case .done(let tally, let divergence):
        try "done "
          + String(
            decoding: JSONEncoder().encode(Outcome(tally: tally, divergence: divergence)),
            as: UTF8.self)
      }
    try Console.tell(line + "\n")
  }

  /// `nil` for a line that says nothing of the kind.
  init?(_ line: Substring) {
    let parts = line.split(separator: " ", maxSplits: 1)
    let rest = parts.count > 1 ? String(parts[1]) : ""
    switch parts.first {
    case "begin":
      guard let seed = UInt64(rest) else { return nil }
      self = .begins(seed: seed)
    case "step":
      self = .step(rest)
    case "rest":
      self = .rest
    case "done":
      guard let outcome = try? JSONDecoder().decode(Outcome.self, from: Data(rest.utf8)) else {
        return nil
      }
      self = .done(outcome.tally, outcome.divergence)
    default:
      return nil
    }
  }
}
