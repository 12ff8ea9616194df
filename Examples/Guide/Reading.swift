import NormalizedCache

/// Three ways to read the open notes.
func read(_ cache: NormalizedCache<NoteSchema>, in library: LibraryID) async throws {
  // Once: from the cache if it is fresh, otherwise from the server.
  let notes = try await cache.query(Notes(isDone: false), in: library)
  print(notes.map(\.title))

  // On every change, on the committing path: return within microseconds. It ends with its token.
  let open = try Notes(isDone: false).key(in: library)
  let token = ObservationToken(
    await cache.observe(open) { cache, key in
      print("\(cache.rows(of: key).count) open notes")
    })
  await token.cancel()

  // On every change, outside the cache: a slow reader delays nothing and gets the latest state.
  for await snapshot in await cache.updates(of: open) {
    print(snapshot.rows.map(\.payload.title), snapshot.isFresh ? "" : "(stale)")
  }
}
