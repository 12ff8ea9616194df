import CacheModel

/// What is new calls the user: a notification, a link that somebody sent, a find of the system's own
/// search.
extension SessionGenerator {
  /// The user has read something: so often does something new call that its share of all reads is the
  /// section's.
  mutating func noteRead() {
    guard let newest = section.newest else { return }
    // Of n reads of the rest, n · share / (1 − share) of what is new make up that share.
    var expected = newest.share / (1 - newest.share)
    while expected > 0 {
      if random.chance(min(1, expected)) { calls += 1 }
      expected -= 1
    }
  }

  /// The user opens what has called, file by file; a call passes where nothing is young enough.
  mutating func answerCalls() {
    guard let newest = section.newest else { return }
    while calls > 0 {
      think()
      guard isActive else { return }
      calls -= 1
      guard let file = newFile(newest) else { continue }
      let home = library.birthplace(of: file).map { directory($0) }
      let isDirect = random.chance(newest.direct)
      if !isDirect, let home, isAlive(home), !isCurrent(home) {
        // Through its directory, whose view is a read like any other.
        show(home)
        think()
        if isActive { openNew(file, in: home) }
        think()
        if isActive { leave(home) }
      } else {
        openNew(file, in: nil)
      }
    }
  }

  private func isAlive(_ view: QuerySpec) -> Bool {
    view.directory.map { library.isAlive($0, at: now) } ?? false
  }

  /// No read that something new answers: it is part of the share itself.
  private mutating func openNew(_ file: UInt32, in view: QuerySpec?) {
    script.append(.open(object: file, view: view.map { table.number(of: $0) }), at: now)
  }

  /// A file that was created lately, its popularity in proportion to one over its age (Huang et al.,
  /// SOSP 2013), if possible in a directory that the user has never opened.
  private mutating func newFile(_ newest: NewestSection) -> UInt32? {
    let limit = Double(newest.age.wholeNanoseconds)
    let youngest = min(1e9, limit)
    let age = youngest * PortableMath.exp(random.unit() * PortableMath.log(limit / youngest))
    let candidates = library.newFiles(
      at: now, oldest: now - newest.age.wholeNanoseconds, nearest: now - Int64(age),
      limit: Self.attempts)
    return candidates.first { file in
      library.birthplace(of: file).map { !hasMet(directory($0)) } ?? true
    } ?? candidates.first
  }
}
