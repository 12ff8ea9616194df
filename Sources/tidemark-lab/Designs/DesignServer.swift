import Foundation
import LocalHTTPServer
import ResponseCache
import Synchronization

/// A server on this machine that answers after the latency of a link, and with errors when it is told to.
final class DesignServer: Sendable {
  private let server: LocalHTTPServer
  private let resources: ServedResources
  private let transport = URLSessionTransport()

  init(latency: Duration) async throws {
    let resources = ServedResources()
    self.resources = resources
    server = try await LocalHTTPServer { request in
      var answer = resources.answer(to: request)
      answer.delay = latency
      return answer
    }
  }

  func close() async throws { try await server.close() }

  func url(_ path: String) throws -> URL { try DesignPlan.url(server.address, path) }

  /// Offers a body at a path.
  func serve(_ body: Data, at path: String, maximumAge: Int = 3_600, etag: String? = nil) {
    resources[path] = ServedResources.Resource(body, maximumAge: maximumAge, etag: etag)
  }

  /// Has every request fail with a status, or none.
  func fail(with status: Int?) {
    guard let status else { return resources.answer(nil) }
    resources.answer { _ in LocalHTTPServer.Answer(status: status) }
  }

  func body(at path: String) async throws -> Data {
    try await transport.send(HTTPCall(try url(path))).body
  }
}
