/// What clients that ship do, as far as our axes can say it.
///
/// Taken from them is what they hold, for how long, and when they ask again, with their own limits,
/// which most do not have. Two things are not, so that a comparison shows the policy and nothing else:
///
/// - Lists are patched for all. In most of these clients the app's own code updates a list, or it
///   stays as it was fetched; a scenario says so with `membership: blind` or `mark-stale`.
/// - All get the same events. Clients without a server's push would have to ask.
///
/// Those written in JavaScript agree read by read with what the clients themselves made of two
/// recordings (`Tests/CacheSimulationTests/Clients`).
extension Preset {
  static let shippedClients: [Preset] = [
    relay, tanstack, graphcache, apolloClient, apolloKotlin, apolloIOS, rtkQuery, swr, zero,
  ]

  /// Relay: a query is retained while a component uses it, then in a release buffer of 10.
  ///
  /// A query that is read without being retained enters the buffer while that has room, and is
  /// collected otherwise. Sources: facebook/relay, `packages/relay-runtime/store/RelayModernStore.js`
  /// (`DEFAULT_RELEASE_BUFFER_SIZE` is 10, first in first out; what no retained query reaches is
  /// collected; `queryCacheExpirationTime` is not set), and relay-runtime 17.0.0 on two recordings. Not
  /// expressed: the collection runs later and in slices, and a query that has expired skips the buffer.
  private static let relay = Preset(
    name: "relay", summary: "Relay: observed queries and the 10 last observed; nothing expires."
  ) {
    PolicyComposition(
      evictionOrder: "lru", capacity: .unlimited, retention: .referenceCountObserved,
      releaseBuffer: ReleaseBuffer(queries: 10, age: nil, reads: .whileRoom),
      freshness: .neverExpires, reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// TanStack Query: stale at once, so a read serves what is there and asks again; dropped 5 minutes
  /// after the last observer left.
  ///
  /// A read without an observer (`fetchQuery`) begins the 5 minutes anew. Sources: the guide "Important
  /// Defaults" of TanStack Query (`staleTime` 0, `gcTime` 5 minutes, refetch when a query is mounted),
  /// and its core 5.102.0 on two recordings. Not expressed: it keeps each result whole, not by entity;
  /// the focus of a window asks again; a failed fetch is tried three times more.
  private static let tanstack = Preset(
    name: "tanstack",
    summary: "TanStack Query: serves what is there and asks again; dropped 5 min after last use."
  ) {
    PolicyComposition(
      evictionOrder: "lru", capacity: .unlimited, retention: .referenceCountObserved,
      releaseBuffer: ReleaseBuffer(queries: nil, age: .seconds(300), reads: .asObserved),
      freshness: Freshness(
        timeToLive: .zero, staleWhileRevalidate: .unending, staleIfError: .unending),
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// urql's Graphcache: all that a cached query links to is held, and nothing expires.
  ///
  /// Sources: urql-graphql/urql, `exchanges/graphcache/src/store/data.ts` (`updateRCForLink` counts
  /// references, `gc` removes what has none when the client is idle), and Graphcache 9.0.1 on two
  /// recordings. Not expressed: that removal, since here an entity without references stays until its
  /// room is needed; the 7 days on disk; `cache-and-network`.
  private static let graphcache = Preset(
    name: "graphcache",
    summary: "urql Graphcache: all that cached queries list, nothing expires."
  ) {
    PolicyComposition(
      evictionOrder: "lru", capacity: .unlimited, retention: .cached, freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// Apollo Client, for the web: what was listed stays and is never asked for again (`cache-first`).
  ///
  /// Sources: the pages "Fetch policies" and "Garbage collection and cache eviction" of Apollo Client
  /// (`cache.gc()` removes what no query reaches, and is the app's to call), and version 4.2.12 on two
  /// recordings. It has no eviction order of its own: at a limit, first in first out.
  private static let apolloClient = Preset(
    name: "apollo-client",
    summary: "Apollo Client, web: all that cached queries list; nothing is asked again."
  ) {
    PolicyComposition(
      evictionOrder: "fifo", capacity: .unlimited, retention: .cached, freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// Apollo Kotlin's memory cache: least recently used records go, each kind has a maximum age.
  ///
  /// Sources: apollographql/apollo-kotlin-normalized-cache, `MemoryCacheFactory` (a limit in bytes,
  /// none by default) and the page "Expiration" (`CacheControlCacheResolver`, a maximum age by type
  /// that the app sets; here the scenario's times to live). Not expressed: ages of single fields, and
  /// the trim of 10 % on disk. A limit in bytes is `apollo-kotlin@limit` with `capacity-bytes`.
  private static let apolloKotlin = Preset(
    name: "apollo-kotlin",
    summary: "Apollo Kotlin: least recently used order, no retention, a maximum age by method."
  ) {
    PolicyComposition(
      evictionOrder: "lru", capacity: .unlimited, retention: .none, freshness: $0.freshness,
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// Apollo iOS's memory cache: a dictionary without limit, order or age.
  ///
  /// Sources: the page "Cache setup" of Apollo iOS (`InMemoryNormalizedCache`), and its maintainers in
  /// apollographql/apollo-ios issue 3365. It has no order: at a limit, first in first out.
  private static let apolloIOS = Preset(
    name: "apollo-ios",
    summary: "Apollo iOS: keeps everything, nothing expires; at a limit first in first out."
  ) {
    PolicyComposition(
      evictionOrder: "fifo", capacity: .unlimited, retention: .none, freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// RTK Query: a result stays while somebody subscribes to it, and for 60 s after; nothing is asked
  /// again while it is there.
  ///
  /// A read without a subscriber counts as one who leaves once it is answered. Sources: the page "Cache
  /// Behavior" of Redux Toolkit (`keepUnusedDataFor` is 60 s), and version 2.12.0 on two recordings. Not
  /// expressed: it keeps each result whole, not by entity.
  private static let rtkQuery = Preset(
    name: "rtk-query",
    summary: "RTK Query: observed queries and for 60 s those no longer observed; nothing expires."
  ) {
    PolicyComposition(
      evictionOrder: "lru", capacity: .unlimited, retention: .referenceCountObserved,
      releaseBuffer: ReleaseBuffer(queries: nil, age: .seconds(60), reads: .asObserved),
      freshness: .neverExpires, reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// SWR: everything stays; a read is served what is there and asks again, unless its key was asked
  /// for within the last 2 s.
  ///
  /// Sources: vercel/swr, `src/_internal/utils/config.ts` (`dedupingInterval` is 2 s,
  /// `revalidateIfStale`), `src/index/use-swr.ts` (a request's mark is what a later read joins), and
  /// version 2.5.1 on two recordings. Not expressed: the focus of a window asks again; the interval
  /// begins with the answer there and with the request here. It has no order: at a limit, first in first
  /// out.
  private static let swr = Preset(
    name: "swr",
    summary: "SWR: keeps everything, serves it and asks again, but not within 2 s."
  ) {
    PolicyComposition(
      evictionOrder: "fifo", capacity: .unlimited, retention: .cached,
      freshness: Freshness(
        timeToLive: .seconds(2), start: .answerWhileObserved, staleWhileRevalidate: .unending,
        staleIfError: .unending),
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
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
      evictionOrder: "lru", capacity: .unlimited, retention: .referenceCountObserved,
      releaseBuffer: ReleaseBuffer(queries: nil, age: .seconds(300)), freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }
}

extension Duration {
  /// The longest time that whole nanoseconds can count: 292 years.
  package static let unending = Duration.nanoseconds(Int64.max)
}
