import CacheModel

/// Replays the data of an app from the beginning, so that a session can use it.
///
/// It lists the rows of a query at an instant, for the user to choose from. It does not judge caches: the
/// ground truth is the simulated server's.
struct HistoryReplay {
  let history: ServerHistory
  let shapes: [QueryShape]
  /// The indices of the shapes that list each type.
  private let shapesOfType: [[Int]]
  // Read for every row: stored here, so that nothing larger is copied to reach them.
  var values: [UInt64]
  var valueStarts: [UInt32]
  var objects: [UInt32]
  var keys: [EntityKey]
  var labels: [UInt32]
  /// States written by users, numbered after those of the history.
  var written: [Revision] = []
  /// The state of each object; `none` if it does not exist.
  var current: [UInt32]
  private var applied = 0
  /// The possible members of each list, by shape and subject number, with duplicates and objects that have
  /// left, which are skipped.
  var buckets: [[[UInt32]]]
  // The lists that were asked for; the others need none. What is typed is looked at when it is asked for.
  private var lists: [[Listed?]]
  /// The user's deletions: later changes of others to these entities have no effect.
  var removed: [UInt32] = []

  /// The first rows of a list, as states in order: of all rows, a change would move half.
  private struct Listed {
    var rows: [UInt32] = []
    /// Whether others come behind them.
    var isCut = false

    /// Leaves at most so many rows.
    mutating func cut(to count: Int) {
      guard rows.count > count else { return }
      rows.removeLast(rows.count - count)
      isCut = true
    }
  }

  init(_ history: ServerHistory) {
    self.history = history
    let model = history.scenario.model
    shapes = model.shapes
    shapesOfType = model.types.indices.map { type in
      model.shapes.indices.filter { model.shapes[$0].types.contains(type) }
    }
    let state = history.state
    values = state.values
    valueStarts = state.valueStarts
    objects = state.revisions.map(\.object)
    keys = state.keys
    labels = state.labels
    current = [UInt32](repeating: EntityStates.none, count: state.keys.count)
    let subjects = shapes.map { $0.hasSubject ? state.keys.count : 1 }
    buckets = subjects.map { [[UInt32]](repeating: [], count: $0) }
    lists = subjects.map { [Listed?](repeating: nil, count: $0) }
    for revision in 0..<UInt32(history.initialCount) {
      replace(objects[Int(revision)], by: revision)
    }
  }

  mutating func apply(_ revision: UInt32) { replace(objects[Int(revision)], by: revision) }

  /// Replaces an object's state by its next one; `none` for an object that is deleted or does not exist.
  mutating func replace(_ object: UInt32, by revision: UInt32) {
    let former = current[Int(object)]
    current[Int(object)] = revision
    for place in shapesOfType[type(of: object)] {
      if former != EntityStates.none, revision != EntityStates.none,
        let subject = onlySubject(of: revision, place),
        subject == onlySubject(of: former, place), subject < 0 || lists[place][subject] == nil
      {
        // It stays in lists that nobody has read, or in none.
        continue
      }
      let before = former == EntityStates.none ? [] : subjects(of: former, place)
      let after = revision == EntityStates.none ? [] : subjects(of: revision, place)
      if before != after {
        for subject in after where !before.contains(subject) {
          buckets[place][subject].append(object)
        }
      } else if !after.isEmpty, rank(former, place) == rank(revision, place) {
        // Most changes do not change its lists.
        for subject in after {
          guard let position = position(of: revision, place, subject) else { continue }
          lists[place][subject]?.rows[position] = revision
        }
        continue
      }
      for subject in before {
        guard let position = position(of: former, place, subject) else { continue }
        lists[place][subject]?.rows.remove(at: position)
        if let list = lists[place][subject], list.isCut, list.rows.count < shapes[place].rows {
          // It is made again when it is asked for.
          lists[place][subject] = nil
        }
      }
      for subject in after {
        guard let position = position(of: revision, place, subject) else { continue }
        let kept = keptRows(place)
        lists[place][subject]?.rows.insert(revision, at: position)
        lists[place][subject]?.cut(to: kept)
      }
    }
  }

  /// How many rows of a list are kept: all where a cursor or typed letters lead behind the first answer,
  /// otherwise some that may leave before the list is made again.
  private func keptRows(_ place: Int) -> Int {
    guard !shapes[place].isPaged, shapes[place].typedField == nil else { return .max }
    return shapes[place].rows + max(shapes[place].rows, 1_000)
  }

