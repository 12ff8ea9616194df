import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

/// Notes in folders that are entities themselves: a note names its folder by the number of its key.
private struct FolderSchema: NotesSchema {
  private func renaming(_ keys: [EntityKey: EntityKey], folder: Int) -> Int {
    keys[.temporary(folder)].map { Int($0.id.low) } ?? folder
  }

  func renaming(_ keys: [EntityKey: EntityKey], in payload: Note) -> Note {
    var note = payload
    note.folder = renaming(keys, folder: note.folder)
    return note
  }

  func renaming(_ keys: [EntityKey: EntityKey], in change: NoteChange) -> NoteChange {
    guard case .folder(let folder) = change else { return change }
    return .folder(renaming(keys, folder: folder))
  }
}

@Suite("Server's keys in pending changes")
struct RenamingTests {
  @Test("B48 A pending note in a pending folder follows the folder to its server's key")
  func references() throws {
    var store = try CacheStore(composition: .test(), schema: FolderSchema())
    let folder = NoteQuery.folder(1_001).key()
    store.addObserver(of: folder, at: .zero)
    if let fetch = store.read(folder, at: .zero).fetch {
      store.completeFetch(
        fetch, with: FetchResponse(entities: [], hasMore: false, place: nil), at: .zero)
    }
    try store.enqueue(
      NoteMutation(1, .create(.temporary(7), Note(folder: 0, title: "folder"))), at: .zero)
    try store.enqueue(
      NoteMutation(2, .create(.temporary(8), Note(folder: 7, title: "note"))), at: .zero)
    try store.enqueue(NoteMutation(3, .update(.temporary(8), .folder(7))), at: .zero)
    _ = store.takeActions()
    let made = VersionedEntity(
      key: .note(1_001), version: Version(clock: 1, device: 1),
      payload: Note(folder: 0, title: "folder"))
    store.completeSend(
      .mutation(1),
      with: MutationResponse(changed: [made], keys: [.temporary(7): .note(1_001)]), at: .zero)
    #expect(store.rows(of: folder)?.map { $0?.payload.title } == ["note"])
    #expect(store.takeActions().contains(.notify(folder, observedAs: -1)))
    let folders = store.outbox.flatMap(\.edits).map { edit in
      switch edit {
      case .create(_, let note): note.folder
      case .update(_, .folder(let folder)): folder
      default: -1
      }
    }
    #expect(folders == [1_001, 1_001], "what is sent names the server's key")
  }
}
