import CacheModel
import NormalizedCache
import SyncStack

/// A cache with a hot population and any number of queries that have nothing to do with it.
final class QueryCountSubject: CostSubject {
  private var store: CacheStore<MeasurementSchema>
  private let library: FileLibrary
  private var updates = 0

  init(seed: UInt64, unrelatedQueries: Int) throws {
    library = FileLibrary.standard(seed: seed)
    store = try CacheStore(
      composition: PolicyComposition(
        evictionOrder: "lru", capacity: .unlimited, retention: .cached,
        freshness: .neverExpires, maximumQueries: nil),
      schema: MeasurementSchema())
    for directory in 0..<library.directories {
      let key = library.queryKey(ofDirectory: directory)
      store.addObserver(of: key, at: .zero)
      fill(key, with: library.response(toDirectory: directory))
    }
    // The unrelated queries share rows, so that what differs is their number and not the memory that
    // their rows take.
    let others = FileLibrary(directories: 100, filesPerDirectory: 1, seed: ~0)
    for index in 0..<unrelatedQueries {
      let key = QueryKey(
        library: library.library, method: FileLibrary.listingMethod,
        input: Self.input(ofUnrelatedQuery: index))
      fill(key, with: others.response(toDirectory: index % others.directories))
    }
    _ = store.takeActions()
  }

  private func fill(_ key: QueryKey, with response: FetchResponse<FilePayload>) {
    guard let fetch = store.read(key, at: .zero).fetch else {
      preconditionFailure("a query that was never asked is fetched")
    }
    var response = response
    response.place = library.place(sequence: 0)
    store.completeFetch(fetch, with: response, at: .zero)
  }

  /// Sixteen bytes that name no directory of a made library: the first eight are zero.
  private static func input(ofUnrelatedQuery index: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: 8) + withUnsafeBytes(of: UInt64(index).bigEndian) { Array($0) }
  }

  /// Applies changes of files that observed queries list; another file each time.
  func measureBlock(of operations: Int, clock: ContinuousCacheClock) -> [Int64] {
    (0..<operations).map { _ in
      let event = nextEvent()
      let before = clock.now
      store.receive(event, at: .zero)
      _ = store.takeActions()
      return clock.now.nanoseconds - before.nanoseconds
    }
  }

  private func nextEvent() -> EventEnvelope<FilePayload> {
    updates += 1
    return EventEnvelope(
      place: library.place(sequence: updates),
      event: .changed(
        library.entity(file: updates * 7_919 % library.fileCount, revision: updates)))
  }
}
