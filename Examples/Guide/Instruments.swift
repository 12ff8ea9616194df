import NormalizedCache
import Synchronization

/// Sums up what the network cost.
final class NetworkCost: CacheInstrument {
  private let total = Mutex((fetches: 0, bytes: 0, waited: Duration.zero))

  func didFetch(_ fetch: InstrumentedFetch) {
    total.withLock { total in
      total.fetches += 1
      total.bytes += fetch.bytes
      total.waited += fetch.duration
    }
  }
}

/// The content of a page for developers.
func printReads(of cache: NormalizedCache<NoteSchema>) async {
  let statistics = await cache.readStatistics
  let notes = statistics.methods[Notes.method]
  print("\(notes?.hits ?? 0) hits in \(notes?.reads ?? 0) reads, \(notes?[.missCold] ?? 0) cold")
}

/// Keeps a search index up to date, whichever way a note changes.
func follow(
  _ library: LibraryID, of cache: NormalizedCache<NoteSchema>, index: (EntityKey, Note?) -> Void
) async {
  for await changes in await cache.changes(in: library) {
    for key in changes.entities { index(key, await cache.entity(key)?.payload) }
  }
}
