public import CacheModel
public import Observation

/// What stands in relation to an entity, page by page: the photos of an album, the files of a folder.
///
/// An entity does not embed what it is related to; a query lists it. A relation shows that query up to
/// a limit, and ``loadMore()`` raises the limit by a page. There is one list, which events keep in
/// order across all its pages, and one observed query (two while a page is being fetched), so rows are
/// neither doubled nor lost between pages.
///
/// ```swift
/// let photos = PagedRelation(pageSize: 50, in: cache, as: Photo.self) { limit in
///   .photos(of: album.id, in: library, limit: limit)
/// }
/// ```
///
/// A page's fetch brings the rows before it too, in the newest state; a relation of n pages costs n
/// fetches and O(n²) rows in all, so choose pages of a screen or more.
@MainActor @Observable
public final class PagedRelation<Schema: CacheSchema, Value: Sendable> {
  /// Rows by which ``loadMore()`` raises the limit.
  public let pageSize: Int
  /// The most rows that are shown.
  public let maximumRows: Int
  /// The most rows that are shown now, or asked for.
  public private(set) var limit: Int

  @ObservationIgnored private let query: (Int) -> QueryKey
  @ObservationIgnored private let client: CachedQueryClient<Schema, Value>

  /// Makes a relation; nothing is fetched before ``start()`` or the first use of ``data``.
  ///
  /// - Precondition: `1 <= pageSize <= maximumRows`.
  /// - Parameters:
  ///   - pageSize: rows on a page.
  ///   - maximumRows: the most rows that are shown; a user who wants to see more should search.
  ///   - cache: kept alive by the relation.
  ///   - read: makes the app's value of a row; called on no actor.
  ///   - query: names the query that lists the first rows, at most as many as it is given.
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

  /// Makes a relation to entities of one type of the app's own.
  ///
  /// - Precondition: `1 <= pageSize <= maximumRows`.
  /// - Parameters:
  ///   - pageSize: rows on a page.
  ///   - maximumRows: the most rows that are shown; a user who wants to see more should search.
  ///   - cache: kept alive by the relation.
  ///   - type: how rows are read.
  ///   - query: names the query that lists the first rows, at most as many as it is given.
  @inlinable public convenience init(
    pageSize: Int, maximumRows: Int = 10_000, in cache: NormalizedCache<Schema>,
    as type: Value.Type, query: @escaping (_ limit: Int) -> QueryKey
  ) where Value: CachedResource<Schema.Payload> {
    self.init(
      pageSize: pageSize, maximumRows: maximumRows, in: cache,
      reading: { row in try Value.value(of: row) }, query: query)
  }

  /// Makes a relation that shows a typed query, whose limit it sets: one whose rule names it.
  ///
  /// - Precondition: `1 <= pageSize <= maximumRows`, and the query's rule names its limit.
  /// - Parameters:
  ///   - query: the query; what it says of its limit does not matter.
  ///   - pageSize: rows on a page.
  ///   - maximumRows: the most rows that are shown.
  ///   - library: whose data it asks for.
  ///   - cache: kept alive by the relation.
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
      // What was encoded once is again: only the number differs.
      return (try? page.key(in: library)) ?? key
    }
  }

  /// The rows of all pages in the server's order; the first use starts the relation.
  public var data: [Value] { client.data }
  /// Whether the first answer, another page or a refresh is awaited.
  public var isLoading: Bool { client.isLoading }
  /// Why the last fetch failed, until one succeeds.
  public var error: (any Error)? { client.error }
  /// As ``CachedQueryClient/isStale``.
  public var isStale: Bool { client.isStale }
  /// Whether there is a result and every row of it is in ``data``.
  public var isComplete: Bool { client.isComplete }
  /// Whether there are rows that ``loadMore()`` would bring.
  public var hasMore: Bool { client.hasMore && limit < maximumRows }

  /// Asks for another page, or again for one that failed; returns at once.
  ///
  /// What is shown stays until the page is there. While something is being loaded, or where there is
  /// no more, this does nothing.
  public func loadMore() {
    guard !isLoading else { return }
    if error != nil {
      Task { [client] in await client.refresh() }
    } else if hasMore {
      limit = min(limit + pageSize, maximumRows)
      client.turn(to: query(limit))
    }
  }

  /// Begins to follow the relation.
  public func start() { client.start() }

  /// Lets the relation go; what is shown stays.
  public func stop() { client.stop() }

  /// Fetches all pages shown again, and returns when the answer is shown.
  public func refresh() async { await client.refresh() }
}
