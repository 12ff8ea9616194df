import CacheModel

/// A change by a user.
struct DrawnWrite {
  /// The time in nanoseconds.
  var at: Int64
  /// The user's changes, then the server's dependent changes.
  var items: [MutationItem]
  var isCreation: Bool
  var isRefused: Bool
  /// The bytes of the event for other clients.
  var bytes: Int
}

/// A user's changes of visible entities, as drawn.
extension UserSession {
  mutating func write(_ operation: OperationDeclaration, _ exponent: Double) -> Bool {
    replay.advance(to: now)
    // A refused write does not happen for others, and soon disappears from this user's screen.
    var fate = source.substream("write", UInt64(writes.count))
    let isRefused = fate.chance(section.writes?.refused ?? 0)
    var write = DrawnWrite(
      at: now, items: [], isCreation: false, isRefused: isRefused, bytes: ObjectSizes.envelope)
    if case .delete = operation.effect {
      guard let object = row(exponent, ofType: operation.effect.type) else { return true }
      let limit =
        model.ownsItself(operation.effect.type) ? ServerHistory.largestSubtree : .max
      let gone = replay.possessions(of: object, limit: limit)
      guard gone.count <= limit else { return true }
      write.items = [MutationItem(object: object, revision: MutationItem.deleted)]
      write.bytes += ObjectSizes.deletedKey
      if !isRefused { replay.remove(gone) }
    } else if !change(operation, exponent, into: &write) {
      return true
    }
    script.append(.write(UInt32(writes.count)), at: now)
    writes.append(write)
    return true
  }

  /// Returns a live row of a type in the current view.
  private mutating func row(_ exponent: Double, ofType type: Int) -> UInt32? {
    row(exponent).flatMap { replay.type(of: $0) == type ? $0 : nil }
  }

  /// Draws the states after a write.
  private mutating func change(
    _ operation: OperationDeclaration, _ exponent: Double, into write: inout DrawnWrite
  ) -> Bool {
    let type = operation.effect.type
    let declared = model.types[type]
    var words: [UInt64]
    var bytes: Int32
    let object: UInt32
    if case .create = operation.effect {
      words = model.blankWords(ofType: type)
      for field in declared.fields { draw(field, of: nil, ofType: type, into: &words) }
      setSubject(ofType: type, &words)
      copyLists(ofType: type, &words)
      bytes = declared.size.draw(&random)
      object = replay.addObject(
        EntityKey(type: DataModel.resourceType(ofType: type), id: random.uniqueID()))
      write.isCreation = true
    } else {
      guard let row = row(exponent, ofType: type) else { return false }
      object = row
      words = replay.words(of: object)
      bytes = replay.state(of: object).bytes
    }
    var relinked: UInt32?
    switch operation.effect {
    case .create, .delete: break
    case .set(_, let field):
      draw(declared.fields[field], of: object, ofType: type, into: &words)
      if case .text = declared.fields[field].content, !declared.size.isKept {
        bytes = declared.size.draw(&random)
      }
    case .add(_, let field, let amount): words.add(amount, to: declared.fields[field].slot)
    case .toggle(_, let field):
      if case .many = declared.fields[field].content {
        relinked = relink(declared.fields[field], .toggle, object, &words)
      } else {
        words[declared.fields[field].slot] ^= 1
      }
    case .link(_, let field): relinked = relink(declared.fields[field], .link, object, &words)
    case .unlink(_, let field): relinked = relink(declared.fields[field], .unlink, object, &words)
    }
    bytes = min(bytes + Int32(operation.growth), Int32(SizeDistribution.most))
    for touch in operation.touches where touch.through == nil {
      words.touch(declared.fields[touch.field], at: now)
    }
    put(object, words, bytes: bytes, into: &write)
    for touch in operation.touches {
      guard let through = touch.through else { continue }
      let slot = declared.fields[through].slot
      let isOne = if case .one = declared.fields[through].content { true } else { false }
      guard let target = isOne ? UInt32(truncatingIfNeeded: words[slot]) : relinked,
        target != EntityStates.none, replay.isAlive(target),
        !write.items.contains(where: { $0.object == target })
      else { continue }
      var others = replay.words(of: target)
      others.touch(model.types[touch.type].fields[touch.field], at: now)
      put(target, others, bytes: replay.state(of: target).bytes, into: &write)
    }
    return true
  }

  private mutating func put(
    _ object: UInt32, _ words: [UInt64], bytes: Int32, into write: inout DrawnWrite
  ) {
    // The server assigns the version on arrival.
    var state = Revision(object: object, version: .none, bytes: bytes)
    state.location = location(of: object, words)
    let revision = replay.record(state, words: words)
    write.items.append(MutationItem(object: object, revision: revision))
    write.bytes += Int(bytes)
    if !write.isRefused { replay.apply(revision) }
  }

