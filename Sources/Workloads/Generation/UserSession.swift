import CacheModel

/// Generates the actions of one user, from the session's own random stream and independently of any cache.
///
/// The user begins one activity after the other during a visit, and chooses among the rows that the server
/// would list. Each activity draws from its own sub-stream.
struct UserSession {
  let section: UsersSection
  let model: DataModel
  let history: ServerHistory
  /// The data as this user sees them, including own writes.
  var replay: HistoryReplay
  /// The source of the activities' sub-streams.
  let source: RandomSource
  /// The user's own entity; `nil`: none.
  let me: UInt32?

  var random: RandomSource
  private(set) var table: QueryTable
  var script = ScriptWriter()
  var now: Int64 = 0
  private var visitEnd: Int64 = 0
  private var activities: UInt64 = 0
  var choices = ZipfTable()
  /// The path of open views, the current one last.
  var path: [View] = []
  /// The recently visited subjects of each shape, the latest last.
  var visited: [[UInt32]]
  /// The current and the previous subject of each shape.
  var seen: [[UInt64]]
  /// All subjects ever opened of each query; looked up, never iterated.
  var met: [Set<UInt64>]
  private(set) var begun: [Int]
  /// The user's writes, in order.
  var writes: [DrawnWrite] = []

  struct View {
    var shape: Int
    var subject: UInt64
    var letters: UInt8
    var pages: [Page] = []

    struct Page {
      var query: UInt32
      var rows: [UInt32]
    }
  }

  /// The maximum number of actions, whatever times and durations say.
  static let maximumActions = 1_000_000
  /// The maximum number of subjects remembered for another visit.
  private static let memory = 64

  init(
    _ section: UsersSection, _ history: ServerHistory, _ replay: HistoryReplay,
    random: RandomSource, table: QueryTable
  ) {
    self.section = section
    self.history = history
    self.replay = replay
    self.random = random
    self.table = table
    model = history.scenario.model
    source = random.substream("session")
    visited = model.shapes.map { _ in [] }
    seen = visited.map { _ in [] }
    met = visited.map { _ in [] }
    begun = section.activities.map { _ in 0 }
    var own = random.substream("me")
    me = section.me.flatMap { type in
      let all = history.state.created[type].filter { Int($0) < history.initialCount }
      return all.isEmpty ? nil : all[own.below(all.count)]
    }
  }

  /// Returns the actions of the session, in order of time, all before `end`.
  mutating func actions(during visits: [Range<Int64>], end: Int64) -> [SessionAction] {
    // Clients do not start in step.
    now = Int64(random.unit() * 1e9)
    for shape in section.watched {
      guard let view = view(of: shape, subject: me ?? 0) else { continue }
      for page in view.pages { script.observe(page.query, at: now) }
    }
    for visit in visits {
      now = max(now, visit.lowerBound)
      visitEnd = min(visit.upperBound, end)
      while isActive {
        random = source.substream("activity", activities)
        activities += 1
        think()
        guard isActive else { break }
        let choice = random.choice(of: section.activities.map(\.share))
        begun[choice] += 1
        perform(section.activities[choice])
      }
      path = []
      for shape in seen.indices { seen[shape] = [] }
      if visitEnd < end { script.closeViews(except: section.watched.count, at: visitEnd) }
    }
    return script.finished(
      redraw: section.redraw?.wholeNanoseconds, during: visits, end: end,
      limit: Self.maximumActions)
  }

  var isActive: Bool {
    now < visitEnd && script.count < Self.maximumActions
  }

  mutating func think() {
    let mean = Double(section.think.mean.wholeNanoseconds)
    switch section.think.distribution {
    case .exponential: now += Int64(random.exponential(mean: mean))
    case .paused: now += Int64(0.1 * mean + random.exponential(mean: 0.9 * mean))
    }
  }

  // MARK: Steps

  private mutating func perform(_ activity: Activity) {
    for (index, step) in activity.steps.enumerated() {
      if step.chance < 1, !random.chance(step.chance) { break }
      if let share = step.optional, !random.chance(share) { continue }
      if index > 0 { think() }
      guard isActive, take(step.action) else { break }
    }
    // After a notification opened by itself there is no view to continue with.
    if case .notified? = activity.steps.last?.action, path.isEmpty { return }
    think()
    if isActive { leave() }
    path = []
  }

