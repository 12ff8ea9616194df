import CacheModel
public import Foundation

/// A link of an issue or an article.
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

/// Finds links in the app's formats.
public protocol DownloadLinks: Sendable {
  /// Returns the links of a body, in the order in which to fetch them.
  ///
  /// - Throws: any error if it is neither an issue nor an article; the download then fails.
  func links(in body: Data, at url: URL) throws -> [DownloadLink]
}

/// The progress of a download.
public struct DownloadProgress: Hashable, Sendable {
  public var completed: Int
  /// The number of bodies known so far.
  public var total: Int
  /// Whether the total is final: every article has been read.
  public var isTotalKnown: Bool
}

/// A download in a listing: one entry, however many bodies it has.
public struct Download: Hashable, Sendable {
  public var id: String
  public var url: String
  /// Whether it is complete.
  public var isDownloaded: Bool
}

/// Why a download failed; its tag has been removed.
public struct DownloadError: Error, Sendable, CustomStringConvertible {
  public var id: String
  public var progress: DownloadProgress
  public var cause: any Error

  public var description: String {
    "\(id): failed after \(progress.completed) of \(progress.total): \(cause)"
  }
}

/// Downloads issues: an issue with its articles and all their images, kept by one tag, which is its name.
public actor DownloadManager {
  private let cache: ResponseCache
  private let links: any DownloadLinks
  private let maximumRequests: Int
  private var running: Set<TextKey> = []
  private var cancelled: Set<TextKey> = []

  static let maximumLinks = 10_000

  /// Why a download ends other than by a failed fetch.
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
  ///   - cache: stores the bodies.
  ///   - links: finds links in bodies.
  ///   - maximumRequests: the maximum number of concurrent fetches.
  public init(cache: ResponseCache, links: any DownloadLinks, maximumRequests: Int = 4) {
    self.cache = cache
    self.links = links
    self.maximumRequests = max(maximumRequests, 1)
  }

  /// The complete and the current downloads, in the order in which they began.
  public var downloads: [Download] {
    get async {
      await cache.downloadRecords.map {
        Download(id: $0.id.text, url: $0.url, isDownloaded: $0.state == .downloaded)
      }
    }
  }

  /// Downloads an issue, or a single article: its body, linked articles, and all images.
  ///
  /// Stored bodies, under any tag, are fetched again only when stale.
  ///
  /// - Parameters:
  ///   - id: the tag: 1 to ``ResponseOptions/maximumTagBytes`` bytes, different from those of bookmarks.
  ///   - url: the URL of the issue.
  ///   - progress: called after each body.
  /// - Throws: an error about the first fetch that failed. The tag is then removed from all fetched bodies.
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
      // If even that cannot be written, the next launch does it: the download is unfinished.
      try? await cache.removeDownload(id)
      throw DownloadError(id: id, progress: plan.progress, cause: error)
    }
  }

  /// Resumes unfinished downloads from an earlier launch, one after the other.
  ///
  /// - Returns: those that failed.
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

  /// Removes a download, or stops it: bodies without other tags may then be removed.
  public func remove(_ id: String) async throws(ResponseError) {
    if running.contains(TextKey(id)) { cancelled.insert(TextKey(id)) }
    try await cache.removeDownload(id)
  }

  /// Fetches the current stage, several bodies at once; after the first error it waits for the others and
  /// ends.
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

/// The fetched and the next bodies of a download: the issue, then its articles, then all images.
struct DownloadPlan {
  private enum Stage {
    case issue, articles, images
  }

  private(set) var progress = DownloadProgress(completed: 0, total: 1, isTotalKnown: false)
  private(set) var next: [URL]
  private var stage = Stage.issue
  private var known: Set<URL>
  private var articles: [URL] = []
  private var images: [URL] = []
  /// The number of missing bodies of this stage.
  private var left = 0

  init(_ url: URL) {
    next = [url]
    known = [url]
  }

  mutating func begin() -> [URL] {
    left = next.count
    return next
  }

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

  /// Articles linked by articles come after them, as if the issue linked them.
  private mutating func endStage() {
    (next, articles) = (articles, [])
    stage = .articles
    guard next.isEmpty else { return }
    (next, images) = (images, [])
    stage = .images
  }
}

/// Records of the ``DownloadManager`` in the cache.
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
