/// A design that can be chosen by name.
package struct Peer: Sendable {
  /// Flat, lower-case, hyphenated.
  package let name: String
  /// What it is, in one sentence.
  package let summary: String
  /// What it does not do, that the cache under test does: the price of its speed, or of its slowness.
  package let limits: String
  /// Makes it, full; files that it needs are below the folder.
  package let make: @Sendable (FileLibrary, PeerFolder) async throws -> any PeerCache

  init(
    name: String, summary: String, limits: String,
    make: @escaping @Sendable (FileLibrary, PeerFolder) async throws -> any PeerCache
  ) {
    self.name = name
    self.summary = summary
    self.limits = limits
    self.make = make
  }
}

/// A folder for the files of a peer; it exists, is empty, and is removed by whoever made it.
package struct PeerFolder: Sendable {
  package let path: String

  package init(path: String) {
    self.path = path
  }
}
