import CacheModel
import Workloads

/// The changes of others in a recorded app: operations, and groups of devices that performed them.
struct CommitFit {
  private(set) var operations: [Operation] = []
  private(set) var groups: [Group] = []

  struct Operation {
    var name: String
    /// The text of the effect: `create: message, touch: room.latest`.
    var effect: String
    var type: Int
    /// Whether it applies to an existing entity.
    var isChange: Bool
    /// The primary entities of the commits, and the number of younger ones.
    var targets: [UInt32] = []
    var ages: [Int] = []
    var commits = 0
    var entities = 0

    var batch: Double { Double(entities) / Double(max(1, commits)) }
  }

  struct Group {
    var devices: Int
    var commits: Int
    /// The rate of each device, per second.
    var rate: Estimate
    var mix: [Double]
    var origin: EventOrigin
  }

  /// The number of commits of less frequent operations, beyond the maximum of a scenario, which are omitted.
  private(set) var left = 0

  init(_ workload: Workload, end: Int64) {
    var walk = CommitWalk(workload)
    var byDevice: [(device: UInt32, operations: [Int], origin: EventOrigin)] = []
    for mutation in workload.mutations where mutation.write == nil {
      // The users of the recording are not others.
      guard let commit = walk.next(mutation), mutation.author == nil else { continue }
      let place = operations.firstIndex { $0.effect == commit.effect } ?? operations.count
      if place == operations.count {
        guard place < DataModel.maximumOperations else {
          left += 1
          continue
        }
        let alike = operations.count { $0.name.hasPrefix(commit.name) }
        operations.append(
          Operation(
            name: alike == 0 ? commit.name : "\(commit.name)-\(alike + 1)", effect: commit.effect,
            type: commit.type, isChange: commit.isChange))
      }
      operations[place].commits += 1
      operations[place].entities += commit.entities
      operations[place].targets.append(commit.target)
      operations[place].ages.append(commit.age)
      let origin = mutation.origin ?? .user
      if let own = byDevice.firstIndex(where: { $0.device == mutation.device }) {
        byDevice[own].operations.append(place)
        if mutation.origin != nil { byDevice[own].origin = origin }
      } else {
        byDevice.append((mutation.device, [place], origin))
      }
    }
    // The most active device first; one with less than a third of a group's maximum starts another group.
    byDevice.sort {
      $0.operations.count != $1.operations.count
        ? $0.operations.count > $1.operations.count : $0.device < $1.device
    }
    var rest = byDevice[...]
    while let first = rest.first, groups.count < 100 {
      let own = rest.prefix { 3 * $0.operations.count >= first.operations.count }
      rest = rest.dropFirst(own.count)
      let all = own.flatMap(\.operations)
      var mix = [Double](repeating: 0, count: operations.count)
      for operation in all { mix[operation] += 1 / Double(all.count) }
      let rate = Double(all.count) / Double(own.count) / (Double(end) / 1e9)
      groups.append(
        Group(
          devices: own.count, commits: all.count,
          rate: Estimate(rate, from: all.count, "commit", needed: 1, default: 0), mix: mix,
          origin: first.origin))
    }
  }
}

/// Infers the operation of each commit from the states before and after it.
struct CommitWalk {
  struct Commit {
    var name: String
    var effect: String
    var type: Int
    var isChange: Bool
    var target: UInt32
    var age: Int
    var entities: Int
  }

  private let workload: Workload
  private var current: [UInt32?]
  /// The index of an object among those of its type, in order of creation.
  private var born: [Int?]
  private var count: [Int]

  init(_ workload: Workload) {
    self.workload = workload
    let catalog = workload.catalog
    current = [UInt32?](repeating: nil, count: catalog.objects.count)
    born = [Int?](repeating: nil, count: catalog.objects.count)
    count = workload.model.types.map { _ in 0 }
    for state in 0..<catalog.initialCount { apply(catalog.revisions[state].object, UInt32(state)) }
  }

  private func type(of object: UInt32) -> Int {
    Int(workload.catalog.objects[Int(object)].type.rawValue) - 1
  }

  private mutating func apply(_ object: UInt32, _ state: UInt32?) {
    if born[Int(object)] == nil {
      born[Int(object)] = count[type(of: object)]
      count[type(of: object)] += 1
    }
    current[Int(object)] = state
  }

