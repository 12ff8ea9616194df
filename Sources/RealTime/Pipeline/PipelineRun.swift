package import CacheModel
import NormalizedCache

/// Measures the latency of a change from a device to the screen, over sockets between processes.
///
/// The loop is open: devices send at predetermined random instants, whether or not earlier changes have
/// arrived. The client under test and a control without a cache subscribe to one server, with separate
/// connections and loops, and a sleeper records the machine's noise meanwhile. At the end all listings of the
/// cache are compared with the server's.
package struct PipelineRun: Sendable {
  private let plan: PipelinePlan
  private let peers: any PipelinePeers
  private let progress: @Sendable (String) -> Void
  private let clock = MonotonicClock()

  /// The time from the last preparation to the origin of arrivals.
  private static let lead = Duration.milliseconds(100)
  /// The time limit after the last intended instant for drawing everything.
  var patience = Duration.seconds(10)
  private static let poll = Duration.milliseconds(10)

  package init(
    plan: PipelinePlan, peers: any PipelinePeers,
    progress: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.plan = plan
    self.peers = peers
    self.progress = progress
  }

  /// Runs, and stops all participants in any case.
  ///
  /// - Throws: ``PipelineError``, ``SyncProtocolError``, `CachePolicyError`, `CancellationError`, or the
  ///   peers' error.
  package func run() async throws -> PipelineResult {
    let result: Result<PipelineResult, any Error>
    do {
      result = .success(try await measure())
    } catch {
      // The cancellation of the run may have ended its participants too.
      let cause = Task.isCancelled ? nil : await peers.casualty()
      result = .failure(cause ?? error)
    }
    await peers.stop()
    return try result.get()
  }

  private func measure() async throws -> PipelineResult {
    progress("pipeline over \(plan.transport.rawValue): starting the server")
    let endpoint = try await peers.startServer()
    let clients = (
      cache: SyncClient(endpoint: endpoint, name: "client under test", limits: plan.limits),
      control: SyncClient(endpoint: endpoint, name: "control", limits: plan.limits)
    )
    let source = SyncSource(client: clients.cache, library: plan.devices.library)
    let cache = try NormalizedCache(
      composition: plan.composition, schema: MeasurementSchema(), source: source, clock: clock)
    return try await run(
      clients, source, CacheListener(cache: cache, screen: Screen()), ControlListener(),
      at: endpoint)
  }

  private func run(
    _ clients: (cache: SyncClient, control: SyncClient), _ source: SyncSource,
    _ listener: CacheListener, _ control: ControlListener, at endpoint: SyncEndpoint
  ) async throws -> PipelineResult {
    try await withThrowingTaskGroup(of: PipelineResult?.self) { tasks in
      tasks.addTask {
        try await Self.listen(clients.cache, listener, isControl: false)
        return nil
      }
      tasks.addTask {
        try await Self.listen(clients.control, control, isControl: true)
        return nil
      }
      tasks.addTask {
        try await until("the clients are connected") {
          clients.cache.isConnected && clients.control.isConnected
        }
        let session = PipelineSession(
          plan: plan, source: source, listener: listener, control: control)
        let result = try await drive(session, at: endpoint)
        clients.cache.stop()
        clients.control.stop()
        return result
      }
      var result: PipelineResult?
      while let ended = try await tasks.next() { result = ended ?? result }
      guard let result else { throw CancellationError() }
      return result
    }
  }

  /// - Throws: ``PipelineError/disconnected(isControl:)`` if the connection ends before the run does,
  ///   ``SyncProtocolError``, `CancellationError`.
  private static func listen(
    _ client: SyncClient, _ listener: some SyncClient.Listener, isControl: Bool
  ) async throws {
    do {
      try await client.run(listener)
    } catch let error as SyncProtocolError {
      switch error {
      case .closed, .silent: throw PipelineError.disconnected(isControl: isControl)
      default: throw error
      }
    }
  }

  private func drive(
    _ session: PipelineSession, at endpoint: SyncEndpoint
  ) async throws -> PipelineResult {
    progress("pipeline: filling the cache over the socket")
    try await session.listener.observe(plan)
    guard await session.listener.cache.residentEntities > 0 else {
      throw PipelineError.keepsNothing
    }
    progress("pipeline: starting \(plan.devices.devices) devices")
    try await peers.startDevices(at: endpoint)

    let readers = try await ReaderPair(plan: plan, cache: session.listener.cache, clock: clock)

    let start = clock.now.advanced(by: Self.lead)
    let frames = plan.frames(from: start)
    let drawing = Task { @MainActor [clock] in
      await FrameLoop(
        screen: session.listener.screen, cache: session.listener.cache, frames: frames,
        clock: clock
      ).run()
    }
    let reading = Task { await readers?.run(from: start) }
    let sleeper = Task { [clock] in await Sleeper.lateness(clock: clock, from: start) }
    defer {
      drawing.cancel()
      reading.cancel()
      sleeper.cancel()
    }
    progress(
      "pipeline: \(plan.devices.mutations) events, \(plan.devices.rate) per second, from "
        + "\(plan.devices.devices) devices")
    try await peers.begin(at: start)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await peers.finish() }
      tasks.addTask { try await complete(session, from: start) }
      try await tasks.waitForAll()
    }
    drawing.cancel()
    reading.cancel()
    sleeper.cancel()
    let history = await drawing.value
    try session.checkNotifications()
    progress("pipeline: comparing the cache with the server")
    try await session.compare()
    return try session.result(
      frames: history, sleeperLateness: await sleeper.value, reads: await reading.value)
  }

  /// Waits until the cache, the screen and the control have processed all events.
  private func complete(_ session: PipelineSession, from start: Instant) async throws {
    let mutations = plan.devices.mutations
    let deadline = start.advanced(byNanoseconds: plan.devices.lastOffset)
      .advanced(by: patience)
    while true {
      let reached = await session.position
      let isControlDone = session.control.count >= mutations
      if reached >= UInt64(mutations), session.listener.screen.isIdle, isControlDone { return }
      guard clock.now < deadline else {
        throw PipelineError.incomplete(
          seconds: patience / .seconds(1), sent: mutations, reached: reached,
          control: session.control.count)
      }
      try await Task.sleep(for: Self.poll)
    }
  }

  private func until(_ what: String, _ isSo: () async -> Bool) async throws {
    let deadline = clock.now.advanced(byNanoseconds: plan.devices.lastOffset)
      .advanced(by: patience)
    while !(await isSo()) {
      guard clock.now < deadline else {
        throw PipelineError.neverCame(what)
      }
      try await Task.sleep(for: Self.poll)
    }
  }
}

