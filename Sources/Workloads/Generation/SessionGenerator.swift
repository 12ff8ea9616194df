import CacheModel

/// Draws what one user does, from the session's own stream and without a look at any cache.
struct SessionGenerator {
  private let section: SessionSection
  private let limits: QueryLimits
  private let library: SessionLibrary
  private let files: Popularity?
  private let albums: Popularity?
  private let tags: Popularity?
  private var random: RandomSource
  /// Which views the user marks: by subject, so that neither order nor number of visits matters.
  private let tagging: RandomSource
  /// Queries whose first visit has been; looked up, never iterated.
  private var met: Set<UInt32> = []
  private var script = ScriptWriter()
  /// The end of the window in which the user acts, in nanoseconds.
  private var windowEnd: Int64 = 0
  private var now: Int64 = 0
  /// Directories in which strolls began, the latest last.
  private var visited: [UInt32] = []

  /// More actions than this are not generated, whatever times and durations say.
  static let maximumActions = 1_000_000
  /// So many directories are remembered for a revisit.
  private static let memory = 64

  init(
    section: SessionSection, limits: QueryLimits, library: SessionLibrary, random: RandomSource,
    tagging: RandomSource
  ) {
    self.section = section
    self.limits = limits
    self.library = library
    self.random = random
    self.tagging = tagging
    files = Popularity(section.popularity, count: library.files.count)
    albums = Popularity(section.popularity, count: library.albums.count)
    tags = Popularity(section.popularity, count: library.tags.count)
  }

  /// The actions of the session, in order of time, all before `end`.
  mutating func actions(end: Int64, _ table: inout QueryTable) -> [SessionAction] {
    // Clients do not start in step.
    now = Int64(random.unit() * 1e9)
    for kind in section.watched {
      observe(QuerySpec(kind: kind, subject: 0, limit: limits.limit(of: kind)), &table)
    }
    let windows =
      section.active.isEmpty
      ? [0..<end]
      : section.active.map { $0.at.wholeNanoseconds..<($0.at + $0.length).wholeNanoseconds }
    for window in windows {
      now = max(now, window.lowerBound)
      windowEnd = min(window.upperBound, end)
      while isActive {
        think()
        if isActive { performActivity(&table) }
      }
      if windowEnd < end { script.closeViews(except: section.watched.count, at: windowEnd) }
    }
    return script.finished(
      redraw: section.redraw?.wholeNanoseconds, end: end, limit: Self.maximumActions)
  }

  private var isActive: Bool { now < windowEnd && script.count < Self.maximumActions }

  private mutating func think() {
    let mean = Double(section.think.wholeNanoseconds)
    now += Int64(0.1 * mean + random.exponential(mean: 0.9 * mean))
  }

  private mutating func performActivity(_ table: inout QueryTable) {
    switch random.choice(of: section.mix.shares) {
    case 0: browse(&table)
    case 1: search(&table)
    case 2: visit(.album, of: library.albums, albums, &table)
    case 3: visit(.tag, of: library.tags, tags, &table)
    case 4: visit(QuerySpec(kind: .recents, subject: 0, limit: limits.limit(of: .recents)), &table)
    default: scrollMedia(&table)
    }
  }

  /// A stroll: into a directory in proportion to its content, then within, back, or elsewhere.
  private mutating func browse(_ table: inout QueryTable) {
    guard let first = destination() else { return }
    remember(first)
    var path = [first]
    var query = observeDirectory(first, &table)
    for _ in 0..<random.geometric(mean: section.moves) {
      open(in: path[path.count - 1])
      think()
      guard isActive else { break }
      let move = random.unit()
      if move < section.back {
        guard path.count > 1 else { continue }
        path.removeLast()
      } else if move < section.back + section.into {
        guard
          let child = library.child(of: path[path.count - 1], .directory, at: now, random.unit())
        else { continue }
        path.append(child)
      } else {
        guard let other = destination() else { continue }
        path.append(other)
        remember(other)
      }
      unobserve(query)
      query = observeDirectory(path[path.count - 1], &table)
    }
    think()
    if isActive { unobserve(query) }
  }

