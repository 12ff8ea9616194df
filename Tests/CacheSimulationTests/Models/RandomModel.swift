import CacheModel
import Workloads

/// Random models, states and queries: small numbers of everything, so that ties and empty lists are common.
struct RandomModel {
  private var random: RandomSource
  private(set) var model = DataModel(types: [], shapes: [])

  init(seed: UInt64) {
    random = RandomSource(seed: seed).substream("model")
    makeTypes()
    for place in 0..<(2 + random.below(5)) { makeShape(place) }
    makeSummaries(seed)
  }

  /// Drawn separately, so that models are otherwise unchanged.
  private mutating func makeSummaries(_ seed: UInt64) {
    var random = RandomSource(seed: seed).substream("summaries")
    for type in model.types.indices {
      let fields = model.types[type].fields.indices.filter { _ in random.chance(0.4) }
      model.types[type].summary = EntitySummary(
        fields: fields.isEmpty ? [0] : fields,
        size: random.chance(0.5)
          ? .fixed(1 + random.below(150)) : .share(millionths: 1 + random.below(1_000_000)))
    }
    for shape in model.shapes.indices {
      model.shapes[shape].showsSummaries = random.chance(0.5)
    }
  }

  private mutating func one<Value>(of values: [Value]) -> Value {
    values[random.below(values.count)]
  }

  /// Every type has a field of each kind, and some more; the slots differ from type to type only behind
  /// those that all have.
  private mutating func makeTypes() {
    let count = 1 + random.below(3)
    for type in 0..<count {
      var fields: [ModelField] = []
      func add(_ name: String, _ content: ModelField.Content) {
        fields.append(ModelField(name: name, content: content, slot: fields.count))
      }
      add("number", .integer(-2...2))
      add("time", .time(meanAge: .seconds(1)))
      add("text", .text)
      add("flag", .flag(share: 0.5))
      add("one", .one(type: random.below(count), .uniform, cascades: false))
      add("many", .many(type: random.below(count), .uniform, count: .mean(2)))
      if random.chance(0.5) { add("second", .integer(0...1)) }
      model.types.append(
        EntityType(name: "t\(type)", count: 4 + random.below(12), size: .fixed(100), fields: fields)
      )
    }
  }

  private func member(_ name: String) -> QueryShape.Member {
    QueryShape.Member(model.types[0].field(named: name) ?? ModelField(name: name, content: .text))
  }

  private mutating func makeShape(_ place: Int) {
    let types = random.chance(0.3) ? Array(model.types.indices) : [random.below(model.types.count)]
    var shape = QueryShape(
      name: "q\(place)", types: types, conditions: [], order: [], rows: 1 + random.below(6),
      reportClass: "c\(random.below(2))")
    switch random.below(6) {
    case 0: shape.conditions.append(.isSubject(member("one")))
    case 1: shape.conditions.append(.includesSubject(member("many")))
    case 2: shape.conditions.append(.beginsWithTyped(member("text")))
    case 3: shape.conditions.append(.isSubjectItself)
    default: break
    }
    // A list may be of several types, all with the same target: the first one's.
    if let condition = shape.conditions.first {
      switch condition {
      case .isSubject, .includesSubject:
        shape.types = [types[0]]
        let name = if case .isSubject = condition { "one" } else { "many" }
        shape.subjectType = model.types[types[0]].field(named: name)?.target
      case .isSubjectItself:
        shape.types = [types[0]]
        shape.subjectType = types[0]
      default: shape.cachedFrom = random.below(3)
      }
    }
    if random.chance(0.4) { shape.conditions.append(.flag(member("flag"), random.chance(0.5))) }
    if random.chance(0.4) {
      let comparison = one(of: QueryShape.Comparison.allCases)
      shape.conditions.append(
        .compares(member("number"), comparison, Int64(random.below(5)) - 2))
    }
    for name in ["number", "time", "text", "flag"].prefix(1 + random.below(4)).suffix(2) {
      shape.order.append(.init(member(name), isDescending: random.chance(0.5)))
    }
    shape.isPaged = random.chance(0.5)
    model.shapes.append(shape)
  }

  // MARK: States and queries

