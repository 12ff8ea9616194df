import CacheModel
import Containers
import FoundationEssentials
import NormalizedCache

/// Measures the memory of a cache of files, relative to the same files in an array.
///
/// Bytes per entity are the slope between N and 2N entities in the same number of queries, so that constant
/// parts cancel out. The capacity always equals the number of entities: otherwise spare capacity would count.
/// Files are decoded from JSON, as in an app, so that no two of them share storage by accident.
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

  /// Creates and releases each population in turn.
  ///
  /// - Throws: the counter's or the decoder's error, ``MeasurementError/nothingCounted``, or
  ///   `CachePolicyError`.
  package func run(counter: some AllocationCounter) throws -> MemoryReport {
    // The first use of a decoder or a dictionary fills permanent caches, which are not part of an entity.
    _ = try cost(of: queries, counter) { try CacheHolder(library: $0) }
    _ = try cost(of: queries, counter) { try PayloadHolder(library: $0) }
    let payload = try cost(of: entities, counter) { try PayloadHolder(library: $0) }
    let payloadTwice = try cost(of: entities * 2, counter) { try PayloadHolder(library: $0) }
    let cache = try cost(of: entities, counter) { try CacheHolder(library: $0) }
    let cacheTwice = try cost(of: entities * 2, counter) { try CacheHolder(library: $0) }
    // A live cache takes memory; otherwise the counter does not work.
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

  /// Returns the memory outside the array that the values of the first population reference.
  private func valueBytes(in array: Int) -> Int {
    array - AllocationSize.array(capacity: entities, stride: MemoryLayout<FilePayload>.stride)
  }

  private func cost(
    of count: Int, _ counter: some AllocationCounter, _ make: (FileLibrary) throws -> any Holder
  ) throws -> Cost {
    let library = FileLibrary(directories: queries, filesPerDirectory: count / queries, seed: 1)
    // Alive until the last reading, so that all readings include its own memory.
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

  /// The readings before a population is created, during its lifetime, and after its release.
  private struct Cost {
    var opened: AllocationReading
    var filled: AllocationReading
    var closed: AllocationReading
    /// The weight by the holder's own count.
    var weight: Int
    /// The tables' size as the model predicts it.
    var tables: Int

    var bytes: Int { filled.allocated - opened.allocated }
  }
}

/// A population whose lifetime is that of its holder.
private protocol Holder: AnyObject {
  var weight: Int { get }
  var predictedTableBytes: Int { get }
}

/// The typed values without a cache.
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

/// The values in a cache with an exact capacity, listed by its queries.
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

/// Copies a file into new storage, by encoding and decoding JSON.
struct FileWire {
  private let encoder = WireEncoder()
  private let decoder = WireDecoder()

  func roundTrip(_ file: FilePayload) throws -> FilePayload {
    try decoder.file(from: try encoder.bytes(of: file))
  }
}

/// Reads the memory of the process from its allocator.
package protocol AllocationCounter {
  /// Returns the present state of the allocator.
  ///
  /// - Throws: an error if the allocator does not answer.
  func read() throws -> AllocationReading
}

/// The allocator's figures for a process, in bytes unless stated otherwise.
///
/// Resident pages are not included: besides the active ones they contain the allocator's own index, which is
/// 2 MB larger if the heap crosses a multiple of 1 GiB, and the system randomizes the addresses.
package struct AllocationReading: Hashable, Sendable {
  /// The size of live objects, each rounded up to its size class.
  package var allocated: Int
  /// The size of pages with live objects.
  package var active: Int
  /// The number of allocations since the process began.
  package var allocations: Int

  package init(allocated: Int, active: Int, allocations: Int) {
    self.allocations = allocations
    self.allocated = allocated
    self.active = active
  }
}
