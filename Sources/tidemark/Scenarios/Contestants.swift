import CacheModel
import NormalizedCache
import Workloads

/// A policy as one scenario runs it.
struct Contestant: Sendable {
  var name: String
  var composition: PolicyComposition
}

extension ScenarioFile {
  /// The policies to run: those named, else the scenario's own list.
  func contestants(_ names: [String]) throws(CommandFailure) -> [Contestant] {
    let chosen = names.isEmpty ? scenario.policies.map(\.name) : names
    var contestants: [Contestant] = []
    for name in chosen where !contestants.contains(where: { $0.name == name }) {
      guard let composition = scenario.composition(for: name) else {
        let own = scenario.policies.map(\.name)
        let presets = Preset.names.filter {
          $0.hasSuffix(Preset.limitSuffix) == name.hasSuffix(Preset.limitSuffix)
        }
        let known = own + presets.filter { !own.contains($0) }
        throw CommandFailure(
          .input,
          "no policy is called \"\(name)\"; \(Suggestion.text(for: name, among: known)) (\(path))")
      }
      do throws(CompositionError) {
        try composition.validate()
      } catch {
        throw CommandFailure(.input, "\(path): policy \"\(name)\": \(error)")
      }
      contestants.append(Contestant(name: name, composition: composition))
    }
    guard !contestants.isEmpty else {
      throw CommandFailure(
        .input, "\(path): names no policies; add `policies: [lru, ttl]`, or give --policies")
    }
    return contestants
  }
}
