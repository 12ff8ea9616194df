import CacheModel
import CacheProcesses
import DesignSimulation
import NormalizedCacheCore
import Text
import Workloads

extension ScenarioFile {
  /// The contenders to run: those named, else the scenario's own list and the caches beside it.
  package func contenders(_ names: [String]) throws(CommandFailure) -> [Contender] {
    let own = scenario.policies.map(\.name)
    if let cache = caches.first(where: { own.contains($0.name) }) {
      throw CommandFailure(
        .input, "\(path): a policy is called \"\(cache.name)\" too; give the cache another name")
    }
    let chosen = names.isEmpty ? own + caches.map(\.name) : names
    var contenders: [Contender] = []
    for name in chosen where !contenders.contains(where: { $0.name == name }) {
      contenders.append(
        Contender(name: name, cache: try cache(of: name), transcripts: transcripts))
    }
    guard !contenders.isEmpty else {
      throw CommandFailure(
        .input, "\(path): names no policies; add `policies: [lru, ttl]`, or give --policies")
    }
    return contenders
  }

  /// The names of all caches in processes of their own.
  package var commands: [String] {
    caches.filter { $0.cache.command != nil }.map(\.name)
      + scenario.policies.filter { $0.command != nil }.map(\.name)
  }

  /// What a name stands for here.
  private func cache(of name: String) throws(CommandFailure) -> ContenderCache {
    if let cache = caches.first(where: { $0.name == name }) { return cache.cache }
    if let command = scenario.policies.first(where: { $0.name == name })?.command {
      guard allowsCommands else {
        throw CommandFailure(
          .input,
          "\(path): policy \"\(name)\" is a command that a shell would run, `\(command.excerpt)`: read the "
            + "file, and then add --allow-commands to simulate, bench, tune, sensitivity or gate; or name "
            + "others with --policies")
      }
      var cache = CacheCommand(name: name, command: command)
      cache.limits = cacheLimits
      return .blackBox(cache)
    }
    if let design = scenario.design(for: name).flatMap({ ConfiguredDesign($0) }) {
      return .blackBox(design)
    }
    guard let composition = scenario.composition(for: name) else {
      let own = scenario.policies.map(\.name)
      let presets = PolicyEntry.presets.filter {
        $0.hasSuffix(Preset.limitSuffix) == name.hasSuffix(Preset.limitSuffix)
      }
      let known = own + caches.map(\.name) + presets.filter { !own.contains($0) }
      throw CommandFailure(
        .input,
        "no policy is called \"\(name)\"; \(Suggestion.text(for: name, among: known)) (\(path))")
    }
    do throws(CachePolicyError) {
      try composition.validate()
    } catch {
      throw CommandFailure(.input, "\(path): policy \"\(name)\": \(error)")
    }
    return .composed(composition)
  }
}
