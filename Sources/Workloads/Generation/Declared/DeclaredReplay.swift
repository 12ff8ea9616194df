import CacheModel

/// The data of a declared app once more from the beginning, so that a session sees what there is to see.
///
/// It lists what a query would at an instant, for the user to choose from. Whether a cache is right is not
/// asked here: the truth is the simulated server's.
struct DeclaredReplay {
  let history: DeclaredHistory
  let shapes: [QueryShape]
  // Looked at for every row: held here, so that nothing larger is copied to reach them.
  var values: [UInt64]
  var valueStarts: [UInt32]
  var objects: [UInt32]
  var keys: [EntityKey]
  var labels: [UInt32]
  /// What users have written, behind the states of the history.
  var written: [Revision] = []
  /// The state of each object; `none` where it does not exist.
  var current: [UInt32]
  private var applied = 0
  /// By shape, then by the number of the subject: what may be listed; those that left are passed over.
  var buckets: [[[UInt32]]]
  /// What the user has deleted: whatever others do to it later comes to nothing.
  var removed: [UInt32] = []

  init(_ history: DeclaredHistory) {
    self.history = history
    shapes = history.app.model.shapes
    let state = history.state
    values = state.values
    valueStarts = state.valueStarts
    objects = state.revisions.map(\.object)
    keys = state.keys
    labels = state.labels
    current = [UInt32](repeating: DeclaredState.none, count: state.keys.count)
    buckets = shapes.map { shape in
      [[UInt32]](repeating: [], count: shape.hasSubject ? state.keys.count : 1)
    }
    for revision in 0..<history.initialCount { apply(UInt32(revision)) }
  }

  mutating func apply(_ revision: UInt32) {
    let object = objects[Int(revision)]
    let former = current[Int(object)]
    current[Int(object)] = revision
    let type = type(of: object)
    for shape in shapes.indices where shapes[shape].types.contains(type) {
      let before = former == DeclaredState.none ? [] : subjects(of: former, shapes[shape])
      // One that comes back stands there twice; who lists it takes it once.
      for subject in subjects(of: revision, shapes[shape]) where !before.contains(subject) {
        buckets[shape][subject].append(object)
      }
    }
  }

  /// Where a state stands in the buckets of a shape.
  private func subjects(of revision: UInt32, _ shape: QueryShape) -> [Int] {
    for condition in shape.conditions {
      switch condition {
      case .isSubject(let member):
        let object = UInt32(truncatingIfNeeded: word(member.storage, revision))
        return object == DeclaredState.none ? [] : [Int(object)]
      case .includesSubject(let member):
        return references(word(member.storage, revision)).map { Int($0) }
      default: continue
      }
    }
    return [0]
  }

  private func word(_ storage: ModelField.Storage, _ revision: UInt32) -> UInt64 {
    guard case .value(let slot) = storage else { return 0 }
    return values[Int(valueStarts[Int(revision)]) + slot]
  }

  /// Applies what was committed before an instant, or at it.
  mutating func advance(to instant: Int64) {
    while applied < history.mutations.count,
      history.mutations[applied].at.nanoseconds <= instant
    {
      for index in history.mutations[applied].items {
        let item = history.items[index]
        if !removed.isEmpty, removed.contains(item.object) { continue }
        if item.revision == MutationItem.deleted {
          current[Int(item.object)] = DeclaredState.none
        } else {
          apply(item.revision)
        }
      }
      applied += 1
    }
  }

  func type(of object: UInt32) -> Int { Int(keys[Int(object)].type.rawValue) - 1 }

  /// The object of a state.
  func object(of revision: UInt32) -> UInt32 { objects[Int(revision)] }

  func references(_ word: UInt64) -> ArraySlice<UInt32> { labels[LabelRange(word: word).indices] }

  func isAlive(_ object: UInt32) -> Bool { current[Int(object)] != DeclaredState.none }