/// Starts and stops the other participants of a run: processes in a measurement, tasks in a test.
package protocol PipelinePeers: Sendable {
  /// Starts the server.
  ///
  /// - Returns: its address.
  func startServer() async throws -> SyncEndpoint
  /// Starts all devices; they are connected when this returns.
  func startDevices(at endpoint: SyncEndpoint) async throws
  /// Starts the arrivals of all devices, counted from an instant.
  func begin(at start: Instant) async throws
  /// Returns when all mutations of all devices are accepted; throws if a participant ends before.
  func finish() async throws
  /// Returns the participant that has ended early, as the cause of other failures.
  func casualty() async -> PipelineError?
  /// Ends all participants in order, and removes their files.
  func stop() async
}

/// The shared state of the tasks of one run, and its result.
struct PipelineSession: Sendable {
  let plan: PipelinePlan
  let source: SyncSource
  let listener: CacheListener
  let control: ControlListener

  /// The cache's position without gaps; 0 before the first event.
  var position: UInt64 {
    get async {
      let stream = StreamID(library: plan.devices.library.library)
      return await listener.cache.cursor(of: stream)?.sequence ?? 0
    }
  }

  /// Checks that every event has notified an observer.
  ///
  /// - Throws: ``PipelineError/notificationsMissing(count:)``.
  func checkNotifications() throws(PipelineError) {
    let missing = plan.devices.mutations - listener.screen.drawnCount
    if missing > 0 { throw .notificationsMissing(count: missing) }
  }

