// Re-exported, so that an app gets the options, statistics and errors with the repository.
import CacheModel
import Dispatch
@_exported public import StreamingRepositoryCore
import Synchronization

/// Complete collections from a server, stored in one SQLite file that views observe.
///
/// ```swift
/// let repository = try await StreamingRepository.open(path: path, sources: [LinkSource(server)])
/// try await repository.logIn("ada")
/// for try await links in repository.updates(of: Link.self, { $0.order(Column("name")) }) {
///   show(links)
/// }
/// ```
///
/// The server is authoritative. A collection is fetched for a reason (``RepositoryTrigger``), never for its
/// age, and each answer is written in one transaction. Views read the file, never the network: offline they
/// show the stored rows, and a change fails with ``RepositoryError/offline``. A failure reaches waiting
/// callers, or `onFailure`; rows are unchanged, and nothing ends. The process may be killed at any time.
///
/// A repository has one task for writes, from ``start()`` to ``stop()`` or until the repository is released.
/// A file belongs to one repository at a time: writes by others are not observed.
public actor StreamingRepository {
  typealias Store = RepositoryStore<TextKey, TextKey, EncodedRows>

  nonisolated let file: RepositoryFile
  nonisolated let views: ViewRegistry
  nonisolated let now: @Sendable () -> Instant
  private nonisolated let sources: [TextKey: AnySource]
  private nonisolated let onFailure: @Sendable (RepositoryFailure) -> Void
  private nonisolated let maximumRows: Int
  /// The new path of a file that was found damaged when the repository was opened.
  public nonisolated let keptAside: String?

  var store: Store
  /// The write task; `nil`: stopped.
  package private(set) var sync: Task<Void, Never>?
  private var signal: AsyncStream<Void>.Continuation?
  private var isWorking = false
  private var fetches: [RequestNumber: Task<Void, Never>] = [:]
  private var callers: [CallerNumber: CheckedContinuation<RepositoryError?, Never>] = [:]
  private var lastCaller = 0
  var edits: [ChangeNumber: [EncodedEdit]] = [:]
  private var timer: Task<Void, Never>?
  private var timerDeadline: Instant?

  init(
    _ file: RepositoryFile, sources: [AnySource], options: RepositoryOptions, account: TextKey?,
    views: ViewRegistry, keptAside: String?, now: @escaping @Sendable () -> Instant,
    onFailure: @escaping @Sendable (RepositoryFailure) -> Void
  ) throws(RepositoryError) {
    store = try Store(options, account: account, collections: sources.map(\.name))
    self.file = file
    self.views = views
    self.now = now
    self.onFailure = onFailure
    self.keptAside = keptAside
    maximumRows = options.maximumRows
    self.sources = Dictionary(uniqueKeysWithValues: sources.map { ($0.name, $0) })
  }

  deinit {
    sync?.cancel()
    signal?.finish()
    timer?.cancel()
    for fetch in fetches.values { fetch.cancel() }
    views.end()
  }

  // MARK: The one task

  /// Fetches and accepts changes again after ``stop()``, for example after a time in the background.
  public func start() {
    guard sync == nil else { return }
    // Only the task has the stream, so nothing else can consume it.
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.signal = signal
    sync = Task { [weak self] in
      // A `guard let self` ahead of the loop would keep the repository alive forever.
      for await _ in signals { await self?.work() }
    }
    store.start(at: now())
    carryOut()
  }

  /// Stops the task and cancels requests; waiting callers get ``RepositoryError/stopped``.
  ///
  /// A received answer is written completely or not at all. Views continue with the stored rows.
  public func stop() {
    guard let sync else { return }
    store.stop()
    signal?.finish()
    sync.cancel()
    self.sync = nil
    signal = nil
    carryOut()
  }

  /// Carries out the store's operations on the file in sequence.
  private func work() async {
    guard !isWorking else { return }
    isWorking = true
    while !Task.isCancelled, let operation = store.nextOperation(at: now()) {
      var shown: ChangeNumber?
      if case .show(let change, _) = operation { shown = change }
      let result = await file.perform(operation, edits: shown.flatMap { edits[$0] } ?? [])
      if let shown, !result.isCancelled { edits[shown] = nil }
      store.finishOperation(result, at: now())
      doActions()
    }
    isWorking = false
    wake()
    setTimer()
  }

  /// Carries out the store's actions after every call.
  func carryOut() {
    doActions()
    wake()
    setTimer()
  }

  private func wake() {
    guard !isWorking, store.hasOperation(at: now()) else { return }
    if let signal {
      signal.yield()
    } else {
      // A logout, or a change to be undone, after the task has ended.
      Task { await self.work() }
    }
  }

  private func doActions() {
    for action in store.takeActions() {
      switch action {
      case .fetch(let number, let collection, let account): fetch(number, collection, account)
      case .cancel(let number): fetches.removeValue(forKey: number)?.cancel()
      case .finish(let caller, let error):
        callers.removeValue(forKey: caller)?.resume(returning: error)
      case .report(let collection, let trigger, let error):
        onFailure(
          RepositoryFailure(collection: collection?.text, trigger: trigger, error: error))
      }
    }
  }

  private func setTimer() {
    let deadline = store.nextDeadline
    guard deadline != timerDeadline else { return }
    timerDeadline = deadline
    timer?.cancel()
    timer = deadline.map { deadline in
      let delay = now().duration(to: deadline)
      return Task { [weak self] in
        try? await Task.sleep(for: max(delay, .zero))
        guard !Task.isCancelled else { return }
        await self?.tick()
      }
    }
  }

  private func tick() {
    timerDeadline = nil
    store.advance(to: now())
    carryOut()
  }

  // MARK: The server

  private func fetch(_ number: RequestNumber, _ collection: TextKey, _ account: TextKey) {
    guard let source = sources[collection], let table = file.tables[collection] else { return }
    let maximumRows = maximumRows
    fetches[number] = Task { [weak self] in
      do throws(RepositoryError) {
        let rows = try await source.fetch(account.text, table, maximumRows)
        await self?.receive(rows, for: number)
      } catch {
        await self?.fail(number, error)
      }
    }
  }

  private func receive(_ rows: EncodedRows, for number: RequestNumber) {
    fetches[number] = nil
    store.receive(rows, bytes: rows.bytes, for: number, at: now())
    carryOut()
  }

  private func fail(_ number: RequestNumber, _ error: RepositoryError) {
    fetches[number] = nil
    store.fail(number, error, at: now())
    carryOut()
  }

  // MARK: Waiting

  func wait(_ call: (inout Store, CallerNumber, Instant) -> Void) async throws(RepositoryError) {
    lastCaller += 1
    let caller = CallerNumber(lastCaller)
    let error: RepositoryError? = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        callers[caller] = continuation
        call(&store, caller, now())
        carryOut()
        if Task.isCancelled { cancel(caller) }
      }
    } onCancel: {
      Task { [weak self] in await self?.cancel(caller) }
    }
    if let error { throw error }
  }

  private func cancel(_ caller: CallerNumber) {
    callers.removeValue(forKey: caller)?.resume(returning: RepositoryError.cancelled)
  }

  // MARK: Views

  nonisolated func view(_ name: TextKey) async throws(RepositoryError) {
    guard file.tables[name] != nil else { throw .unknownCollection(name.text) }
    await look(at: name)
  }

  private func look(at name: TextKey) {
    store.view(name, at: now())
    carryOut()
  }

  func beginView(_ name: TextKey) {
    store.observe(name, at: now())
    carryOut()
  }

  func endView(_ name: TextKey) {
    store.endObserving(name)
    carryOut()
  }
}

