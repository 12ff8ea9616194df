package import CacheModel
import Containers
package import NormalizedCacheCore
package import Workloads

/// Predicts what a simulated cache would take in an app that holds each value as one piece of memory of
/// its captured size.
///
/// A simulation holds handles; what it says of its tables holds for an app's, but for the width of a
/// value's place, which here is one reference. An app's typed values take less than their JSON (see
/// the measured `payload_bytes_per_entity`), so this is an upper bound for such an app.
package struct PredictedMemory: Sendable {
  /// What values take: a place as wide as a reference, and for each byte of weight their share of the
  /// array's header and the allocator's rounding, as a mean over all states of the workload.
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
  ///   - store: as far as its tables have grown.
  ///   - weight: of its values.
  ///   - valueStride: the width of a value's place; by default that of a reference.
  ///   - countsObservers: whether each observer of the store is taken for a callback of the actor.
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
