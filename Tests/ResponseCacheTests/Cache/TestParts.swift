import CacheFiles
import CacheTestSupport
import Foundation
import LocalHTTPServer
import Logging
import ResponseCache

/// A server with resources, and a folder to cache them in.
struct Bench: Sendable {
  let base: CacheFolder
  let clock = TestClock()
  let lines = TestLog.Lines()
  let served = ServedResources()
  let server: LocalHTTPServer
  var options = ResponseOptions()
  var timeOut = Duration.seconds(600)
  var folder: FileFolder

  init() async throws {
    base = try CacheFolder()
    folder = FileFolder(path: base.url.appendingPathComponent("cache").path)
    let served = served
    server = try await LocalHTTPServer { served.answer(to: $0) }
    // Only the tests say when.
    options.sweepInterval = nil
  }

  func open(
    storesIf: @escaping @Sendable (URL, Int?) -> Bool = { _, _ in true }
  ) throws -> ResponseCache {
    let (clock, lines) = (clock, lines)
    return try ResponseCache(
      folder, transport: URLSessionTransport(timeOut: timeOut), options: options,
      logger: Logger(label: "test") { _ in TestLog(lines: lines) }, storesIf: storesIf,
      timeOfDay: { clock.now })
  }

  func url(_ path: String) throws -> URL {
    guard let url = URL(string: server.address + path) else { throw CocoaError(.fileNoSuchFile) }
    return url
  }

  func count(_ path: String) -> Int { server.requests.count { $0.path == path } }

  /// The files of bodies.
  var bodies: [String] {
    base.files.filter { path in
      !path.hasSuffix("lock") && !path.hasSuffix("manifest.json") && !path.hasSuffix(".meta")
        && !path.hasSuffix("downloads.json")
    }
  }
}

extension Data {
  init(_ text: String) { self.init(text.utf8) }
}

/// The cause of the error that something throws.
func cause(of work: () async throws -> Void) async -> ResponseError.Cause? {
  do {
    try await work()
    return nil
  } catch {
    return (error as? ResponseError)?.cause
  }
}
