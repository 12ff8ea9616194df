import CacheModel
import CacheSimulation
import NormalizedCache
import Workloads

/// The cache's interpretation of declared shapes, with the schema of simulated caches.
package final class NoteModel: Sendable {
  private let schema: SimulationSchema
  private let plans: [QueryPlan<QueryPredicate>]

  init(_ declaration: NoteDeclaration) {
    let schema = SimulationSchema(of: declaration.workload)
    self.schema = schema
    plans = declaration.queries.map { query in
      schema.plan(
        for: QueryKey(
          library: .test, method: query.kind.method, input: QueryInput.encode(query)))
    }
  }

  private func plan(_ shape: Int, _ variant: Int) -> QueryPlan<QueryPredicate> {
    plans[shape * NoteShape.variants + variant]
  }

  /// - Precondition: the state is one of a declared note; a generator or a parser has checked it.
  private func handle(_ note: Note, _ key: EntityKey) -> Handle {
    guard let state = NoteDeclaration.state(of: note, at: key) else {
      preconditionFailure("a note that no declared query knows")
    }
    return Handle(object: NoteDeclaration.object(of: key), revision: state)
  }

  func plan(for query: NoteQuery, shape: Int, variant: Int) -> QueryPlan<NoteQuery> {
    let plan = plan(shape, variant)
    return QueryPlan(
      predicate: query, scope: plan.scope, limit: plan.limit, resourceTypes: plan.resourceTypes,
      isCacheable: plan.isCacheable, showsSummaries: plan.showsSummaries)
  }

  func forEachScope(of note: Note, key: EntityKey, _ body: (QueryScope) -> Void) {
    schema.forEachScope(of: handle(note, key), key: key, body)
  }

  func belongs(_ note: Note, key: EntityKey, shape: Int, variant: Int) -> MatchResult {
    schema.belongs(handle(note, key), key: key, in: plan(shape, variant).predicate)
  }

  func precedes(
    _ lhs: Note, key lhsKey: EntityKey, _ rhs: Note, key rhsKey: EntityKey, shape: Int, variant: Int
  ) -> Bool {
    schema.precedes(
      handle(lhs, lhsKey), key: lhsKey, handle(rhs, rhsKey), key: rhsKey,
      in: plan(shape, variant).predicate)
  }
}

/// An intentional defect in the interpretation of a declared model; each is a plausible mistake.
package enum ModelSlip: String, Hashable, Sendable, CaseIterable {
  case secondOrderForgotten
  case descendingForgotten
  case boundShifted
  case flagForgotten
  case cursorForgotten
  case otherTypesListed

  func plant(in declaration: inout NoteDeclaration) {
    for place in declaration.model.shapes.indices {
      switch self {
      case .secondOrderForgotten: declaration.model.shapes[place].order.removeSubrange(1...)
      case .descendingForgotten:
        declaration.model.shapes[place].order[0].isDescending = false
      case .boundShifted:
        let conditions = declaration.model.shapes[place].conditions
        declaration.model.shapes[place].conditions = conditions.map { condition in
          guard case .compares(let member, let comparison, let number) = condition else {
            return condition
          }
          switch comparison {
          case .less: return .compares(member, .atMost, number)
          case .greater: return .compares(member, .atLeast, number)
          default: return condition
          }
        }
      case .flagForgotten:
        declaration.model.shapes[place].conditions.removeAll {
          if case .flag = $0 { true } else { false }
        }
      case .otherTypesListed: declaration.model.shapes[place].types = [0, 1]
      case .cursorForgotten: break
      }
    }
    guard self == .cursorForgotten else { return }
    for place in declaration.queries.indices {
      declaration.queries[place].after = .max
    }
  }
}

/// Declared shapes as a scenario's model, and their queries.
struct NoteDeclaration {
  var model: DataModel
  var queries: [QuerySpec] = []

  private static let types = (notes: 0, tasks: 1, folders: 2)
  /// The first objects are the folders.
  private static let objects =
    NoteShape.folders.map {
      EntityKey(
        type: DataModel.resourceType(ofType: types.folders),
        id: UniqueID(high: 3, low: UInt64($0)))
    } + [.note(NoteShape.anyNote), .note(NoteShape.anyTask)]

  init(_ shapes: [NoteShape]) {
    let fields = Member.allCases.map(\.field)
    let types = [("note", fields), ("task", fields), ("folder", [])].map { name, fields in
      EntityType(name: name, count: 1, size: .fixed(1), fields: fields)
    }
    model = DataModel(types: types, shapes: shapes.map { Self.shape($0) })
    for (place, shape) in shapes.enumerated() {
      for variant in 0..<NoteShape.variants {
        queries.append(Self.query(shape, variant, kind: DataModel.kind(ofShape: place)))
      }
    }
  }

  // MARK: Shapes and queries