  private mutating func take(_ action: ActivityStep.Action) -> Bool {
    switch action {
    case .visit(let shape, let preference, let revisit):
      return visit(shape, preference, revisit: revisit)
    case .follow(let shape, let field, let exponent):
      guard let row = row(exponent),
        let subject = field.map({ replay.reference($0, of: row) }) ?? row
      else { return false }
      leave()
      return show(shape, subject: UInt64(subject))
    case .open(let mean, let exponent):
      for number in 0..<random.geometric(mean: mean) {
        if number > 0 { think() }
        guard isActive, let row = row(exponent) else { return true }
        let page = path.last?.pages.first { page in
          page.rows.contains { replay.object(of: $0) == row }
        }
        if replay.isAlive(row) { script.append(.open(object: row, view: page?.query), at: now) }
      }
      return true
    case .pageOn(let mean):
      for number in 0..<random.geometric(mean: mean) {
        if number > 0 { think() }
        guard isActive, pageOn() else { return true }
      }
      return true
    case .type(let typing): return type(typing)
    case .stroll(let walk): return stroll(walk)
    case .scroll(let mean, let pause): return scroll(mean, pause: pause)
    case .notified(let notice): return answer(notice)
    case .stay(let mean):
      now += Int64(random.exponential(mean: Double(mean.wholeNanoseconds)))
      return true
    case .back(let share):
      guard random.chance(share) else { return true }
      guard path.count > 1 else { return false }
      leave()
      path.removeLast()
      let before = path.removeLast()
      return show(before.shape, subject: before.subject, letters: before.letters)
    case .pin(let share):
      guard random.chance(share) else { return true }
      for page in path.last?.pages ?? [] { script.append(.tag(query: page.query), at: now) }
      return true
    case .pull(let share):
      guard random.chance(share) else { return true }
      for page in path.last?.pages ?? [] {
        script.append(.maintenance(.invalidate(query: page.query)), at: now)
        script.append(.read(query: page.query), at: now)
      }
      return true
    case .write(let operation, let exponent):
      return write(model.operations[operation], exponent)
    }
  }

  private mutating func visit(
    _ shape: Int, _ preference: OperationDeclaration.Preference, revisit: Double
  ) -> Bool {
    leave()
    path = []
    let declared = model.shapes[shape]
    guard let type = declared.subjectType, !declared.isAboutMe else {
      return show(shape, subject: UInt64(declared.isAboutMe ? me ?? 0 : 0))
    }
    replay.advance(to: now)
    var subject: UInt32?
    let point = random.unit()
    if revisit > 0, random.chance(revisit) { subject = known(shape, at: point) }
    guard let subject = subject ?? self.subject(ofType: type, preference) else { return false }
    remember(subject, shape)
    return show(shape, subject: UInt64(subject))
  }

  /// Returns a subject visited before, by a draw in 0..<1; later ones are likelier.
  func known(_ shape: Int, besides others: [UInt64] = [], at point: Double) -> UInt32? {
    let known = visited[shape].filter { replay.isAlive($0) && !others.contains(UInt64($0)) }
    // The square favours the latest.
    return known.isEmpty
      ? nil : known[known.count - 1 - Int(point * point * Double(known.count))]
  }

  mutating func remember(_ subject: UInt32, _ shape: Int) {
    visited[shape].removeAll { $0 == subject }
    visited[shape].append(subject)
    if visited[shape].count > Self.memory { visited[shape].removeFirst() }
  }

  /// Returns a live entity of a type by a preference.
  private mutating func subject(
    ofType type: Int, _ preference: OperationDeclaration.Preference
  ) -> UInt32? {
    let state = history.state
    let isByAge = if case .newest = preference { true } else { false }
    let all = isByAge ? state.created[type] : state.ranked[type]
    // Of those in order of creation, only the ones that exist by now.
    let count = isByAge ? bornBy(now, in: all) : all.count
    guard count > 0 else { return nil }
    let place: Int
    switch preference {
    case .any: place = random.below(count)
    case .popular(let exponent): place = choices.sample(exponent, count: count, &random)
    case .newest(let exponent): place = count - 1 - choices.sample(exponent, count: count, &random)
    }
    for step in 0..<min(count, ServerHistory.attempts) {
      let object = all[(isByAge ? place - step + count : place + step) % count]
      if replay.isAlive(object) { return object }
    }
    return nil
  }

