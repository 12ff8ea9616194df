import CacheModel
import Workloads

/// Completes data that a scenario requires and the log of an app may omit.
extension Workload {
  /// Returns the workload with all data of a scenario.
  ///
  /// Names are simplified, and lists without a known order are sorted by the latest change. States that only
  /// answers show, without an event, are initial states. Results and positions of a log are omitted, since
  /// they identify states by number.
  func completed() -> Workload {
    var workload = self
    if truth == .observed {
      (workload.observedResults, workload.places) = ([:], nil)
      workload.moveUnheardStates()
      workload.orderLists()
    }
    workload.model.usePlainNames()
    return workload
  }

  /// Whether each mutation was received by a client, or has a position in the stream.
  private var isHeard: [Bool] {
    var isHeard = mutations.map(\.isPlaced)
    for delivery in clients.flatMap(\.deliveries) {
      if case .event(let mutation) = delivery.content { isHeard[Int(mutation)] = true }
    }
    return isHeard
  }

  /// Moves first states of objects without an event to the initial states.
  private mutating func moveUnheardStates() {
    var isKnown = [Bool](repeating: false, count: catalog.objects.count)
    var isFirst = [Bool](repeating: false, count: catalog.revisions.count)
    for state in 0..<catalog.initialCount {
      isKnown[Int(catalog.revisions[state].object)] = true
      isFirst[state] = true
    }
    let isHeard = isHeard
    for (number, mutation) in mutations.enumerated() {
      for item in items[mutation.items] where !isKnown[Int(item.object)] {
        isKnown[Int(item.object)] = true
        if !isHeard[number], item.revision != MutationItem.deleted {
          isFirst[Int(item.revision)] = true
        }
      }
    }
    let order = isFirst.indices.filter { isFirst[$0] } + isFirst.indices.filter { !isFirst[$0] }
    var numbers = [UInt32](repeating: 0, count: order.count)
    for (number, state) in order.enumerated() { numbers[state] = UInt32(number) }
    let former = catalog
    catalog.revisions = order.map { former.revisions[$0] }
    catalog.valueStarts = former.valueStarts.isEmpty ? [] : order.map { former.valueStarts[$0] }
    catalog.initialCount = isFirst.count { $0 }
    var kept: [MutationItem] = []
    for number in mutations.indices {
      let start = kept.count
      for var item in items[mutations[number].items] {
        if item.revision != MutationItem.deleted {
          item.revision = numbers[Int(item.revision)]
          if item.revision < catalog.initialCount { continue }
        }
        kept.append(item)
      }
      mutations[number].items = start..<kept.count
    }
    items = kept
    for query in queries.indices where queries[query].after != Revision.noObject {
      queries[query].after = numbers[Int(queries[query].after)]
    }
  }

  /// Adds a field with the time of each state to types whose lists have no known order, for sorting.
  private mutating func orderLists() {
    let shown = model.shapes.indices.filter { model.shapes[$0].isAsShown }
    guard !shown.isEmpty else { return }
    let former = model
    var name = "changed"
    while model.types.contains(where: { $0.field(named: name) != nil }) { name += "-at" }
    for type in model.types.indices
    where shown.contains(where: { model.shapes[$0].types.contains(type) }) {
      model.types[type].fields.append(
        ModelField(name: name, content: .time(meanAge: .zero)))
    }
    DataModel.setSlots(of: &model.types)
    for shape in model.shapes.indices {
      let type = model.types[model.shapes[shape].types[0]]
      func member(_ name: String) -> QueryShape.Member? {
        type.field(named: name).map { QueryShape.Member($0) }
      }
      model.shapes[shape].conditions = model.shapes[shape].conditions.map { condition in
        condition.mapMember { member($0.name) ?? $0 }
      }
      model.shapes[shape].order = model.shapes[shape].order.compactMap { ordering in
        member(ordering.member.name).map { .init($0, isDescending: ordering.isDescending) }
      }
      if let changed = member(name), shown.contains(shape) {
        model.shapes[shape].order = [.init(changed, isDescending: true)]
      }
      let limits = queries.filter { Int($0.kind.rawValue) == shape + 1 }.map { Int($0.limit) }
      if model.shapes[shape].rows == 0 {
        model.shapes[shape].rows = min(max(limits.max() ?? 100, 1), 1_000_000)
      }
    }
    moveWords(from: former, whenChanged: name)
  }

