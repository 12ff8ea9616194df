import CacheModel
import NormalizedCache

/// A cache of some size on some axis, and the two operations whose cost is asked for.
protocol ScaleSubject: AnyObject {
  /// The time of so many events, in nanoseconds; what makes them is not timed.
  func timeEvents(_ count: Int, _ clock: ContinuousCacheClock) async -> Int64
  /// The time of so many reads, in nanoseconds.
  func timeReads(_ count: Int, _ clock: ContinuousCacheClock) async -> Int64
}

extension ScaleSubject {
  /// One turn: so many of each.
  func measureRound(of operations: Int, clock: ContinuousCacheClock) async -> ScaleRound {
    ScaleRound(
      event: Double(await timeEvents(operations, clock)) / Double(operations),
      read: Double(await timeReads(operations, clock)) / Double(operations))
  }
}

/// What one turn of a subject took.
struct ScaleRound: Hashable, Sendable {
  /// Nanoseconds for one event, and for one read, as a mean over the turn.
  var event: Double
  var read: Double
}

extension ContinuousCacheClock {
  /// How long it takes to do something with each item, in nanoseconds.
  @inline(__always)
  func time<Item>(of items: [Item], _ body: (Item) -> Void) -> Int64 {
    let start = now
    for item in items { body(item) }
    return now.nanoseconds - start.nanoseconds
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
