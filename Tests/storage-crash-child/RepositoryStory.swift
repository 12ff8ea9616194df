import CacheTestSupport
import Foundation
import ResponseCache
import StreamingRepository
import Synchronization
import TwoTierCache

/// Refreshes a streaming repository at full speed with numbered answers, from a number on, for two accounts.
///
/// It says `taken N` before it asks for the answer of a number, and `written N` when the call has ended; some numbers
/// are logouts. Between them it shows changes that the server never answers.
enum RepositoryStory {
  static func tell(_ arguments: [String]) async throws {
    guard arguments.count == 2, let first = UInt64(arguments[1]) else {
      print("usage: storage-crash-child repository FILE FIRST")
      exit(2)
    }
    let source = NumberedSource()
    let repository = try await StreamingRepository.open(path: arguments[0], sources: [source])
    var number = first
    while true {
      try await repository.logIn(NumberedRow.account(of: number))
      Story.say("taken \(number)")
      if NumberedRow.isLogout(number) {
        try await repository.logOut()
      } else {
        await source.set(number)
        let pending = Task {
          try await repository.change(NumberedRow.self, showing: [.put(.pending)]) { _ in
            try await Task.sleep(for: .seconds(1))
          }
        }
        try await repository.refresh(NumberedRow.self)
        pending.cancel()
      }
      Story.say("written \(number)")
      number += 1
    }
  }
}

/// A server that has the rows of one number.
actor NumberedSource: RepositorySource {
  private var number: UInt64 = 0

  func set(_ number: UInt64) { self.number = number }

  func fetchAll(for account: String) async throws -> [NumberedRow] { NumberedRow.all(of: number) }
}

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

/// Sets numbered values in a two-tier cache at full speed, from a number on.
///
/// It says `taken N` before it sets the value of a number, and `written N` when all up to it are in files.
enum TwoTierStory {
  static func tell(_ arguments: [String]) async throws {
    guard arguments.count == 2, let first = UInt64(arguments[1]) else {
      print("usage: storage-crash-child two-tier FOLDER FIRST")
      exit(2)
    }
    var options = TwoTierOptions()
    options.memoryLimit = .entries(4)
    options.cleanUpWrites = 20
    let cache = try TwoTierCache<String, Data>(
      identifier: NumberedValue.identifier, folder: URL(fileURLWithPath: arguments[0]),
      options: options)
    var number = first
    while true {
      Story.say("taken \(number)")
      await cache.set(NumberedValue.data(number), for: NumberedValue.key(of: number))
      if number.isMultiple(of: 8) {
        await cache.flush()
        Story.say("written \(number)")
      }
      number += 1
    }
  }
}
