import CacheModel

/// What sessions know of the library: the tree as it was at time zero, and who lives when.
struct SessionLibrary {
  /// The initial files, in random order: a uniform choice meets directories by content.
  let files: [UInt32]
  let albums: [UInt32]
  let tags: [UInt32]
  /// The initial images and films, latest first, as the media view lists them.
  let media: [UInt32]
  /// The files that were created since, by the instant of it.
  private let born: [UInt32]
  /// The directory in which each of them was created; looked up by the place in `born`.
  private let birthplaces: [UInt32: UInt32]
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
    media = Self.media(in: initial, state.keys)
    born = state.files.filter { Int($0) >= history.initialCount }
    birthplaces = Self.birthplaces(of: born, state)
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

  /// A child of a directory by a draw in 0..<1: a directory or a file that lives at the instant, and
  /// is not the one excluded.
  func child(
    of directory: UInt32, _ kind: EntityKind, at instant: Int64, _ unit: Double,
    besides excluded: UInt32? = nil
  ) -> UInt32? {
    // A directory that was made since has no children that are known here.
    guard Int(directory) + 1 < childStart.count else { return nil }
    let range = childStart[Int(directory)]..<childStart[Int(directory) + 1]
    let found = children[range].filter {
      state.kinds[Int($0)] == kind && $0 != excluded && isAlive($0, at: instant)
    }
    return found.isEmpty ? nil : found[Int(unit * Double(found.count))]
  }

  // MARK: What is new

  /// Files that live at an instant and were created since `oldest`, the nearest to an instant of
  /// creation first; at most `limit` are looked at.
  func newFiles(at instant: Int64, oldest: Int64, nearest: Int64, limit: Int) -> [UInt32] {
    let first = firstBorn(after: oldest - 1)
    let end = firstBorn(after: instant)
    guard first < end else { return [] }
    // The last one created before the instant asked for, then older and newer ones in turns.
    let start = min(max(firstBorn(after: nearest) - 1, first), end - 1)
    return (0..<2 * limit).lazy
      .map { $0.isMultiple(of: 2) ? start - $0 / 2 : start + $0 / 2 + 1 }
      .filter { $0 >= first && $0 < end && isAlive(born[$0], at: instant) }
      .prefix(limit).map { born[$0] }
  }

  /// The directory in which a new file was created; `nil` for one that existed at time zero.
  func birthplace(of file: UInt32) -> UInt32? { birthplaces[file] }

  private func firstBorn(after instant: Int64) -> Int {
    var low = 0
    var high = born.count
    while low < high {
      let middle = (low + high) / 2
      if state.bornAt[Int(born[middle])] <= instant { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func media(in initial: ArraySlice<Revision>, _ keys: [EntityKey]) -> [UInt32] {
    initial.filter(\.isMedia).sorted {
      $0.modified != $1.modified
        ? $0.modified > $1.modified : keys[Int($0.object)] < keys[Int($1.object)]
    }.map(\.object)
  }

  private static func birthplaces(of born: [UInt32], _ state: LibraryState) -> [UInt32: UInt32] {
    var isNew = [Bool](repeating: false, count: state.keys.count)
    for file in born { isNew[Int(file)] = true }
    var places: [UInt32: UInt32] = [:]
    for revision in state.revisions where isNew[Int(revision.object)] {
      isNew[Int(revision.object)] = false
      if revision.parent != LibraryState.none { places[revision.object] = revision.parent }
    }
    return places
  }
}
