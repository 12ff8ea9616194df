extension Peer {
  static let ours = Peer(
    name: "ours",
    summary:
      "NormalizedCache, the room under test: an actor, observers called on the committing path.",
    limits: "None: what the others lack is measured against it."
  ) { library, _ in try await CacheDesign(library: library) }
}
