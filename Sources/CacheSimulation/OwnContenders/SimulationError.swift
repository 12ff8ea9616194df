/// Why something cannot be simulated: what was handed in, not what came of it.
public enum SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A file is no scenario or no recording: one line for each problem, each with place, cause and remedy.
  case unreadable(String)
  /// Neither the scenario nor the presets have a policy of this name.
  case unknownPolicy(String, known: [String])
  /// The policy cannot be carried out, and why.
  case unfitPolicy(String, reason: String)
  /// The stream cannot be put before a cache that is known only from outside, and why.
  case unfitStream(String, reason: String)

  /// What is wrong, and what to do about it.
  public var description: String {
    switch self {
    case .unreadable(let problems): problems
    case .unknownPolicy(let name, let known):
      "no policy is called \"\(name)\"; there are \(known.joined(separator: ", "))"
    case .unfitPolicy(let name, let reason): "policy \"\(name)\": \(reason)"
    case .unfitStream(let scenario, let reason):
      "\(scenario): no cache of one's own can be run over it, since \(reason); take another scenario"
    }
  }
}
