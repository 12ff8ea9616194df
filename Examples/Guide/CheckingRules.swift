import NormalizedCache

/// For a test: the rows in which the server's answers contradict the schema.
func differences(
  between schema: NoteSchema, and server: any CacheSource<Note, NoteChange>, in library: LibraryID
) async throws -> [RuleMismatch] {
  let all = try Notes().key(in: library)
  let notes = try await server.fetch(FetchRequest(target: .query(all))).entities
  var found: [RuleMismatch] = []
  for isDone in [nil, true, false] {
    let key = try Notes(isDone: isDone).key(in: library)
    let answer = try await server.fetch(FetchRequest(target: .query(key)))
    found += schema.mismatches(in: answer, to: key, among: notes)
  }
  return found
}
