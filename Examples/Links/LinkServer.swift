import GRDB
import StreamingRepository

/// A short link, as the server has it and as it is stored.
struct Link: Codable, RepositoryRow {
  var id: String
  var target: String
  var clicks = 0

  enum Columns {
    static let clicks = Column("clicks")
  }

  static func defineColumns(in table: TableDefinition) {
    table.column("target", .text).notNull()
    table.column("clicks", .integer).notNull()
  }
}

/// A page of the account's links.
struct Page: Codable, RepositoryRow {
  var id: String
  var title: String

  static func defineColumns(in table: TableDefinition) {
    table.column("title", .text).notNull()
  }
}

/// The shortener's server, in memory.
actor LinkServer {
  private var links = [
    Link(id: "docs", target: "https://example.com/documentation", clicks: 12),
    Link(id: "shop", target: "https://example.com/shop", clicks: 90),
  ]

  struct Taken: Error, CustomStringConvertible {
    var id: String
    var description: String { "409: \(id) is taken" }
  }

  func allLinks() -> [Link] { links }

  func allPages() -> [Page] { [Page(id: "home", title: "Ada's links")] }

  func create(_ link: Link) throws {
    guard !links.contains(where: { $0.id == link.id }) else { throw Taken(id: link.id) }
    links.append(link)
  }

  func delete(_ id: String) { links.removeAll { $0.id == id } }

  /// Changes at the server meanwhile.
  func click(_ id: String) {
    for index in links.indices where links[index].id == id { links[index].clicks += 1 }
  }
}

struct LinkSource: RepositorySource {
  let server: LinkServer

  func fetchAll(for account: String) async throws -> [Link] { await server.allLinks() }
}

struct PageSource: RepositorySource {
  let server: LinkServer

  func fetchAll(for account: String) async throws -> [Page] { await server.allPages() }
}
