import CacheTestSupport
import Foundation
import ResponseCache
import Synchronization

/// Fetches numbered bodies into a response cache at full speed, from a number on, each with a tag.
///
/// It says `taken N` before it fetches the body of a number, and `written N` when that is kept. Between them it
/// fetches bodies without a tag, sweeps, and downloads and removes an issue.
enum ResponseStory {
  static func tell(_ arguments: [String]) async throws {
    guard arguments.count == 3, let first = UInt64(arguments[1]),
      let layout = ResponseOptions.MetadataLayout(rawValue: arguments[2])
    else {
      print("usage: storage-crash-child response FOLDER FIRST manifest|sidecars")
      exit(2)
    }
    var options = ResponseOptions()
    options.metadataLayout = layout
    options.maximumEntries = 2
    options.flushInterval = .milliseconds(5)
    options.sweepInterval = .milliseconds(20)
    let transport = StoryTransport()
    let cache = try ResponseCache(
      folder: URL(fileURLWithPath: arguments[0]).appendingPathComponent("cache"),
      transport: transport, options: options)
    let manager = DownloadManager(cache: cache, links: NoLinks())
    var number = first
    while true {
      Story.say("taken \(number)")
      transport.present(number)
      guard let url = NumberedValue.url(of: number),
        let loose = NumberedValue.looseURL(of: number)
      else { return }
      try await cache.fetch(url, tag: "kept")
      Story.say("written \(number)")
      try await cache.fetch(loose)
      if number.isMultiple(of: 5) { try await manager.download("issue", from: loose) }
      if number.isMultiple(of: 10) { try await manager.remove("issue") }
      if number.isMultiple(of: 8) { await cache.sweep() }
      number += 1
    }
  }

  /// Answers with the number at hand, so that every fetch replaces a body that is kept.
  private final class StoryTransport: HTTPTransport {
    private let number = Mutex<UInt64>(0)

    func present(_ number: UInt64) { self.number.withLock { $0 = number } }

    func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer {
      let number = number.withLock { $0 }
      let isKept = call.url == NumberedValue.url(of: number)
      return HTTPAnswer(
        status: 200,
        fields: [
          HTTPField("Cache-Control", "max-age=0"), HTTPField("ETag", "\"\(number)\""),
        ], body: isKept ? NumberedValue.data(number) : Data("loose".utf8))
    }
  }

  private struct NoLinks: DownloadLinks {
    func links(in body: Data, at url: URL) throws -> [DownloadLink] { [] }
  }
}
