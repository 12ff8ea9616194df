/// What clients that ship do, as far as our axes can say it.
///
/// Taken from them is what they hold, for how long, and when they ask again. Three things are not,
/// so that a comparison shows the policy and nothing else:
///
/// - All are held to the common capacity and the common limit on queries, though most of them have
///   none.
/// - Lists are patched for all. In most of these clients the app's own code updates a list, or it
///   stays as it was fetched; a scenario says so with `membership: blind` or `mark-stale`.
/// - All get the same events. Clients without a server's push would have to ask.
extension Preset {
  static let shippedClients: [Preset] = [
    relay, tanstack, graphcache, apolloKotlin, apolloIOS, zero,
  ]

  /// Relay: a query is retained while a component uses it, then in a release buffer of 10.
  ///
  /// Sources: facebook/relay, `packages/relay-runtime/store/RelayModernStore.js`
  /// (`DEFAULT_RELEASE_BUFFER_SIZE` is 10, first in first out; what no retained query reaches is
  /// collected; `queryCacheExpirationTime` is not set). Not expressed: the collection runs later and
  /// in slices, and a query that has expired skips the buffer.
  private static let relay = Preset(
    name: "relay", summary: "Relay: observed queries and the 10 last observed; nothing expires."
  ) {
    PolicyComposition(
      evictionOrder: "lru", capacity: $0.capacity, retention: .referenceCount,
      releaseBuffer: ReleaseBuffer(queries: 10, age: nil), freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries)
  }

  /// TanStack Query: stale at once, so a read serves what is there and asks again; dropped 5 minutes
  /// after the last observer left.
  ///
  /// Source: the guide "Important Defaults" of TanStack Query (`staleTime` 0, `gcTime` 5 minutes,
  /// refetch when a query is mounted). Not expressed: it keeps each result whole, not by entity; what
  /// is fetched without an observer stays for 5 minutes too; the focus of a window asks again; a
  /// failed fetch is tried three times more.
  private static let tanstack = Preset(
    name: "tanstack",
    summary: "TanStack Query: serves what is there and asks again; dropped 5 min after last use."
  ) {
    PolicyComposition(
      evictionOrder: "lru", capacity: $0.capacity, retention: .referenceCount,
      releaseBuffer: ReleaseBuffer(queries: nil, age: .seconds(300)),
      freshness: Freshness(
        timeToLive: .zero, staleWhileRevalidate: .unending, staleIfError: .unending),
      reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries)
  }

  /// urql's Graphcache: all that a cached query links to is held, and nothing expires.
  ///
  /// Source: urql-graphql/urql, `exchanges/graphcache/src/store/data.ts` (`updateRCForLink` counts
  /// references, `gc` removes what has none when the client is idle). Not expressed: that removal,
  /// since here an entity without references stays until its room is needed; the 7 days on disk.
  private static let graphcache = Preset(
    name: "graphcache",
    summary: "urql Graphcache: all that cached queries list, nothing expires; itself unlimited."
  ) {
    PolicyComposition(
      evictionOrder: "lru", capacity: $0.capacity, retention: .cached, freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries)
  }

  /// Apollo Kotlin's memory cache: least recently used records go, each kind has a maximum age.
  ///
  /// Sources: apollographql/apollo-kotlin-normalized-cache, `MemoryCacheFactory` (a limit in bytes,
  /// none by default) and the page "Expiration" (`CacheControlCacheResolver`, a maximum age by type
  /// that the app sets; here the scenario's times to live). Not expressed: ages of single fields, and
  /// the trim of 10 % on disk. A limit in bytes is the scenario's `capacity-bytes`.
  private static let apolloKotlin = Preset(
    name: "apollo-kotlin",
    summary: "Apollo Kotlin: least recently used order, no retention, a maximum age by method."
  ) {
    PolicyComposition(
      evictionOrder: "lru", capacity: $0.capacity, retention: .none, freshness: $0.freshness,
      reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries)
  }

  /// Apollo iOS's memory cache: a dictionary without limit, order or age.
  ///
  /// Sources: the page "Cache setup" of Apollo iOS (`InMemoryNormalizedCache`), and its maintainers in
  /// apollographql/apollo-ios issue 3365. A limit is not its own: it is held to the common one like
  /// all, and since it has no order, first in first out. What it is without is `unbounded`.
  private static let apolloIOS = Preset(
    name: "apollo-ios",
    summary: "Apollo iOS: first in first out, nothing expires; itself unlimited (see unbounded)."
  ) {
    PolicyComposition(
      evictionOrder: "fifo", capacity: $0.capacity, retention: .none, freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries)
  }

  /// Zero: the rows of active queries, and of those that were active in the last 5 minutes; the
  /// server keeps them current.
  ///
  /// Source: rocicorp/mono, `packages/zql/src/query/ttl.ts` (5 minutes where a query names none, 10
  /// at most). Not expressed: the time counts only while the app runs, and differs by query.
  private static let zero = Preset(
    name: "zero",
    summary: "Zero: observed queries and for 5 min those no longer observed; nothing expires."
  ) {
    PolicyComposition(
      evictionOrder: "lru", capacity: $0.capacity, retention: .referenceCount,
      releaseBuffer: ReleaseBuffer(queries: nil, age: .seconds(300)), freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: $0.maximumQueries)
  }
}

extension Duration {
  /// The longest time that whole nanoseconds can count: 292 years.
  package static let unending = Duration.nanoseconds(Int64.max)
}
