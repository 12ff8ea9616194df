import CacheModel

/// The operations of devices.
extension ServerHistory {
  /// Performs one operation; no effect without an entity for it.
  mutating func perform(
    _ operation: OperationDeclaration, by device: Int, at instant: Int64,
    _ random: inout RandomSource
  ) {
    let count = operation.batch > 1 ? random.geometric(mean: operation.batch, minimum: 1) : 1
    if case .delete(let type) = operation.effect {
      delete(type, operation, count, by: device, at: instant, &random)
      return
    }
    let first = items.count
    var commit = CommitInProgress()
    var bytes = 0
    if operation.beside != nil {
      commit.isShared = true
      for object in neighbours(for: operation, count, by: device, at: instant, &random) {
        bytes += change(object, operation, by: device, at: instant, &commit, &random)
      }
    } else {
      for _ in 0..<count {
        guard let object = entity(for: operation, by: device, at: instant, &random),
          !commit.holds(object)
        else { continue }
        bytes += change(object, operation, by: device, at: instant, &commit, &random)
      }
    }
    bytes += touch(by: device, at: instant, &commit)
    commitItems(from: first, bytes: bytes, by: device, at: instant)
  }

  /// The changes of a commit, and the fields that it still has to touch.
  struct CommitInProgress {
    /// Whether a drawn reference is shared by the batch.
    fileprivate var isShared = false
    fileprivate var reference: UInt32?
    fileprivate var changed: [UInt32] = []
    fileprivate var touched: [(object: UInt32, touch: OperationDeclaration.Touch)] = []

    fileprivate func holds(_ object: UInt32) -> Bool { changed.contains(object) }
  }

  /// Returns the entities of an operation with a common field.
  private mutating func neighbours(
    for operation: OperationDeclaration, _ count: Int, by device: Int, at instant: Int64,
    _ random: inout RandomSource
  ) -> [UInt32] {
    guard let field = operation.beside,
      let object = entity(for: operation, by: device, at: instant, &random)
    else { return [] }
    return state.neighbours(
      of: object, by: scenario.model.types[operation.effect.type].fields[field].slot,
      count: count,
      from: random.unit())
  }

  /// Returns the entity of an operation: a new one, or a live one by the operation's preference.
  private mutating func entity(
    for operation: OperationDeclaration, by device: Int, at instant: Int64,
    _ random: inout RandomSource
  ) -> UInt32? {
    let type = operation.effect.type
    if case .create = operation.effect {
      return state.addObject(
        ofType: type, id: random.uniqueID(), at: instant, popularity: random.unit())
    }
    guard let share = group(of: device).nearViews, views != nil else {
      return preferred(by: operation, &random)
    }
    views?.advance(to: instant)
    if random.chance(share) {
      for _ in 0..<Self.attemptsNearViews {
        if let row = views?.row(ofType: type, state, &random) { return row }
      }
    }
    var object: UInt32?
    for _ in 0..<Self.attemptsNearViews {
      object = preferred(by: operation, &random)
      guard let object, views?.contain(object, state) == true else { break }
    }
    return object
  }

  /// The number of draws for an entity that is, or is not, in view, before any is accepted.
  private static let attemptsNearViews = 16

  /// Returns a live entity by the preference of an operation.
  private mutating func preferred(
    by operation: OperationDeclaration, _ random: inout RandomSource
  ) -> UInt32? {
    let type = operation.effect.type
    switch operation.preference {
    case .any: return live(state.ranked[type], from: random.unit(), isUpward: false)
    case .popular(let exponent):
      let all = state.ranked[type]
      guard !all.isEmpty else { return nil }
      let rank = choices.sample(exponent, count: all.count, &random)
      return live(all, from: Double(rank) / Double(all.count), isUpward: false)
    case .newest(let exponent):
      let all = state.created[type]
      guard !all.isEmpty else { return nil }
      let age = choices.sample(exponent, count: all.count, &random)
      return live(all, from: Double(all.count - 1 - age) / Double(all.count), isUpward: true)
    }
  }

