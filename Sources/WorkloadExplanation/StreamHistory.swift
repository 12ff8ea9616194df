import CacheModel
import Workloads

/// The operations of an app's commits, inferred from its states.
struct StreamHistory {
  /// The commits of operations on entities, in order.
  private(set) var commits: [Commit] = []
  /// The size of each entity's first state in bytes, by type.
  private(set) var sizes: [[Int]]
  /// The references or flags of the first states, by type and field.
  private(set) var references: [[[UInt32]]]
  /// The number of references in the first states, by type and field.
  private(set) var listLengths: [[[Int]]]
  /// The total number of entities that ever existed, by type.
  private(set) var mostAtOnce: [Int]
  /// The number of entities at the beginning, by type.
  private(set) var initialCounts: [Int]

  enum Effect: Hashable {
    case creates(type: Int)
    case deletes(type: Int)
    case changes(type: Int, field: Int)

    init(_ effect: OperationDeclaration.Effect) {
      switch effect {
      case .create(let type): self = .creates(type: type)
      case .delete(let type): self = .deletes(type: type)
      case .set(let type, let field), .add(let type, let field, _), .toggle(let type, let field),
        .link(let type, let field), .unlink(let type, let field):
        self = .changes(type: type, field: field)
      }
    }
  }

  struct Commit {
    var device: Int
    /// The first affected entity.
    var object: UInt32
    var effects: [Effect]
    /// The number of newer entities of the type; `nil` if it was just created.
    var ageRank: Int?
    /// The time in nanoseconds.
    var at: Int64
    /// The number of affected entities by effect.
    var counts: [Effect: Int] = [:]
    /// The number of creations and deletions of the type before.
    var turnover = 0
    /// Whether that entity was in a list that a user had opened.
    var isNearViews = false
    /// Whether enough entities of the type were in no such list for the generator to find one.
    var canBeElsewhere = false

    func shows(_ effect: Effect) -> Bool { effects.contains(effect) }
  }

  init(_ workload: Workload, _ scenario: Scenario) {
    let model = scenario.model
    let catalog = workload.catalog
    sizes = model.types.map { _ in [] }
    references = model.types.map { $0.fields.map { _ in [] } }
    listLengths = model.types.map { $0.fields.map { _ in [] } }
    var current = [UInt32?](repeating: nil, count: catalog.objects.count)
    var birth = [Int](repeating: 0, count: catalog.objects.count)
    let order = Self.initialOrder(workload, model)
    mostAtOnce = order.map(\.count)
    initialCounts = mostAtOnce
    for objects in order {
      for (place, object) in objects.enumerated() { birth[Int(object)] = place }
    }
    for revision in 0..<catalog.initialCount {
      let object = Int(catalog.revisions[revision].object)
      current[object] = UInt32(revision)
      note(first: revision, ofType: Int(catalog.objects[object].type.rawValue) - 1, workload, model)
    }
    let asksForViews = scenario.writers.contains { $0.nearViews != nil }
    let views =
      asksForViews
      ? ViewedLists.views(workload.clients.flatMap(\.actions), workload.queries, model.shapes) : []
    var opened: Set<ViewedLists.List> = []
    var areElsewhere = model.types.map { _ in false }
    var turnover = model.types.map { _ in 0 }
    var next = 0
    let hasJobs = scenario.writers.contains { !$0.jobs.isEmpty }
    // Users' own changes are declared separately.
    for (place, mutation) in workload.mutations.enumerated() where mutation.write == nil {
      var noted = false
      if asksForViews, place.isMultiple(of: max(1, workload.mutations.count / 64)) {
        areElsewhere = Self.typesElsewhere(opened, current, catalog, model)
      }
      while next < views.count, views[next].at < mutation.at.nanoseconds {
        opened.insert(views[next].list)
        next += 1
      }
      for item in workload.items[mutation.items] {
        let object = Int(item.object)
        let type = Int(catalog.objects[object].type.rawValue) - 1
        let before = current[object]
        let isDeleted = item.revision == MutationItem.deleted
        current[object] = isDeleted ? nil : item.revision
        var effects: [Effect] = []
        var ageRank: Int?
        let formerTurnover = turnover[type]
        if isDeleted || before == nil { turnover[type] += 1 }
        if isDeleted {
          effects = [.deletes(type: type)]
          ageRank = mostAtOnce[type] - 1 - birth[object]
        } else if let before {
          effects = Self.changes(from: before, to: item.revision, ofType: type, catalog, model)
          ageRank = mostAtOnce[type] - 1 - birth[object]
        } else {
          effects = [.creates(type: type)]
          birth[object] = mostAtOnce[type]
          mostAtOnce[type] += 1
          note(first: Int(item.revision), ofType: type, isNew: true, workload, model)
        }
        // The first item is the operation's target.
        guard !noted else {
          if hasJobs, !commits.isEmpty {
            for effect in effects { commits[commits.count - 1].counts[effect, default: 0] += 1 }
          }
          continue
        }
        noted = true
        commits.append(
          Commit(
            device: Int(mutation.device), object: item.object, effects: effects,
            ageRank: ageRank, at: mutation.at.nanoseconds,
            counts: effects.reduce(into: [:]) { $0[$1] = 1 }, turnover: formerTurnover,
            isNearViews: before.map {
              Self.stands(item.object, type, in: opened, state: $0, catalog, model)
            } ?? false, canBeElsewhere: areElsewhere[type]))
      }
    }
  }

