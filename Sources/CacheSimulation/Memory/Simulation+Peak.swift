package import CacheModel
package import NormalizedCacheCore

extension Simulation {
  /// A client's cache as it stood when its values weighed most, for a measurement of what it takes.
  ///
  /// The client is run twice: once to find the step, once to get there. It keeps its content in a
  /// storage that takes every batch at once, so that a record of changes is kept too, and in one process.
  ///
  /// - Throws: what ``run(policy:composition:order:timelineParts:)`` throws.
  package func cacheAtPeak(
    ofClient client: Int, policy: String, composition: CachePolicy
  ) throws -> CacheStore<SimulationSchema> {
    func make() throws -> ClientSimulation<CacheStore<SimulationSchema>> {
      var simulation = try ClientSimulation(
        self, client: client, policy: policy, composition: composition,
        uses: try uses(ofClient: client, composition), inOneProcess: true)
      simulation.store.persist(at: simulation.now)
      return simulation
    }
    var first = try make()
    let end = first.end
    var peak = (step: 0, weight: 0)
    while let next = first.nextInstant(), next <= end {
      try first.takeStep(at: next)
      first.writeBehind()
      if first.store.residentWeight > peak.weight {
        peak = (first.step, first.store.residentWeight)
      }
    }
    var second = try make()
    while second.step < peak.step, let next = second.nextInstant() {
      try second.takeStep(at: next)
      second.writeBehind()
    }
    return second.store
  }
}

extension ClientSimulation where Cache: ~Copyable {
  /// Has the storage take what is due.
  fileprivate mutating func writeBehind() {
    guard let batch = store.takeBatch(wallClock: now, at: now) else { return }
    store.completeFlush(batch.number, at: now)
  }
}
