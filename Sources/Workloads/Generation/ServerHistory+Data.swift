import CacheModel

/// Generates the data that exist when the run begins.
extension ServerHistory {
  mutating func makeData() {
    var ids = random.substream("identifiers")
    var ranks = random.substream("popularity")
    for (type, declared) in scenario.model.types.enumerated() {
      for _ in 0..<declared.count {
        _ = state.addObject(
          ofType: type, id: ids.uniqueID(), at: 0, popularity: ranks.unit())
      }
    }
    let (places, made) = growTrees()
    // All objects have numbers by now, so that any may refer to any.
    let counted = scenario.model.types.indices.filter { !made.contains($0) }
    for type in counted + made {
      let declared = scenario.model.types[type]
      var values = random.substream("values", UInt64(type))
      var sizes = random.substream("sizes", UInt64(type))
      let home = state.model.placeField(ofType: type)
      for object in state.created[type] {
        var words = state.model.blankWords(ofType: type)
        for (index, field) in declared.fields.enumerated() where index != home {
          draw(field, of: object, into: &words, at: nil, &values)
        }
        var revision = Revision(
          object: object, version: Self.initialVersion, bytes: declared.size.draw(&sizes))
        if let home {
          words[declared.fields[home].slot] = UInt64(places[Int(object)].parent)
          revision.location = places[Int(object)].location
        }
        _ = state.record(revision, words: words)
      }
    }
    copyLists()
    touchInitially()
    for (type, declared) in scenario.model.types.enumerated() {
      let time = declared.fields.first { if case .time = $0.content { true } else { false } }
      if let slot = time?.slot { state.sortCreated(ofType: type, by: slot) }
    }
    initialCount = state.revisions.count
    guard views != nil else { return }
    for object in state.created.lazy.flatMap(\.self) { views?.note(object, state, besides: []) }
  }

  struct Place {
    var parent = EntityStates.none
    var location = EntityStates.none
  }

  /// Draws the positions of all objects in trees, and creates the trees' objects.
  ///
  /// - Returns: the position of each object, and the created types in the order of their objects.
  private mutating func growTrees() -> (places: [Place], made: [Int]) {
    var places = [Place](repeating: Place(), count: state.keys.count)
    var made: [Int] = []
    for (type, declared) in scenario.model.types.enumerated() {
      guard let field = declared.fields.first(where: { $0.tree != nil }), let shape = field.tree,
        let target = field.target
      else { continue }
      made.append(target)
      var ways = random.substream("tree", UInt64(type))
      var ids = random.substream("tree-identifiers", UInt64(type))
      var tree = DirectoryTree(
        depth: shape.depth, fanOut: shape.fanOut,
        locations: shape.below.map { state.created[$0] } ?? [])
      for object in state.created[type] {
        let place = tree.place(&ways) { parent, location in
          places.append(Place(parent: parent, location: location))
          return state.addObject(
            ofType: target, id: ids.uniqueID(), at: 0, popularity: ids.unit())
        }
        places[Int(object)] = Place(parent: place.directory, location: place.location)
      }
    }
    return (places, made)
  }

  private static let initialVersion = Version(
    milliseconds: UInt64(calendarOrigin - 10_000), counter: 0, device: 1)

  /// Copies lists from other entities, after all of those are drawn.
  private mutating func copyLists() {
    for (type, declared) in scenario.model.types.enumerated() {
      for field in declared.fields {
        guard case .many(_, _, .copied) = field.content else { continue }
        for object in state.created[type] {
          let word = copiedList(field, Array(state.words(of: object)), ofType: type)
          state.correct(field.slot, of: object, to: word)
        }
      }
    }
  }

  /// Sets the fields that creating operations would have touched: the latest time, the count.
  private mutating func touchInitially() {
    for operation in scenario.model.operations {
      guard case .create(let type) = operation.effect else { continue }
      let fields = scenario.model.types[type].fields
      let time = fields.first { if case .time = $0.content { true } else { false } }
      for touch in operation.touches {
        guard let through = touch.through else { continue }
        let touched = scenario.model.types[touch.type].fields[touch.field]
        var isTouched = Set<UInt32>()
        for object in state.created[type] {
          let target = UInt32(truncatingIfNeeded: state.word(fields[through].slot, of: object))
          guard target != EntityStates.none else { continue }
          let before = state.word(touched.slot, of: target)
          let isFirst = isTouched.insert(target).inserted
          switch touched.content {
          case .time:
            guard let time else { continue }
            let word = state.word(time.slot, of: object)
            state.correct(touched.slot, of: target, to: isFirst ? word : max(before, word))
          case .integer:
            let count = isFirst ? 0 : OrderedWord.number(before)
            state.correct(touched.slot, of: target, to: OrderedWord.of(count + 1))
          case .text, .flag, .one, .many: break
          }
        }
      }
    }
  }

