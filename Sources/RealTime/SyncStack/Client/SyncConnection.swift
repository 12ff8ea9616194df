import CacheModel
import FoundationEssentials
import NIOCore
import NIOPosix

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
