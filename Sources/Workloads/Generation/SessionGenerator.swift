import CacheModel

/// Draws what one user does, from the session's own stream and without a look at any cache.
///
/// The user begins one activity after the other while a visit lasts. Each activity draws from a
/// sub-stream of its own, so that a deletion which changes one leaves those after it nearly as they were.
/// The user never opens the view that is on screen, nor within a visit the one that was just left.
struct SessionGenerator {
  let section: SessionSection
  let limits: QueryLimits
  let library: SessionLibrary
  let albums: Popularity?
  let tags: Popularity?
  let files: Popularity?
  /// Where the sub-streams of the activities come from.
  private let source: RandomSource
  /// Which views the user marks: by subject, so that neither order nor number of visits matters.
  private let tagging: RandomSource
  /// Queries whose first visit has been; looked up, never iterated.
  private var met: Set<UInt32> = []
  private var activities: UInt64 = 0

  /// Draws the activity in progress.
  var random: RandomSource
  var table: QueryTable
  var script = ScriptWriter()
  var now: Int64 = 0
  /// The end of the visit, in nanoseconds.
  var visitEnd: Int64 = 0
  /// The queries that were last opened or asked, and last left, in this visit.
  private(set) var lastOpened: UInt32?
  private var lastLeft: UInt32?
  /// Directories in which strolls began or to which they leapt, the latest last.
  var visited: [UInt32] = []
  /// How often something new has called for the user who has not looked at it yet.
  var calls = 0

  /// More actions than this are not generated, whatever times and durations say.
  static let maximumActions = 1_000_000

  init(
    section: SessionSection, limits: QueryLimits, library: SessionLibrary, random: RandomSource,
    tagging: RandomSource, table: QueryTable
  ) {
    self.section = section
    self.limits = limits
    self.library = library
    self.random = random
    source = random
    self.tagging = tagging
    self.table = table
    files = Popularity(section.popularity, count: library.files.count)
    albums = Popularity(section.popularity, count: library.albums.count)
    tags = Popularity(section.popularity, count: library.tags.count)
  }

  /// The actions of the session, in order of time, all before `end`.
  mutating func actions(during visits: [Range<Int64>], end: Int64) -> [SessionAction] {
    // Clients do not start in step.
    now = Int64(random.unit() * 1e9)
    for kind in section.watched {
      show(QuerySpec(kind: kind, subject: 0, limit: limits.limit(of: kind)))
    }
    for visit in visits {
      now = max(now, visit.lowerBound)
      visitEnd = min(visit.upperBound, end)
      lastOpened = nil
      lastLeft = nil
      while isActive {
        random = source.substream("activity", activities)
        activities += 1
        think()
        if isActive { beginActivity() }
      }
      if visitEnd < end { script.closeViews(except: section.watched.count, at: visitEnd) }
    }
    return script.finished(
      redraw: section.redraw?.wholeNanoseconds, during: visits, end: end,
      limit: Self.maximumActions)
  }

  var isActive: Bool { now < visitEnd && script.count < Self.maximumActions }

  mutating func think() {
    let mean = Double(section.think.mean.wholeNanoseconds)
    switch section.think.distribution {
    case .exponential: now += Int64(random.exponential(mean: mean))
    case .paused: now += Int64(0.1 * mean + random.exponential(mean: 0.9 * mean))
    }
  }

  /// Begins an activity of the mix; one that leads nowhere is drawn again among the others.
  private mutating func beginActivity() {
    var shares = section.mix.shares
    while shares.contains(where: { $0 > 0 }) {
      let choice = random.choice(of: shares)
      if begin(choice) { return }
      shares[choice] = 0
    }
  }

  /// - Parameter activity: its place in `ActivityMix.shares`.
  /// - Returns: whether it led anywhere.
  private mutating func begin(_ activity: Int) -> Bool {
    switch activity {
    case 0: stroll()
    case 1: search()
    case 2: visit(.album, of: library.albums, albums)
    case 3: visit(.tag, of: library.tags, tags)
    case 4: visit(QuerySpec(kind: .recents, subject: 0, limit: limits.limit(of: .recents)))
    default: scrollMedia()
    }
  }

  // MARK: What the user does, written down

  /// A view of a query appears.
  mutating func show(_ query: QuerySpec) {
    let number = table.number(of: query)
    script.observe(number, at: now)
    lastOpened = number
    noteRead()
    tagAtFirstVisit(query, number)
  }

  mutating func leave(_ query: QuerySpec) {
    let number = table.number(of: query)
    script.unobserve(number, at: now)
    lastLeft = number
  }

  /// A query is asked that no view shows.
  mutating func ask(_ query: QuerySpec) {
    let number = table.number(of: query)
    script.append(.read(query: number), at: now)
    lastOpened = number
    noteRead()
  }

  /// The user opens a file, in a view or from elsewhere.
  mutating func open(_ file: UInt32, in view: QuerySpec?) {
    script.append(.open(object: file, view: view.map { table.number(of: $0) }), at: now)
    noteRead()
  }

  /// Whether the query is on screen, or the one that the user has just seen.
  func isCurrent(_ query: QuerySpec) -> Bool {
    guard let number = table.existingNumber(of: query) else { return false }
    return number == lastOpened || number == lastLeft || script.isOnScreen(number)
  }

  /// The directories that the user has just seen.
  var lastDirectories: [UInt32] {
    [lastOpened, lastLeft].compactMap { number in
      number.flatMap { table.queries[Int($0)].directory }
    }
  }

  /// Whether the user has opened the view before.
  func hasMet(_ query: QuerySpec) -> Bool {
    table.existingNumber(of: query).map { met.contains($0) } ?? false
  }

  /// Marks some of the views that have a subject, after the first look at them.
  private mutating func tagAtFirstVisit(_ query: QuerySpec, _ number: UInt32) {
    guard met.insert(number).inserted, section.tagged > 0, query.kind.hasSubject else { return }
    var draw = tagging.substream("subject", query.subject)
    if draw.chance(section.tagged) { script.append(.tag(query: number), at: now) }
  }
}
