import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A local HTTP server for tests, whose answers can be late, invalid, incomplete or missing.
package final class LocalHTTPServer: Sendable {
  package struct Request: Hashable, Sendable {
    package var method: String
    /// The path with the query.
    package var path: String
    package var ifNoneMatch: String?
  }

  package struct Answer: Sendable {
    package var status: Int
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]
    /// The delay of the first byte.
    package var delay: Duration = .zero
    /// The length in the header; `nil`: that of the body.
    package var declaredLength: String?
    /// The number of bytes of the body after which the connection ends; `nil`: it does not.
    package var cutAfter: Int?

    package init(
      status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
      self.status = status
      self.fields = fields
      self.body = body
    }
  }

  package typealias Handler = @Sendable (Request) -> Answer

  private let channel: any Channel
  private let log = RequestLog()

  /// Starts the server on a free port.
  ///
  /// - Parameter handler: answers requests; called on several threads concurrently.
  /// - Throws: an error if it cannot open the port.
  package init(_ handler: @escaping Handler) async throws {
    let log = log
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 256)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          // Errors of requests end the connection; answers may be invalid intentionally.
          try pipeline.configureHTTPServerPipeline(withOutboundHeaderValidation: false)
          try pipeline.addHandler(Answering(handler, log))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
  }

  /// Its present or former address, as `http://127.0.0.1:PORT`.
  package let address: String

  /// The requests so far, in order of arrival.
  package var requests: [Request] { log.requests.withLock { $0 } }

  /// Stops the server; later requests are refused.
  package func close() async throws { try await channel.close() }
}

private final class RequestLog: Sendable {
  let requests = Mutex<[LocalHTTPServer.Request]>([])
}

private final class Answering: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let handler: LocalHTTPServer.Handler
  private let log: RequestLog
  private var head: HTTPRequestHead?

  init(_ handler: @escaping LocalHTTPServer.Handler, _ log: RequestLog) {
    self.handler = handler
    self.log = log
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body: break
    case .end:
      guard let head else { return }
      let request = LocalHTTPServer.Request(
        method: head.method.rawValue, path: head.uri,
        ifNoneMatch: head.headers.first(name: "If-None-Match"))
      log.requests.withLock { $0.append(request) }
      let answer = handler(request)
      let delay = TimeAmount.nanoseconds(
        answer.delay.components.seconds * 1_000_000_000
          + answer.delay.components.attoseconds / 1_000_000_000)
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      context.eventLoop.scheduleTask(in: delay) {
        let (answering, context) = bound.value
        answering.send(answer, isHead: head.method == .HEAD, context)
      }
    }
  }

  private func send(
    _ answer: LocalHTTPServer.Answer, isHead: Bool, _ context: ChannelHandlerContext
  ) {
    var fields = HTTPHeaders(answer.fields.map { ($0.name, $0.value) })
    if answer.status != 304 {
      fields.add(name: "Content-Length", value: answer.declaredLength ?? "\(answer.body.count)")
    }
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: fields)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if answer.status != 304 && !isHead {
      let body = answer.cutAfter.map { answer.body.prefix($0) } ?? answer.body[...]
      context.write(
        wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: body)))),
        promise: nil)
    }
    let endsEarly = answer.cutAfter != nil || answer.declaredLength != nil
    guard endsEarly else {
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      return
    }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))).whenComplete { _ in
      bound.value.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
