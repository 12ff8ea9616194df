public import CacheModel
public import Observation

/// One query for a view: what it shows, whether it is being fetched, and what went wrong.
///
/// It is what a SwiftUI view holds, and what any other observer may follow with
/// `withObservationTracking`. It holds the rows that are shown and the key and version of each: no
/// history, and no second cache. It lets its query go when it is stopped, or let go itself.
///
/// ```swift
/// struct AlbumList: View {
///   @State private var albums: CachedQueryClient<LibrarySchema, Album>
///
///   init(of library: LibraryID, in cache: NormalizedCache<LibrarySchema>) {
///     albums = CachedQueryClient(.albums(in: library), in: cache, as: Album.self)
///   }
///
///   var body: some View {
///     List(albums.data) { Text($0.name) }
///       .overlay { if albums.isLoading && albums.data.isEmpty { ProgressView() } }
///       .refreshable { await albums.refresh() }
///   }
/// }
/// ```
///
/// After a change it reads the rows that changed, and compares the versions of the others, O(rows).
/// Every property changes on the main actor. Each is published only when it changes, so a view that reads
/// `data` alone is not drawn again because a fetch began.
@MainActor @Observable
public final class CachedQueryClient<Schema: CacheSchema, Value: Sendable> {
  public typealias Row = VersionedEntity<Schema.Payload>

  /// The query that is shown, or about to be.
  public private(set) var key: QueryKey
  /// Whether the first answer is awaited, or a fetch is in flight; what was shown before stays.
  public private(set) var isLoading: Bool
  /// Whether the query is wanted at all: while it is not, nothing is followed and nothing fetched, and what
  /// was shown stays.
  ///
  /// For a view that must know something else first. Set to true it starts a client that was started, or
  /// whose ``data`` was used, before.
  public var isEnabled: Bool { didSet { if isEnabled != oldValue { enable(isEnabled) } } }
  /// Whether what is shown may not be the truth: it was invalidated, events are known to be missing,
  /// or it had expired when it was last looked at.
  ///
  /// Expiry alone notifies no observer; it shows with the next change, fetch or gap.
  public private(set) var isStale = false
  /// Whether there is a result and every row of it is in ``data``.
  public private(set) var isComplete = false
  /// Whether there is a result, be it empty.
  public private(set) var hasResult = false
  /// Whether there are rows beyond the query's limit.
  public private(set) var hasMore = false

  private var rows: [Value] = []
  @ObservationIgnored private let placeholder: [Value]
  private var fetchError: (any Error)?
  private var rowError: (any Error)?

  @ObservationIgnored private let cache: NormalizedCache<Schema>
  @ObservationIgnored private let look: Look
  @ObservationIgnored private var current: Subscription?
  /// The query shown before, followed until the current one has a result.
  @ObservationIgnored private var former: Subscription?
  @ObservationIgnored private var hasStarted = false
  /// Whether it was started while the query was not wanted.
  @ObservationIgnored private var startsWhenEnabled = false
  @ObservationIgnored private var subscriptions = 0

  /// Looks at a query if there is news of it, or in any case without any, and reads what has become of the
  /// rows that were shown last.
  ///
  /// A function, since the app's module compiles it for the app's types: it does the work of each change.
  @usableFromInline typealias Look =
    @Sendable (
      QueryKey, NormalizedCache<Schema>, NormalizedCache<Schema>.News?, ReadRows<Value>
    ) async -> ReadQuery<Value>?

  private struct Subscription {
    var number: Int
    var task: Task<Void, Never>
    private var lastOrder: UInt64 = 0

    init(number: Int, task: Task<Void, Never>) {
      self.number = number
      self.task = task
    }

    /// Whether a state is later than those before it.
    ///
    /// A refresh shows one beside those that are followed, and the later one may come first.
    mutating func takes(_ order: UInt64, from number: Int) -> Bool {
      guard number == self.number, order > lastOrder else { return false }
      lastOrder = order
      return true
    }
  }

