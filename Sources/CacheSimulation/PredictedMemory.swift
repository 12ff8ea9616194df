package import CacheModel
import Containers
package import NormalizedCacheCore
package import Workloads

/// Predicts the memory of a simulated cache in an app that stores each value as one allocation of its
/// recorded size.
///
/// A simulation stores handles; the prediction for its tables is valid for an app's, except for the inline
/// width of a value, which here is one reference. An app's typed values take less than their JSON (see the
/// measured `payload_bytes_per_entity`), so this is an upper bound for such an app.
package struct PredictedMemory: Sendable {
  /// The memory of values: one reference each, and per byte of weight their share of the array's header and
  /// the allocator's rounding, as a mean over all states of the workload.
  package let values: ValueMemory

  package init(_ catalog: Catalog) {
    var weight = 0
    var bytes = 0
    for revision in catalog.revisions {
      weight += Int(revision.bytes)
      bytes += AllocationSize.array(capacity: Int(revision.bytes), stride: 1)
    }
    values = ValueMemory(
      stride: MemoryLayout<[UInt8]?>.stride,
      bytesPerWeight: weight > 0 ? Double(bytes) / Double(weight) : 0)
  }

  /// - Parameters:
  ///   - store: the size of its tables.
  ///   - weight: the total weight of its values.
  ///   - valueStride: the inline width of a value; by default that of a reference.
  ///   - countsObservers: whether each observer of the store counts as a callback of the actor.
  /// - Returns: bytes.
  package func bytes<Schema>(
    of store: borrowing CacheStore<Schema>, weight: Int,
    valueStride: Int = MemoryLayout<[UInt8]?>.stride, countsObservers: Bool = true
  ) -> Int {
    var counts = store.counts
    if !countsObservers { counts.observers = 0 }
    return MemoryModel(
      of: store.composition, schema: SimulationSchema.self, valueStride: valueStride
    ).bytes(of: counts, valueBytes: values.bytes(of: weight))
  }
}

extension Simulation {
  /// Returns a client's cache at the peak weight of its values, to measure its memory.
  ///
  /// The client is run twice: once to find the step, once to reach it. Its storage accepts every batch at
  /// once, so that changes are recorded too, and it runs in one process.
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
  /// Writes what is due to the storage.
  fileprivate mutating func writeBehind() {
    guard let batch = store.takeBatch(wallClock: now, at: now) else { return }
    store.completeFlush(batch.number, at: now)
  }
}
