import CacheModel

/// The written form of a user's edits: `new/t1/0:a:-:0`, `title/3/b`, `folder/3/2`, `star/3/yes`,
/// `delete/t1`; `t1` is a key of the client's own.
enum EditText {
  static let form = "new/KEY/NOTE|title/KEY/TEXT|folder/KEY/NUMBER|star/KEY/yes|no|delete/KEY, …"

  static func text(_ edits: [NoteEdit]) -> String {
    edits.map(text).joined(separator: ",")
  }

  private static func text(_ edit: NoteEdit) -> String {
    switch edit {
    case .create(let key, let note): "new/\(text(key))/\(NoteText.text(note))"
    case .change(let key, .title(let title)): "title/\(text(key))/\(title)"
    case .change(let key, .folder(let folder)): "folder/\(text(key))/\(folder)"
    case .change(let key, .star(let isStarred)): "star/\(text(key))/\(isStarred ? "yes" : "no")"
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
    case "title": return .change(key, .title(String(parts[2])))
    case "folder": return Int(parts[2]).map { .change(key, .folder($0)) }
    case "star": return .change(key, .star(parts[2] == "yes"))
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
