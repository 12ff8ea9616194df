package import CacheFiles
import CacheModel
import FileHashing
public import Foundation
public import Logging

/// A cache for answers to GET requests: tagged entries are kept, others may be removed.
///
/// ```swift
/// let cache = try ResponseCache(folder: .cachesDirectory.appending(path: "magazine"))
/// let article = try await cache.fetch(url)
/// try await cache.fetch(url, tag: "bookmark 7")
/// ```
///
/// A body is served until its age exceeds the server's `max-age`; then the server is asked whether it has
/// changed. Offline every stored body may be served; see ``setOnline(_:)``. The process may be killed at any
/// time: after a fetch with a tag has returned, body and tag are there at the next launch, and no damaged
/// body is ever served. Only one cache may use a folder at a time; a second one stores nothing. The cache
/// owns all contents of the folder.
public actor ResponseCache {
  nonisolated let files: ResponseFiles
  nonisolated let logger: Logger
  private nonisolated let lanes = FileLanes(label: "response-cache")
  nonisolated let options: ResponseOptions
  nonisolated let transport: any HTTPTransport
  private nonisolated let timeOfDay: @Sendable () -> Date
  nonisolated let storesIf: @Sendable (URL, Int?) -> Bool

  var store: ResponseStore<FileName, Data>
  private var isWorking = false
  private var alarm: Task<Void, Never>?
  /// The callers that wait for another caller's fetch.
  private var joined: [RequestTicket: [CheckedContinuation<Outcome, Never>]] = [:]
  /// The callers that wait for an operation to end.
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// The result of fetching one URL, and the server's last answer, if it was asked.
  private struct Outcome {
    var step: FetchStep<Data>
    var answer: HTTPAnswer?
  }

  private static let maximumURLBytes = 8_192
  static let maximumRedirects = 20

  /// Opens a cache; its folder is read in the background.
  ///
  /// - Parameters:
  ///   - folder: the cache's own folder; created if necessary.
  ///   - transport: sends requests.
  ///   - options: limits, layout and intervals.
  ///   - logger: logs failures, without any URL or body.
  ///   - storesIf: returns whether to store an answer, by its URL and the free bytes.
  ///   - timeOfDay: the clock for ages.
  /// - Throws: an error about the first invalid option.
  public init(
    folder: URL, transport: any HTTPTransport = URLSessionTransport(),
    options: ResponseOptions = ResponseOptions(), logger: Logger = Logger(label: "response-cache"),
    storesIf: @escaping @Sendable (_ url: URL, _ freeBytes: Int?) -> Bool = { _, _ in true },
    timeOfDay: @escaping @Sendable () -> Date = { Date() }
  ) throws(ResponseOptionsError) {
    try self.init(
      FileFolder(path: folder.path), transport: transport, options: options, logger: logger,
      storesIf: storesIf, timeOfDay: timeOfDay)
  }

  /// Opens a cache in a folder prepared by a test.
  package init(
    _ folder: FileFolder, transport: any HTTPTransport, options: ResponseOptions, logger: Logger,
    storesIf: @escaping @Sendable (URL, Int?) -> Bool = { _, _ in true },
    timeOfDay: @escaping @Sendable () -> Date = { Date() }
  ) throws(ResponseOptionsError) {
    store = try ResponseStore(options)
    self.options = options
    files = ResponseFiles(folder: folder, options: options)
    self.transport = transport
    self.logger = logger
    self.storesIf = storesIf
    self.timeOfDay = timeOfDay
    Task { await self.startWorking() }
  }

  deinit { alarm?.cancel() }

  /// The folder of the files.
  public nonisolated var folder: URL { URL(fileURLWithPath: files.folder.path, isDirectory: true) }
  /// The counts since the cache was created.
  public var statistics: ResponseStatistics { store.statistics }
  /// Whether fetched bodies are stored.
  public var disk: ResponseDisk { store.disk }

  /// The total size of bodies, in bytes; O(entries).
  public var byteCount: Int {
    get async {
      await opened()
      return store.bodyBytes
    }
  }

  /// Sets whether servers can be reached; while they cannot, no request is sent.
  public func setOnline(_ isOnline: Bool) { store.isOnline = isOnline }

  // MARK: Fetching

  /// Fetches a body: from memory or its file while it is fresh, otherwise from the server.
  ///
  /// Redirects are followed; each is an answer with its own lifetime, and the tag keeps both.
  ///
  /// - Parameters:
  ///   - url: the URL; a fragment is ignored.
  ///   - fields: the request's header fields. An answer is stored for the values of those that its `Vary`
  ///     names; of `Cache-Control` the cache applies `no-cache`, `no-store`, `max-age` and `min-fresh`.
  ///   - tag: keeps the entry until the tag is removed. The call returns when that is on disk.
  /// - Returns: the body, and why it may be shown.
  /// - Throws: an error if there is no body that may be shown, or if it cannot be kept under the tag.
  @discardableResult
  public func fetch(
    _ url: URL, fields: [HTTPField] = [], tag: String? = nil
  ) async throws(ResponseError) -> CachedResponse {
    var response = try await fetchOnce(url, fields: fields, tag: tag)
    var (passed, sent) = (Set([try Self.name(of: url)]), fields)
    var freshness: ResponseFreshness?
    while let target = response.redirectTarget {
      guard passed.insert(try Self.name(of: target)).inserted,
        passed.count <= Self.maximumRedirects + 1
      else { throw ResponseError(.redirectsWithoutEnd, url: url) }
      if case .stale = response.freshness { freshness = response.freshness }
      sent = Self.fields(sent, from: response.url, to: target)
      response = try await fetchOnce(target, fields: sent, tag: tag)
    }
    // An outdated redirect makes its target outdated.
    if let freshness { response.freshness = freshness }
    return response
  }

  /// Fetches the answer of one URL, which may be a redirect.
  package func fetchOnce(
    _ url: URL, fields: [HTTPField] = [], tag: String? = nil
  ) async throws(ResponseError) -> CachedResponse {
    let name = try Self.name(of: url)
    try Self.check(fields)
    if let tag { try Self.check(tag) }
    await opened()
    while true {
      while store.isCongested { await change() }
      let (step, keep) = store.fetch(
        name, fields: fields, tag: tag.map { TextKey($0) }, at: now)
      startWorking()
      let outcome = await outcome(of: step, url, name, fields)
      // The other request differs, so its result is not an answer to this one.
      if case .follow = step { continue }
      switch outcome.step {
      case .served(let served):
        if let keep { try await wait(for: keep, url) }
        return CachedResponse(
          url: url, body: served.body, kind: served.kind, source: served.source,
          freshness: served.freshness, etag: served.etag, status: served.status,
          fields: served.fields)
      case .failed(let failure):
        if let keep { store.forget(keep) }
        throw ResponseError(failure, url: url, answer: outcome.answer)
      case .read, .exchange, .join, .follow: preconditionFailure("a fetch has no outcome")
      }
    }
  }

  /// Fetches a body and returns its file, for image views.
  ///
  /// The file exists until the entry is swept or replaced: read it immediately, or keep it with a tag.
  ///
  /// - Throws: an error if there is no body, or it may not be stored.
  public func file(for url: URL, tag: String? = nil) async throws(ResponseError) -> URL {
    for _ in 0..<3 {
      let name = try Self.name(of: try await fetch(url, tag: tag).url)
      while store.isBeingWritten(name) { await change() }
      guard let version = store.entry(for: name)?.version else { break }
      let files = files
      let reading = await lanes.read { files.read(name, version.kind) }
      if case .found(_, _, let digest, _) = reading, digest == version.digest {
        return URL(fileURLWithPath: files.path(name, version.kind))
      }
      // Remove it from memory: the next fetch checks the file, and repairs it.
      store.forgetBody(of: name)
    }
    throw ResponseError(.notStorable, url: url)
  }

  /// The final result of a fetch for all its callers.
  private func outcome(
    of step: FetchStep<Data>, _ url: URL, _ name: FileName, _ fields: [HTTPField]
  ) async -> Outcome {
    switch step {
    case .served, .failed: return Outcome(step: step)
    case .join(let ticket), .follow(let ticket):
      return await withCheckedContinuation { joined[ticket, default: []].append($0) }
    // In a separate task: the first caller may be cancelled while others wait.
    case .read, .exchange: return await Task { await self.fly(step, url, name, fields) }.value
    }
  }

  private func fly(
    _ first: FetchStep<Data>, _ url: URL, _ name: FileName, _ fields: [HTTPField]
  ) async -> Outcome {
    var step = first
    var answer: HTTPAnswer?
    while true {
      let ticket: RequestTicket
      switch step {
      case .read(let flight, let kind):
        ticket = flight
        let files = files
        let reading = await lanes.read { files.read(name, kind) }
        step = store.finishRead(ticket, reading, at: now)
      case .exchange(let flight, let condition):
        ticket = flight
        let exchange: Exchange<Data>
        (exchange, answer) = await ask(url, fields, condition)
        step = store.finishExchange(ticket, exchange, at: now)
      case .served, .failed, .join, .follow: return Outcome(step: step, answer: answer)
      }
      startWorking()
      switch step {
      case .served, .failed, .join, .follow:
        let outcome = Outcome(step: step, answer: answer)
        for other in joined.removeValue(forKey: ticket) ?? [] { other.resume(returning: outcome) }
      case .read, .exchange: break
      }
    }
  }

  // MARK: Waiting

  func opened() async {
    while !store.isOpen {
      startWorking()
      await change()
    }
  }

  func change() async { await withCheckedContinuation { waiting.append($0) } }

  func settled() async {
    startWorking()
    while !store.isIdle { await change() }
  }

  func wait(for change: UInt64) async throws(ResponseError) {
    startWorking()
    while true {
      switch store.state(of: change) {
      case .written: return
      case .failed: throw ResponseError(.notWritten("the folder is \(store.disk)"))
      case .waiting: await self.change()
      }
    }
  }

  private func wait(for keep: KeepTicket, _ url: URL) async throws(ResponseError) {
    while true {
      switch store.keepState(keep) {
      case .kept: return
      case .failed(let failure): throw ResponseError(failure, url: url)
      case .waiting: await change()
      }
    }
  }

  /// Carries out the store's operations in sequence until there are none.
  func startWorking() {
    tell()
    guard !isWorking, let first = store.nextOperation(at: now) else {
      resumeWaiting()
      setAlarm()
      return
    }
    isWorking = true
    Task {
      var next: StoreOperation<FileName, Data>? = first
      while let operation = next {
        let (files, now) = (self.files, self.now)
        let result = await self.lanes.write { files.perform(operation, at: now) }
        self.store.finishOperation(result, at: self.now)
        self.tell()
        self.resumeWaiting()
        next = self.store.nextOperation(at: self.now)
      }
      self.isWorking = false
      self.startWorking()
    }
  }

  private func resumeWaiting() {
    let resumed = waiting
    waiting = []
    for continuation in resumed { continuation.resume() }
  }

  /// Schedules a wake-up for the next deadline; it does not keep the cache alive.
  private func setAlarm() {
    guard alarm == nil, let deadline = store.nextDeadline else { return }
    let delay = max(now.duration(to: deadline), .milliseconds(10))
    alarm = Task { [weak self] in
      try? await Task.sleep(for: delay)
      await self?.alarmRings()
    }
  }

  private func alarmRings() {
    alarm = nil
    startWorking()
  }

  // MARK: Names and times

  static func name(of url: URL) throws(ResponseError) -> FileName {
    let text = url.absoluteString.prefix { $0 != "#" }
    guard text.utf8.count <= maximumURLBytes, ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false
    else { throw ResponseError(.invalidURL, url: url) }
    return FileName(hashing: String(text))
  }

  private static func check(_ tag: String) throws(ResponseError) {
    guard (1...ResponseOptions.maximumTagBytes).contains(tag.utf8.count) else {
      throw ResponseError(.invalidTag)
    }
  }

  nonisolated var now: Instant {
    // Beyond the range of 64-bit nanoseconds ages cannot be computed.
    Instant(nanoseconds: Int64(min(max(timeOfDay().timeIntervalSince1970, -9e9), 9e9) * 1e9))
  }

  static func date(_ instant: Instant) -> Date {
    Date(timeIntervalSince1970: Instant.zero.duration(to: instant).inSeconds)
  }
}
