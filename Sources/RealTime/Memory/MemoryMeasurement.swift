import CacheModel
import Containers
import FoundationEssentials
import NormalizedCache

/// Counts what a cache of files costs, against the same files in a plain array.
///
/// Bytes per entity are the slope between N and 2N entities in the same number of queries, so what
/// does not grow with the population cancels out. The capacity is the population each time: a cache
/// with room to spare would be charged for the room. Files are decoded from JSON, as an app gets
/// them, so that no two of them share storage by accident.
package struct MemoryMeasurement: Sendable {
  package let entities: Int
  package let queries: Int

  /// - Precondition: `entities` is a positive multiple of `queries`.
  package init(entities: Int = 10_000, queries: Int = 100) {
    precondition(
      queries > 0 && entities > 0 && entities % queries == 0,
      "\(entities) entities do not fill \(queries) equal queries")
    self.entities = entities
    self.queries = queries
  }

  /// Builds and drops each population in turn.
  ///
  /// - Throws: what the counter throws, or the decoder, ``MeasurementError/nothingCounted``, or
  ///   `CachePolicyError`.
  package func run(counter: some AllocationCounter) throws -> MemoryReport {
    // The first use of a decoder or a dictionary fills caches that stay; they are no entity's.
    _ = try cost(of: queries, counter) { try CacheHolder(library: $0) }
    _ = try cost(of: queries, counter) { try PayloadHolder(library: $0) }
    let payload = try cost(of: entities, counter) { try PayloadHolder(library: $0) }
    let payloadTwice = try cost(of: entities * 2, counter) { try PayloadHolder(library: $0) }
    let cache = try cost(of: entities, counter) { try CacheHolder(library: $0) }
    let cacheTwice = try cost(of: entities * 2, counter) { try CacheHolder(library: $0) }
    // A live cache costs something; where it does not, nothing was counted.
    guard payload.bytes > 0, cache.bytes > 0, cache.filled.active > 0 else {
      throw MeasurementError.nothingCounted
    }
    return MemoryReport(
      entities: entities, queries: queries,
      payloadBytes: payload.bytes, payloadBytesAtTwice: payloadTwice.bytes,
      cacheBytes: cache.bytes, cacheBytesAtTwice: cacheTwice.bytes,
      activeBytes: cache.filled.active, residentWeight: cache.weight,
      predictedBytes: cache.tables + valueBytes(in: payload.bytes),
      openedBytes: cache.opened.allocated, closedBytes: cache.closed.allocated)
  }

  /// What the values of the first population point to: those in the array, less their places in it.
  private func valueBytes(in array: Int) -> Int {
    array - AllocationSize.array(capacity: entities, stride: MemoryLayout<FilePayload>.stride)
  }

  private func cost(
    of count: Int, _ counter: some AllocationCounter, _ make: (FileLibrary) throws -> any Holder
  ) throws -> Cost {
    let library = FileLibrary(directories: queries, filesPerDirectory: count / queries, seed: 1)
    // Alive until the last reading, so that its own memory is in all of them.
    defer { withExtendedLifetime(library) {} }
    let opened = try counter.read()
    var holder: (any Holder)? = try make(library)
    let filled = try counter.read()
    let weight = holder?.weight ?? 0
    let tables = holder?.predictedTableBytes ?? 0
    holder = nil
    return Cost(
      opened: opened, filled: filled, closed: try counter.read(), weight: weight, tables: tables)
  }

  /// The readings before a population is made, while it lives, and after it was let go.
  private struct Cost {
    var opened: AllocationReading
    var filled: AllocationReading
    var closed: AllocationReading
    /// As the holder counts it itself.
    var weight: Int
    /// As the model predicts them.
    var tables: Int

    var bytes: Int { filled.allocated - opened.allocated }
  }
}

/// A population that lives as long as this does.
private protocol Holder: AnyObject {
  var weight: Int { get }
  var predictedTableBytes: Int { get }
}

/// The typed values alone.
private final class PayloadHolder: Holder {
  private var payloads: ContiguousArray<FilePayload> = []

  var weight: Int { payloads.reduce(0) { $0 + MeasurementSchema().weight(of: $1) } }
  let predictedTableBytes = 0

  init(library: FileLibrary) throws {
    let wire = FileWire()
    payloads.reserveCapacity(library.fileCount)
    for file in 0..<library.fileCount {
      payloads.append(try wire.roundTrip(library.payload(ofFile: file, revision: 0)))
    }
  }
}

/// The values in a cache that has room for exactly all of them, listed by its queries.
private final class CacheHolder: Holder {
  private var store: CacheStore<MeasurementSchema>

  var weight: Int { store.residentWeight }

  var predictedTableBytes: Int {
    MemoryModel(of: store.composition, schema: MeasurementSchema.self)
      .bytes(of: store.counts, valueBytes: 0)
  }

  init(library: FileLibrary) throws {
    let wire = FileWire()
    store = try CacheStore(
      composition: library.leastRecentlyUsed, schema: MeasurementSchema())
    for directory in 0..<library.directories {
      var response = library.response(toDirectory: directory)
      for index in response.entities.indices {
        response.entities[index].payload = try wire.roundTrip(response.entities[index].payload)
      }
      store.fill(library.queryKey(ofDirectory: directory), with: response)
    }
    precondition(
      store.residentEntities == library.fileCount && store.cachedQueries == library.directories,
      "the cache does not hold the population that is counted")
  }
}

/// Copies a file into new storage, by way of JSON.
struct FileWire {
  private let encoder = WireEncoder()
  private let decoder = WireDecoder()

  func roundTrip(_ file: FilePayload) throws -> FilePayload {
    try decoder.file(from: try encoder.bytes(of: file))
  }
}

/// Asks the allocator for the memory of the process.
package protocol AllocationCounter {
  /// The state of the allocator now.
  ///
  /// - Throws: if the allocator does not answer.
  func read() throws -> AllocationReading
}

/// What an allocator says about a process; in bytes where nothing else is said.
///
/// Pages in physical memory are not among it: besides the active ones they contain the allocator's own index,
/// which is 2 MB larger if the heap crosses a multiple of 1 GiB, and the system draws the addresses.
package struct AllocationReading: Hashable, Sendable {
  /// In live objects, each counted at its size class.
  package var allocated: Int
  /// In pages with live objects.
  package var active: Int
  /// How many objects it has handed out since the process began.
  package var allocations: Int

  package init(allocated: Int, active: Int, allocations: Int) {
    self.allocations = allocations
    self.allocated = allocated
    self.active = active
  }
}
