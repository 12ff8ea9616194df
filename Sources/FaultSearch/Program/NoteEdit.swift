package import CacheModel
import NormalizedCache

/// An edit that a user makes: a plain value.
package enum NoteEdit: Hashable, Sendable {
  case create(EntityKey, Note)
  case change(EntityKey, NoteChange)
  case delete(EntityKey)

  var key: EntityKey {
    switch self {
    case .create(let key, _), .change(let key, _), .delete(let key): key
    }
  }

  init(_ edit: NoteMutation.Edit) {
    switch edit {
    case .create(let key, let note): self = .create(key, note)
    case .update(let key, let change): self = .change(key, change)
    case .delete(let key): self = .delete(key)
    }
  }

  var edit: NoteMutation.Edit {
    switch self {
    case .create(let key, let note): .create(key, note)
    case .change(let key, let change): .update(key, change)
    case .delete(let key): .delete(key)
    }
  }
}
