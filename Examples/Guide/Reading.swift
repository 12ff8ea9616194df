import NormalizedCache

/// Three ways to read the open notes.
func read(_ cache: NormalizedCache<NoteSchema>, in library: LibraryID) async throws {
  let open = QueryKey.notes(.open, in: library)

  // Once: from the cache where it is fresh, else from the server.
  let rows = try await cache.query(open)
  print(rows.map(\.payload.title))

  // On every change, on the committing path: return within microseconds.
  let observation = await cache.observe(open) { cache, key in
    print("\(cache.rows(of: key).count) open notes")
  }
  await observation.cancel()

  // On every change, beside the cache: a slow reader delays nothing and gets the latest state.
  for await snapshot in await cache.updates(of: open) {
    print(snapshot.rows.map(\.payload.title), snapshot.isFresh ? "" : "(stale)")
  }
}
