import CacheModel

/// What sessions know of the library: the tree as it was at time zero, and who lives when.
struct SessionLibrary {
  /// The initial files, in random order: a uniform choice meets directories by content.
  let files: [UInt32]
  let albums: [UInt32]
  let tags: [UInt32]
  private let state: LibraryState
  private let initial: ArraySlice<Revision>
  /// For each object, where its children begin in `children`; one more at the end.
  private let childStart: [Int]
  private let children: [UInt32]

  init(_ history: HistoryGenerator) {
    state = history.state
    initial = state.revisions[..<history.initialCount]
    files = history.ranked
    albums = state.albums.filter { Int($0) < history.initialCount }
    tags = state.tags
    var counts = [Int](repeating: 0, count: history.initialCount + 1)
    for revision in initial where revision.parent != LibraryState.none {
      counts[Int(revision.parent) + 1] += 1
    }
    for index in counts.indices.dropFirst() { counts[index] += counts[index - 1] }
    childStart = counts
    var next = counts
    var children = [UInt32](repeating: 0, count: counts.last ?? 0)
    for revision in initial where revision.parent != LibraryState.none {
      children[next[Int(revision.parent)]] = revision.object
      next[Int(revision.parent)] += 1
    }
    self.children = children
    var names = [UInt64](repeating: 0, count: history.initialCount)
    var parents = [UInt32](repeating: LibraryState.none, count: history.initialCount)
    for revision in initial {
      names[Int(revision.object)] = revision.name
      parents[Int(revision.object)] = revision.parent
    }
    self.names = names
    self.parents = parents
  }

  private let names: [UInt64]
  private let parents: [UInt32]

  func isAlive(_ object: UInt32, at instant: Int64) -> Bool {
    state.isAlive(object, at: instant)
  }

  func name(of object: UInt32) -> UInt64 { names[Int(object)] }

  /// The directory that held an object at time zero, or the nearest one above it that still lives;
  /// `nil` at the root.
  func directory(of object: UInt32, at instant: Int64) -> UInt32? {
    var parent = parents[Int(object)]
    while parent != LibraryState.none, !isAlive(parent, at: instant) {
      parent = parents[Int(parent)]
    }
    return parent == LibraryState.none ? nil : parent
  }

  /// A child of a directory by a draw in 0..<1: a directory or a file that lives at the instant.
  func child(
    of directory: UInt32, _ kind: EntityKind, at instant: Int64, _ unit: Double
  ) -> UInt32? {
    let range = childStart[Int(directory)]..<childStart[Int(directory) + 1]
    let found = children[range].filter {
      state.kinds[Int($0)] == kind && isAlive($0, at: instant)
    }
    return found.isEmpty ? nil : found[Int(unit * Double(found.count))]
  }
}