/// A failure that no call waited for.
public struct RepositoryFailure: Sendable {
  /// The affected table; `nil`: a change.
  public var collection: String?
  /// Why the table was fetched; `nil`: it was being written.
  public var trigger: RepositoryTrigger?
  public var error: RepositoryError
}

/// The open views, the last writes of their tables, and the latencies of views.
///
/// Views come and go on any thread, and must not keep the repository alive.
final class ViewRegistry: Sendable {
  private struct State {
    var endings: [Int: @Sendable () -> Void] = [:]
    var lastView = 0
    var hasEnded = false
    var committedAt: [TextKey: Instant] = [:]
    var latencies = DurationSummary()
  }

  /// The queue on which views get their rows.
  let queue = DispatchQueue(label: "tidemark.repository.views")
  private let state = Mutex(State())

  var latencies: DurationSummary { state.withLock { $0.latencies } }

  /// Registers the end of a view; returns `nil` if it has to end now.
  func add(_ ending: @escaping @Sendable () -> Void) -> Int? {
    state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.lastView += 1
      state.endings[state.lastView] = ending
      return state.lastView
    }
  }

  func remove(_ view: Int) {
    state.withLock { _ = $0.endings.removeValue(forKey: view) }
  }

  func end() {
    let endings = state.withLock { state in
      defer { state.endings = [:] }
      state.hasEnded = true
      return state.endings
    }
    for ending in endings.values { ending() }
  }

  func committed(_ table: TextKey, at now: Instant) {
    state.withLock { $0.committedAt[table] = now }
  }

  /// Notes that a view has rows that are not its first.
  func delivered(_ table: TextKey, since: Instant?, at now: Instant) -> Instant? {
    state.withLock { state in
      guard let committed = state.committedAt[table], committed != since else { return since }
      state.latencies.add(committed.duration(to: now))
      return committed
    }
  }
}