  /// How many of a list stand before a state; `nil` if there is no list, or the state comes behind its end.
  private func position(of revision: UInt32, _ place: Int, _ subject: Int) -> Int? {
    guard let listed = lists[place][subject] else { return nil }
    let list = listed.rows
    let rank = rank(revision, place)
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if self.rank(list[middle], place) < rank {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low == list.count && listed.isCut ? nil : low
  }

  /// The first rows of a subject's list, made when it is asked for and kept in order from then on.
  private mutating func list(_ place: Int, _ subject: Int) -> [UInt32] {
    if let list = lists[place][subject] { return list.rows }
    var ranks: [Rank] = []
    for object in buckets[place][subject] {
      let revision = current[Int(object)]
      if revision != EntityStates.none, subjects(of: revision, place).contains(subject) {
        ranks.append(rank(revision, place))
      }
    }
    ranks.sort()
    var list = Listed()
    for rank in ranks where rank.revision != list.rows.last { list.rows.append(rank.revision) }
    list.cut(to: keptRows(place))
    lists[place][subject] = list
    return list.rows
  }

  /// Returns the subjects under which a state is listed, ignoring typed letters; 0 means none.
  private func subjects(of revision: UInt32, _ place: Int) -> [Int] {
    // A closure over `self` would copy it with the whole history.
    let (words, start, labels) = (values, Int(valueStarts[Int(revision)]), labels)
    return shapes[place].subjects(
      of: object(of: revision), word: { words[start + $0] },
      references: { labels[LabelRange(word: $0).indices] })
  }

  /// Returns the only possible subject without creating an array; negative: there is none.
  ///
  /// - Returns: `nil` if there can be several.
  private func onlySubject(of revision: UInt32, _ place: Int) -> Int? {
    var only: Int?
    for condition in shapes[place].conditions {
      let subject: UInt32
      switch condition {
      case .isSubject(let member):
        subject = UInt32(truncatingIfNeeded: word(member.slot, revision))
        if subject == Revision.noObject { return -1 }
      case .isSubjectItself: subject = object(of: revision)
      case .flag(let member, let isSet):
        guard (word(member.slot, revision) != 0) == isSet else { return -1 }
        continue
      case .compares(let member, let comparison, let constant):
        let number = OrderedWord.number(word(member.slot, revision))
        guard comparison.holds(number, constant) else { return -1 }
        continue
      case .beginsWithTyped: continue
      case .includesSubject: return nil
      }
      if let only, only != Int(subject) { return -1 }
      only = Int(subject)
    }
    return only ?? 0
  }

  private func word(_ slot: Int, _ revision: UInt32) -> UInt64 {
    values[Int(valueStarts[Int(revision)]) + slot]
  }

  /// Applies the commits up to and including an instant.
  mutating func advance(to instant: Int64) {
    while applied < history.mutations.count,
      history.mutations[applied].at.nanoseconds <= instant
    {
      for index in history.mutations[applied].items {
        let item = history.items[index]
        if !removed.isEmpty, removed.contains(item.object) { continue }
        replace(
          item.object,
          by: item.revision == MutationItem.deleted ? EntityStates.none : item.revision)
      }
      applied += 1
    }
  }

  func type(of object: UInt32) -> Int { Int(keys[Int(object)].type.rawValue) - 1 }

  func object(of revision: UInt32) -> UInt32 { objects[Int(revision)] }

  func references(_ word: UInt64) -> ArraySlice<UInt32> { labels[LabelRange(word: word).indices] }

  func isAlive(_ object: UInt32) -> Bool { current[Int(object)] != EntityStates.none }

  func reference(_ member: QueryShape.Member, of object: UInt32) -> UInt32? {
    guard isAlive(object) else { return nil }
    let target = UInt32(truncatingIfNeeded: word(member.slot, current[Int(object)]))
    return target == EntityStates.none ? nil : target
  }

  func text(_ member: QueryShape.Member, of object: UInt32) -> UInt64 {
    isAlive(object) ? word(member.slot, current[Int(object)]) : 0
  }

  func words(of object: UInt32) -> [UInt64] {
    let start = Int(valueStarts[Int(current[Int(object)])])
    return Array(values[start..<start + history.scenario.model.width(ofType: type(of: object))])
  }

  /// Returns the current state of a live object: its size and location.
  func state(of object: UInt32) -> Revision {
    let revision = Int(current[Int(object)])
    let count = history.state.revisions.count
    return revision < count ? history.state.revisions[revision] : written[revision - count]
  }

  /// Returns the current rows of a query, as states, up to its limit.
  mutating func rows(of spec: QuerySpec) -> [UInt32] {
    let place = Int(spec.kind.rawValue) - 1
    let shape = shapes[place]
    let subject = shape.hasSubject ? Int(spec.subject) : 0
    let list = list(place, subject)
    var first = 0
    if spec.after != Revision.noObject {
      let cursor = rank(spec.after, place)
      first = position(of: spec.after, place, subject) ?? 0
      if first < list.count, rank(list[first], place) == cursor { first += 1 }
    }
    guard let typed = shape.typedField else {
      return Array(list[first...].prefix(Int(spec.limit)))
    }
    var rows: [UInt32] = []
    for revision in list[first...] where rows.count < Int(spec.limit) {
      if spec.nameRange.contains(word(typed.slot, revision)) { rows.append(revision) }
    }
    return rows
  }

  private struct Rank: Comparable {
    var words: (UInt64, UInt64)
    var key: EntityKey
    var revision: UInt32

    static func == (lhs: Rank, rhs: Rank) -> Bool { lhs.words == rhs.words && lhs.key == rhs.key }

    static func < (lhs: Rank, rhs: Rank) -> Bool {
      if lhs.words != rhs.words { return lhs.words < rhs.words }
      return lhs.key < rhs.key
    }
  }

  /// What a state is sorted by in the lists of the shape at a place.
  private func rank(_ revision: UInt32, _ place: Int) -> Rank {
    // No shape is copied: it has more to count references to than there is to do.
    func key(_ term: Int) -> UInt64 {
      guard term < shapes[place].order.count else { return 0 }
      let ordering = shapes[place].order[term]
      let word = word(ordering.member.slot, revision)
      return ordering.isDescending ? ~word : word
    }
    return Rank(
      words: (key(0), key(1)), key: keys[Int(objects[Int(revision)])], revision: revision)
  }
}

/// The data added by a session's user, visible to that user at once.
extension HistoryReplay {
  mutating func addObject(_ key: EntityKey) -> UInt32 {
    let object = UInt32(keys.count)
    keys.append(key)
    extendColumns()
    return object
  }

