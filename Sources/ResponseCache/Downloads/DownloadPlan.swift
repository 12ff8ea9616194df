import Foundation

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
