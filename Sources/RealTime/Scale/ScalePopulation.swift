import CacheModel
import NormalizedCache

extension Subject<Handover> {
  /// One turn: so many of each.
  mutating func round(of operations: Int) async throws -> ScaleRound {
    try await prepare(operations)
    let events = try await perform(operations).nanoseconds
    try await prepare(reads: operations)
    let reads = try await perform(operations).nanoseconds
    return ScaleRound(
      event: Double(events) / Double(operations), read: Double(reads) / Double(operations))
  }
}

/// What one turn of a subject took.
struct ScaleRound: Hashable, Sendable {
  /// Nanoseconds for one event, and for one read, as a mean over the turn.
  var event: Double
  var read: Double
}

extension ContinuousCacheClock {
  /// When something was begun with the first of the items, and done with the last.
  @inline(__always)
  func time<Item>(of items: [Item], _ body: (Item) -> Void) -> Handover {
    let start = now
    for item in items { body(item) }
    return Handover(began: start, committed: now)
  }
}

/// The files and queries of a store that is measured for scale.
///
/// Values share the storage of their texts: what differs between sizes is the number of entities, not
/// the memory of their texts.
struct ScalePopulation {
  let library: FileLibrary
  private let model: FilePayload

  init(directories: Int, rows: Int, seed: UInt64) {
    library = FileLibrary(directories: directories, filesPerDirectory: rows, seed: seed)
    model = library.payload(ofFile: 0, revision: 0)
  }

  private func entity(file: Int, revision: Int) -> VersionedEntity<FilePayload> {
    VersionedEntity(
      key: library.entityKey(ofFile: file), version: FileLibrary.version(ofRevision: revision),
      payload: library.payload(ofFile: file, like: model, revision: revision))
  }

  func change(file: Int, revision: Int) -> EventEnvelope<FilePayload> {
    EventEnvelope(
      place: library.place(sequence: revision),
      event: .changed(entity(file: file, revision: revision)))
  }

  /// A directory's files, in the order of their keys, since their names are equal.
  func listing(of directory: Int) -> FetchResponse<FilePayload> {
    let first = directory * library.filesPerDirectory
    return FetchResponse(
      entities: (first..<first + library.filesPerDirectory)
        .map { entity(file: $0, revision: 0) }.sorted { $0.key < $1.key },
      hasMore: false, place: library.place(sequence: 0))
  }

  /// Another query's key: sixteen bytes that name no directory.
  func unrelatedKey(_ index: Int) -> QueryKey {
    QueryKey(
      library: library.library, method: FileLibrary.listingMethod,
      input: [UInt8](repeating: 0, count: 8)
        + withUnsafeBytes(of: UInt64(index).bigEndian) { Array($0) })
  }
}
