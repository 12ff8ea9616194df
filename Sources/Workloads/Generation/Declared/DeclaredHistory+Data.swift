import CacheModel

/// What exists when the run begins.
extension DeclaredHistory {
  mutating func makeData() {
    var ids = random.substream("identifiers")
    var ranks = random.substream("popularity")
    for (type, declared) in app.model.types.enumerated() {
      for _ in 0..<declared.count {
        _ = state.addObject(
          ofType: type, id: ids.uniqueID(), at: 0, popularity: ranks.unit())
      }
    }
    // Every object has its number by now, so that any may refer to any.
    var object: UInt32 = 0
    for (type, declared) in app.model.types.enumerated() {
      var values = random.substream("values", UInt64(type))
      var sizes = random.substream("sizes", UInt64(type))
      for _ in 0..<declared.count {
        var words = state.model.blankWords(ofType: type)
        for field in declared.fields {
          draw(field, of: object, into: &words, at: nil, &values)
        }
        _ = state.record(
          Revision(
            object: object, version: Self.initialVersion, bytes: declared.size.draw(&sizes)),
          words: words)
        object += 1
      }
    }
    copyLists()
    touchInitially()
    for (type, declared) in app.model.types.enumerated() {
      let time = declared.fields.first { if case .time = $0.content { true } else { false } }
      if case .value(let slot)? = time?.storage { state.sortCreated(ofType: type, by: slot) }
    }
    initialCount = state.revisions.count
  }

  private static let initialVersion = Version(
    milliseconds: UInt64(LibraryState.calendarOrigin - 10_000), counter: 0, device: 1)

  /// Lists that are another entity's, when all of those are drawn.
  private mutating func copyLists() {
    for (type, declared) in app.model.types.enumerated() {
      for field in declared.fields {
        guard case .many(_, _, .copied) = field.content else { continue }
        for object in state.created[type] {
          let word = copiedList(field, Array(state.words(of: object)), ofType: type)
          state.correct(field.storage, of: object, to: word)
        }
      }
    }
  }

  /// What the operations that create would have left in what they touch: the latest time, the count.
  private mutating func touchInitially() {
    for operation in app.model.operations {
      guard case .create(let type) = operation.effect else { continue }
      let fields = app.model.types[type].fields
      let time = fields.first { if case .time = $0.content { true } else { false } }
      for touch in operation.touches {
        guard let through = touch.through else { continue }
        let touched = app.model.types[touch.type].fields[touch.field]
        var isTouched = Set<UInt32>()
        for object in state.created[type] {
          let target = UInt32(truncatingIfNeeded: state.word(fields[through].storage, of: object))
          guard target != DeclaredState.none else { continue }
          let before = state.word(touched.storage, of: target)
          let isFirst = isTouched.insert(target).inserted
          switch touched.content {
          case .time:
            guard let time else { continue }
            let word = state.word(time.storage, of: object)
            state.correct(touched.storage, of: target, to: isFirst ? word : max(before, word))
          case .integer:
            let count = isFirst ? 0 : OrderedWord.number(before)
            state.correct(touched.storage, of: target, to: OrderedWord.of(count + 1))
          case .text, .flag, .one, .many: break
          }
        }
      }
    }
  }

  /// Draws the value of a field into the words of a state, at an instant in nanoseconds; `nil`: before
  /// the run.
  mutating func draw(
    _ field: ModelField, of object: UInt32, into words: inout [UInt64], at instant: Int64?,
    _ random: inout RandomSource
  ) {
    guard case .value(let slot) = field.storage else { return }
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
    case .one(let type, let choice, _):
      words[slot] = UInt64(target(type, choice, besides: object, &random) ?? DeclaredState.none)
    case .many(let type, let choice, .mean(let mean)):
      var list: [UInt32] = []
      for _ in 0..<min(random.geometric(mean: mean), app.model.types[type].count) {
        guard let other = target(type, choice, besides: object, &random) else { break }
        if !list.contains(other) { list.append(other) }
      }
      words[slot] = state.store(list)
    case .many(_, _, .copied):
      words[slot] = instant == nil ? 0 : copiedList(field, words, ofType: state.type(of: object))
    }
  }

  /// What the list of another entity holds now; nothing where there is no such entity.
  private func copiedList(_ field: ModelField, _ words: [UInt64], ofType type: Int) -> UInt64 {
    guard case .many(_, _, .copied(let through, let list)) = field.content,
      case let reference = app.model.types[type].fields[through],
      case .value(let slot) = reference.storage, let other = reference.target,
      case let object = UInt32(truncatingIfNeeded: words[slot]), object != DeclaredState.none,
      state.isAlive(object)
    else { return 0 }
    return state.word(app.model.types[other].fields[list].storage, of: object)
  }

  /// A live entity of a type that is not the one given, by popularity; `nil` where there is none.
  private mutating func target(
    _ type: Int, _ choice: Choice, besides object: UInt32, _ random: inout RandomSource
  ) -> UInt32? {
    let all = state.ranked[type]
    guard !all.isEmpty else { return nil }
    let rank = choices.place(choice, count: all.count, &random)
    // An entity that is gone leaves its popularity to the next one in line.
    for step in 0..<min(all.count, Self.attempts) {
      let other = all[(rank + step) % all.count]
      let exists = state.isAlive(other) || initialCount == 0
      if other != object, exists { return other }
    }
    return nil
  }

  /// So many entities are looked at before there is held to be none.
  static let attempts = 1_000
}

extension Revision {
  /// A state whose fields lie in `Catalog.values`.
  init(object: UInt32, version: Version, bytes: Int32) {
    self.init(
      object: object, version: version, parent: Revision.noObject, location: Revision.noObject,
      name: 0, modified: 0, isMedia: false, bytes: bytes, labelStart: 0, labelCount: 0)
  }
}
