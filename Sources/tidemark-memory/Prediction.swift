import CacheModel
import CacheSimulation
import CommandLineInterface
import NormalizedCacheCore
import RealTime
import ResultModel
import Workloads

/// Compares what the simulator predicts of an input's caches with what they take.
///
/// Measured is the simulation's own cache at its peak, by letting it go, and one piece of memory of the
/// captured size for each value in it, by making it: every table is the real one, filled by the real
/// events under the real policy, with a record of changes for a storage. Only the place of a value is
/// as wide as a handle, and the prediction is asked for that width. A simulation has no callbacks;
/// ``ObserverMemory`` predicts those of a real actor. Of another design it is the core of its first client, as the run
/// leaves it (``DesignPrediction``).
struct Prediction {
  let input: PlayedInput

  /// Rows for each policy: what is predicted of its first client's cache, what it takes, and how far the
  /// two are apart.
  ///
  /// - Returns: three for each policy of the input; of recordings the first is played.
  /// - Throws: what the simulation throws, or the counter.
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
