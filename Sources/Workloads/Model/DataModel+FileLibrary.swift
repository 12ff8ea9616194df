extension DataModel {
  /// Files in directories, with albums and tags: the model of every scenario that declares none.
  ///
  /// Types and shapes stand in the order of ``EntityKind`` and ``QueryKind``. How its history is drawn says
  /// `library:`, `devices:` and `sessions:` of a scenario, so counts and sizes have no part here.
  package static let fileLibrary = DataModel(
    types: [
      EntityType(name: "file", fields: [parent, name, modified, isMedia, labels]),
      EntityType(name: "directory", fields: [parent, name, modified]),
      EntityType(name: "album", fields: [name, modified]),
      EntityType(name: "tag", fields: [name, modified]),
      EntityType(name: "location", fields: [name, modified]),
    ],
    shapes: [
      QueryShape(
        "files.directory", [.file, .directory], [.isSubject(Member.parent)], byName, class: "file",
        subject: .directory),
      QueryShape("files.recents", [.file], [], byTime, class: "file"),
      QueryShape("files.media", [.file], [.flag(Member.isMedia, true)], byTime, class: "file"),
      QueryShape(
        "albums.files", [.file], [.includesSubject(Member.labels)], byName, class: "album-tag",
        subject: .album),
      QueryShape(
        "tags.files", [.file], [.includesSubject(Member.labels)], byName, class: "album-tag",
        subject: .tag),
      QueryShape("albums.list", [.album], [], byName, class: "album-tag"),
      QueryShape("tags.list", [.tag], [], byName, class: "album-tag"),
      QueryShape(
        "files.search", [.file], [.beginsWithTyped(Member.name)], byName, class: "search",
        cachedFrom: 3),
    ])

  private typealias Member = QueryShape.Member

  private static let byName = [QueryShape.Ordering(Member.name, isDescending: false)]
  private static let byTime = [QueryShape.Ordering(Member.modified, isDescending: true)]

  private static let parent = ModelField(
    name: "parent", content: .one(type: EntityKind.directory.place, .uniform, isOwner: true),
    storage: .parent)
  private static let name = ModelField(name: "name", content: .text, storage: .name)
  private static let modified = ModelField(
    name: "modified", content: .time(meanAge: .days(200)), storage: .modified)
  private static let isMedia = ModelField(
    name: "media", content: .flag(share: 0.3), storage: .isMedia)
  /// Albums and tags; an album's number and a tag's are told apart by the object.
  private static let labels = ModelField(
    name: "labels", content: .many(type: EntityKind.tag.place, .zipf(0.9), count: .mean(0.3)),
    storage: .labels)
}

extension QueryShape.Member {
  fileprivate static let parent = Self(name: "parent", storage: .parent)
  /// What rows of other orders are sorted by as well.
  package static let name = Self(name: "name", storage: .name)
  package static let modified = Self(name: "modified", storage: .modified)
  fileprivate static let isMedia = Self(name: "media", storage: .isMedia)
  fileprivate static let labels = Self(name: "labels", storage: .labels)
}

extension EntityType {
  fileprivate init(name: String, fields: [ModelField]) {
    self.init(name: name, count: 0, size: .fixed(1), fields: fields)
  }
}

extension QueryShape {
  fileprivate init(
    _ name: String, _ types: [EntityKind], _ conditions: [Condition], _ order: [Ordering],
    class reportClass: String, subject: EntityKind? = nil, cachedFrom: Int = 0
  ) {
    // The limits of the library of files are each query's own.
    self.init(
      name: name, types: types.map(\.place), conditions: conditions, order: order, rows: 0,
      reportClass: reportClass)
    subjectType = subject?.place
    self.cachedFrom = cachedFrom
  }
}

extension EntityKind {
  /// Its place in the model.
  fileprivate var place: Int { Int(rawValue) - 1 }
}
