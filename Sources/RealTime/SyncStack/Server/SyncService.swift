import FoundationEssentials
import NIOCore
import NIOPosix

/// A sync server that listens on a socket.
package struct SyncService: Sendable {
  /// Where it listens; with the port that the system chose.
  package let endpoint: SyncEndpoint
  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel
  private let shell: NIOLoopBound<ServerShell>

  /// How often subscribers are told how far the stream has come.
  package static let heartbeatMilliseconds: Int64 = 100

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - endpoint: where; a Unix socket's path must be free.
  ///   - server: what it decides.
  ///   - limits: what it puts up with.
  ///   - note: told, in one line, why a connection was ended.
  /// - Returns: the service, which listens already.
  /// - Throws: `IOError`.
  package static func start(
    at endpoint: SyncEndpoint, server: SyncServer, limits: WireLimits = WireLimits(),
    note: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> SyncService {
    // One loop, so that all connections and the state behind them are one thread's.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    do {
      let shell = try await loop.submit {
        NIOLoopBound(
          ServerShell(server: server, limits: limits, note: note), eventLoop: loop)
      }.get()
      let bootstrap = ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1_024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers([
              LineFramer(limits: limits), ServerConnection(shell: shell.value),
            ])
            if case .tcp = endpoint {
              try channel.syncOptions?.setOption(.socketOption(.tcp_nodelay), value: 1)
            }
          }
        }
      let channel = try await bind(bootstrap, to: endpoint)
      let interval = TimeAmount.milliseconds(heartbeatMilliseconds)
      loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
        shell.value.beat()
      }
      return SyncService(
        endpoint: resolved(endpoint, channel), group: group, channel: channel, shell: shell)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  private static func bind(
    _ bootstrap: ServerBootstrap, to endpoint: SyncEndpoint
  ) async throws -> any Channel {
    switch endpoint {
    case .unix(let path): try await bootstrap.bind(unixDomainSocketPath: path).get()
    case .tcp(let host, let port): try await bootstrap.bind(host: host, port: port).get()
    }
  }

  private static func resolved(_ endpoint: SyncEndpoint, _ channel: any Channel) -> SyncEndpoint {
    guard case .tcp(let host, _) = endpoint, let port = channel.localAddress?.port else {
      return endpoint
    }
    return .tcp(host: host, port: port)
  }

  /// Closes every connection and the socket; removes a Unix socket's file.
  package func stop() async {
    try? await channel.close()
    try? await group.shutdownGracefully()
    if case .unix(let path) = endpoint { try? FileManager.default.removeItem(atPath: path) }
  }
}