  /// Returns the first live entity from a position on; with `isUpward` false, towards lower ranks or older
  /// ones.
  func live(_ all: [UInt32], from share: Double, isUpward: Bool) -> UInt32? {
    guard !all.isEmpty else { return nil }
    // Half a position keeps the quotient from falling below its origin.
    let start = Int(share * Double(all.count) + 1e-6)
    for step in 0..<min(all.count, Self.attempts) {
      let place = isUpward ? start - step + all.count : start + step
      let object = all[place % all.count]
      if state.isAlive(object) { return object }
    }
    return nil
  }

  /// Sets an entity's next or first state; returns the event's bytes for it.
  mutating func change(
    _ object: UInt32, _ operation: OperationDeclaration, found: FoundEntity? = nil,
    by device: Int, at instant: Int64, _ commit: inout CommitInProgress,
    _ random: inout RandomSource
  ) -> Int {
    let type = operation.effect.type
    let declared = scenario.model.types[type]
    var words =
      state.isAlive(object) ? Array(state.words(of: object)) : state.model.blankWords(ofType: type)
    var bytes = state.isAlive(object) ? state.state(of: object).bytes : 0
    var relinked: UInt32?
    switch operation.effect {
    case .create:
      for (index, field) in declared.fields.enumerated() {
        if let word = found?.word(of: field, index) {
          words[field.slot] = word
        } else {
          // Entities found by a job are as old as the initial ones.
          let isOld = if case .time = field.content { found != nil } else { false }
          draw(field, of: object, into: &words, at: isOld ? nil : instant, &random)
        }
      }
      bytes = declared.size.draw(&random)
    case .set(_, let field):
      // The initial value of a new entity is not a value of an old one.
      var set = declared.fields[field]
      set.starts = nil
      redraw(set, of: object, into: &words, at: instant, &commit, &random)
      // Another text has another length.
      if case .text = set.content, !declared.size.isKept { bytes = declared.size.draw(&random) }
    case .add(_, let field, let amount): words.add(amount, to: declared.fields[field].slot)
    case .toggle(_, let field):
      if case .many = declared.fields[field].content {
        relinked = relink(declared.fields[field], of: object, .toggle, &words, &commit, &random)
      } else {
        words[declared.fields[field].slot] ^= 1
      }
    case .link(_, let field):
      relinked = relink(declared.fields[field], of: object, .link, &words, &commit, &random)
    case .unlink(_, let field):
      relinked = relink(declared.fields[field], of: object, .unlink, &words, &commit, &random)
    case .delete: return 0
    }
    bytes = min(bytes + Int32(operation.growth), Int32(SizeDistribution.most))
    for touch in operation.touches {
      guard let through = touch.through else {
        words.touch(declared.fields[touch.field], at: instant)
        continue
      }
      let isOne = if case .one = declared.fields[through].content { true } else { false }
      let target =
        isOne ? UInt32(truncatingIfNeeded: words[declared.fields[through].slot]) : relinked
      guard let target, target != EntityStates.none else { continue }
      commit.touched.append((target, touch))
    }
    return put(object, words, bytes: bytes, by: device, at: instant, &commit)
  }

  mutating func put(
    _ object: UInt32, _ words: [UInt64], bytes: Int32, location place: UInt32? = nil,
    by device: Int, at instant: Int64, _ commit: inout CommitInProgress
  ) -> Int {
    let seen = state.isAlive(object) ? state.state(of: object).version : .none
    let version = tick(device, at: instant, after: seen)
    var revision = Revision(object: object, version: version, bytes: bytes)
    revision.location = place ?? location(of: object, words)
    let former = views?.subjects(of: object, state) ?? []
    let number = state.record(revision, words: words)
    views?.note(object, state, besides: former)
    items.append(MutationItem(object: object, revision: number))
    commit.changed.append(object)
    return Int(bytes)
  }

  /// Touches the entities that the changed ones refer to, once each.
  mutating func touch(
    by device: Int, at instant: Int64, _ commit: inout CommitInProgress
  ) -> Int {
    var bytes = 0
    let touched = commit.touched
    for (index, (object, _)) in touched.enumerated() {
      let isRepeated = touched[..<index].contains { $0.object == object }
      guard state.isAlive(object), !commit.holds(object), !isRepeated else { continue }
      var words = Array(state.words(of: object))
      for (other, touch) in touched where other == object {
        words.touch(scenario.model.types[touch.type].fields[touch.field], at: instant)
      }
      bytes += put(
        object, words, bytes: state.state(of: object).bytes, by: device, at: instant, &commit)
    }
    return bytes
  }