  mutating func store(_ list: [UInt32]) -> UInt64 {
    guard !list.isEmpty else { return 0 }
    let range = LabelRange(start: UInt32(labels.count), count: UInt32(list.count))
    labels += list
    return range.word
  }

  /// Adds a state, which has no effect before ``apply(_:)``.
  mutating func record(_ revision: Revision, words: [UInt64]) -> UInt32 {
    let number = UInt32(objects.count)
    objects.append(revision.object)
    written.append(revision)
    valueStarts.append(UInt32(values.count))
    values += words
    return number
  }

  /// Removes objects for this user.
  mutating func remove(_ objects: [UInt32]) {
    for object in objects {
      replace(object, by: EntityStates.none)
      removed.append(object)
    }
  }

  /// Returns a live object and the objects that it owns; at most about `limit` are searched.
  func possessions(of object: UInt32, limit: Int) -> [UInt32] {
    var found = [object]
    var isFound: Set<UInt32> = [object]
    var known = 0
    while known < found.count, found.count <= limit {
      known = found.count
      for child in keys.indices.map({ UInt32($0) })
      where isAlive(child) && !isFound.contains(child)
        && owners(of: child).contains(where: isFound.contains)
      {
        isFound.insert(child)
        found.append(child)
      }
    }
    return found
  }

  private func owners(of object: UInt32) -> [UInt32] {
    history.scenario.model.types[type(of: object)].fields.compactMap { field in
      guard case .one(_, _, true) = field.content else { return nil }
      return reference(QueryShape.Member(field), of: object)
    }
  }

  /// Adopts the states written by another session's user; none of their objects exists here.
  mutating func adoptStates(of other: HistoryReplay) {
    keys = other.keys
    objects = other.objects
    values = other.values
    valueStarts = other.valueStarts
    labels = other.labels
    written = other.written
    extendColumns()
  }

  private mutating func extendColumns() {
    let missing = keys.count - current.count
    guard missing > 0 else { return }
    current += repeatElement(EntityStates.none, count: missing)
    for shape in shapes.indices where shapes[shape].hasSubject {
      buckets[shape] += repeatElement([], count: missing)
      lists[shape] += repeatElement(nil, count: missing)
    }
  }
}
