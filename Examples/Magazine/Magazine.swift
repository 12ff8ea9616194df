import Foundation
import ResponseCache

/// Downloads an issue of a magazine, keeps one of its articles by itself, removes the issue, and reads offline.
///
/// Usage: `Magazine [FOLDER]`. Its server is a function, so that it runs anywhere.
@main
struct Magazine {
  static func main() async throws {
    let folder =
      CommandLine.arguments.dropFirst().first.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("magazine")
    let issue = try url("issue.json")
    let article = try url("article-2.json")

    var options = ResponseOptions()
    options.maximumEntries = 2
    let cache = try ResponseCache(folder: folder, transport: Publisher(), options: options)
    let downloads = DownloadManager(cache: cache, links: MagazineLinks())

    try await downloads.download("issue 12", from: issue) { progress in
      let total = progress.isTotalKnown ? "\(progress.total)" : "\(progress.total) or more"
      print("\(progress.completed) of \(total)")
    }
    try await downloads.download("bookmark", from: article)
    try await downloads.remove("issue 12")
    await cache.sweep()

    await cache.setOnline(false)
    let body = try await cache.fetch(article)
    print("offline, from \(body.source): \(String(decoding: body.body, as: UTF8.self))")
    print("image: \(try await cache.file(for: try url("2.png")).lastPathComponent)")
    print("downloads: \(await downloads.downloads.map(\.id)), \(await cache.byteCount) bytes")
    try await cache.flush()
  }

  static func url(_ path: String) throws -> URL {
    guard let url = URL(string: "https://magazine.example/\(path)") else {
      throw CocoaError(.fileNoSuchFile)
    }
    return url
  }
}

/// What this magazine's issues and articles refer to: paths in lists.
struct MagazineLinks: DownloadLinks {
  struct Page: Codable {
    var articles: [String]?
    var images: [String]
  }

  func links(in body: Data, at url: URL) throws -> [DownloadLink] {
    let page = try JSONDecoder().decode(Page.self, from: body)
    return try (page.articles ?? []).map { .article(try Magazine.url($0)) }
      + page.images.map { .image(try Magazine.url($0)) }
  }
}

/// Instead of a server's answers.
struct Publisher: HTTPTransport {
  func send(_ call: HTTPCall) async throws(HTTPTransportError) -> HTTPAnswer {
    let name = call.url.lastPathComponent
    let body: String
    switch name {
    case "issue.json":
      body = #"{"articles":["article-1.json","article-2.json"],"images":["cover.png"]}"#
    case "article-1.json": body = #"{"images":["1.png"]}"#
    case "article-2.json": body = #"{"images":["2.png"]}"#
    default: body = "the picture \(name)"
    }
    return HTTPAnswer(
      status: 200,
      fields: [
        HTTPField("Cache-Control", "max-age=297"), HTTPField("ETag", "\"\(name)\""),
        HTTPField("Content-Type", name.hasSuffix("png") ? "image/png" : "application/json"),
      ], body: Data(body.utf8))
  }
}