  /// Draws a new value of a field; a reference once for a batch with a common field.
  private mutating func redraw(
    _ field: ModelField, of object: UInt32, into words: inout [UInt64], at instant: Int64,
    _ commit: inout CommitInProgress, _ random: inout RandomSource
  ) {
    guard commit.isShared, case .one(_, _, let cascades) = field.content else {
      draw(field, of: object, into: &words, at: instant, &random)
      return
    }
    guard let shared = commit.reference else {
      draw(field, of: object, into: &words, at: instant, &random)
      commit.reference = UInt32(truncatingIfNeeded: words[field.slot])
      return
    }
    let isInTree = cascades && field.target == state.type(of: object)
    guard shared != object, !isInTree || !lies(shared, below: object, by: field.slot) else {
      return
    }
    words[field.slot] = UInt64(shared)
  }

  /// The effect of relinking a list.
  enum Relinking {
    case link, unlink, toggle
  }

  /// Adds an entity that the list lacks, or removes one that it has.
  ///
  /// - Returns: that entity; `nil` if the list is unchanged.
  private mutating func relink(
    _ field: ModelField, of object: UInt32, _ relinking: Relinking, _ words: inout [UInt64],
    _ commit: inout CommitInProgress, _ random: inout RandomSource
  ) -> UInt32? {
    guard case .many(let type, let choice, _) = field.content else { return nil }
    let slot = field.slot
    var list = Array(state.references(words[slot]))
    var other: UInt32?
    if relinking != .unlink, let shared = commit.reference {
      other = shared == object || relinking == .link && list.contains(shared) ? nil : shared
    } else {
      let place = random.unit()
      let all = state.ranked[type]
      let rank = all.isEmpty ? 0 : choices.place(choice, count: all.count, &random)
      if relinking == .unlink {
        other = list.isEmpty ? nil : list[Int(place * Double(list.count))]
      } else {
        other = (0..<min(all.count, Self.attempts)).lazy
          .map { all[(rank + $0) % all.count] }
          .first {
            $0 != object && state.isAlive($0) && (relinking == .toggle || !list.contains($0))
          }
        if commit.isShared { commit.reference = other }
      }
    }
    guard let other else { return nil }
    if let index = list.firstIndex(of: other) {
      list.remove(at: index)
    } else {
      guard list.count < Self.longestList else { return nil }
      list.append(other)
    }
    words[slot] = state.store(list)
    return other
  }

  /// The maximum length of a list of references.
  private static let longestList = 10_000

  static let largestSubtree = 500

  private mutating func delete(
    _ type: Int, _ operation: OperationDeclaration, _ count: Int, by device: Int,
    at instant: Int64, _ random: inout RandomSource
  ) {
    let first = items.count
    var newest = Version.none
    var next = neighbours(for: operation, count, by: device, at: instant, &random)
    for _ in 0..<(operation.beside == nil ? count : next.count) {
      let chosen =
        operation.beside == nil
        ? entity(for: operation, by: device, at: instant, &random) : next.popLast()
      guard let object = chosen else { break }
      let limit = scenario.model.ownsItself(type) ? Self.largestSubtree : .max
      let gone = state.possessions(of: object, limit: limit)
      guard gone.count <= limit else { continue }
      for object in gone { newest = max(newest, state.state(of: object).version) }
      state.remove(gone)
      items += gone.map { MutationItem(object: $0, revision: MutationItem.deleted) }
    }
    guard items.count > first else { return }
    commit(
      .deleted, from: first, bytes: (items.count - first) * ObjectSizes.deletedKey, by: device,
      at: instant, version: tick(device, at: instant, after: newest))
  }
}

extension [UInt64] {
  mutating func add(_ amount: Int64, to slot: Int) {
    self[slot] = OrderedWord.of(OrderedWord.number(self[slot]) &+ amount)
  }

  /// Sets a time to now, or increments a number.
  mutating func touch(_ field: ModelField, at instant: Int64) {
    switch field.content {
    case .time: self[field.slot] = OrderedWord.of(instant / 1_000_000)
    case .integer: add(1, to: field.slot)
    case .text, .flag, .one, .many: break
    }
  }
}