  /// Makes a client of a query; nothing is fetched before ``start()`` or the first use of ``data``.
  ///
  /// - Parameters:
  ///   - key: the query.
  ///   - cache: kept alive by the client.
  ///   - isEnabled: whether the query is wanted yet.
  ///   - placeholder: what ``data`` is until there is a result.
  ///   - read: makes the app's value of a row; called on no actor, and again when the row has changed, so
  ///     it depends on the row alone. A row for which it throws is left out, and the error shown.
  @inlinable public convenience init(
    _ key: QueryKey, in cache: NormalizedCache<Schema>, isEnabled: Bool = true,
    placeholder: [Value] = [], reading read: @escaping @Sendable (Row) throws -> Value
  ) {
    self.init(key, in: cache, isEnabled: isEnabled, placeholder: placeholder) {
      key, cache, news, rows in
      guard let state = await cache.state(of: key, by: news, since: rows.marks) else { return nil }
      return ReadQuery(state, since: rows, reading: read)
    }
  }

  @usableFromInline init(
    _ key: QueryKey, in cache: NormalizedCache<Schema>, isEnabled: Bool, placeholder: [Value],
    looking look: @escaping Look
  ) {
    self.key = key
    self.cache = cache
    self.isEnabled = isEnabled
    self.placeholder = placeholder
    self.look = look
    isLoading = isEnabled
  }

  /// Makes a client of a query that lists one type of the app's own; a row of another type is left
  /// out, and ``error`` is a ``ResourceTypeMismatch``.
  @inlinable public convenience init(
    _ key: QueryKey, in cache: NormalizedCache<Schema>, as type: Value.Type,
    isEnabled: Bool = true, placeholder: [Value] = []
  ) where Value: CachedResource<Schema.Payload> {
    self.init(key, in: cache, isEnabled: isEnabled, placeholder: placeholder) { row in
      try Value.value(of: row)
    }
  }

  /// Makes a client of a typed query.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - library: whose data it asks for.
  ///   - cache: kept alive by the client.
  ///   - isEnabled: whether the query is wanted yet.
  ///   - placeholder: what ``data`` is until there is a result.
  /// - Throws: as ``CachedQuery/key(in:)``.
  @inlinable public convenience init<Query: CachedQuery>(
    _ query: Query, in library: LibraryID, of cache: NormalizedCache<Schema>,
    isEnabled: Bool = true, placeholder: [Value] = []
  ) throws where Query.Row == Value, Value.Payload == Schema.Payload {
    self.init(
      try query.key(in: library), in: cache, as: Value.self, isEnabled: isEnabled,
      placeholder: placeholder)
  }

  /// Makes a client of a query that shows a part of each row's payload.
  @inlinable public convenience init(
    _ key: QueryKey, in cache: NormalizedCache<Schema>, isEnabled: Bool = true,
    placeholder: [Value] = [], reading path: any KeyPath<Schema.Payload, Value> & Sendable
  ) {
    self.init(key, in: cache, isEnabled: isEnabled, placeholder: placeholder) { row in
      row.payload[keyPath: path]
    }
  }

  deinit {
    current?.task.cancel()
    former?.task.cancel()
  }

  /// The rows in the server's order; until there is a result, the placeholder.
  ///
  /// The first use starts the client.
  public var data: [Value] {
    if !hasStarted { start() }
    return hasResult || !rows.isEmpty ? rows : placeholder
  }

  /// Whether ``data`` is the placeholder.
  public var isPlaceholder: Bool { !hasResult && rows.isEmpty && !placeholder.isEmpty }

  /// Why the last fetch failed, until one succeeds; else why a row could not be read.
  ///
  /// What was shown before stays.
  public var error: (any Error)? { fetchError ?? rowError }

  // MARK: Starting and stopping

  /// Begins to follow the query; it is fetched if it must be.
  ///
  /// While it runs this does nothing. While the query is not wanted it waits until it is.
  public func start() {
    guard current == nil else { return }
    hasStarted = true
    guard isEnabled else {
      startsWhenEnabled = true
      return
    }
    current = subscribe()
  }