  /// A search as you type: the user looks for a file that exists.
  private mutating func search(_ table: inout QueryTable) {
    guard let files else { return }
    let file = library.files[files.sample(&random)]
    let name = library.name(of: file)
    let wanted = max(section.askFrom, random.geometric(mean: section.letters, minimum: 1))
    let typed = min(wanted, LetterCode.letterCount(name))
    for letters in 1...max(1, typed) {
      let query = QuerySpec(
        kind: .search, subject: LetterCode.prefix(name, letters: letters),
        prefixLength: UInt8(letters), limit: limits.limit(of: .search))
      guard isActive else { return }
      if letters < typed {
        if letters >= section.askFrom {
          script.append(.read(query: table.number(of: query)), at: now)
        }
        now += section.keystroke.wholeNanoseconds
      } else {
        let number = table.number(of: query)
        observe(number)
        think()
        if random.chance(min(1, section.opens)), isActive, library.isAlive(file, at: now) {
          script.append(.open(object: file), at: now)
          think()
        }
        if isActive { unobserve(number) }
      }
    }
  }

  private mutating func visit(
    _ kind: QueryKind, of objects: [UInt32], _ popularity: Popularity?, _ table: inout QueryTable
  ) {
    guard let popularity else { return }
    let object = objects[popularity.sample(&random)]
    visit(QuerySpec(kind: kind, subject: UInt64(object), limit: limits.limit(of: kind)), &table)
  }

  /// Opens a view, stays for a while, and leaves it.
  private mutating func visit(_ query: QuerySpec, _ table: inout QueryTable) {
    let number = table.number(of: query)
    observe(number)
    tagAtFirstVisit(query, number)
    think()
    if isActive { unobserve(number) }
  }

  /// Marks some of the views that have a subject, after the first look at them.
  private mutating func tagAtFirstVisit(_ query: QuerySpec, _ number: UInt32) {
    guard section.tagged > 0, query.hasSubject, met.insert(number).inserted else { return }
    var draw = tagging.substream("subject", query.subject)
    if draw.chance(section.tagged) { script.append(.tag(query: number), at: now) }
  }

  /// The media view: files come into reach one after the other while it is on screen.
  private mutating func scrollMedia(_ table: inout QueryTable) {
    let number = table.number(
      of: QuerySpec(kind: .media, subject: 0, limit: limits.limit(of: .media)))
    observe(number)
    for _ in 0..<random.geometric(mean: section.scrolls) {
      now += section.scroll.wholeNanoseconds
      guard isActive, !library.files.isEmpty else { return }
      let file = library.files[random.below(library.files.count)]
      if library.isAlive(file, at: now) { script.append(.open(object: file), at: now) }
    }
    think()
    if isActive { unobserve(number) }
  }

  private mutating func open(in directory: UInt32) {
    for _ in 0..<random.geometric(mean: section.opens) {
      let point = random.unit()
      think()
      guard isActive else { return }
      if let file = library.child(of: directory, .file, at: now, point) {
        script.append(.open(object: file), at: now)
      }
    }
  }

  /// Where a stroll begins or leaps to: a directory visited before, or one in proportion to content.
  private mutating func destination() -> UInt32? {
    let isRevisit = random.chance(section.revisit)
    let point = random.unit()
    if isRevisit, !visited.isEmpty {
      // The square leans towards the latest.
      let directory = visited[visited.count - 1 - Int(point * point * Double(visited.count))]
      if library.isAlive(directory, at: now) { return directory }
    }
    return directory(at: point)
  }

  /// The directory of the file at a share of all files.
  private func directory(at unit: Double) -> UInt32? {
    guard !library.files.isEmpty else { return nil }
    let file = library.files[Int(unit * Double(library.files.count))]
    return library.directory(of: file, at: now)
  }

  private mutating func remember(_ directory: UInt32) {
    visited.removeAll { $0 == directory }
    visited.append(directory)
    if visited.count > Self.memory { visited.removeFirst() }
  }

  private mutating func observeDirectory(
    _ directory: UInt32, _ table: inout QueryTable
  ) -> UInt32 {
    let query = QuerySpec(
      kind: .directory, subject: UInt64(directory), limit: limits.limit(of: .directory))
    let number = table.number(of: query)
    observe(number)
    tagAtFirstVisit(query, number)
    return number
  }

  private mutating func observe(_ query: QuerySpec, _ table: inout QueryTable) {
    observe(table.number(of: query))
  }

  private mutating func observe(_ query: UInt32) { script.observe(query, at: now) }

  private mutating func unobserve(_ query: UInt32) { script.unobserve(query, at: now) }
}
