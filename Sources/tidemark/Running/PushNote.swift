import CacheModel
import CommandLineInterface
import Text
import Workloads

/// Names the clients that were simulated with push although their apps must subscribe to it.
enum PushNote {
  /// Returns one line on a scenario.
  ///
  /// - Parameters:
  ///   - contenders: the policies that ran.
  ///   - input: the scenario, or the recording.
  ///   - seed: the command's seed.
  ///   - options: the command's options for recordings.
  /// - Returns: `nil` if no one else changes the data, or no such client receives events.
  static func line(
    on contenders: [Contender], in input: SimulationInput, seed: UInt64?, options: [String]
  ) -> String? {
    guard input.pushesChangesOfOthers(seed: seed) else { return nil }
    let names = contenders.map(\.name).filter { name in
      let entry = input.file.scenario.policies.first { $0.name == name }
      let preset = entry.map(\.preset) ?? name
      return preset.flatMap(Preset.named)?.needsSubscription == true
        && input.file.scenario.composition(for: name)?.takesEvents == true
    }
    let others = names.filter { Preset.named($0)?.withoutPush != nil }.map {
      $0 + Preset.noPushSuffix
    }
    guard !others.isEmpty else { return nil }
    let verb = names.count == 1 ? "assumes" : "assume"
    let words =
      ["tidemark", "simulate"] + input.arguments + (input.isDrawn ? [] : options)
      + ["--policies", others.joined(separator: ",")]
    return "\(names.joined(separator: ", ")) \(verb) push: the app must subscribe to events. "
      + "Without push: \(ShellWord.line(words))"
  }
}

extension SimulationInput {
  /// Returns whether events report changes of others to its clients.
  fileprivate func pushesChangesOfOthers(seed: UInt64?) -> Bool {
    guard isDrawn else {
      let workload = workload(seed: seed)
      return workload.pushesEvents && !workload.mutations.isEmpty
    }
    let scenario = file.scenario
    return scenario.network.events == .push
      && (!scenario.writers.isEmpty || scenario.hasWrites && scenario.clientNames.count > 1)
  }
}
