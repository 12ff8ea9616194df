import Foundation
import ResponseCache
import Synchronization

/// A server in memory: answers with a body that may be stored, 304 to who has it, and counts.
final class CountingTransport: HTTPTransport {
  private let counts = Mutex((bodies: 0, unchanged: 0))
  private let bodyBytes: Int

  init(bodyBytes: Int) { self.bodyBytes = bodyBytes }

  /// Answers with a body, and answers without one, so far.
  var answers: (bodies: Int, unchanged: Int) { counts.withLock { $0 } }

  func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer {
    let path = call.url.path
    let fields = [
      HTTPField("Cache-Control", "max-age=297"), HTTPField("ETag", "\"\(path)\""),
      HTTPField("Content-Type", "application/json"),
    ]
    if call.fields.contains(where: { $0.name.lowercased() == "if-none-match" }) {
      counts.withLock { $0.unchanged += 1 }
      return HTTPAnswer(status: 304, fields: fields, body: Data())
    }
    counts.withLock { $0.bodies += 1 }
    let start = Data("\"\(path) ".utf8)
    let body =
      start + Data(repeating: UInt8(ascii: "."), count: max(0, bodyBytes - start.count - 1))
    return HTTPAnswer(status: 200, fields: fields, body: body + Data("\"".utf8))
  }
}
