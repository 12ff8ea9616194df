import CacheModel
import NormalizedCache
import Workloads

/// The text form of a user's edits: `new/t1/0:a:-:0`, `title/3/b`, `folder/3/2`, `star/3/yes`, `delete/t1`;
/// `t1` is a temporary key of the client.
enum EditText {
  static let form = "new/KEY/NOTE|title/KEY/TEXT|folder/KEY/NUMBER|star/KEY/yes|no|delete/KEY, …"

  static func text(_ edits: [NoteEdit]) -> String {
    edits.map(text).joined(separator: ",")
  }

  private static func text(_ edit: NoteEdit) -> String {
    switch edit {
    case .create(let key, let note): "new/\(text(key))/\(NoteText.text(note))"
    case .update(let key, .title(let title)): "title/\(text(key))/\(title)"
    case .update(let key, .folder(let folder)): "folder/\(text(key))/\(folder)"
    case .update(let key, .star(let isStarred)): "star/\(text(key))/\(isStarred ? "yes" : "no")"
    case .delete(let key): "delete/\(text(key))"
    }
  }

  private static func text(_ key: EntityKey) -> String {
    key.id.high == 0 ? "\(key.id.low)" : "t\(key.id.low)"
  }

  static func edits(_ text: String) -> [NoteEdit]? {
    var edits: [NoteEdit] = []
    for item in text.split(separator: ",") {
      guard let edit = edit(item.split(separator: "/")) else { return nil }
      edits.append(edit)
    }
    return edits
  }

  private static func edit(_ parts: [Substring]) -> NoteEdit? {
    guard parts.count >= 2, let key = key(parts[1]) else { return nil }
    if parts.count == 2 { return parts[0] == "delete" ? .delete(key) : nil }
    guard parts.count == 3, parts[2].utf8.count <= 64 else { return nil }
    switch parts[0] {
    case "new": return NoteText.note(parts[2]).map { .create(key, $0) }
    case "title": return .update(key, .title(String(parts[2])))
    case "folder": return Int(parts[2]).map { .update(key, .folder($0)) }
    case "star": return .update(key, .star(parts[2] == "yes"))
    default: return nil
    }
  }

  private static func key(_ text: Substring) -> EntityKey? {
    if text.hasPrefix("t") {
      return UInt64(text.dropFirst()).map {
        EntityKey(type: NoteSchema.noteType, id: UniqueID(high: 1, low: $0))
      }
    }
    return Int(text).flatMap { NoteWorld.notes.contains($0) ? .note($0) : nil }
  }
}

/// The text form of a query: `test/folder:1`, `other/starred:3`, `test/opaque`.
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

  /// Returns the query with a name, among the queries of a program.
  static func query(_ text: String) -> QueryKey? {
    NoteWorld.queries.first { self.text($0) == text } ?? declared.first { self.text($0) == text }
  }

  private static let declared = NoteRules.queries(ofShapes: NoteShape.count)

  static let all = NoteWorld.queries.map { text($0) }
}

enum LibraryName {
  static func text(_ library: LibraryID) -> String { library == .other ? "other" : "test" }

  static func library(_ text: String) -> LibraryID? {
    [LibraryID.test, .other].first { self.text($0) == text }
  }
}

/// The text form of a fetch target: a query's name, or `note:3`.
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

/// The text form of a note: folder, title, a star or none, and the length of its text: `1:b:*:2`.
enum NoteText {
  /// The maximum length of a note's text.
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

/// The text form of a declared shape, one per line: `shape types=both subject=labels star=yes length=<3
/// order=title,-length rows=4 paged=no`.
enum ShapeLine {
  static func line(_ shape: NoteShape) -> CaseLine {
    let order = shape.order.map { ($0.isDescending ? "-" : "") + $0.field.rawValue }
    let bound = shape.bound.map { "\($0.comparison.rawValue)\($0.length)" }
    var line = CaseLine(
      "shape", ("types", shape.types.rawValue), ("subject", shape.subject.rawValue),
      ("star", shape.star.map { $0 ? "yes" : "no" } ?? "-"), ("length", bound ?? "-"),
      ("order", order.joined(separator: ",")), ("rows", "\(shape.rows)"),
      ("paged", shape.isPaged ? "yes" : "no"))
    if shape.showsSummaries { line.append("shows", Level.summary.rawValue) }
    return line
  }

  /// The level of detail of a shape's rows; the default is the full note.
  private enum Level: String, CaseIterable {
    case summary, whole
  }

  /// Parses the lines of declared shapes, if there are any.
  static func shapes(_ lines: inout ArraySlice<CaseLine>) throws(CaseError) -> [NoteShape] {
    var shapes: [NoteShape] = []
    while var line = lines.first, line.verb == "shape" {
      guard shapes.count < NoteShape.count else {
        throw line.error("the case has more than \(NoteShape.count) shapes", "remove it")
      }
      lines.removeFirst()
      shapes.append(try shape(&line))
      try line.end()
    }
    return shapes
  }

  private static func shape(_ line: inout CaseLine) throws(CaseError) -> NoteShape {
    var shape = NoteShape(
      types: try line.choice("types", NoteShape.Types.self),
      subject: try line.choice("subject", NoteShape.Subject.self),
      star: try line.field("star", as: "yes|no|-") { text -> Bool?? in
        switch text {
        case "-": .some(nil)
        case "yes": true
        case "no": false
        default: nil
        }
      },
      bound: try line.field("length", as: "- or a comparison, as <3") { text in
        text == "-" ? NoteShape.Bound??.some(nil) : bound(text).map { .some($0) }
      },
      order: try line.field("order", as: "one or two fields, as title,-length") { orders($0) },
      rows: try line.number("rows", in: 1...100),
      isPaged: try line.field("paged", as: "yes|no") { ["yes": true, "no": false][$0] })
    shape.showsSummaries = try line.optionalChoice("shows", Level.self) == .summary
    return shape
  }

  private static func bound(_ text: String) -> NoteShape.Bound? {
    // The longest word first: "<" is a prefix of "<=".
    let comparisons = QueryShape.Comparison.allCases.sorted {
      $0.rawValue.count > $1.rawValue.count
    }
    guard let comparison = comparisons.first(where: { text.hasPrefix($0.rawValue) }),
      let length = Int(text.dropFirst(comparison.rawValue.count)), (0...10).contains(length)
    else { return nil }
    return NoteShape.Bound(comparison: comparison, length: length)
  }

  private static func orders(_ text: String) -> [NoteShape.Order]? {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let orders = words.compactMap { word -> NoteShape.Order? in
      let isDescending = word.hasPrefix("-")
      return NoteShape.Field(rawValue: String(word.dropFirst(isDescending ? 1 : 0))).map {
        NoteShape.Order(field: $0, isDescending: isDescending)
      }
    }
    return (1...2).contains(words.count) && orders.count == words.count ? orders : nil
  }
}
