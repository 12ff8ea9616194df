import CacheModel
import Dispatch
import Foundation
import FoundationEssentials
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One connection to a sync server: lines in through an inbox, messages out.
struct SyncConnection: Sendable {
  let inbox: LineInbox
  let channel: any Channel

  /// Connects; says nothing yet.
  ///
  /// - Throws: `IOError` or another error of the socket.
  static func open(
    to endpoint: SyncEndpoint, on loop: any EventLoop, limits: WireLimits
  ) async throws -> SyncConnection {
    let bootstrap = ClientBootstrap(group: loop).connectTimeout(.seconds(2))
    let initialize: @Sendable (any Channel) -> EventLoopFuture<SyncConnection> = { channel in
      channel.eventLoop.makeCompletedFuture {
        let handler = InboxHandler(limits: limits, channel: channel)
        try channel.pipeline.syncOperations.addHandlers([
          LineFramer(limits: limits),
          IdleStateHandler(readTimeout: .nanoseconds(Int64(limits.silenceSeconds * 1e9))),
          handler,
        ])
        if case .tcp = endpoint {
          try channel.syncOptions?.setOption(.socketOption(.tcp_nodelay), value: 1)
        }
        return SyncConnection(inbox: handler.inbox, channel: channel)
      }
    }
    return switch endpoint {
    case .unix(let path):
      try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: initialize)
    case .tcp(let host, let port):
      try await bootstrap.connect(host: host, port: port, channelInitializer: initialize)
    }
  }

  func send(_ message: SyncMessage) throws {
    write(ByteBuffer(bytes: try SyncEncoder().line(of: message)))
  }

  /// Sends bytes as they are.
  func write(_ bytes: ByteBuffer) { channel.writeAndFlush(bytes, promise: nil) }

  /// Says bye and closes.
  func close() async {
    if let line = try? SyncEncoder().line(of: .bye) {
      try? await channel.writeAndFlush(ByteBuffer(bytes: line))
    }
    try? await channel.close()
  }

  /// Closes without a word, as a process that dies does.
  func cut() { channel.close(promise: nil) }
}

/// Puts lines into an inbox, and reads no more while it is full.
final class InboxHandler: ChannelDuplexHandler {
  /// A line without its end.
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer

  let inbox: LineInbox
  private let limits: WireLimits
  private let clock = MonotonicClock()

  init(limits: WireLimits, channel: any Channel) {
    self.limits = limits
    inbox = LineInbox(limits: limits) { [weak channel] in
      guard let channel else { return }
      channel.eventLoop.execute { channel.read() }
    }
  }

