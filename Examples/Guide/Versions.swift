import NormalizedCache

/// The version of what a server dates in milliseconds.
func version(updatedAt milliseconds: UInt64) -> Version {
  Version(milliseconds: milliseconds, counter: 0, device: 0)
}

/// Numbers the states of entities in the order of answers.
struct TagVersions {
  private var known: [EntityKey: (tag: String, number: UInt64)] = [:]

  mutating func version(of key: EntityKey, tag: String) -> Version {
    var state = known[key] ?? (tag, 1)
    if state.tag != tag { state = (tag, state.number + 1) }
    known[key] = state
    return Version(clock: state.number, device: 0)
  }
}

/// The connection is back; missed events are unknown.
func connectionIsBack(_ cache: NormalizedCache<NoteSchema>, in library: LibraryID) async {
  await cache.invalidate(InvalidationTag(library: library))
}