  /// - Returns: the operation of a commit; `nil` if it does not match any.
  mutating func next(_ mutation: Mutation) -> Commit? {
    let items = Array(workload.items[mutation.items])
    guard let first = items.first else { return nil }
    let place = type(of: first.object)
    let name = workload.model.types[place].name
    let age = born[Int(first.object)].map { count[place] - 1 - $0 } ?? 0
    defer {
      for item in items {
        apply(item.object, item.revision == MutationItem.deleted ? nil : item.revision)
      }
    }
    if first.revision == MutationItem.deleted {
      return Commit(
        name: "delete-\(name)", effect: "delete: \(name)", type: place, isChange: true,
        target: first.object, age: age, entities: 1)
    }
    guard let before = current[Int(first.object)] else {
      let all = items.filter { current[Int($0.object)] == nil && type(of: $0.object) == place }
      let touches = touches(of: first.revision, place, items.filter { !all.contains($0) })
      return Commit(
        name: "create-\(name)", effect: "create: \(name)" + touches, type: place, isChange: false,
        target: first.object, age: 0, entities: all.count)
    }
    let changes = changes(from: before, to: first.revision, place)
    guard let main = changes.first(where: { !$0.isTouch }) ?? changes.first else { return nil }
    let own = changes.filter { $0.field != main.field && $0.isTouch }.map(\.name)
    let all = items.filter { item in
      guard type(of: item.object) == place, let before = current[Int(item.object)] else {
        return false
      }
      return self.changes(from: before, to: item.revision, place).contains {
        $0.field == main.field
      }
    }
    let touches = touches(
      of: first.revision, place, items.filter { !all.contains($0) }, own: own)
    return Commit(
      name: "\(main.verb)-\(name)-\(main.name)",
      effect: "\(main.verb): \(name).\(main.name)" + main.amount + touches, type: place,
      isChange: true, target: first.object, age: age, entities: all.count)
  }

  private struct Change {
    var field: Int
    var name: String
    var verb: String
    /// The difference of a number that changes by more than one, or decreases.
    var amount = ""
    /// Whether it may accompany another change: a time, or a number that increases by one.
    var isTouch: Bool
  }

  private func word(_ field: ModelField, _ state: UInt32) -> UInt64 {
    let slot = field.slot
    return workload.catalog.values[Int(workload.catalog.valueStarts[Int(state)]) + slot]
  }

  private func changes(from before: UInt32, to after: UInt32, _ type: Int) -> [Change] {
    workload.model.types[type].fields.enumerated().compactMap { place, field in
      let (old, new) = (word(field, before), word(field, after))
      func change(_ verb: String, _ amount: String = "", isTouch: Bool = false) -> Change {
        Change(field: place, name: field.name, verb: verb, amount: amount, isTouch: isTouch)
      }
      switch field.content {
      case .many:
        let lists = [old, new].map { workload.catalog.labels[LabelRange(word: $0).indices] }
        if lists[0].elementsEqual(lists[1]) { return nil }
        return change(lists[1].count < lists[0].count ? "unlink" : "link")
      case .integer:
        let step = OrderedWord.number(new) &- OrderedWord.number(old)
        if step == 0 { return nil }
        // A small difference is an addition; otherwise the value is random.
        return abs(step) <= 3
          ? change("add", step == 1 ? "" : ", by: \(step)", isTouch: step == 1) : change("set")
      case .flag: return old == new ? nil : change("toggle")
      case .time: return old == new ? nil : change("set", isTouch: true)
      default: return old == new ? nil : change("set")
      }
    }
  }

  /// Returns the fields that changed together with an entity: its own, and those of referenced ones.
  private func touches(
    of state: UInt32, _ type: Int, _ others: [MutationItem], own: [String] = []
  ) -> String {
    var names = own
    for field in workload.model.types[type].fields {
      guard case .one(let target, _, _) = field.content,
        case let object = UInt32(truncatingIfNeeded: word(field, state)),
        let item = others.first(where: { $0.object == object }),
        item.revision != MutationItem.deleted, let before = current[Int(object)]
      else { continue }
      let touched = changes(from: before, to: item.revision, target).filter(\.isTouch)
      names += touched.map { "\(field.name).\($0.name)" }
    }
    switch names.count {
    case 0: return ""
    case 1: return ", touch: \(names[0])"
    default: return ", touch: [" + names.joined(separator: ", ") + "]"
    }
  }
}
