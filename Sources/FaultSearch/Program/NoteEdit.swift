package import CacheModel
import NormalizedCache

/// An edit that a user makes: a plain value.
package enum NoteEdit: Hashable, Sendable {
  case create(EntityKey, Note)
  case change(EntityKey, NoteChange)
  case delete(EntityKey)

  var edit: NoteMutation.Edit {
    switch self {
    case .create(let key, let note): .create(key, note)
    case .change(let key, let change): .update(key, change)
    case .delete(let key): .delete(key)
    }
  }
}
