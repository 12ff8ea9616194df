package import CacheModel
import EvictionPolicies
package import NormalizedCache

extension Simulation {
  /// A client's cache as it stood when its values weighed most, for a measurement of what it takes.
  ///
  /// The client is run twice: once to find the step, once to get there.
  ///
  /// - Throws: what ``run(policy:composition:)`` throws.
  package func cacheAtPeak(
    ofClient client: Int, policy: String, composition: PolicyComposition
  ) throws -> CacheStore<SimulationSchema> {
    let looksAhead = EvictionPolicies.named(composition.evictionOrder)?.needsFuture == true
    func make() throws -> ClientSimulation {
      try ClientSimulation(
        self, client: client, policy: policy, composition: composition,
        uses: looksAhead ? try rehearse(client: client, composition) : nil)
    }
    var first = try make()
    let end = first.end
    var peak = (step: 0, weight: 0)
    while let next = first.nextInstant(), next <= end {
      try first.takeStep(at: next)
      if first.store.residentWeight > peak.weight {
        peak = (first.step, first.store.residentWeight)
      }
    }
    var second = try make()
    while second.step < peak.step, let next = second.nextInstant() {
      try second.takeStep(at: next)
    }
    return second.store
  }
}