  /// Returns for each type whether most of its entities are in no opened list, so that a choice of another one
  /// succeeds.
  private static func typesElsewhere(
    _ opened: Set<ViewedLists.List>, _ current: [UInt32?], _ catalog: Catalog, _ model: DataModel
  ) -> [Bool] {
    var tallies = model.types.map { _ in (all: 0, outside: 0) }
    // A sample suffices.
    for object in stride(from: 0, to: current.count, by: max(1, current.count / 2_000)) {
      guard let state = current[object] else { continue }
      let type = Int(catalog.objects[object].type.rawValue) - 1
      tallies[type].all += 1
      if !stands(UInt32(object), type, in: opened, state: state, catalog, model) {
        tallies[type].outside += 1
      }
    }
    return tallies.map { 2 * $0.outside > $0.all }
  }

  private static func stands(
    _ object: UInt32, _ type: Int, in opened: Set<ViewedLists.List>, state: UInt32,
    _ catalog: Catalog, _ model: DataModel
  ) -> Bool {
    guard !opened.isEmpty else { return false }
    return model.shapes.enumerated().contains { place, shape in
      guard shape.hasSubject, shape.types.contains(type) else { return false }
      return shape.subjects(
        of: object, word: { catalog.word($0, of: state) },
        references: { catalog.labels[LabelRange(word: $0).indices] }
      ).contains { opened.contains(ViewedLists.List(shape: place, subject: $0)) }
    }
  }

  private mutating func note(
    first revision: Int, ofType type: Int, isNew: Bool = false, _ workload: Workload,
    _ model: DataModel
  ) {
    let catalog = workload.catalog
    sizes[type].append(Int(catalog.revisions[revision].bytes))
    for (index, field) in model.types[type].fields.enumerated() {
      let slot = field.slot
      let word = catalog.values[Int(catalog.valueStarts[revision]) + slot]
      switch field.content {
      case .one:
        if word != UInt64(Revision.noObject) {
          references[type][index].append(UInt32(truncatingIfNeeded: word))
        }
      case .flag: references[type][index].append(word != 0 ? 1 : 0)
      case .many where isNew && field.starts != nil: break
      case .many: listLengths[type][index].append(Int(LabelRange(word: word).count))
      default: break
      }
    }
  }

  private static func changes(
    from before: UInt32, to after: UInt32, ofType type: Int, _ catalog: Catalog,
    _ model: DataModel
  ) -> [Effect] {
    let (old, new) = (Int(catalog.valueStarts[Int(before)]), Int(catalog.valueStarts[Int(after)]))
    return model.types[type].fields.enumerated().compactMap { index, field in
      catalog.values[old + field.slot] != catalog.values[new + field.slot]
        ? .changes(type: type, field: index) : nil
    }
  }

