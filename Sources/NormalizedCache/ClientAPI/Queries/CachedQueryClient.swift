public import CacheModel
public import Observation

/// One query for a view: its rows, whether it is being fetched, and its error.
///
/// A SwiftUI view stores it, and any other observer can follow it with `withObservationTracking`. It has the
/// current rows, but no history; where a view needs the key of each, ``init(_:in:)`` gives the rows as the
/// cache has them, identified by their keys. It ends its observation when it is stopped or released.
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
/// After a change it reads the changed rows and compares the versions of the others, in O(rows). All
/// properties change on the main actor, and are published only when they change, so a view that reads `data`
/// alone is not redrawn because a fetch began.
@MainActor @Observable
public final class CachedQueryClient<Schema: CacheSchema, Value: Sendable> {
  public typealias Row = VersionedEntity<Schema.Payload>

  /// The current query, whose rows are shown as soon as there is a result.
  public private(set) var key: QueryKey
  /// Whether the first answer or another fetch is awaited; earlier rows stay visible.
  public private(set) var isLoading: Bool
  /// Whether the query is active; while it is not, nothing is observed or fetched, and earlier rows stay
  /// visible.
  ///
  /// Use it for a view that needs other data first. Setting it to true starts a client that was started, or
  /// whose ``data`` was read, before.
  public var isEnabled: Bool { didSet { if isEnabled != oldValue { enable(isEnabled) } } }
  /// Whether the rows may be outdated: they were invalidated, events are missing, or they had expired when
  /// last read.
  ///
  /// Expiry alone does not notify observers; it becomes visible with the next change, fetch or gap.
  public private(set) var isStale = false
  /// Whether there is a result with all of its rows in ``data``.
  public private(set) var isComplete = false
  /// Whether there is a result, even an empty one.
  public private(set) var hasResult = false
  /// Whether there may be rows beyond the query's limit.
  public private(set) var hasMore = false

  private var rows: [Value] = []
  @ObservationIgnored private let placeholder: [Value]
  private var fetchError: (any Error)?
  private var rowError: (any Error)?

  @ObservationIgnored private let cache: NormalizedCache<Schema>
  @ObservationIgnored private let look: Look
  @ObservationIgnored private var current: Subscription?
  /// The previous query, observed until the current one has a result.
  @ObservationIgnored private var former: Subscription?
  @ObservationIgnored private var hasStarted = false
  /// Whether the client was started while the query was inactive.
  @ObservationIgnored private var startsWhenEnabled = false
  @ObservationIgnored private var subscriptions = 0

  /// Reads a query and its changed rows, if there is news or no subscription.
  ///
  /// A closure, since the app's module specializes it for the app's types: it runs at every change.
  @usableFromInline typealias Look =
    @Sendable (
      QueryKey, NormalizedCache<Schema>, NormalizedCache<Schema>.News?, ReadRows<Value>
    ) async -> ReadQuery<Value>?

  private struct Subscription {
    var number: Int
    var task: Task<Void, Never>
    private var lastOrder: UInt64 = 0
    /// Whether it has shown a result.
    var hasShown = false

    init(number: Int, task: Task<Void, Never>) {
      self.number = number
      self.task = task
    }

    /// Whether a state is newer than the previous ones.
    ///
    /// A refresh shows a state of its own, which may arrive out of order.
    mutating func takes(_ order: UInt64, from number: Int) -> Bool {
      guard number == self.number, order > lastOrder else { return false }
      lastOrder = order
      return true
    }
  }

  /// Creates a client of a query; nothing is fetched before ``start()`` or the first use of ``data``.
  ///
  /// - Parameters:
  ///   - key: the query.
  ///   - cache: the cache, which the client keeps alive.
  ///   - isEnabled: whether the query is active.
  ///   - placeholder: the value of ``data`` until there is a result.
  ///   - read: converts a row to the app's value; called on no actor, and again when the row changes, so it
  ///     must depend on the row alone. A row for which it throws is left out, and the error is shown.
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

