import CacheModel

/// Strolls from list to list, scrolling, and notifications of new entities.
extension UserSession {
  private enum Move {
    /// Back to an earlier view of the path, by index.
    case back(Int)
    case descend(UInt32)
    case leap(UInt32)
  }

  /// Opens a list in proportion to its length, then goes down, back, or elsewhere.
  ///
  /// Every move leads to a list other than the current and the previous one; a stroll ends early only if
  /// there is none.
  ///
  /// - Returns: whether there was a list to begin with.
  mutating func stroll(_ stroll: ActivityStep.Stroll) -> Bool {
    leave()
    path = []
    replay.advance(to: now)
    guard let first = destination(stroll) else { return false }
    remember(first, stroll.shape)
    enter(first, stroll)
    for _ in 0..<random.geometric(mean: stroll.moves) {
      openRows(stroll)
      think()
      guard isActive else { return false }
      replay.advance(to: now)
      guard let move = nextMove(stroll) else { break }
      leave()
      switch move {
      case .back(let place):
        let before = UInt32(path[place].subject)
        path.removeSubrange(place...)
        enter(before, stroll)
      case .descend(let row): enter(row, stroll)
      case .leap(let other):
        remember(other, stroll.shape)
        enter(other, stroll)
      }
    }
    return true
  }

  private mutating func enter(_ subject: UInt32, _ stroll: ActivityStep.Stroll) {
    let isFirst = !met[stroll.shape].contains(UInt64(subject))
    _ = show(stroll.shape, subject: UInt64(subject))
    // By subject, so that neither order nor number of visits matters.
    guard stroll.pin > 0, isFirst else { return }
    var pins = source.substream("pin", UInt64(subject))
    guard pins.chance(stroll.pin) else { return }
    for page in path.last?.pages ?? [] { script.append(.tag(query: page.query), at: now) }
  }

  /// Draws one of the possible moves, by their shares; `nil` if there is none.
  private mutating func nextMove(_ stroll: ActivityStep.Stroll) -> Move? {
    let here = path.last?.subject
    let before = path.dropLast().lastIndex {
      $0.shape == stroll.shape && $0.subject != here && replay.isAlive(UInt32($0.subject))
    }
    let point = random.unit()
    // A call whose arguments refer to the session, or draw from it, copies the whole session first.
    let subject = model.shapes[stroll.shape].subjectType
    let children = rows { $0 == subject }
    let child = children.isEmpty ? nil : children[Int(point * Double(children.count))]
    let other = destination(stroll)
    let leap = 1 - stroll.back - stroll.descend
    let shares = [
      before == nil ? 0 : stroll.back, child == nil ? 0 : stroll.descend,
      other == nil || leap < 1e-9 ? 0 : leap,
    ]
    guard shares.contains(where: { $0 > 0 }) else { return nil }
    switch random.choice(of: shares) {
    case 0: return before.map { .back($0) }
    case 1: return child.map { .descend($0) }
    default: return other.map { .leap($0) }
    }
  }

  /// Draws the beginning of a stroll or the target of a leap: a subject visited before, or one in proportion
  /// to its list's length.
  ///
  /// - Returns: neither the current one nor the previous one; `nil` if there is no other.
  private mutating func destination(_ stroll: ActivityStep.Stroll) -> UInt32? {
    let shape = model.shapes[stroll.shape]
    // A leap may lead to the previous view, a beginning may not.
    let others = path.isEmpty ? seen[stroll.shape] : Array(seen[stroll.shape].prefix(1))
    if random.chance(stroll.revisit) {
      // Drawn ahead of the call, as in `nextMove`.
      let point = random.unit()
      if let known = known(stroll.shape, besides: others, at: point) { return known }
    }
    guard let field = shape.subjectReference,
      let type = shape.types.first(where: { $0 != shape.subjectType }) ?? shape.types.first
    else { return nil }
    // Only initial entities: users do not know those found by a job yet.
    let all = history.state.created[type]
    let count = bornBy(0, in: all)
    guard count > 0 else { return nil }
    for _ in 0..<Self.attempts {
      let row = all[random.below(count)]
      if let subject = replay.reference(field, of: row), !others.contains(UInt64(subject)),
        replay.isAlive(subject)
      {
        return subject
      }
    }
    return nil
  }