  /// Returns the initial entities of each type, the oldest first.
  private static func initialOrder(_ workload: Workload, _ model: DataModel) -> [[UInt32]] {
    let catalog = workload.catalog
    var order = model.types.map { _ in [(age: UInt64, object: UInt32)]() }
    for revision in 0..<catalog.initialCount {
      let object = catalog.revisions[revision].object
      let type = Int(catalog.objects[Int(object)].type.rawValue) - 1
      let time = model.types[type].fields.first {
        if case .time = $0.content { true } else { false }
      }
      var age: UInt64 = 0
      if let slot = time?.slot {
        age = catalog.values[Int(catalog.valueStarts[revision]) + slot]
      }
      order[type].append((age, object))
    }
    return order.map { objects in
      objects.sorted { $0.age != $1.age ? $0.age < $1.age : $0.object < $1.object }.map(\.object)
    }
  }
}

/// A few generated rows and events of an app as examples.
struct SampleRows {
  private let workload: Workload

  init(_ workload: Workload) {
    self.workload = workload
  }

  var rows: [String] {
    workload.model.types.indices.compactMap { type in
      let first = workload.catalog.revisions.prefix(workload.catalog.initialCount).firstIndex {
        self.type(of: $0.object) == type
      }
      return first.map { state($0) }
    }
  }

  /// The first commits after the warm-up.
  var events: [String] {
    let begin = Instant.zero.advanced(by: workload.warmUp)
    return workload.mutations.drop { $0.at < begin }.prefix(6).map { mutation in
      let items = workload.items[mutation.items].prefix(2).map { item in
        item.revision == MutationItem.deleted
          ? "\(name(of: item.object)) goes" : state(Int(item.revision))
      }
      let rest = mutation.items.count - items.count
      return "\(Words.about(Double(mutation.at.nanoseconds) / 1e9)) s, device "
        + "\(mutation.device), \(mutation.bytes) B: \(items.joined(separator: " with "))"
        + (rest > 0 ? " and \(Words.grouped(rest)) more" : "")
    }
  }

  private func type(of object: UInt32) -> Int {
    Int(workload.catalog.objects[Int(object)].type.rawValue) - 1
  }

  private func name(of object: UInt32) -> String {
    "\(workload.model.types[type(of: object)].name) \(object)"
  }

  private func state(_ revision: Int) -> String {
    let catalog = workload.catalog
    let object = catalog.revisions[revision].object
    let fields = workload.model.types[type(of: object)].fields.compactMap { field -> String? in
      let slot = field.slot
      let word = catalog.values[Int(catalog.valueStarts[revision]) + slot]
      return "\(field.name) \(value(word, field))"
    }
    return "\(name(of: object)) (\(catalog.revisions[revision].bytes) B"
      + "\(summary(ofState: revision))): \(fields.joined(separator: ", "))"
  }

  /// Returns the summary of a state, if lists show no more.
  private func summary(ofState revision: Int) -> String {
    let state = workload.catalog.revisions[revision]
    let type = workload.model.types[type(of: state.object)]
    return type.summary.map { ", \($0.bytes(ofWhole: Int(state.bytes))) B in lists" } ?? ""
  }

  /// Returns a time in seconds from the beginning of the run.
  private func time(_ seconds: Double) -> String {
    seconds < 0
      ? "\(Words.about(seconds: -seconds)) before the run"
      : "\(Words.about(seconds: seconds)) into the run"
  }

  private func value(_ word: UInt64, _ field: ModelField) -> String {
    switch field.content {
    case .integer: Words.grouped(Int(OrderedWord.number(word)))
    case .time: time(Double(OrderedWord.number(word)) / 1e3)
    case .text: LetterCode.decode(word)
    case .flag: word == 0 ? "no" : "yes"
    case .one:
      word == UInt64(Revision.noObject)
        ? "nothing" : name(of: UInt32(truncatingIfNeeded: word))
    case .many:
      Words.list(
        workload.catalog.labels[LabelRange(word: word).indices].prefix(4).map { name(of: $0) })
        + (LabelRange(word: word).count > 4 ? " …" : "")
    }
  }
}
