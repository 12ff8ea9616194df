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

/// One connection to a sync server: received lines in an inbox, and sent messages.
struct SyncConnection: Sendable {
  typealias Inbox = AsyncThrowingStream<ReceivedLine, any Error>

  /// The received lines, for the one task that decodes them; ends with a ``SyncProtocolError``.
  let inbox: Inbox
  private let lines: Inbox.Continuation
  let channel: any Channel

  /// Connects, without sending anything.
  ///
  /// - Throws: `IOError` or another error of the socket.
  static func open(
    to endpoint: SyncEndpoint, on loop: any EventLoop, limits: WireLimits
  ) async throws -> SyncConnection {
    let bootstrap = ClientBootstrap(group: loop).connectTimeout(.seconds(2))
    let initialize: @Sendable (any Channel) -> EventLoopFuture<SyncConnection> = { channel in
      channel.eventLoop.makeCompletedFuture {
        let (inbox, lines) = Inbox.makeStream()
        try channel.pipeline.syncOperations.addHandlers([
          LineFramer(limits: limits),
          IdleStateHandler(readTimeout: .nanoseconds(Int64(limits.silenceSeconds * 1e9))),
          InboxHandler(limits: limits, lines: lines),
        ])
        if case .tcp = endpoint {
          try channel.syncOptions?.setOption(.socketOption(.tcp_nodelay), value: 1)
        }
        return SyncConnection(inbox: inbox, lines: lines, channel: channel)
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

  /// Sends bytes unchanged.
  func write(_ bytes: ByteBuffer) { channel.writeAndFlush(bytes, promise: nil) }

  /// Ends the inbox in order, after the lines received so far.
  func endInbox() { lines.finish() }

  /// Sends a goodbye and closes.
  func close() async {
    if let line = try? SyncEncoder().line(of: .bye) {
      try? await channel.writeAndFlush(ByteBuffer(bytes: line))
    }
    try? await channel.close()
  }

  /// Closes without a message, as when a process dies.
  func cut() { channel.close(promise: nil) }
}

/// Adds lines to an inbox.
final class InboxHandler: ChannelInboundHandler {
  /// A line without its terminator.
  typealias InboundIn = ByteBuffer

  private let limits: WireLimits
  private let lines: SyncConnection.Inbox.Continuation
  private let clock = MonotonicClock()

  init(limits: WireLimits, lines: SyncConnection.Inbox.Continuation) {
    self.limits = limits
    self.lines = lines
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let received = clock.now
    let line = Data(unwrapInboundIn(data).readableBytesView)
    lines.yield(ReceivedLine(bytes: line, received: received))
  }

  func channelInactive(context: ChannelHandlerContext) {
    lines.finish(throwing: SyncProtocolError.closed)
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case IdleStateHandler.IdleStateEvent.read = event {
      errorCaught(
        context: context, error: SyncProtocolError.silent(seconds: limits.silenceSeconds))
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    lines.finish(throwing: error as? SyncProtocolError ?? .closed)
    context.close(promise: nil)
  }
}

/// A received line before decoding, with its time.
struct ReceivedLine: Sendable {
  var bytes: Data
  var received: Instant
}

/// A thread of lower priority, for work that takes milliseconds.
///
/// The shared thread pool has as many threads as processors. Two batches of a thousand files, decoded there,
/// would delay every reader; here they delay none.
final class BackgroundThread: TaskExecutor {
  /// The thread's state, separate so that it does not retain the executor.
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

  /// Lowers the priority of the calling thread within the process.
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