  /// Returns the number of elements created by an instant, in a list sorted by creation.
  func bornBy(_ instant: Int64, in all: [UInt32]) -> Int {
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if history.state.bornAt[Int(all[middle])] > instant {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }

  /// Returns a live row of the current view; rows near the top are likelier.
  mutating func row(_ exponent: Double) -> UInt32? {
    guard let rows = path.last?.pages.flatMap(\.rows), !rows.isEmpty else { return nil }
    replay.advance(to: now)
    let place = choices.sample(exponent, count: rows.count, &random)
    for step in 0..<rows.count {
      let object = replay.object(of: rows[(place + step) % rows.count])
      if replay.isAlive(object) { return object }
    }
    return nil
  }

  private mutating func type(_ typing: ActivityStep.Typing) -> Bool {
    let (shape, askFrom) = (typing.shape, typing.askFrom)
    leave()
    path = []
    replay.advance(to: now)
    let declared = model.shapes[shape]
    guard let field = declared.typedField, let type = declared.types.first,
      let object = subject(ofType: type, typing.preference)
    else { return false }
    let text = replay.text(field, of: object)
    let wanted = max(askFrom, random.geometric(mean: typing.letters, minimum: 1))
    let typed = max(1, min(wanted, LetterCode.letterCount(text)))
    for letters in 1..<typed {
      guard isActive else { return false }
      if letters >= askFrom {
        let spec = spec(
          of: shape, subject: LetterCode.prefix(text, letters: letters), letters: UInt8(letters))
        script.append(.read(query: table.number(of: spec)), at: now)
      }
      now += typing.keystroke.wholeNanoseconds
    }
    guard isActive else { return false }
    return show(
      shape, subject: LetterCode.prefix(text, letters: typed), letters: UInt8(typed))
  }

  // MARK: Views

  private func spec(
    of shape: Int, subject: UInt64, letters: UInt8 = 0, after: UInt32 = Revision.noObject
  ) -> QuerySpec {
    QuerySpec(
      kind: DataModel.kind(ofShape: shape), subject: subject, prefixLength: letters,
      limit: UInt32(model.shapes[shape].rows), after: after)
  }

  /// Returns the first page of a view, as the server has it now.
  private mutating func view(of shape: Int, subject: UInt32) -> View? {
    let isAbout = model.shapes[shape].hasSubject
    return opened(shape, subject: isAbout ? UInt64(subject) : 0, letters: 0)
  }

  private mutating func opened(_ shape: Int, subject: UInt64, letters: UInt8) -> View {
    replay.advance(to: now)
    let spec = spec(of: shape, subject: subject, letters: letters)
    var view = View(shape: shape, subject: subject, letters: letters)
    view.pages.append(
      View.Page(query: table.number(of: spec), rows: replay.rows(of: spec)))
    return view
  }

  mutating func show(_ shape: Int, subject: UInt64, letters: UInt8 = 0) -> Bool {
    let view = opened(shape, subject: subject, letters: letters)
    seen[shape] = [subject] + seen[shape].prefix(1)
    met[shape].insert(subject)
    script.observe(view.pages[0].query, at: now)
    path.append(view)
    return true
  }

  /// Opens the next page below the others; there is none after the last row.
  private mutating func pageOn() -> Bool {
    guard let view = path.last, let page = view.pages.last, let last = page.rows.last,
      page.rows.count == model.shapes[view.shape].rows
    else { return false }
    replay.advance(to: now)
    let spec = spec(of: view.shape, subject: view.subject, after: last)
    let next = View.Page(query: table.number(of: spec), rows: replay.rows(of: spec))
    script.observe(next.query, at: now)
    path[path.count - 1].pages.append(next)
    return true
  }

  mutating func leave() {
    guard let view = path.last else { return }
    for page in view.pages.reversed() { script.unobserve(page.query, at: now) }
    path[path.count - 1].pages = []
  }
}
