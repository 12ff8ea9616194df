import NormalizedCache

/// Shows a change at once, and waits for the server.
func finish(
  _ note: EntityKey, token: MutationToken, in library: LibraryID,
  _ cache: NormalizedCache<NoteSchema>
) async {
  let change = ClientMutation<Note, NoteChange>(
    token: token, library: library, edits: [.update(note, .finish)])
  do {
    try await cache.mutate(change)
  } catch let rejection as MutationRejected {
    print("taken back: \(rejection.reason)")
  } catch {
    print("no answer: it may be sent again under the same token")
  }
}

/// Shows a new note at once, and sends it when there is a connection.
func add(
  _ title: String, id: UniqueID, token: MutationToken, in library: LibraryID,
  _ cache: NormalizedCache<NoteSchema>
) async throws {
  await cache.onRejection { tokens, rejection in
    print("taken back: \(tokens.count) changes, \(rejection.reason)")
  }
  let key = EntityKey(type: Note.resourceType, id: id)
  try await cache.enqueue(
    ClientMutation(
      token: token, library: library, edits: [.create(key, Note(title: title, isDone: false))]))
}

/// Called when the app's reachability changes.
func connectionChanged(isOnline: Bool, _ cache: NormalizedCache<NoteSchema>) async {
  await cache.setOnline(isOnline)
}
