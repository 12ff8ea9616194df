import Foundation
import ResponseCache
import Synchronization

/// A server with prepared answers, which keeps its requests.
final class ScriptedTransport: HTTPTransport {
  typealias Script = @Sendable (HTTPCall) throws(HTTPTransportError) -> HTTPAnswer

  private let script: Mutex<Script>
  private let log = Mutex<[HTTPCall]>([])

  init(_ script: @escaping Script) { self.script = Mutex(script) }

  /// Its requests, in order.
  var calls: [HTTPCall] { log.withLock { $0 } }

  func answer(_ script: @escaping Script) { self.script.withLock { $0 = script } }

  func answer(_ status: Int, _ fields: [HTTPField] = [], _ body: String = "") {
    answer { _ in HTTPAnswer(status: status, fields: fields, body: Data(body)) }
  }

  func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer {
    log.withLock { $0.append(call) }
    return try script.withLock { $0 }(call)
  }
}

extension HTTPCall {
  /// The value of a field of the request.
  func value(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
