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

/// What of a download is there, and what is next: the issue, then its articles, then all images.
struct DownloadPlan {
  private enum Stage {
    case issue, articles, images
  }

  private(set) var progress = DownloadProgress(completed: 0, total: 1, isTotalKnown: false)
  /// What is to be fetched next.
  private(set) var next: [URL]
  private var stage = Stage.issue
  private var known: Set<URL>
  private var articles: [URL] = []
  private var images: [URL] = []
  /// How many of this stage have not come.
  private var left = 0

  init(_ url: URL) {
    next = [url]
    known = [url]
  }

  /// Begins with what is next.
  mutating func begin() -> [URL] {
    left = next.count
    return next
  }

  /// Takes a body, and what it refers to.
  mutating func take(_ url: URL, _ body: Data, _ links: any DownloadLinks) throws {
    if stage != .images {
      for link in try links.links(in: body, at: url) where known.insert(link.url).inserted {
        switch link {
        case .image(let url): images.append(url)
        case .article(let url): articles.append(url)
        }
      }
    }
    guard known.count <= DownloadManager.maximumLinks else {
      throw DownloadManager.Refusal.tooManyLinks(limit: DownloadManager.maximumLinks)
    }
    left -= 1
    if left == 0 { endStage() }
    progress.completed += 1
    progress.total = known.count
    progress.isTotalKnown = stage == .images
  }

  /// Articles that articles refer to come after them, as if the issue did.
  private mutating func endStage() {
    (next, articles) = (articles, [])
    stage = .articles
    guard next.isEmpty else { return }
    (next, images) = (images, [])
    stage = .images
  }
}

/// What a ``DownloadManager`` has the cache note.
extension ResponseCache {
  var downloadRecords: [DownloadRecord] {
    get async {
      await opened()
      return store.downloadRecords
    }
  }

  func beginDownload(_ id: String, url: URL) async {
    await opened()
    store.beginDownload(TextKey(id), url: url.absoluteString, at: now)
    startWorking()
  }

  func finishDownload(_ id: String) async throws(ResponseError) {
    try await wait(for: store.finishDownload(TextKey(id), at: now))
  }

  func removeDownload(_ id: String) async throws(ResponseError) {
    await opened()
    try await wait(for: store.removeDownload(TextKey(id), at: now))
  }
}