  /// A workload of the model: states that come and go, and queries of all shapes, some with cursors.
  mutating func workload(commits: Int) -> Workload {
    var catalog = Catalog(objects: [], revisions: [], initialCount: 0, labels: [])
    var typeOf: [Int] = []
    for (type, declared) in model.types.enumerated() {
      for _ in 0..<declared.count {
        let id = UniqueID(high: random.next(), low: UInt64(catalog.objects.count))
        catalog.objects.append(EntityKey(type: DataModel.resourceType(ofType: type), id: id))
        typeOf.append(type)
      }
    }
    // A quarter comes to be later.
    let initial = catalog.objects.indices.filter { _ in random.chance(0.75) }
    for object in initial { append(object, typeOf, to: &catalog) }
    catalog.initialCount = catalog.revisions.count
    var mutations: [Mutation] = []
    var items: [MutationItem] = []
    for commit in 0..<commits {
      let object = random.below(catalog.objects.count)
      let isDeletion = random.chance(0.2)
      var revision = MutationItem.deleted
      if !isDeletion {
        revision = UInt32(catalog.revisions.count)
        append(object, typeOf, to: &catalog)
      }
      items.append(MutationItem(object: UInt32(object), revision: revision))
      mutations.append(
        Mutation(
          at: Instant(nanoseconds: Int64(commit + 1) * 1_000_000), device: 0,
          position: StreamPosition(epoch: 1, sequence: UInt64(commit + 1)),
          kind: isDeletion ? .deleted : .changed, items: commit..<commit + 1, bytes: 100,
          version: Version(clock: UInt64(1_000_000 + commit), device: 1)))
    }
    var workload = Workload(
      name: "random", seed: 1, duration: .seconds(10),
      library: LibraryID(rawValue: UniqueID(high: 1, low: 1)), model: model, catalog: catalog,
      queries: [],
      mutations: mutations, items: items, clients: [],
      network: NetworkModel(minimumRoundTrip: 0, meanExtra: 0, bytesPerSecond: nil, seed: 1),
      retention: ServerRetention(events: 10, age: .seconds(1)))
    workload.queries = queries(catalog)
    return workload
  }

  private mutating func append(_ object: Int, _ typeOf: [Int], to catalog: inout Catalog) {
    let type = model.types[typeOf[object]]
    catalog.valueStarts.append(UInt32(catalog.values.count))
    for field in type.fields {
      catalog.values.append(word(field, catalog.objects, &catalog.labels))
    }
    catalog.revisions.append(
      Revision(
        object: UInt32(object),
        version: Version(clock: UInt64(catalog.revisions.count + 1), device: 1), bytes: 100))
  }

  private mutating func word(
    _ field: ModelField, _ objects: [EntityKey], _ labels: inout [UInt32]
  ) -> UInt64 {
    switch field.content {
    case .integer(let bounds):
      return OrderedWord.of(bounds.lowerBound + Int64(random.below(bounds.count)))
    case .time: return OrderedWord.of(Int64(random.below(5)) - 2)
    case .text:
      let letters = (0..<(1 + random.below(3))).map { _ in random.below(2) == 0 ? "a" : "b" }
      return LetterCode.encode(letters.joined()) ?? 0
    case .flag: return random.chance(0.5) ? 1 : 0
    case .one(let type, _, _):
      return random.chance(0.2)
        ? UInt64(Revision.noObject) : UInt64(object(ofType: type, objects))
    case .many(let type, _, _):
      var list: [UInt32] = []
      for _ in 0..<random.below(4) {
        let other = object(ofType: type, objects)
        if !list.contains(other) { list.append(other) }
      }
      let range = LabelRange(start: UInt32(labels.count), count: UInt32(list.count))
      labels += list
      return range.word
    }
  }

  private mutating func object(ofType type: Int, _ objects: [EntityKey]) -> UInt32 {
    let all = objects.indices.filter { objects[$0].type == DataModel.resourceType(ofType: type) }
    return UInt32(all[random.below(all.count)])
  }

  private mutating func queries(_ catalog: Catalog) -> [QuerySpec] {
    var queries: [QuerySpec] = []
    for (place, shape) in model.shapes.enumerated() {
      for _ in 0..<6 {
        var spec = QuerySpec(
          kind: DataModel.kind(ofShape: place), subject: 0, limit: UInt32(shape.rows))
        if let type = shape.subjectType {
          spec.subject = UInt64(object(ofType: type, catalog.objects))
        }
        if shape.typedField != nil {
          spec.prefixLength = UInt8(1 + random.below(3))
          let letters = (0..<3).map { _ in random.below(2) == 0 ? "a" : "b" }.joined()
          spec.subject = LetterCode.prefix(
            LetterCode.encode(letters) ?? 0, letters: Int(spec.prefixLength))
        }
        if shape.isPaged, random.chance(0.6) {
          spec.after = UInt32(random.below(catalog.revisions.count))
        }
        // A cursor is a row of the list; one that was never in the list has a position in its order too.
        if spec.after != Revision.noObject {
          let object = Int(catalog.revisions[Int(spec.after)].object)
          let type = Int(catalog.objects[object].type.rawValue) - 1
          if !shape.types.contains(type) { spec.after = Revision.noObject }
        }
        queries.append(spec)
      }
    }
    return queries
  }
}