  /// The number of draws for another subject before none is assumed to exist.
  private static var attempts: Int { 32 }

  /// Returns the live rows on screen of some types.
  private func rows(where isWanted: (Int) -> Bool) -> [UInt32] {
    (path.last?.pages ?? []).flatMap(\.rows).map { replay.object(of: $0) }
      .filter { replay.isAlive($0) && isWanted(replay.type(of: $0)) }
  }

  /// Opens some rows of the list on screen that do not lead further down, none twice in succession.
  private mutating func openRows(_ stroll: ActivityStep.Stroll) {
    let query = path.last?.pages.first?.query
    var last: UInt32?
    for _ in 0..<random.geometric(mean: stroll.opens) {
      let point = random.unit()
      think()
      guard isActive else { return }
      replay.advance(to: now)
      let shape = model.shapes[stroll.shape]
      let (subject, isOnly) = (shape.subjectType, shape.types.count == 1)
      let leaves = rows { $0 != subject || isOnly }.filter { $0 != last }
      guard !leaves.isEmpty else { continue }
      let row = leaves[Int(point * Double(leaves.count))]
      script.append(.open(object: row, view: query), at: now)
      last = row
    }
  }

  /// Scrolls through rows one after the other.
  ///
  /// The starting row is likelier near the top: in proportion to one over its position, as the popularity of
  /// photos falls with their age (Huang et al., SOSP 2013).
  mutating func scroll(_ mean: Double, pause: Duration) -> Bool {
    let pages = path.last?.pages ?? []
    let rows = pages.flatMap { page in page.rows.map { (page.query, replay.object(of: $0)) } }
    guard !rows.isEmpty else { return true }
    var place = Int(PortableMath.exp(random.unit() * PortableMath.log(Double(rows.count + 1)))) - 1
    for _ in 0..<random.geometric(mean: mean) {
      now += pause.wholeNanoseconds
      guard isActive, place < rows.count else { break }
      let (query, row) = rows[place]
      place += 1
      replay.advance(to: now)
      if replay.isAlive(row) { script.append(.open(object: row, view: query), at: now) }
    }
    return true
  }

  // MARK: New data

  /// Opens a new entity, by itself or in its list; no effect without a new one.
  mutating func answer(_ notice: ActivityStep.Notice) -> Bool {
    replay.advance(to: now)
    guard let entity = newEntity(notice) else { return true }
    let subject = notice.list.flatMap { replay.reference($0.field, of: entity) }
    if let list = notice.list, let subject, !random.chance(notice.direct) {
      leave()
      path = []
      guard show(list.shape, subject: UInt64(subject)) else { return false }
      think()
      guard isActive else { return false }
    }
    replay.advance(to: now)
    guard replay.isAlive(entity) else { return true }
    let query = path.last?.pages.first { page in
      page.rows.contains { replay.object(of: $0) == entity }
    }?.query
    script.append(.open(object: entity, view: query), at: now)
    return true
  }

  /// Returns a recent live entity with a popularity in proportion to one over its age (Huang et al., SOSP
  /// 2013), preferably in a list that the user has never opened.
  private mutating func newEntity(_ notice: ActivityStep.Notice) -> UInt32? {
    let limit = Double(notice.age.wholeNanoseconds)
    let youngest = min(1e9, limit)
    let age = youngest * PortableMath.exp(random.unit() * PortableMath.log(limit / youngest))
    let all = history.state.created[notice.type]
    // Initial entities are not new.
    let first = bornBy(max(0, now - notice.age.wholeNanoseconds - 1), in: all)
    let end = bornBy(now, in: all)
    guard first < end else { return nil }
    // The last one created by the drawn time, then older and newer ones alternately.
    let start = min(max(bornBy(now - Int64(age), in: all) - 1, first), end - 1)
    let candidates = (0..<2 * Self.attempts)
      .map { $0.isMultiple(of: 2) ? start - $0 / 2 : start + $0 / 2 + 1 }
      .filter { $0 >= first && $0 < end && replay.isAlive(all[$0]) }
      .prefix(Self.attempts).map { all[$0] }
    guard let list = notice.list else { return candidates.first }
    return candidates.first { entity in
      replay.reference(list.field, of: entity).map { !met[list.shape].contains(UInt64($0)) } ?? true
    } ?? candidates.first
  }
}
