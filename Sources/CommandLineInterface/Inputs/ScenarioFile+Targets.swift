package import ResultModel
import Workloads

extension ScenarioFile {
  /// The scenario's targets for the policies that ran.
  package func targets(for contenders: [Contender]) -> [Target] {
    let ran = contenders.map(\.name)
    return scenario.targets.compactMap { target in
      // What cannot be seen of a cache is asked of it only where it is named.
      let bound =
        target.policyNames.isEmpty
        ? contenders.filter {
          !PolicyEntry.bounds.contains($0.name) && target.metric.map($0.cache.isMeasured) ?? true
        }.map(\.name)
        : target.policyNames.filter { ran.contains($0) }
      return target.target(in: scenario.name, of: bound)
    }.filter { !$0.policies.isEmpty }
  }
}
