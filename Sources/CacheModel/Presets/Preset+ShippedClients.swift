/// Models of shipped clients, as far as the axes can express them.
///
/// A model has the client's rules for what it keeps, for how long, and when it fetches again, with its own
/// limits, if it has any. Two things differ, so that a comparison shows the policy and nothing else:
///
/// - Lists are patched for all. In most of these clients the app's own code updates a list, or it
///   stays as it was fetched; a scenario says so with `membership: blind` or `mark-stale`.
/// - All receive the same events, although in every client but Zero the app must subscribe to them and write them
///   into the cache. For an app that does neither, use `NAME@no-push`, which knows only what it has fetched.
///
/// The models of JavaScript clients agree read by read with the clients themselves on three recordings
/// (`Tests/CacheSimulationTests/Clients`).
extension Preset {
  static let shippedClients: [Preset] = [
    relay.subscribing, tanstack.subscribing, graphcache.subscribing, apolloClient.subscribing,
    apolloKotlin.subscribing, apolloIOS.subscribing, rtkQuery.subscribing, swr.subscribing, zero,
  ]

  /// A client that receives no events by itself.
  ///
  /// Sources, each client's own documents: "Subscriptions" of Apollo Client (a link of its own, and
  /// `subscribeToMore`), of Apollo Kotlin, of Apollo iOS and of urql (`subscriptionExchange`), "GraphQL
  /// Subscriptions" of Relay (`useSubscription`), "Streaming Updates" of RTK Query
  /// (`onCacheEntryAdded`), "Subscription" of SWR (`useSWRSubscription`); TanStack Query has no way of
  /// its own, and an app calls `setQueryData` or `invalidateQueries`.
  private var subscribing: Preset {
    var preset = self
    preset.needsSubscription = true
    return preset
  }

