package import CacheModel
package import NormalizedCache

/// What a user may change in a note.
package enum NoteChange: Hashable, Sendable {
  case title(String)
  case folder(Int)
  case star(Bool)

  package func applied(to note: Note) -> Note {
    var note = note
    switch self {
    case .title(let title): note.title = title
    case .folder(let folder): note.folder = folder
    case .star(let isStarred): note.isStarred = isStarred
    }
    return note
  }
}

package typealias NoteMutation = ClientMutation<Note, NoteChange>

extension MutationToken {
  /// The mutation of a number.
  package static func mutation(_ number: Int) -> MutationToken {
    MutationToken(rawValue: UniqueID(high: 2, low: UInt64(number)))
  }
}