  /// Returns the location of an entity with these fields: that of its position in a tree, or its previous
  /// one.
  private func location(of object: UInt32, _ words: [UInt64]) -> UInt32 {
    for field in model.types[replay.type(of: object)].fields where field.isPlaceBelow {
      let place = UInt32(truncatingIfNeeded: words[field.slot])
      guard place != EntityStates.none, replay.isAlive(place) else { continue }
      return replay.state(of: place).location
    }
    return replay.isAlive(object) ? replay.state(of: object).location : EntityStates.none
  }

  /// Draws the value that the user gives a field of an entity; `nil`: of a new one.
  private mutating func draw(
    _ field: ModelField, of object: UInt32?, ofType own: Int, into words: inout [UInt64]
  ) {
    let slot = field.slot
    switch field.content {
    case .integer(let initial):
      let bounds = object == nil ? field.starts ?? initial : initial
      let span = Int(bounds.upperBound - bounds.lowerBound) + 1
      words[slot] = OrderedWord.of(bounds.lowerBound + Int64(random.below(span)))
    case .time: words[slot] = OrderedWord.of(now / 1_000_000)
    case .text: words[slot] = history.names.name(&random)
    case .flag(let share): words[slot] = random.chance(share) ? 1 : 0
    case .one(_, _, _) where field.tree != nil:
      let other = target(ofType: own, .uniform)
      words[slot] = other.map { replay.words(of: $0)[slot] } ?? UInt64(EntityStates.none)
    case .one(let type, let choice, let cascades):
      let chosen = target(ofType: type, choice)
      if cascades, type == own, let object, let chosen, lies(chosen, below: object, by: slot) {
        return
      }
      words[slot] = UInt64(chosen ?? EntityStates.none)
    case .many(_, _, .mean) where object == nil && field.starts != nil: words[slot] = 0
    case .many(let type, let choice, .mean(let mean)):
      var list: [UInt32] = []
      for _ in 0..<min(random.geometric(mean: mean), model.types[type].count) {
        guard let other = target(ofType: type, choice) else { break }
        if !list.contains(other) { list.append(other) }
      }
      words[slot] = replay.store(list)
    case .many(_, _, .copied): break
    }
  }

  private func lies(_ object: UInt32, below other: UInt32, by slot: Int) -> Bool {
    var next = object
    while next != EntityStates.none, replay.isAlive(next) {
      if next == other { return true }
      next = UInt32(truncatingIfNeeded: replay.words(of: next)[slot])
    }
    return false
  }

  /// Returns a live entity of a type, by a choice.
  private mutating func target(ofType type: Int, _ choice: Choice) -> UInt32? {
    let all = history.state.ranked[type]
    guard !all.isEmpty else { return nil }
    let place = choices.place(choice, count: all.count, &random)
    return (0..<min(all.count, ServerHistory.attempts)).lazy
      .map { all[(place + $0) % all.count] }.first { replay.isAlive($0) }
  }

  /// Sets the subject of an entity created in a view: the view's subject, or the user's own entity.
  private func setSubject(ofType type: Int, _ words: inout [UInt64]) {
    if let view = path.last, model.shapes[view.shape].types.contains(type) {
      for case .isSubject(let member) in model.shapes[view.shape].conditions {
        words[member.slot] = view.subject
      }
    }
    guard let me else { return }
    for field in model.types[type].fields {
      guard case .one(let other, _, _) = field.content, other == section.me else { continue }
      words[field.slot] = UInt64(me)
    }
  }

  /// Copies lists from other entities when this one is created.
  private func copyLists(ofType type: Int, _ words: inout [UInt64]) {
    for field in model.types[type].fields {
      guard case .many(_, _, .copied(let through, let list)) = field.content,
        case let reference = model.types[type].fields[through], let other = reference.target,
        case let owner = UInt32(truncatingIfNeeded: words[reference.slot]),
        owner != EntityStates.none,
        replay.isAlive(owner)
      else { continue }
      words[field.slot] = replay.words(of: owner)[model.types[other].fields[list].slot]
    }
  }

  /// - Returns: the added or removed entity; `nil` if the list is unchanged.
  private mutating func relink(
    _ field: ModelField, _ relinking: ServerHistory.Relinking, _ object: UInt32,
    _ words: inout [UInt64]
  ) -> UInt32? {
    guard case .many(let type, let choice, _) = field.content else { return nil }
    let slot = field.slot
    var list = Array(replay.references(words[slot]))
    let other: UInt32?
    if relinking == .unlink {
      other = list.isEmpty ? nil : list[random.below(list.count)]
    } else {
      other = target(ofType: type, choice)
    }
    guard let other, other != object else { return nil }
    if let index = list.firstIndex(of: other) {
      guard relinking != .link else { return nil }
      list.remove(at: index)
    } else {
      list.append(other)
    }
    words[slot] = replay.store(list)
    return other
  }
}
