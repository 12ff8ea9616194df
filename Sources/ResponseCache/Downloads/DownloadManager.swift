import CacheModel
public import Foundation

/// What an issue or an article refers to.
public enum DownloadLink: Hashable, Sendable {
  /// Its body is read for more links.
  case article(URL)
  case image(URL)

  var url: URL {
    switch self {
    case .article(let url), .image(let url): url
    }
  }
}

/// Knows the app's formats.
public protocol DownloadLinks: Sendable {
  /// What a body refers to, in the order in which it is to be fetched.
  ///
  /// - Throws: any error where it is no issue and no article; the download fails then.
  func links(in body: Data, at url: URL) throws -> [DownloadLink]
}

/// How far a download has come.
public struct DownloadProgress: Hashable, Sendable {
  public var completed: Int
  /// Of all that is known of so far.
  public var total: Int
  /// Whether nothing will be added to the total: every article has been read.
  public var isTotalKnown: Bool
}

/// A download, as a listing shows it: one, however much it holds.
public struct Download: Hashable, Sendable {
  public var id: String
  public var url: String
  /// Whether all of it is there.
  public var isDownloaded: Bool
}

/// Why a download has failed; nothing is held by it any more.
public struct DownloadError: Error, Sendable, CustomStringConvertible {
  public var id: String
  public var progress: DownloadProgress
  public var cause: any Error

  public var description: String {
    "\(id): failed after \(progress.completed) of \(progress.total): \(cause)"
  }
}

/// Downloads issues: an issue with its articles and all their images, held by one tag, which is its name.
public actor DownloadManager {
  private let cache: ResponseCache
  private let links: any DownloadLinks
  private let maximumRequests: Int
  private var running: Set<TextKey> = []
  private var cancelled: Set<TextKey> = []

  static let maximumLinks = 10_000

  /// What stops a download besides a failed fetch.
  enum Refusal: Error, Hashable, CustomStringConvertible {
    case alreadyRunning, removed
    case tooManyLinks(limit: Int)

    var description: String {
      switch self {
      case .alreadyRunning: "it is being downloaded already"
      case .removed: "it has been removed"
      case .tooManyLinks(let limit): "it refers to more than \(limit) articles and images"
      }
    }
  }

  /// - Parameters:
  ///   - cache: what holds the bodies.
  ///   - links: finds what a body refers to.
  ///   - maximumRequests: how many are fetched at once.
  public init(cache: ResponseCache, links: any DownloadLinks, maximumRequests: Int = 4) {
    self.cache = cache
    self.links = links
    self.maximumRequests = max(maximumRequests, 1)
  }

  /// What is downloaded, and what is on its way, in the order in which it was begun.
  public var downloads: [Download] {
    get async {
      await cache.downloadRecords.map {
        Download(id: $0.id.text, url: $0.url, isDownloaded: $0.state == .downloaded)
      }
    }
  }

  /// Downloads an issue, or an article by itself: the body, the articles that it refers to, and all images.
  ///
  /// What is stored already, whoever holds it, is fetched again only when it is stale.
  ///
  /// - Parameters:
  ///   - id: its tag: 1 to ``ResponseOptions/maximumTagBytes`` bytes, another than those of bookmarks.
  ///   - url: of the issue.
  ///   - progress: told of each body that has come.
  /// - Throws: an error about the first fetch that failed. The tag is removed from all that was fetched then.
  public func download(
    _ id: String, from url: URL,
    progress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(DownloadError) {
    var plan = DownloadPlan(url)
    guard running.insert(TextKey(id)).inserted else {
      throw DownloadError(id: id, progress: plan.progress, cause: Refusal.alreadyRunning)
    }
    defer {
      running.remove(TextKey(id))
      cancelled.remove(TextKey(id))
    }
    await cache.beginDownload(id, url: url)
    do {
      while !plan.next.isEmpty { try await fetchNext(of: &plan, id, progress) }
      try await cache.finishDownload(id)
    } catch {
      // Where not even that can be written, the next start does it: the download is unfinished.
      try? await cache.removeDownload(id)
      throw DownloadError(id: id, progress: plan.progress, cause: error)
    }
  }

  /// Goes on with what a start has found unfinished, one after the other.
  ///
  /// - Returns: those that have failed.
  public func resume() async -> [DownloadError] {
    var failures: [DownloadError] = []
    for record in await cache.downloadRecords where record.state == .downloading {
      guard !running.contains(record.id), let url = URL(string: record.url) else { continue }
      do {
        try await download(record.id.text, from: url)
      } catch {
        failures.append(error)
      }
    }
    return failures
  }

  /// Removes a download, or stops it: what nothing else holds may go from then on.
  public func remove(_ id: String) async throws(ResponseError) {
    if running.contains(TextKey(id)) { cancelled.insert(TextKey(id)) }
    try await cache.removeDownload(id)
  }

  /// Fetches all that is next, several at once; the first error ends it, once all under way has ended.
  private func fetchNext(
    of plan: inout DownloadPlan, _ id: String, _ progress: @Sendable (DownloadProgress) -> Void
  ) async throws {
    let next = plan.begin()
    try await withThrowingTaskGroup(of: CachedResponse.self) { group in
      var rest = next.makeIterator()
      for _ in 0..<maximumRequests {
        guard let url = rest.next() else { break }
        group.addTask { try await self.fetch(url, id) }
      }
      while let response = try await group.next() {
        try plan.take(response.url, response.body, links)
        progress(plan.progress)
        if let url = rest.next() { group.addTask { try await self.fetch(url, id) } }
      }
    }
  }

  private func fetch(_ url: URL, _ id: String) async throws -> CachedResponse {
    guard !cancelled.contains(TextKey(id)) else { throw Refusal.removed }
    try Task.checkCancellation()
    return try await cache.fetch(url, tag: id)
  }
}