  /// Draws a field's value into the words of a state, at an instant in nanoseconds; `nil`: before the run.
  mutating func draw(
    _ field: ModelField, of object: UInt32, into words: inout [UInt64], at instant: Int64?,
    _ random: inout RandomSource
  ) {
    let slot = field.slot
    switch field.content {
    case .integer(let initial):
      let bounds = instant == nil ? initial : field.starts ?? initial
      let span = Int(bounds.upperBound - bounds.lowerBound) + 1
      words[slot] = OrderedWord.of(bounds.lowerBound + Int64(random.below(span)))
    case .time(let meanAge):
      let age = random.exponential(mean: Double(meanAge.wholeNanoseconds) / 1e6)
      words[slot] = OrderedWord.of(instant.map { $0 / 1_000_000 } ?? -1 - Int64(min(age, 1e12)))
    case .text: words[slot] = names.name(&random)
    case .flag(let share): words[slot] = random.chance(share) ? 1 : 0
    case .one(_, _, _) where field.tree != nil:
      words[slot] = home(ofType: state.type(of: object), &random)
    case .one(let type, let choice, let cascades):
      let isInTree = cascades && type == state.type(of: object)
      words[slot] = UInt64(
        target(type, choice, besides: object, notBelow: isInTree ? field.slot : nil, &random)
          ?? EntityStates.none)
    case .many(_, _, .mean) where instant != nil && field.starts != nil: words[slot] = 0
    case .many(let type, let choice, .mean(let mean)):
      var list: [UInt32] = []
      for _ in 0..<min(random.geometric(mean: mean), scenario.model.types[type].count) {
        guard let other = target(type, choice, besides: object, &random) else { break }
        if !list.contains(other) { list.append(other) }
      }
      words[slot] = state.store(list)
    case .many(_, _, .copied):
      words[slot] = instant == nil ? 0 : copiedList(field, words, ofType: state.type(of: object))
    }
  }

  /// Returns the current members of another entity's list; none if it does not exist.
  private func copiedList(_ field: ModelField, _ words: [UInt64], ofType type: Int) -> UInt64 {
    guard case .many(_, _, .copied(let through, let list)) = field.content,
      case let reference = scenario.model.types[type].fields[through],
      let other = reference.target,
      case let object = UInt32(truncatingIfNeeded: words[reference.slot]),
      object != EntityStates.none,
      state.isAlive(object)
    else { return 0 }
    return state.word(scenario.model.types[other].fields[list].slot, of: object)
  }

  /// Returns the position in a tree of a random live entity, so that positions are proportional to their
  /// contents; for an initial entity, of an earlier one.
  func home(
    ofType type: Int, before limit: UInt32 = .max, _ random: inout RandomSource
  ) -> UInt64 {
    guard let field = state.model.placeField(ofType: type) else {
      return UInt64(EntityStates.none)
    }
    for _ in 0..<Self.attempts {
      guard let other = live(state.ranked[type], from: random.unit(), isUpward: false) else {
        break
      }
      if other < limit {
        return state.word(scenario.model.types[type].fields[field].slot, of: other)
      }
    }
    return UInt64(EntityStates.none)
  }

  /// Returns the location of an entity with these fields: that of its position in a tree, or its previous
  /// one.
  func location(of object: UInt32, _ words: [UInt64]) -> UInt32 {
    for field in scenario.model.types[state.type(of: object)].fields where field.isPlaceBelow {
      let place = UInt32(truncatingIfNeeded: words[field.slot])
      guard place != EntityStates.none, state.isAlive(place) else { continue }
      return state.state(of: place).location
    }
    return state.isAlive(object) ? state.state(of: object).location : EntityStates.none
  }

  /// Returns whether an entity is the other one or below it, by the type's owner field.
  func lies(_ object: UInt32, below other: UInt32, by slot: Int) -> Bool {
    // Until all are drawn, each is below an earlier one.
    if initialCount == 0 { return object >= other }
    var next = object
    while next != EntityStates.none, state.isAlive(next) {
      if next == other { return true }
      next = UInt32(truncatingIfNeeded: state.word(slot, of: next))
    }
    return false
  }

  /// Returns a live entity of a type other than the given one, by popularity; `nil` if there is none.
  private mutating func target(
    _ type: Int, _ choice: Choice, besides object: UInt32, notBelow link: Int? = nil,
    _ random: inout RandomSource
  ) -> UInt32? {
    let all = state.ranked[type]
    guard !all.isEmpty else { return nil }
    let rank = choices.place(choice, count: all.count, &random)
    // A deleted entity passes its popularity to the next one.
    for step in 0..<min(all.count, Self.attempts) {
      let other = all[(rank + step) % all.count]
      let exists = state.isAlive(other) || initialCount == 0
      if let link, lies(other, below: object, by: link) { continue }
      if other != object, exists { return other }
    }
    return nil
  }

  /// The number of entities tried before none is assumed to exist.
  static let attempts = 1_000
}