  private mutating func moveWords(from former: DataModel, whenChanged name: String) {
    var cameAt = [Int64](repeating: 0, count: catalog.revisions.count)
    for mutation in mutations {
      for item in items[mutation.items] where item.revision != MutationItem.deleted {
        cameAt[Int(item.revision)] = mutation.at.nanoseconds / 1_000_000
      }
    }
    let (words, starts) = (catalog.values, catalog.valueStarts)
    (catalog.values, catalog.valueStarts) = ([], [])
    for (state, revision) in catalog.revisions.enumerated() {
      let type = Int(catalog.objects[Int(revision.object)].type.rawValue) - 1
      var own = model.blankWords(ofType: type)
      for field in model.types[type].fields {
        let slot = field.slot
        if field.name == name {
          own[slot] = OrderedWord.of(cameAt[state])
        } else if let old = former.types[type].field(named: field.name)?.slot {
          own[slot] = words[Int(starts[state]) + old]
        }
      }
      catalog.valueStarts.append(UInt32(truncatingIfNeeded: catalog.values.count))
      catalog.values += own
    }
  }
}

extension QueryShape.Condition {
  /// Returns the same for another field.
  fileprivate func mapMember(_ change: (QueryShape.Member) -> QueryShape.Member) -> Self {
    switch self {
    case .isSubject(let member): .isSubject(change(member))
    case .includesSubject(let member): .includesSubject(change(member))
    case .isSubjectItself: .isSubjectItself
    case .beginsWithTyped(let member): .beginsWithTyped(change(member))
    case .flag(let member, let isSet): .flag(change(member), isSet)
    case .compares(let member, let comparison, let constant):
      .compares(change(member), comparison, constant)
    }
  }
}

extension DataModel {
  fileprivate mutating func usePlainNames() {
    var fields: [String] = []
    for name in types.flatMap({ $0.fields.map(\.name) }) where !fields.contains(name) {
      fields.append(name)
    }
    func plain(_ name: String) -> String {
      Self.plain(name, "field", fields.firstIndex(of: name) ?? 0)
    }
    for place in types.indices {
      types[place].name = Self.plain(types[place].name, "type", place)
      for field in types[place].fields.indices {
        types[place].fields[field].name = plain(types[place].fields[field].name)
      }
    }
    for place in shapes.indices {
      shapes[place].name = Self.plain(shapes[place].name, "query", place, withPoints: true)
      // A query without its own class has itself as its class.
      shapes[place].reportClass = Self.plain(
        shapes[place].reportClass, "class", place, withPoints: true)
      shapes[place].conditions = shapes[place].conditions.map { condition in
        condition.mapMember { member in
          var member = member
          member.name = plain(member.name)
          return member
        }
      }
      for order in shapes[place].order.indices {
        shapes[place].order[order].member.name = plain(shapes[place].order[order].member.name)
      }
    }
  }

  private static func plain(
    _ name: String, _ word: String, _ place: Int, withPoints: Bool = false
  ) -> String {
    let isPlain = name.utf8.allSatisfy {
      (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-")
        || withPoints && $0 == UInt8(ascii: ".")
    }
    let isReserved = ["me", "subject", "id", "typed", "not", "is", "includes", "begins"]
      .contains(name)
    return isPlain && !isReserved && (1...64).contains(name.utf8.count)
      ? name : "\(word)-\(place + 1)"
  }
}
