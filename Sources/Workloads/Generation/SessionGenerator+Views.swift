import CacheModel

/// Views that are opened one at a time: albums, tags, what is recent, searches, the media view.
extension SessionGenerator {
  /// An album or a tag by its popularity.
  mutating func visit(_ kind: QueryKind, of objects: [UInt32], _ popularity: Popularity?) -> Bool {
    guard let popularity else { return false }
    for _ in 0..<Self.attempts {
      let object = objects[popularity.sample(&random)]
      let query = QuerySpec(
        kind: kind, subject: UInt64(object), limit: limits.limit(of: kind))
      if visit(query) { return true }
    }
    return false
  }

  /// Opens a view, stays for a while, and leaves it.
  mutating func visit(_ query: QuerySpec) -> Bool {
    guard !isCurrent(query) else { return false }
    show(query)
    answerCalls()
    think()
    if isActive { leave(query) }
    return true
  }

  /// A search as you type: the user looks for a file that exists.
  mutating func search() -> Bool {
    guard let (file, typed) = lookedFor() else { return false }
    let name = library.name(of: file)
    for letters in 1...typed {
      guard isActive else { return true }
      let query = searchQuery(name, letters: letters)
      if letters < typed {
        if letters >= section.askFrom { ask(query) }
        now += section.keystroke.wholeNanoseconds
      } else {
        show(query)
        think()
        if random.chance(min(1, section.opens)), isActive, library.isAlive(file, at: now) {
          open(file, in: query)
          think()
        }
        answerCalls()
        if isActive { leave(query) }
      }
    }
    return true
  }

  /// A file and how many letters of its name are typed, so that the first and the last question are
  /// not the last that was asked.
  private mutating func lookedFor() -> (file: UInt32, letters: Int)? {
    guard let files else { return nil }
    for _ in 0..<Self.attempts {
      let file = library.files[files.sample(&random)]
      let name = library.name(of: file)
      let wanted = max(section.askFrom, random.geometric(mean: section.letters, minimum: 1))
      let typed = max(1, min(wanted, LetterCode.letterCount(name)))
      let first = min(typed, section.askFrom)
      if !isCurrent(searchQuery(name, letters: typed)),
        !isCurrent(searchQuery(name, letters: first))
      {
        return (file, typed)
      }
    }
    return nil
  }

  private func searchQuery(_ name: UInt64, letters: Int) -> QuerySpec {
    QuerySpec(
      kind: .search, subject: LetterCode.prefix(name, letters: letters),
      prefixLength: UInt8(letters), limit: limits.limit(of: .search))
  }

  /// The media view: rows come into an inspector's reach one after the other while it is scrolled.
  ///
  /// Where the scrolling begins is the likelier the nearer it is to the top, which is the newest: in
  /// proportion to one over its place, as the popularity of photos falls with their age (Huang et al.,
  /// SOSP 2013).
  mutating func scrollMedia() -> Bool {
    let query = QuerySpec(kind: .media, subject: 0, limit: limits.limit(of: .media))
    guard !isCurrent(query) else { return false }
    show(query)
    let rows = min(library.media.count, Int(query.limit))
    var row =
      rows > 0
      ? Int(PortableMath.exp(random.unit() * PortableMath.log(Double(rows + 1)))) - 1 : 0
    for _ in 0..<random.geometric(mean: section.scrolls) {
      now += section.scroll.wholeNanoseconds
      guard isActive, row < rows else { break }
      let file = library.media[row]
      row += 1
      if library.isAlive(file, at: now) { open(file, in: query) }
    }
    answerCalls()
    think()
    if isActive { leave(query) }
    return true
  }
}
