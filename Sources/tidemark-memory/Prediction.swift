import CacheModel
import CacheSimulation
import CommandLineInterface
import NormalizedCacheCore
import RealTime
import ResultModel
import Workloads

/// Compares the simulator's predictions for an input's caches with their memory.
///
/// The measurement releases the simulation's own cache at its peak, and allocates memory of the recorded size
/// for each value in it: every table is the actual one, filled by the actual events with the actual policy,
/// including the change log of a storage. Only the inline size of a value is that of a handle, and the
/// prediction is for that size. A simulation has no callbacks; ``ObserverMemory`` predicts those of an actual
/// actor. For another design the core of its first client at the end of the run is measured
/// (``DesignPrediction``).
struct Prediction {
  let input: PlayedInput

  /// Returns rows for each policy: the prediction for its first client's cache, the measurement, and the
  /// difference.
  ///
  /// - Returns: three rows for each policy of the input; for recordings the first one is used.
  func run(counter: some AllocationCounter) throws -> [ResultRow] {
    let workload = input.workload(ofRound: 0, seed: nil)
    let simulation = Simulation(of: workload)
    var rows: [ResultRow] = []
    for contender in try input.file.contenders(input.file.scenario.policies.map(\.name)) {
      let name = contender.name
      guard let composition = input.contender(contender, in: workload).cache.composition else {
        if let settings = input.file.scenario.design(for: name) {
          rows += try DesignPrediction(
            workload.name, name, try DesignMemory.coreAtEnd(of: workload, settings)
          ).rows(seed: workload.seed, counter: counter)
        }
        continue
      }
      rows += try compare(simulation, name, composition, counter)
        .rows(scenario: workload.name, policy: name, seed: workload.seed)
    }
    return rows
  }

  private func compare(
    _ simulation: Simulation, _ name: String, _ composition: CachePolicy,
    _ counter: some AllocationCounter
  ) throws -> MemoryPrediction {
    let store = try simulation.cacheAtPeak(ofClient: 0, policy: name, composition: composition)
    let residents = store.residentEntities
    let predicted = simulation.memory.bytes(
      of: store, weight: store.residentWeight, valueStride: MemoryLayout<Handle?>.stride,
      countsObservers: false)

    var values: [[UInt8]] = []
    values.reserveCapacity(residents)
    let bare = try counter.read().allocated
    store.forEachResidentValue { handle in
      let weight = Int(simulation.workload.catalog.revisions[Int(handle.revision)].bytes)
      values.append([UInt8](repeating: 0, count: weight))
    }
    let full = try withExtendedLifetime(values) { try counter.read().allocated }
    close(store)
    let closed = try withExtendedLifetime(values) { try counter.read().allocated }
    return MemoryPrediction(
      predicted: predicted, measured: full - bare + full - closed, entries: residents)
  }

  private func close(_ store: consuming CacheStore<SimulationSchema>) {}
}