  /// What a field of a live object refers to.
  func reference(_ member: QueryShape.Member, of object: UInt32) -> UInt32? {
    guard isAlive(object) else { return nil }
    let target = UInt32(truncatingIfNeeded: word(member.storage, current[Int(object)]))
    return target == DeclaredState.none ? nil : target
  }

  /// The text of a field of a live object.
  func text(_ member: QueryShape.Member, of object: UInt32) -> UInt64 {
    isAlive(object) ? word(member.storage, current[Int(object)]) : 0
  }

  /// The words of a live object.
  func words(of object: UInt32) -> [UInt64] {
    let start = Int(valueStarts[Int(current[Int(object)])])
    return Array(values[start..<start + history.app.model.width(ofType: type(of: object))])
  }

  /// The size of a live object as it is now.
  func bytes(of object: UInt32) -> Int32 {
    let revision = Int(current[Int(object)])
    let count = history.state.revisions.count
    return revision < count
      ? history.state.revisions[revision].bytes : written[revision - count].bytes
  }

  /// The rows that a query lists now, as states, at most its limit.
  func rows(of spec: QuerySpec) -> [UInt32] {
    let place = Int(spec.kind.rawValue) - 1
    let shape = shapes[place]
    let bucket = buckets[place][shape.hasSubject ? Int(spec.subject) : 0]
    let limit = Int(spec.limit)
    let cursor = spec.after == Revision.noObject ? nil : rank(spec.after, shape)
    var best: [Rank] = []
    // The newest first: most lists have them first, so that little is put in between.
    for object in bucket.reversed() {
      let revision = current[Int(object)]
      guard revision != DeclaredState.none, matches(revision, spec, shape) else { continue }
      let rank = rank(revision, shape)
      if let cursor, !(cursor < rank) { continue }
      if best.count >= limit, let last = best.last, !(rank < last) { continue }
      var low = 0
      var high = best.count
      while low < high {
        let middle = (low + high) / 2
        if best[middle] < rank { low = middle + 1 } else { high = middle }
      }
      if low < best.count, best[low].revision == revision { continue }
      best.insert(rank, at: low)
      if best.count > limit { best.removeLast() }
    }
    return best.map(\.revision)
  }

  private struct Rank: Comparable {
    var words: (UInt64, UInt64)
    var key: EntityKey
    var revision: UInt32

    static func == (lhs: Rank, rhs: Rank) -> Bool { lhs.revision == rhs.revision }

    static func < (lhs: Rank, rhs: Rank) -> Bool {
      if lhs.words != rhs.words { return lhs.words < rhs.words }
      return lhs.key < rhs.key
    }
  }

  private func rank(_ revision: UInt32, _ shape: QueryShape) -> Rank {
    func key(_ place: Int) -> UInt64 {
      guard place < shape.order.count else { return 0 }
      let ordering = shape.order[place]
      let word = word(ordering.member.storage, revision)
      return ordering.isDescending ? ~word : word
    }
    return Rank(
      words: (key(0), key(1)), key: keys[Int(objects[Int(revision)])], revision: revision)
  }

  private func matches(_ revision: UInt32, _ spec: QuerySpec, _ shape: QueryShape) -> Bool {
    shape.conditions.allSatisfy { condition in
      switch condition {
      case .isSubject(let member): word(member.storage, revision) == spec.subject
      case .includesSubject(let member):
        references(word(member.storage, revision)).contains {
          UInt64($0) == spec.subject
        }
      case .beginsWithTyped(let member):
        spec.nameRange.contains(word(member.storage, revision))
      case .flag(let member, let isSet): (word(member.storage, revision) != 0) == isSet
      case .compares(let member, let comparison, let constant):
        comparison.holds(OrderedWord.number(word(member.storage, revision)), constant)
      }
    }
  }
}

extension QueryShape.Comparison {
  fileprivate func holds(_ number: Int64, _ constant: Int64) -> Bool {
    switch self {
    case .equal: number == constant
    case .unequal: number != constant
    case .atMost: number <= constant
    case .atLeast: number >= constant
    case .less: number < constant
    case .greater: number > constant
    }
  }
}
