public import CacheModel
public import Observation

/// The entities related to another one, page by page: the photos of an album, the files of a folder.
///
/// An entity does not embed related entities; a query lists them. A relation shows that query up to a limit,
/// and ``loadMore()`` raises the limit by a page. There is one list, which events keep in order across all
/// pages, and one observed query (two while a page is being fetched), so rows are neither duplicated nor lost
/// between pages.
///
/// ```swift
/// let photos = PagedRelation(pageSize: 50, in: cache, as: Photo.self) { limit in
///   .photos(of: album.id, in: library, limit: limit)
/// }
/// ```
///
/// Fetching a page also fetches the rows ahead of it, in their newest state: n pages cost n fetches and O(n²)
/// rows, so use pages of at least a screen.
@MainActor @Observable
public final class PagedRelation<Schema: CacheSchema, Value: Sendable> {
  /// The number of rows by which ``loadMore()`` raises the limit.
  public let pageSize: Int
  /// The maximum number of rows.
  public let maximumRows: Int
  /// The current limit of rows, shown or being fetched.
  public private(set) var limit: Int

  @ObservationIgnored private let query: (Int) -> QueryKey
  @ObservationIgnored private var isRetrying = false
  @ObservationIgnored private let client: CachedQueryClient<Schema, Value>

  /// Creates a relation; nothing is fetched before ``start()`` or the first use of ``data``.
  ///
  /// - Precondition: `1 <= pageSize <= maximumRows`.
  /// - Parameters:
  ///   - pageSize: the number of rows per page.
  ///   - maximumRows: the maximum number of rows; offer a search to users who need more.
  ///   - cache: the cache, which the relation keeps alive.
  ///   - read: converts a row to the app's value; called on no actor.
  ///   - query: returns the query that lists the given number of first rows.
  @inlinable public convenience init(
    pageSize: Int, maximumRows: Int = 10_000, in cache: NormalizedCache<Schema>,
    reading read: @escaping @Sendable (VersionedEntity<Schema.Payload>) throws -> Value,
    query: @escaping (_ limit: Int) -> QueryKey
  ) {
    self.init(
      pageSize: pageSize, maximumRows: maximumRows,
      client: CachedQueryClient(query(pageSize), in: cache, reading: read), query: query)
  }

  @usableFromInline init(
    pageSize: Int, maximumRows: Int, client: CachedQueryClient<Schema, Value>,
    query: @escaping (_ limit: Int) -> QueryKey
  ) {
    precondition(
      1 <= pageSize && pageSize <= maximumRows,
      "page size \(pageSize), maximum \(maximumRows); they must satisfy 1 <= page size <= maximum")
    self.pageSize = pageSize
    self.maximumRows = maximumRows
    self.query = query
    limit = pageSize
    self.client = client
  }

  /// Creates a relation to entities of one resource type.
  ///
  /// - Precondition: `1 <= pageSize <= maximumRows`.
  /// - Parameters:
  ///   - pageSize: the number of rows per page.
  ///   - maximumRows: the maximum number of rows; offer a search to users who need more.
  ///   - cache: the cache, which the relation keeps alive.
  ///   - type: the type of the rows.
  ///   - query: returns the query that lists the given number of first rows.
  @inlinable public convenience init(
    pageSize: Int, maximumRows: Int = 10_000, in cache: NormalizedCache<Schema>,
    as type: Value.Type, query: @escaping (_ limit: Int) -> QueryKey
  ) where Value: CachedResource<Schema.Payload> {
    self.init(
      pageSize: pageSize, maximumRows: maximumRows, in: cache,
      reading: { row in try Value.value(of: row) }, query: query)
  }

  /// Creates a relation for a typed query whose rule has a limit, and sets that limit.
  ///
  /// - Precondition: `1 <= pageSize <= maximumRows`, and the query's rule has a limit.
  /// - Parameters:
  ///   - query: the query; its own limit is ignored.
  ///   - pageSize: the number of rows per page.
  ///   - maximumRows: the maximum number of rows.
  ///   - library: the library to query.
  ///   - cache: the cache, which the relation keeps alive.
  /// - Throws: as ``CachedQuery/key(in:)``.
  public convenience init<Query: CachedQuery>(
    _ query: Query, pageSize: Int, maximumRows: Int = 10_000, in library: LibraryID,
    of cache: NormalizedCache<Schema>
  ) throws where Query.Row == Value, Value.Payload == Schema.Payload {
    guard let limit = Query.rule.limit else {
      preconditionFailure("the rule of \(Query.self) names no limit; a relation needs one")
    }
    let key = try query.key(in: library)
    self.init(pageSize: pageSize, maximumRows: maximumRows, in: cache, as: Value.self) { count in
      var page = query
      page[keyPath: limit] = count
      // It was encoded once, so it can be encoded again: only the number differs.
      return (try? page.key(in: library)) ?? key
    }
  }

  /// The rows of all pages in the server's order; the first use starts the relation.
  public var data: [Value] { client.data }
  /// Whether the first answer, another page or a refresh is being fetched.
  public var isLoading: Bool { client.isLoading }
  /// The error of the last fetch, until a fetch succeeds.
  public var error: (any Error)? { client.error }
  /// Whether the rows may be outdated, as ``CachedQueryClient/isStale``.
  public var isStale: Bool { client.isStale }
  /// Whether there is a result with all of its rows in ``data``.
  public var isComplete: Bool { client.isComplete }
  /// Whether ``loadMore()`` would bring more rows.
  public var hasMore: Bool { client.hasMore && limit < maximumRows }

  /// Fetches the next page, or one that failed again; returns immediately.
  ///
  /// Current rows stay visible until the page is there. Has no effect during a fetch, or without more rows.
  public func loadMore() {
    guard !isLoading, !isRetrying else { return }
    if error != nil {
      isRetrying = true
      Task { [weak self, client] in
        await client.refresh()
        self?.isRetrying = false
      }
    } else if hasMore, client.isFollowing {
      limit = min(limit + pageSize, maximumRows)
      client.turn(to: query(limit))
    }
  }

  /// Begins to observe the relation's query.
  public func start() { client.start() }

  /// Ends the observation; ``data`` keeps its last rows.
  public func stop() { client.stop() }

  /// Fetches all shown pages again, and returns when the answer is shown.
  public func refresh() async { await client.refresh() }
}
