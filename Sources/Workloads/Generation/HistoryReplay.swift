import CacheModel

/// Replays the data of an app from the beginning, so that a session can use it.
///
/// It lists the rows of a query at an instant, for the user to choose from. It does not judge caches: the
/// ground truth is the simulated server's.
struct HistoryReplay {
  let history: ServerHistory
  let shapes: [QueryShape]
  private let listed: ListedShapes
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
  var lists: [[Listed?]]
  /// The user's deletions: later changes of others to these entities have no effect.
  var removed: [UInt32] = []

  /// The first rows of a list, as states in order: of all rows, a change would move half.
  struct Listed {
    var rows: [UInt32] = []
    /// Whether others come behind them.
    var isCut = false

    /// Leaves at most this many rows.
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
    listed = ListedShapes(model)
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
    for index in listed.placesOfType[type(of: object)] {
      let place = listed.places[index]
      if listed[place].hasSeveralSubjects {
        let before = former == EntityStates.none ? [] : subjects(of: former, place)
        let after = revision == EntityStates.none ? [] : subjects(of: revision, place)
        for subject in after where !before.contains(subject) {
          buckets[place][subject].append(object)
        }
        if before == after, !after.isEmpty, rank(former, place) == rank(revision, place) {
          for subject in after { exchange(for: revision, place, subject) }
          continue
        }
        for subject in before { remove(former, place, subject) }
        for subject in after { insert(revision, place, subject) }
      } else {
        let before = former == EntityStates.none ? nil : subject(of: former, place)
        let after = revision == EntityStates.none ? nil : subject(of: revision, place)
        if let after, before != after { buckets[place][after].append(object) }
        // Most changes do not change its lists, or only those that nobody has read.
        if let after, before == after {
          guard lists[place][after] != nil else { continue }
          if rank(former, place) == rank(revision, place) {
            exchange(for: revision, place, after)
            continue
          }
        }
        if let before { remove(former, place, before) }
        if let after { insert(revision, place, after) }
      }
    }
  }

  /// Replaces a state in a list by one with its rank.
  private mutating func exchange(for revision: UInt32, _ place: Int, _ subject: Int) {
    guard let position = position(of: revision, place, subject) else { return }
    lists[place][subject]?.rows[position] = revision
  }

  private mutating func remove(_ revision: UInt32, _ place: Int, _ subject: Int) {
    guard let position = position(of: revision, place, subject) else { return }
    lists[place][subject]?.rows.remove(at: position)
    if let list = lists[place][subject], list.isCut, list.rows.count < listed[place].rows {
      // It is made again when it is asked for.
      lists[place][subject] = nil
    }
  }

  private mutating func insert(_ revision: UInt32, _ place: Int, _ subject: Int) {
    guard let position = position(of: revision, place, subject) else { return }
    lists[place][subject]?.rows.insert(revision, at: position)
    lists[place][subject]?.cut(to: listed[place].keptRows)
  }

  /// How many of a list stand before a state; `nil` if there is no list, or the state comes behind its end.
  private func position(of revision: UInt32, _ place: Int, _ subject: Int) -> Int? {
    guard let part = lists[place][subject] else { return nil }
    let list = part.rows
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
    return low == list.count && part.isCut ? nil : low
  }

  /// The first rows of a subject's list, made when it is asked for and kept in order from then on.
  private mutating func list(_ place: Int, _ subject: Int) -> [UInt32] {
    if let list = lists[place][subject] { return list.rows }
    var ranks: [Rank] = []
    for object in buckets[place][subject] {
      let revision = current[Int(object)]
      if revision != EntityStates.none, isListed(revision, place, subject) {
        ranks.append(rank(revision, place))
      }
    }
    ranks.sort()
    var list = Listed()
    for rank in ranks where rank.revision != list.rows.last { list.rows.append(rank.revision) }
    list.cut(to: listed[place].keptRows)
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

  /// Returns the subject under which a state is listed, ignoring typed letters; `nil` if under none.
  ///
  /// - Precondition: it cannot be listed under several.
  private func subject(of revision: UInt32, _ place: Int) -> Int? {
    var only: Int?
    for index in listed[place].tests {
      let subject: UInt32
      switch listed.tests[index] {
      case .isSubject(let slot):
        subject = UInt32(truncatingIfNeeded: word(slot, revision))
        if subject == Revision.noObject { return nil }
      case .isSubjectItself: subject = object(of: revision)
      case .flag(let slot, let isSet):
        guard (word(slot, revision) != 0) == isSet else { return nil }
        continue
      case .compares(let slot, let comparison, let constant):
        let number = OrderedWord.number(word(slot, revision))
        guard comparison.holds(number, constant) else { return nil }
        continue
      }
      if let only, only != Int(subject) { return nil }
      only = Int(subject)
    }
    return only ?? 0
  }

  private func isListed(_ revision: UInt32, _ place: Int, _ subject: Int) -> Bool {
    listed[place].hasSeveralSubjects
      ? subjects(of: revision, place).contains(subject)
      : self.subject(of: revision, place) == subject
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

  /// A state's sort key in the lists of the shape at a place.
  private func rank(_ revision: UInt32, _ place: Int) -> Rank {
    let order = listed[place].order
    func key(_ term: ListedShape.Term?) -> UInt64 {
      term.map { $0.key(word($0.slot, revision)) } ?? 0
    }
    return Rank(
      words: (key(order.first), key(order.second)), key: keys[Int(objects[Int(revision)])],
      revision: revision)
  }
}
