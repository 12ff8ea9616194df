import Foundation
import Logging
import ResponseCache

/// Puts a `ResponseCache` between the client and the server of a suite of tests for HTTP caches, on this machine only.
///
/// It fetches what is asked for by GET, and sends all else past the cache. Redirects go back to the client, which is to
/// see each answer. `Tests/HTTPCacheSuite/run` starts it.
@main
enum HTTPCacheProxy {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let origin = arguments.first, let folder = arguments.last,
      let url = URL(string: origin), let host = url.host, let port = url.port
    else {
      print("usage: http-cache-proxy ORIGIN FOLDER, such as http://127.0.0.1:8000 cache")
      exit(5)
    }
    var options = ResponseOptions()
    // No test is about what leaves.
    options.maximumEntries = 10_000
    options.memoryEntries = 10_000
    // So that only the server's word keeps a stale body from being served.
    options.servesStaleAfter = Set(ResponseOptions.Fault.allCases)
    let cache = try ResponseCache(
      folder: URL(fileURLWithPath: folder), transport: OriginTransport(host: host, port: port),
      options: options, logger: Logger(label: "proxy") { _ in SwiftLogNoOpLogHandler() })
    let server = try await ProxyServer { call in
      await answer(to: call, origin: origin, cache)
    }
    print("http://127.0.0.1:\(server.port)")
    fflush(nil)
    try await server.run()
  }

  private static func answer(
    to call: ProxyCall, origin: String, _ cache: ResponseCache
  ) async -> HTTPAnswer {
    guard let url = URL(string: origin + call.path) else { return failure(400, "no URL") }
    do throws(ResponseError) {
      if call.method == "GET" {
        do throws(ResponseError) {
          let response = try await cache.fetchOnce(url, fields: call.fields)
          return HTTPAnswer(
            status: response.status, fields: response.fields, body: response.body)
        } catch {
          guard case .invalidField = error.cause else { throw error }
        }
      }
      return try await cache.send(
        HTTPCall(
          url, method: call.method, fields: call.fields,
          body: call.body.isEmpty ? nil : call.body))
    } catch {
      return error.answer ?? failure(error.cause == .timedOut ? 504 : 502, "\(error)")
    }
  }

  private static func failure(_ status: Int, _ words: String) -> HTTPAnswer {
    HTTPAnswer(
      status: status, fields: [HTTPField("Content-Type", "text/plain")], body: Data(words.utf8))
  }
}

/// A request as it came.
struct ProxyCall: Sendable {
  var method: String
  var path: String
  var fields: [HTTPField]
  var body: Data
}
