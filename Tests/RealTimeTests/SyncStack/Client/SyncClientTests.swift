import CacheModel
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import RealTime

@Suite("A client and servers that misbehave", .timeLimit(.minutes(30)))
struct SyncClientTests {
  private struct Deaf: SyncClient.Listener {
    func welcomed(at place: EventPlace) async {}
    func heartbeat(_ place: EventPlace) async {}
    func received(_ event: ArrivedEvent) async {}
  }

  /// A server that says the same to every connection, and no more.
  private func withServer(
    saying text: String, thenCloses: Bool = false, _ body: (SyncEndpoint) async throws -> Void
  ) async throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidemark-c\(UUID().uuidString.prefix(8))").path
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Speaker(text: text, thenCloses: thenCloses))
        }
      }
      .bind(unixDomainSocketPath: path).get()
    try await body(.unix(path: path))
    try await channel.close()
    try? FileManager.default.removeItem(atPath: path)
  }

  private func error(
    of endpoint: SyncEndpoint, _ change: (inout WireLimits) -> Void = { _ in }
  ) async -> SyncProtocolError? {
    var limits = WireLimits()
    change(&limits)
    let client = SyncClient(
      endpoint: endpoint, name: "test", limits: limits)
    do {
      try await client.run(Deaf())
      return nil
    } catch {
      return error as? SyncProtocolError
    }
  }

  @Test("A server that is not there, goes, or falls silent is an error that says which")
  func nobody() async throws {
    let nowhere = SyncEndpoint.unix(path: "/nowhere/s")
    #expect(await error(of: nowhere) == .unreachable("unix:/nowhere/s"))
    try await withServer(saying: "", thenCloses: true) { endpoint in
      #expect(await error(of: endpoint) == .closed)
    }
    try await withServer(saying: "") { endpoint in
      #expect(await error(of: endpoint) { $0.silenceSeconds = 0.05 } == .silent(seconds: 0.05))
    }
  }

  @Test("Servers with nonsense, too much data or another version give distinct errors")
  func nonsense() async throws {
    try await withServer(saying: "{\"kind\":\"gossip\"}\n") { endpoint in
      #expect(await error(of: endpoint) == .unknownKind("gossip"))
    }
    try await withServer(saying: String(repeating: "x", count: 5_000)) { endpoint in
      #expect(
        await error(of: endpoint) { $0.lineBytes = 1_000 } == .lineTooLong(limit: 1_000))
    }
    try await withServer(
      saying: "{\"kind\":\"hello\",\"version\":1,\"role\":\"device\",\"name\":\"\"}\n"
    ) {
      #expect(await error(of: $0) == .unexpected("a hello from a server"))
    }
    try await withServer(saying: "{\"kind\":\"failure\",\"reason\":\"no\"}\n") { endpoint in
      #expect(await error(of: endpoint) == .refused("no"))
    }
    let library = UUID().uuidString
    try await withServer(
      saying:
        "{\"kind\":\"welcome\",\"version\":2,\"library\":\"\(library)\",\"epoch\":1,\"sequence\":0}\n"
    ) { endpoint in
      #expect(await error(of: endpoint) == .version(theirs: 2, ours: 1))
    }
  }
}

/// Says one thing to each connection.
private final class Speaker: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let text: String
  private let thenCloses: Bool

  init(text: String, thenCloses: Bool) {
    self.text = text
    self.thenCloses = thenCloses
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    if thenCloses { context.close(promise: nil) }
  }
}
