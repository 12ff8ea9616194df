import CacheModel
import NormalizedCache

/// The written form of a query: `test/folder:1`, `other/starred:3`, `test/opaque`.
enum QueryName {
  static func text(_ key: QueryKey) -> String {
    let query =
      switch NoteQuery(key) {
      case .folder(let folder): "folder:\(folder)"
      case .starred(let limit): "starred:\(limit)"
      case .opaque: "opaque"
      case .live: "live"
      case .declared(let shape, let variant): "declared:\(shape):\(variant)"
      }
    return "\(LibraryName.text(key.library))/\(query)"
  }

  /// The query of a name, among those that a program may ask.
  static func query(_ text: String) -> QueryKey? {
    NoteWorld.queries.first { self.text($0) == text } ?? declared.first { self.text($0) == text }
  }

  private static let declared = NoteRules.queries(ofShapes: NoteShape.count)

  static let all = NoteWorld.queries.map { text($0) }
}

/// The written form of a library.
enum LibraryName {
  static func text(_ library: LibraryID) -> String { library == .other ? "other" : "test" }

  static func library(_ text: String) -> LibraryID? {
    [LibraryID.test, .other].first { self.text($0) == text }
  }
}

/// The written form of what a fetch asks for: a query's name, or `note:3`.
enum TargetName {
  static func text(_ target: FetchTarget) -> String {
    switch target {
    case .query(let key): QueryName.text(key)
    case .entity(let key): "note:\(key.id.low)"
    }
  }

  static func target(_ text: String) -> FetchTarget? {
    if let key = QueryName.query(text) { return .query(key) }
    guard text.hasPrefix("note:"), let number = Int(text.dropFirst(5)),
      NoteWorld.notes.contains(number)
    else { return nil }
    return .entity(.note(number))
  }
}

/// The written form of a note: folder, title, a star or none, and the length of its text: `1:b:*:2`.
enum NoteText {
  /// The longest text that a case may give a note.
  private static let textLimit = 1_000

  static func text(_ note: Note) -> String {
    "\(note.folder):\(note.title):\(note.isStarred ? "*" : "-"):\(note.text.utf8.count)"
  }

  static func note(_ text: Substring) -> Note? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 4, let folder = Int(parts[0]), let length = Int(parts[3]),
      (0...textLimit).contains(length), ["*", "-"].contains(parts[2]), parts[1].utf8.count <= 16
    else { return nil }
    return Note(
      folder: folder, title: String(parts[1]), isStarred: parts[2] == "*",
      text: String(repeating: "x", count: length))
  }

  static func text(_ writes: [NoteWrite]) -> String {
    writes.map { "\($0.number)=\(text($0.note))" }.joined(separator: ",")
  }

  static func writes(_ text: String) -> [NoteWrite]? {
    var writes: [NoteWrite] = []
    for item in text.split(separator: ",") {
      let parts = item.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let number = Int(parts[0]), NoteWorld.notes.contains(number),
        let note = note(parts[1])
      else { return nil }
      writes.append(NoteWrite(number: number, note: note))
    }
    return writes
  }
}