  private func enable(_ isEnabled: Bool) {
    guard !isEnabled else {
      guard startsWhenEnabled || !hasStarted else { return }
      if !isLoading { isLoading = true }
      if startsWhenEnabled { start() }
      return
    }
    let (wasStarted, waits) = (hasStarted, startsWhenEnabled || current != nil)
    stop()
    (hasStarted, startsWhenEnabled) = (wasStarted, waits)
  }

  /// Lets the query go: nothing changes any more, and what is shown stays.
  ///
  /// Returns at once; the cache learns of it a moment later.
  public func stop() {
    hasStarted = true
    startsWhenEnabled = false
    for subscription in [current, former] { subscription?.task.cancel() }
    current = nil
    former = nil
    if isLoading { isLoading = false }
  }

  /// Fetches the query again, however fresh it is, and returns when the answer is shown.
  ///
  /// Where it fails, ``error`` says why. A client that does not run is started; one whose query is not
  /// wanted fetches nothing.
  public func refresh() async {
    start()
    guard let number = current?.number else { return }
    let key = key
    await cache.invalidate(key)
    _ = try? await cache.query(key)
    if let shown = await look(key, cache, nil, ReadRows()) { show(shown, from: number) }
  }

  /// Turns to another query, and goes on showing the former one until the new one has a result: for a
  /// search as the user types, or a list that grows.
  public func turn(to key: QueryKey) {
    guard key != self.key else { return }
    self.key = key
    guard let subscription = current else { return }
    if former == nil {
      former = subscription
    } else {
      // It never came to show anything; what is shown is the former one still.
      subscription.task.cancel()
    }
    if !isLoading { isLoading = true }
    current = subscribe()
  }

  private func subscribe() -> Subscription {
    subscriptions += 1
    let number = subscriptions
    let task = Task { [key, cache, look, weak self] in
      await Self.follow(key, in: cache, with: look) { self?.show($0, from: number) }
    }
    return Subscription(number: number, task: task)
  }

  // MARK: Showing

  @concurrent private nonisolated static func follow(
    _ key: QueryKey, in cache: NormalizedCache<Schema>, with look: Look,
    show: @MainActor @Sendable (ReadQuery<Value>) -> Void
  ) async {
    let (news, signals) = await cache.follow(key)
    var rows = ReadRows<Value>()
    for await _ in signals {
      guard let shown = await look(key, cache, news, rows) else { continue }
      if let shownRows = shown.rows { rows = shownRows }
      await show(shown)
    }
  }

  private func show(_ shown: ReadQuery<Value>, from number: Int) {
    if former?.takes(shown.standing.order, from: number) == true {
      showRows(of: shown)
    } else if current?.takes(shown.standing.order, from: number) == true {
      if shown.standing.hasResult {
        former?.task.cancel()
        former = nil
      }
      if former == nil {
        showRows(of: shown)
        change(\.hasResult, to: shown.standing.hasResult)
        change(\.hasMore, to: shown.standing.hasMore)
      }
      change(\.isLoading, to: shown.standing.isFetching)
      if shown.standing.error != nil || fetchError != nil { fetchError = shown.standing.error }
    }
  }

  private func showRows(of shown: ReadQuery<Value>) {
    change(\.isStale, to: shown.standing.hasResult && !shown.standing.isFresh)
    guard let rows = shown.rows else { return }
    self.rows = rows.values
    change(\.isComplete, to: rows.isComplete)
    if rows.error != nil || rowError != nil { rowError = rows.error }
  }

  private func change(_ property: ReferenceWritableKeyPath<CachedQueryClient, Bool>, to value: Bool)
  {
    if self[keyPath: property] != value { self[keyPath: property] = value }
  }
}

extension CachedQueryClient where Value == VersionedEntity<Schema.Payload> {
  /// Makes a client of a query that shows its rows as the cache holds them.
  @inlinable public convenience init(_ key: QueryKey, in cache: NormalizedCache<Schema>) {
    self.init(key, in: cache) { row in row }
  }
}
