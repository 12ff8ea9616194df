import CacheModel
import EvictionPolicies
import NormalizedCache
import SyncStack

/// A cache of files, with parts of it switched on or off.
///
/// Files may share the storage of their texts: then a population of a million costs little time and no
/// texts, and what two of them differ by is the part.
struct PartsPopulation {
  /// Parts beyond the tables of entities, which no cache is without.
  struct Switches: OptionSet {
    let rawValue: Int
    static let order = Switches(rawValue: 1)
    static let listing = Switches(rawValue: 2)
    static let persistence = Switches(rawValue: 4)
  }

  let library: FileLibrary
  private let model: FilePayload
  /// Gives values texts of their own; `nil`: they share the model's.
  private let wire: FileWire?

  init(entities: Int, queries: Int, areDecoded: Bool) {
    library = FileLibrary(directories: queries, filesPerDirectory: entities / queries, seed: 1)
    model = library.payload(ofFile: 0, revision: 0)
    wire = areDecoded ? FileWire() : nil
  }

  func payload(ofFile file: Int) throws -> FilePayload {
    try wire?.roundTrip(library.payload(ofFile: file, revision: 0))
      ?? library.payload(ofFile: file, like: model, revision: 0)
  }

  /// Fills a cache.
  ///
  /// - Throws: `CompositionError`.
  func makeStore(_ switches: Switches) throws -> CacheStore<MeasurementSchema> {
    var store = try CacheStore(
      composition: PolicyComposition(
        evictionOrder: "lru", capacity: Capacity(entities: library.fileCount), retention: .none,
        freshness: .neverExpires, maximumQueries: library.directories),
      schema: MeasurementSchema(), seed: 1,
      looksAhead: false,
      wrapping: switches.contains(.order) ? nil : { _ in OrderWithoutTables() })
    if switches.contains(.persistence) { store.persist(at: .zero) }
    for directory in 0..<library.directories {
      if switches.contains(.listing) {
        try fetch(directory, into: &store)
      } else {
        try write(directory, into: &store)
      }
      _ = store.takeActions()
    }
    precondition(
      store.residentEntities == library.fileCount,
      "the cache does not hold the population that is counted")
    return store
  }

  private func fetch(_ directory: Int, into store: inout CacheStore<MeasurementSchema>) throws {
    let read = store.read(library.queryKey(ofDirectory: directory), at: .zero)
    guard let fetch = read.fetch else { return }
    store.completeFetch(
      fetch,
      with: FetchResponse(
        entities: try files(of: directory), hasMore: false, place: library.place(sequence: 0)),
      at: .zero)
  }

  private func write(_ directory: Int, into store: inout CacheStore<MeasurementSchema>) throws {
    store.receive(
      EventEnvelope(place: nil, event: .batchChanged(try files(of: directory))),
      library: library.library, at: .zero)
  }

  private func files(of directory: Int) throws -> [VersionedEntity<FilePayload>] {
    let first = directory * library.filesPerDirectory
    return try (first..<first + library.filesPerDirectory).map { file in
      VersionedEntity(
        key: library.entityKey(ofFile: file), version: FileLibrary.version(ofRevision: 0),
        payload: try payload(ofFile: file))
    }
  }
}
