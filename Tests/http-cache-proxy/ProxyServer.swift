import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import ResponseCache

/// Of the connection, not of the message.
let connectionFields: Set = [
  "connection", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
  "upgrade",
]

/// An HTTP server on this machine whose answers come from a function.
final class ProxyServer: Sendable {
  private let channel: any Channel

  /// Starts to listen on a free port.
  init(_ handler: @escaping @Sendable (ProxyCall) async -> HTTPAnswer) async throws {
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 256)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.configureHTTPServerPipeline(withOutboundHeaderValidation: false)
          try pipeline.addHandler(Answering(handler))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var port: Int { channel.localAddress?.port ?? 0 }

  /// Returns when it has ended.
  func run() async throws { try await channel.closeFuture.get() }
}

private final class Answering: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let handler: @Sendable (ProxyCall) async -> HTTPAnswer
  private var head: HTTPRequestHead?
  private var body = Data()

  init(_ handler: @escaping @Sendable (ProxyCall) async -> HTTPAnswer) { self.handler = handler }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): (self.head, body) = (head, Data())
    case .body(let part): body.append(contentsOf: part.readableBytesView)
    case .end:
      guard let head else { return }
      let call = ProxyCall(
        // NIO leaves the hyphen out.
        method: head.method == .MSEARCH ? "M-SEARCH" : head.method.rawValue, path: head.uri,
        fields: head.headers.map { HTTPField($0.name, $0.value) }
          .filter { !connectionFields.contains($0.name.lowercased()) },
        body: body)
      let (handler, loop) = (handler, context.eventLoop)
      let bound = NIOLoopBound((self, context), eventLoop: loop)
      Task {
        let answer = await handler(call)
        loop.execute {
          let (answering, context) = bound.value
          answering.send(answer, isHead: call.method == "HEAD", context)
        }
      }
    }
  }

  private func send(_ answer: HTTPAnswer, isHead: Bool, _ context: ChannelHandlerContext) {
    var fields = HTTPHeaders()
    for field in answer.fields where !connectionFields.contains(field.name.lowercased()) {
      fields.add(name: field.name, value: field.value)
    }
    let hasBody = answer.status != 304 && answer.status != 204
    if hasBody && !isHead {
      fields.replaceOrAdd(name: "Content-Length", value: "\(answer.body.count)")
    }
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: fields)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if hasBody && !isHead {
      let body = context.channel.allocator.buffer(bytes: answer.body)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