  /// Compares every observed listing with the server's: rows, order, versions and values.
  ///
  /// - Throws: ``PipelineError/divergent(directories:first:)``, or a request's error.
  func compare() async throws {
    let library = plan.devices.library
    var divergent: [Int] = []
    for directory in 0..<plan.observedDirectories {
      let held = try await source.files(
        ofDirectory: library.directoryIDs[directory], library: library.library)
      let shown = await listener.cache.rows(of: library.queryKey(ofDirectory: directory))
      if shown != held.entities { divergent.append(directory) }
    }
    if let first = divergent.first {
      throw PipelineError.divergent(directories: divergent.count, first: first)
    }
  }

  /// - Throws: ``PipelineError/stampsOutOfOrder(sequence:)``.
  func result(
    frames: FrameHistory, sleeperLateness: [Int64], reads: ReaderPair.Samples?
  ) throws(PipelineError) -> PipelineResult {
    let drawn = listener.screen.drawn
    if let disordered = drawn.first(where: { !$0.stamps.areMonotone }) {
      throw .stampsOutOfOrder(sequence: disordered.sequence)
    }
    let warmUp = UInt64(plan.warmUp)
    let counted = drawn.filter { $0.sequence > warmUp }.map(\.stamps)
    let controls = control.samples.filter { $0.sequence > warmUp }
    return PipelineResult(
      plan: plan, stamps: counted,
      boundary: counted.map {
        frames.clock.boundary(after: $0.client.notified).nanoseconds
          - $0.client.intended.nanoseconds
      },
      controlUpdateToNotify: controls.map(\.updateToNotify),
      controlResponseTime: controls.map(\.responseTime),
      controlToUI: controls.map { $0.responseTime + frames.lateness(after: $0.notified) },
      sleeperLateness: sleeperLateness, reads: reads)
  }
}

/// The reason why a pipeline run has no result.
package enum PipelineError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A process ended unexpectedly.
  case processDied(name: String, detail: String)
  /// A process did not complete a request.
  case processFailed(name: String, detail: String)
  /// Not all events reached the screen.
  case incomplete(seconds: Double, sent: Int, reached: UInt64, control: Int)
  /// A client lost its connection: the following events have no latency, and would be missing among the
  /// slowest.
  case disconnected(isControl: Bool)
  /// An expected condition did not occur.
  case neverCame(String)
  /// The filled cache is empty.
  case keepsNothing
  /// Observers were not notified of events that changed their results.
  case notificationsMissing(count: Int)
  /// The cache differs from the server.
  case divergent(directories: Int, first: Int)
  case stampsOutOfOrder(sequence: UInt64)
  /// The path of the socket is too long for an address.
  case pathTooLong(String)

  package var description: String {
    switch self {
    case .processDied(let name, let detail): "the \(name) ended while it was needed: \(detail)"
    case .processFailed(let name, let detail): "the \(name) failed: \(detail)"
    case .incomplete(let seconds, let sent, let reached, let control):
      "\(seconds) s after the last of \(sent) events was due, the cache is at \(reached) and "
        + "the control has seen \(control); lower --rate to what this machine can carry"
    case .disconnected(let isControl):
      "the \(isControl ? "control" : "client") lost its connection; lower --rate to what this machine "
        + "can carry"
    case .neverCame(let what):
      "gave up waiting until \(what); the machine may be too slow for this run"
    case .keepsNothing:
      "the cache keeps nothing of what it fetched; use a composition that keeps observed queries"
    case .notificationsMissing(let count):
      "\(count) events changed an observed query without notifying its observers; use a composition "
        + "that keeps observed queries, or report a fault of the cache"
    case .divergent(let directories, let first):
      "\(directories) listings differ from the server's, the first is the one of directory "
        + "\(first); this is a fault of the cache or of the pipeline"
    case .stampsOutOfOrder(let sequence):
      "the stamps of event \(sequence) are not in order; the clock is not the same in all processes"
    case .pathTooLong(let path):
      "the socket's path \"\(path)\" has more than \(SyncEndpoint.longestPath) bytes; set TMPDIR to "
        + "a shorter folder"
    }
  }
}
