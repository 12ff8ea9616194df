import NormalizedCache

/// The client of a screen of open notes: nothing is fetched before the user has chosen a library.
@MainActor
func openNotes(
  in library: LibraryID, of cache: NormalizedCache<NoteSchema>, isChosen: Bool
) throws -> CachedQueryClient<NoteSchema, Note> {
  try CachedQueryClient(
    Notes(isDone: false), in: library, of: cache, isEnabled: isChosen,
    placeholder: [Note(title: "…", isDone: false)])
}