  private static func shape(_ shape: NoteShape) -> QueryShape {
    var conditions: [QueryShape.Condition] = []
    switch shape.subject {
    case .nothing: break
    case .folder: conditions.append(.isSubject(Member.folder.member))
    case .labels: conditions.append(.includesSubject(Member.labels.member))
    case .typed: conditions.append(.beginsWithTyped(Member.title.member))
    }
    if let star = shape.star { conditions.append(.flag(Member.star.member, star)) }
    if let bound = shape.bound {
      conditions.append(
        .compares(Member.length.member, bound.comparison, Int64(bound.length)))
    }
    let places =
      switch shape.types {
      case .notes: [types.notes]
      case .tasks: [types.tasks]
      case .both: [types.notes, types.tasks]
      }
    var declared = QueryShape(
      name: "shape", types: places, conditions: conditions,
      order: shape.order.map { .init(Member($0.field).member, isDescending: $0.isDescending) },
      rows: shape.rows, reportClass: "notes")
    declared.isPaged = shape.isPaged
    declared.showsSummaries = shape.showsSummaries
    if [.folder, .labels].contains(shape.subject) { declared.subjectType = types.folders }
    return declared
  }

  private static func query(_ shape: NoteShape, _ variant: Int, kind: QueryKind) -> QuerySpec {
    var spec = QuerySpec(kind: kind, subject: 0, limit: UInt32(shape.rows))
    switch shape.subject {
    case .nothing: break
    case .folder, .labels: spec.subject = UInt64(variant)
    case .typed:
      spec.subject = LetterCode.encode(NoteShape.titles[variant]) ?? 0
      spec.prefixLength = 1
    }
    if let cursor = shape.cursor(variant), let state = state(of: cursor.note, at: cursor.key) {
      spec.after = state
    }
    return spec
  }

  // MARK: States

  /// All states of a note, for each type.
  private static let notes: [Note] = NoteShape.folders.flatMap { folder in
    NoteShape.titles.flatMap { title in
      [false, true].flatMap { isStarred in
        NoteShape.lengths.map { length in
          Note(
            folder: folder, title: title, isStarred: isStarred,
            text: String(repeating: "x", count: length))
        }
      }
    }
  }

  /// Returns the object that represents all notes of a type.
  static func object(of key: EntityKey) -> UInt32 {
    UInt32(NoteShape.folders.count) + (key.type == NoteSchema.taskType ? 1 : 0)
  }

  /// Returns the number of a state; `nil` for one that declared notes do not have.
  static func state(of note: Note, at key: EntityKey) -> UInt32? {
    let length = note.text.utf8.count
    guard let letter = note.title.utf8.first, note.title.utf8.count == 1,
      (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter),
      NoteShape.folders.contains(note.folder), NoteShape.lengths.contains(length)
    else { return nil }
    let title = Int(letter - UInt8(ascii: "a"))
    let place =
      ((note.folder * NoteShape.titles.count + title) * 2 + (note.isStarred ? 1 : 0))
      * NoteShape.lengths.count + length
    return UInt32(place + (key.type == NoteSchema.taskType ? notes.count : 0))
  }

  private static let catalog: Catalog = {
    var catalog = Catalog(objects: objects, revisions: [], initialCount: 0, labels: [])
    for object in [objects.count - 2, objects.count - 1] {
      for note in notes {
        let labels = NoteShape.labels(of: note).map { UInt32($0) }
        let range = LabelRange(
          start: UInt32(catalog.labels.count), count: UInt32(labels.count))
        catalog.labels += labels
        catalog.valueStarts.append(UInt32(catalog.values.count))
        catalog.values += Member.allCases.map { $0.word(of: note, labels: range) }
        catalog.revisions.append(
          Revision(
            object: UInt32(object),
            version: Version(clock: UInt64(catalog.revisions.count + 1), device: 1), bytes: 1))
      }
    }
    return catalog
  }()

  var workload: Workload {
    Workload(
      name: "notes", seed: 1, duration: .seconds(1), library: .test, model: model,
      catalog: Self.catalog, queries: queries, mutations: [], items: [], clients: [],
      network: NetworkModel(minimumRoundTrip: 0, meanExtra: 0, bytesPerSecond: nil, seed: 1),
      retention: ServerRetention(events: 1, age: .seconds(1)))
  }
}

private enum Member: String, CaseIterable {
  case folder, number, title, star, length, time, labels

  init(_ field: NoteShape.Field) {
    self =
      switch field {
      case .number: .number
      case .title: .title
      case .star: .star
      case .length: .length
      case .time: .time
      }
  }

  var field: ModelField {
    ModelField(
      name: rawValue, content: content, slot: Self.allCases.firstIndex(of: self) ?? 0)
  }

  var member: QueryShape.Member { QueryShape.Member(field) }

  var content: ModelField.Content {
    switch self {
    case .folder: .one(type: 2, .uniform, cascades: false)
    case .number, .length: .integer(0...5)
    case .title: .text
    case .star: .flag(share: 0.5)
    case .time: .time(meanAge: .seconds(1))
    case .labels: .many(type: 2, .uniform, count: .mean(1))
    }
  }

  func word(of note: Note, labels: LabelRange) -> UInt64 {
    switch self {
    case .folder: UInt64(note.folder)
    case .number: OrderedWord.of(Int64(note.folder))
    case .title: LetterCode.encode(note.title) ?? 0
    case .star: note.isStarred ? 1 : 0
    case .length: OrderedWord.of(Int64(note.text.utf8.count))
    case .time: OrderedWord.of(Int64((note.folder + note.text.utf8.count) % 4))
    case .labels: labels.word
    }
  }
}