  /// Creates a client of a query of one resource type; rows of another type are left out, and ``error`` is a
  /// ``ResourceTypeMismatch``.
  @inlinable public convenience init(
    _ key: QueryKey, in cache: NormalizedCache<Schema>, as type: Value.Type,
    isEnabled: Bool = true, placeholder: [Value] = []
  ) where Value: CachedResource<Schema.Payload> {
    self.init(key, in: cache, isEnabled: isEnabled, placeholder: placeholder) { row in
      try Value.value(of: row)
    }
  }

  /// Creates a client of a typed query.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - library: the library to query.
  ///   - cache: the cache, which the client keeps alive.
  ///   - isEnabled: whether the query is active.
  ///   - placeholder: the value of ``data`` until there is a result.
  /// - Throws: as ``CachedQuery/key(in:)``.
  @inlinable public convenience init<Query: CachedQuery>(
    _ query: Query, in library: LibraryID, of cache: NormalizedCache<Schema>,
    isEnabled: Bool = true, placeholder: [Value] = []
  ) throws where Query.Row == Value, Value.Payload == Schema.Payload {
    self.init(
      try query.key(in: library), in: cache, as: Value.self, isEnabled: isEnabled,
      placeholder: placeholder)
  }

  /// Creates a client of a query that converts only a part of each row's payload.
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

  /// The rows in the server's order; the placeholder until there is a result.
  ///
  /// The first use starts the client.
  public var data: [Value] {
    if !hasStarted { start() }
    return hasResult || !rows.isEmpty ? rows : placeholder
  }

  /// Whether ``data`` is the placeholder.
  public var isPlaceholder: Bool { !hasResult && rows.isEmpty && !placeholder.isEmpty }

  /// The error of the last fetch, until a fetch succeeds; otherwise the error of a row that could not be
  /// read.
  ///
  /// Earlier rows stay visible.
  public var error: (any Error)? { fetchError ?? rowError }

  // MARK: Starting and stopping

  /// Begins to observe the query, and fetches it if necessary.
  ///
  /// Has no effect on a running client. A disabled client starts when it is enabled.
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

  /// Ends the observation; ``data`` keeps its last rows.
  ///
  /// Returns immediately; the cache is notified shortly afterwards.
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
  /// If it fails, ``error`` says why. A stopped client is started; a disabled one fetches nothing.
  public func refresh() async {
    start()
    guard let number = current?.number else { return }
    let key = key
    await cache.invalidate(key)
    _ = try? await cache.query(key)
    if let shown = await look(key, cache, nil, ReadRows()) { show(shown, from: number) }
  }

  /// Whether the query is observed.
  var isFollowing: Bool { current != nil }

  /// Switches to another query, and shows the rows of the previous one until the new one has a result: for a
  /// search as the user types, or a list that grows.
  public func turn(to key: QueryKey) {
    guard key != self.key else { return }
    self.key = key
    guard let subscription = current else { return }
    if former == nil {
      former = subscription
    } else {
      // It never had a result, so the rows on screen are still those of the query before it.
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
        if current?.hasShown == true, !shown.standing.hasResult { showNothing() }
        current?.hasShown = shown.standing.hasResult
        showRows(of: shown)
        change(\.hasResult, to: shown.standing.hasResult)
        change(\.hasMore, to: shown.standing.hasMore)
      }
      change(\.isLoading, to: shown.standing.isFetching)
      if shown.standing.error != nil || fetchError != nil { fetchError = shown.standing.error }
    }
  }

  /// Shows that the result is gone, such as that of a user who has logged out.
  private func showNothing() {
    rows = []
    rowError = nil
    change(\.isComplete, to: false)
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
  /// Creates a client of a query that shows its rows as the cache holds them.
  @inlinable public convenience init(_ key: QueryKey, in cache: NormalizedCache<Schema>) {
    self.init(key, in: cache) { row in row }
  }
}
