import CacheModel

/// Strolls through directories.
extension SessionGenerator {
  /// So many directories are remembered for a revisit.
  private static let memory = 64
  /// So often is a place drawn that is not the current one, before there is held to be none.
  static let attempts = 32

  private enum Move {
    /// Back to a directory of the path, by its place.
    case back(Int)
    case into(UInt32)
    case leap(UInt32)
  }

  /// Into a directory in proportion to its content, then within, back, or elsewhere.
  ///
  /// Every move leads to another directory; a stroll ends early only where there is none.
  ///
  /// - Returns: whether there was a directory to begin in.
  mutating func stroll() -> Bool {
    guard let first = destination(besides: lastDirectories) else { return false }
    remember(first)
    var path = [first]
    var here = first
    show(directory(here))
    for _ in 0..<random.geometric(mean: section.moves) {
      openFiles(in: here)
      answerCalls()
      think()
      guard isActive else { return true }
      guard let move = nextMove(from: here, path) else { break }
      leave(directory(here))
      switch move {
      case .back(let place): path.removeSubrange((place + 1)...)
      case .into(let child): path.append(child)
      case .leap(let other):
        path.append(other)
        remember(other)
      }
      here = path[path.count - 1]
      show(directory(here))
    }
    answerCalls()
    think()
    if isActive { leave(directory(here)) }
    return true
  }

  /// One of the moves that lead to another directory, by their shares; `nil` if none does.
  private mutating func nextMove(from here: UInt32, _ path: [UInt32]) -> Move? {
    // A directory that was opened from here and is closed again is no place to go to either.
    let opened = lastOpened.flatMap { table.queries[Int($0)].directory }
    let before = path.dropLast().lastIndex {
      $0 != here && $0 != opened && library.isAlive($0, at: now)
    }
    let child = library.child(of: here, .directory, at: now, random.unit(), besides: opened)
    let other = destination(besides: [here] + (opened.map { [$0] } ?? []))
    let leap = 1 - section.back - section.into
    let shares = [
      before == nil ? 0 : section.back, child == nil ? 0 : section.into,
      other == nil || leap < 1e-9 ? 0 : leap,
    ]
    guard shares.contains(where: { $0 > 0 }) else { return nil }
    switch random.choice(of: shares) {
    case 0: return before.map { .back($0) }
    case 1: return child.map { .into($0) }
    default: return other.map { .leap($0) }
    }
  }

  func directory(_ object: UInt32) -> QuerySpec {
    QuerySpec(
      kind: .directory, subject: UInt64(object), limit: limits.limit(of: .directory))
  }

  /// Opens some files of the directory on screen, no file twice in a row.
  private mutating func openFiles(in here: UInt32) {
    var last: UInt32?
    for _ in 0..<random.geometric(mean: section.opens) {
      let point = random.unit()
      think()
      guard isActive else { return }
      guard let file = library.child(of: here, .file, at: now, point, besides: last) else {
        continue
      }
      open(file, in: directory(here))
      last = file
    }
  }

  /// Where a stroll begins or leaps to: a directory visited before, or one in proportion to content;
  /// `nil` where there is no other.
  private mutating func destination(besides seen: [UInt32]) -> UInt32? {
    if random.chance(section.revisit) {
      let known = visited.filter { !seen.contains($0) && library.isAlive($0, at: now) }
      if !known.isEmpty {
        // The square leans towards the latest.
        let point = random.unit()
        return known[known.count - 1 - Int(point * point * Double(known.count))]
      }
    }
    guard !library.files.isEmpty else { return nil }
    for _ in 0..<Self.attempts {
      // The directory of a random file: directories in proportion to their content.
      let file = library.files[random.below(library.files.count)]
      if let directory = library.directory(of: file, at: now), !seen.contains(directory) {
        return directory
      }
    }
    return nil
  }

  private mutating func remember(_ directory: UInt32) {
    visited.removeAll { $0 == directory }
    visited.append(directory)
    if visited.count > Self.memory { visited.removeFirst() }
  }
}