  func read(context: ChannelHandlerContext) {
    if !inbox.isFull() { context.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let received = clock.now
    let line = Data(unwrapInboundIn(data).readableBytesView)
    inbox.offer(ReceivedLine(bytes: line, received: received))
  }

  func channelInactive(context: ChannelHandlerContext) {
    inbox.finish(.failure(.closed))
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case IdleStateHandler.IdleStateEvent.read = event {
      // A client that does not read hears nothing, and has itself to blame.
      guard !inbox.isFull() else { return }
      errorCaught(
        context: context, error: SyncProtocolError.silent(seconds: limits.silenceSeconds))
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    inbox.finish(.failure(error as? SyncProtocolError ?? .closed))
    context.close(promise: nil)
  }
}

/// A line as it lay in the client's hands before anything was made of it.
struct ReceivedLine: Sendable {
  var bytes: Data
  var received: Instant
}

/// The lines between a socket and the one task that decodes them; a bounded number.
///
/// When it is full the socket is no longer read, so that the system's buffers fill and the server
/// learns of it. It is read again when half is taken.
final class LineInbox: Sendable {
  private struct State {
    var lines: [ReceivedLine] = []
    /// Taken already.
    var taken = 0
    var bytes = 0
    var isHeld = false
    var end: Result<Void, SyncProtocolError>?
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let maximumLines: Int
  private let maximumBytes: Int
  private let resumeReading: @Sendable () -> Void

  /// Makes an empty inbox.
  ///
  /// - Parameters:
  ///   - limits: how much it holds.
  ///   - resumeReading: called when there is room again after ``isFull()`` held the socket.
  init(limits: WireLimits, resumeReading: @escaping @Sendable () -> Void) {
    maximumLines = limits.inboxLines
    maximumBytes = limits.inboxBytes
    self.resumeReading = resumeReading
  }

  /// Takes a line from the socket; what was read already is always taken.
  func offer(_ line: ReceivedLine) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.end == nil else { return nil }
      state.lines.append(line)
      state.bytes += line.bytes.count
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Whether the socket must not be read now; it will be said when it may.
  func isFull() -> Bool {
    state.withLock { state in
      let isFull =
        state.lines.count - state.taken >= maximumLines || state.bytes >= maximumBytes
      state.isHeld = state.isHeld || isFull
      return isFull
    }
  }

  /// How many lines are not taken yet.
  var waiting: Int { state.withLock { $0.lines.count - $0.taken } }

  /// No more lines come; those that did are still handed out.
  func finish(_ end: Result<Void, SyncProtocolError>) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.end == nil { state.end = end }
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// The next line, when there is one; `nil` at an orderly end.
  ///
  /// One task at a time may ask.
  ///
  /// - Throws: ``SyncProtocolError`` at any other end, or where the task is cancelled.
  func next() async throws(SyncProtocolError) -> ReceivedLine? {
    while true {
      if let line = takeLine() { return line }
      if let end = state.withLock({ $0.end }) {
        // A line may have come between the two questions, but none comes after the end.
        if let line = takeLine() { return line }
        try end.get()
        return nil
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReady = state.withLock { state in
            guard state.taken == state.lines.count, state.end == nil else { return true }
            state.waiter = continuation
            return false
          }
          if isReady { continuation.resume() }
        }
      } onCancel: {
        finish(.failure(.closed))
      }
    }
  }

  private func takeLine() -> ReceivedLine? {
    let (line, isRoomAgain) = state.withLock { state -> (ReceivedLine?, Bool) in
      guard state.taken < state.lines.count else { return (nil, false) }
      let line = state.lines[state.taken]
      state.taken += 1
      state.bytes -= line.bytes.count
      // What was taken is let go in batches: removing from the front costs the rest.
      if state.taken == state.lines.count {
        state.lines.removeAll(keepingCapacity: true)
        state.taken = 0
      } else if state.taken >= 256 {
        state.lines.removeFirst(state.taken)
        state.taken = 0
      }
      let isRoomAgain =
        state.isHeld && state.lines.count - state.taken <= maximumLines / 2
        && state.bytes <= maximumBytes / 2
      if isRoomAgain { state.isHeld = false }
      return (line, isRoomAgain)
    }
    if isRoomAgain { resumeReading() }
    return line
  }
}

/// A thread that gives way to the others of its process, for work that takes milliseconds.
///
/// The threads that tasks share are as many as processors. Two batches of a thousand files, decoded
/// there, would keep every reader waiting that long; here they keep no one.
final class BackgroundThread: TaskExecutor {
  /// What the thread holds, so that it does not keep the executor alive.
  private final class Jobs: Sendable {
    let waiting = Mutex<[@Sendable () -> Void]>([])
    let isOver = Atomic(false)
    let signal = DispatchSemaphore(value: 0)
  }

  private let jobs = Jobs()

  init() {
    Thread.detachNewThread { [jobs] in
      Self.lowerPriority()
      while true {
        jobs.signal.wait()
        guard let job = jobs.waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
          if jobs.isOver.load(ordering: .acquiring) { return }
          continue
        }
        job()
      }
    }
  }

  deinit {
    jobs.isOver.store(true, ordering: .releasing)
    jobs.signal.signal()
  }

  /// Lets the calling thread wait for the others of its process.
  private static func lowerPriority() {
    #if canImport(Glibc)
      let policy = sched_getscheduler(0)
      guard policy == SCHED_RR || policy == SCHED_FIFO else {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        return
      }
      var parameters = sched_param()
      guard sched_getparam(0, &parameters) == 0 else { return }
      parameters.sched_priority = max(parameters.sched_priority - 1, 1)
      sched_setscheduler(0, policy, &parameters)
    #else
      pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
    #endif
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.waiting.withLock {
      $0.append { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
    jobs.signal.signal()
  }
}
