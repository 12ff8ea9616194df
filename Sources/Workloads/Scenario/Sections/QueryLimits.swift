/// The most rows that each kind of query returns.
package struct QueryLimits: Hashable, Sendable {
  package var directory = 1_000
  package var recents = 100
  package var media = 10_000
  package var album = 1_000
  package var tag = 1_000
  package var lists = 1_000
  package var search = 50

  package init() {}

  func limit(of kind: QueryKind) -> UInt32 {
    switch kind {
    case .directory: UInt32(directory)
    case .recents: UInt32(recents)
    case .media: UInt32(media)
    case .album: UInt32(album)
    case .tag: UInt32(tag)
    case .search: UInt32(search)
    default: UInt32(lists)
    }
  }
}

extension QueryLimits: ScenarioSection {
  static let fields: [Field<QueryLimits>] = [
    .count("directory", of: "rows", \.directory, 1...1_000_000, "of a directory"),
    .count("recents", of: "rows", \.recents, 1...1_000_000, "of the files last modified"),
    .count("media", of: "rows", \.media, 1...1_000_000, "of all images and films"),
    .count("album", of: "rows", \.album, 1...1_000_000, "of an album"),
    .count("tag", of: "rows", \.tag, 1...1_000_000, "of the files of a tag"),
    .count("lists", of: "rows", \.lists, 1...1_000_000, "of the lists of albums and tags"),
    .count("search", of: "rows", \.search, 1...1_000_000, "of a search"),
  ]
}
