import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import ResponseCache

/// Carries requests to one server, each over a connection of its own, and answers back as they come: line by line, and
/// with whatever coding they name.
struct OriginTransport: HTTPTransport {
  let host: String
  let port: Int

  func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer {
    do {
      return try await exchange(call)
    } catch {
      throw .failed("\(error)")
    }
  }

  private func exchange(_ call: HTTPCall) async throws -> HTTPAnswer {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: HTTPAnswer.self)
    var headers = HTTPHeaders([("Host", "\(host):\(port)"), ("Connection", "close")])
    for field in call.fields { headers.add(name: field.name, value: field.value) }
    if let body = call.body { headers.replaceOrAdd(name: "Content-Length", value: "\(body.count)") }
    let path = call.url.path(percentEncoded: true)
    let query = call.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    let head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: call.method),
      uri: (path.isEmpty ? "/" : path) + query, headers: headers)
    do {
      let channel = try await ClientBootstrap(group: loop)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHTTPClientHandlers(enableOutboundHeaderValidation: false)
            try pipeline.addHandler(Gathering(answer))
          }
        }
        .connect(host: host, port: port).get()
      channel.write(HTTPClientRequestPart.head(head), promise: nil)
      if let body = call.body {
        channel.write(
          HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
      }
      channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    } catch {
      answer.fail(error)
    }
    return try await answer.futureResult.get()
  }
}

/// Gathers one answer, and ignores data after it.
private final class Gathering: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private struct EndedEarly: Error {}

  private let answer: EventLoopPromise<HTTPAnswer>
  private var gathered = HTTPAnswer(status: 0, fields: [], body: Data())
  private var isDone = false

  init(_ answer: EventLoopPromise<HTTPAnswer>) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    // An interim answer does not count.
    case .head(let head) where head.status.code < 200: break
    case .head(let head):
      gathered.status = Int(head.status.code)
      gathered.fields = head.headers.map { HTTPField($0.name, $0.value) }
    case .body(let part): gathered.body.append(contentsOf: part.readableBytesView)
    case .end:
      isDone = gathered.status != 0
      if isDone { answer.succeed(gathered) }
      if isDone { context.close(promise: nil) }
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if !isDone { answer.fail(EndedEarly()) }
    isDone = true
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if !isDone { answer.fail(error) }
    isDone = true
    context.close(promise: nil)
  }
}