  /// Relay: a query is retained while a component uses it, then in a release buffer of 10.
  ///
  /// A query that is read without being retained enters the buffer if there is room. Otherwise the result stays
  /// until the next collection, which begins when a query leaves the buffer. A component that leaves before its
  /// answer cancels its request, unless another component waits for it; the query enters the buffer all the
  /// same. Sources: facebook/relay, in
  /// `packages/relay-runtime`: `store/RelayModernStore.js` (`DEFAULT_RELEASE_BUFFER_SIZE` is 10, first
  /// in first out; `retain`, `_recordSourceOperation`, `_collect`; `queryCacheExpirationTime` is not
  /// set) and `query/fetchQueryInternal.js` (a request without subscribers is unsubscribed), and
  /// relay-runtime 17.0.0. Not expressed: a query that has expired skips the buffer.
  private static let relay = Preset(
    name: "relay",
    summary: "Relay: keeps observed queries and the 10 last observed; nothing expires."
  ) {
    CachePolicy(
      evictionOrder: "lru", capacity: .unlimited, retention: .referenceCountObserved,
      releaseBuffer: ReleaseBuffer(queries: 10, age: nil, reads: .whileRoom),
      freshness: .neverExpires, reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// TanStack Query: stale immediately, so a read serves the cached result and fetches again; dropped 5 minutes
  /// after the last observer left.
  ///
  /// A read without an observer (`fetchQuery`) begins the 5 minutes again. Sources: the guide "Important
  /// Defaults" of TanStack Query (`staleTime` 0, `gcTime` 5 minutes, refetch when a query is mounted),
  /// and its core 5.102.0 on three recordings. Not expressed: it keeps each result whole, not by entity;
  /// focusing a window fetches again; a failed fetch is tried three times more.
  private static let tanstack = Preset(
    name: "tanstack",
    summary: "TanStack Query: serves what it has and asks again; drops it 5 min after last use."
  ) {
    CachePolicy(
      evictionOrder: "lru", capacity: .unlimited, retention: .referenceCountObserved,
      releaseBuffer: ReleaseBuffer(queries: nil, age: .seconds(300), reads: .asObserved),
      freshness: Freshness(
        timeToLive: .zero, staleWhileRevalidate: .unending, staleIfError: .unending),
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// urql's Graphcache: everything that a cached query links to is retained, and nothing expires.
  ///
  /// Sources: urql-graphql/urql, `exchanges/graphcache/src/store/data.ts` (`updateRCForLink` counts
  /// references, `gc` removes entities without any when the client is idle), and Graphcache 9.0.1 on three
  /// recordings. Not expressed: that removal, since here an entity without references stays until its
  /// room is needed; the 7 days on disk; `cache-and-network`.
  private static let graphcache = Preset(
    name: "graphcache",
    summary: "urql Graphcache: keeps all rows of cached queries; nothing expires."
  ) {
    CachePolicy(
      evictionOrder: "lru", capacity: .unlimited, retention: .cached, freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// Apollo Client, for the web: listed entities stay and are never fetched again (`cache-first`).
  ///
  /// Sources: the pages "Fetch policies" and "Garbage collection and cache eviction" of Apollo Client
  /// (`cache.gc()` removes entities that no query reaches; the app must call it), and version 4.2.12 on three
  /// recordings. It has no eviction order of its own: at a limit, first in first out.
  private static let apolloClient = Preset(
    name: "apollo-client",
    summary: "Apollo Client, web: keeps all rows of cached queries; never asks again."
  ) {
    CachePolicy(
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
    summary: "Apollo Kotlin: least recently used order, no retention, a maximum age per query."
  ) {
    CachePolicy(
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
    CachePolicy(
      evictionOrder: "fifo", capacity: .unlimited, retention: .none, freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// RTK Query: a result stays while it has a subscriber, and for 60 s after; it is not fetched again while it
  /// is cached.
  ///
  /// A read without a subscriber counts as a subscriber that leaves once it is answered. Sources: the page "Cache
  /// Behavior" of Redux Toolkit (`keepUnusedDataFor` is 60 s), and version 2.12.0 on three recordings. Not
  /// expressed: it keeps each result whole, not by entity.
  private static let rtkQuery = Preset(
    name: "rtk-query",
    summary: "RTK Query: keeps observed queries, and others for 60 s; nothing expires."
  ) {
    CachePolicy(
      evictionOrder: "lru", capacity: .unlimited, retention: .referenceCountObserved,
      releaseBuffer: ReleaseBuffer(queries: nil, age: .seconds(60), reads: .asObserved),
      freshness: .neverExpires, reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// SWR: everything stays; a read serves the cached result and fetches again, unless its key was answered
  /// within the last 2 s.
  ///
  /// The 2 s end early when the last view leaves. A view that is served fetches a millisecond later, and not at
  /// all if it has left by then. Sources: vercel/swr,
  /// `src/index/use-swr.ts` (`revalidate`: the mark of a request goes `dedupingInterval` after its
  /// answer, immediately after an error; a view without data asks immediately, one with data by `rAF`),
  /// `src/_internal/utils/config.ts` (`dedupingInterval` is 2 s, `revalidateIfStale`),
  /// `src/_internal/utils/cache.ts` and `config-context.ts` (the marks go with the `SWRConfig` that
  /// brought the cache), and version 2.5.1. Not expressed: focusing a window fetches again; a failed
  /// request is tried again. It has no order: at a limit, first in first out.
  private static let swr = Preset(
    name: "swr",
    summary: "SWR: keeps everything, serves it and asks again, but not within 2 s."
  ) {
    CachePolicy(
      evictionOrder: "fifo", capacity: .unlimited, retention: .cached,
      freshness: Freshness(
        timeToLive: .seconds(2), start: .answerWhileObserved, staleWhileRevalidate: .unending,
        staleIfError: .unending),
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }

  /// Zero: the rows of active queries, and of those that were active in the last 5 minutes; the
  /// server keeps them current.
  ///
  /// Source: rocicorp/mono, `packages/zql/src/query/ttl.ts` (5 minutes if a query names none, 10 at most). Not
  /// expressed: the time counts only while the app runs, and differs by query.
  private static let zero = Preset(
    name: "zero",
    summary: "Zero: keeps observed queries, and others for 5 min; nothing expires."
  ) {
    CachePolicy(
      evictionOrder: "lru", capacity: .unlimited, retention: .referenceCountObserved,
      releaseBuffer: ReleaseBuffer(queries: nil, age: .seconds(300)), freshness: .neverExpires,
      reorderWindow: $0.reorderWindow, maximumQueries: nil)
  }
}

extension Duration {
  /// The longest duration in whole nanoseconds: 292 years.
  package static let unending = Duration.nanoseconds(Int64.max)
}
