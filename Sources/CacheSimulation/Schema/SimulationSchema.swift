package import CacheModel
package import NormalizedCacheCore
package import Workloads

/// The schema of the cache under test: its model and its catalog, read through handles.
///
/// A model's membership and order are evaluated here for the cache, entity by entity, and independently in
/// ``StateOrder`` for the ground truth, by presorted lists; the two share no code, so a fault in one shows as
/// a divergence.
package struct SimulationSchema: CacheSchema {
  let tables: Tables

  /// The schema's tables.
  ///
  /// A class, so that a copy of the schema, which the store makes for every call, counts one reference
  /// instead of one for each table.
  final class Tables: Sendable {
    let model: DataModel
    let objects: [EntityKey]
    let revisions: [Revision]
    let labels: [UInt32]
    let values: [UInt64]
    let valueStarts: [UInt32]
    /// By shape, then by subject: the only location of everything that it ever lists.
    ///
    /// `noObject` if there is none, or more than one; empty if no location is known.
    let confinedTo: [[UInt32]]
    /// The members and the order of queries whose lists only a log has.
    let shown: ShownLists
    let forms: QueryForms
    init(_ workload: Workload) {
      let catalog = workload.catalog
      model = workload.model
      objects = catalog.objects
      revisions = catalog.revisions
      labels = catalog.labels
      values = catalog.values
      valueStarts = catalog.valueStarts
      confinedTo = SimulationSchema.confinements(in: catalog, model)
      shown = ShownLists(of: workload)
      forms = QueryForms(of: workload.model)
    }
  }

  /// A change: the whole state in which a user leaves an object.
  package struct Change: Hashable, Sendable, BitwiseCopyable {
    var state: UInt32
  }

  package func applying(_ change: Change, to payload: Handle) -> Handle {
    payload.inState(change.state)
  }

  @inlinable package static var hasSummaries: Bool { true }

  package func isSummary(_ payload: Handle) -> Bool { payload.isSummary }

  /// - Parameter workload: the workload with the model and the catalog.
  package init(of workload: Workload) { tables = Tables(workload) }

  var objects: [EntityKey] { tables.objects }
  var revisions: [Revision] { tables.revisions }
  private var confinedTo: [[UInt32]] { tables.confinedTo }
  private var shown: ShownLists { tables.shown }

  private static func confinements(in catalog: Catalog, _ model: DataModel) -> [[UInt32]] {
    let hasLocations = catalog.revisions.contains { $0.location != Revision.noObject }
    return model.shapes.map { shape in
      guard hasLocations, let field = shape.subjectReference else { return [] }
      return confinements(in: catalog, of: shape, by: field)
    }
  }

  private static func confinements(
    in catalog: Catalog, of shape: QueryShape, by field: QueryShape.Member
  ) -> [UInt32] {
    var locations = [UInt32](repeating: Revision.noObject, count: catalog.objects.count)
    var isMixed = [Bool](repeating: false, count: catalog.objects.count)
    var isKnown = isMixed
    let types = resourceTypes(of: shape)
    for (state, revision) in catalog.revisions.enumerated()
    where types.contains(catalog.objects[Int(revision.object)].type) {
      let subject = Int(
        UInt32(truncatingIfNeeded: catalog.word(field.slot, of: UInt32(state))))
      guard subject < locations.count else { continue }
      if !isKnown[subject] {
        isKnown[subject] = true
        locations[subject] = revision.location
      } else if locations[subject] != revision.location {
        isMixed[subject] = true
      }
    }
    for index in locations.indices where isMixed[index] { locations[index] = Revision.noObject }
    return locations
  }

  package func plan(for query: QueryKey) -> QueryPlan<QueryPredicate> {
    guard let spec = QueryInput.decode(query), let shape = tables.model.shape(of: spec.kind) else {
      preconditionFailure("a query key that this schema did not make")
    }
    if shape.isAsShown { return planAsShown(spec, shape) }
    var location: UniqueID?
    let confinements = confinedTo[Int(spec.kind.rawValue) - 1]
    if spec.subject < UInt64(confinements.count) {
      location = idOfLocation(confinements[Int(spec.subject)])
    }
    return QueryPlan(
      predicate: QueryPredicate(spec), scope: scope(of: spec, shape),
      limit: Int(spec.limit), resourceTypes: Self.resourceTypes(of: shape), location: location,
      isCacheable: tables.model.isCacheable(spec), showsSummaries: shape.showsSummaries)
  }

  /// Returns the plan of a query whose members only the log has: it has its own scope, and may list
  /// everything that it shows.
  private func planAsShown(_ spec: QuerySpec, _ shape: QueryShape) -> QueryPlan<QueryPredicate> {
    var predicate = QueryPredicate(spec)
    predicate.isAsShown = true
    predicate.list = shown.list(of: spec)
    let usual = Self.resourceTypes(of: shape)
    let others = shown.types(in: predicate.list).filter { !usual.contains($0) }
    return QueryPlan(
      predicate: predicate, scope: ShownLists.scope(of: predicate.list), limit: Int(spec.limit),
      resourceTypes: usual + others, location: nil,
      isCacheable: tables.model.isCacheable(spec), showsSummaries: shape.showsSummaries)
  }

  private func idOfLocation(_ location: UInt32) -> UniqueID? {
    location == Revision.noObject ? nil : objects[Int(location)].id
  }

  private func scope(of spec: QuerySpec, _ shape: QueryShape) -> QueryScope {
    guard shape.hasSubject else { return QueryScope(kind: spec.kind.rawValue) }
    let id =
      spec.subject < UInt64(objects.count)
      ? objects[Int(spec.subject)].id : UniqueID(high: .max, low: spec.subject)
    return QueryScope(kind: spec.kind.rawValue, id: id)
  }

  private static func resourceTypes(of shape: QueryShape) -> [ResourceType] {
    shape.types.map { DataModel.resourceType(ofType: $0) }
  }

  package func forEachScope(
    of payload: Handle, key: EntityKey, _ body: (QueryScope) -> Void
  ) {
    shown.forEachList(of: payload.revision) { body(ShownLists.scope(of: $0)) }
    tables.forEachScope(of: payload.revision, type: key.type, body)
  }

  package func weight(of payload: Handle) -> Int {
    let whole = Int(revisions[Int(payload.revision)].bytes)
    return payload.isSummary ? tables.bytesOfSummary(of: payload, whole: whole) : whole
  }

  package func areEqual(_ lhs: Handle, _ rhs: Handle) -> Bool {
    if lhs.revision == rhs.revision { return true }
    if lhs.isSummary || rhs.isSummary { return tables.haveEqualSummaries(lhs, rhs) }
    let left = revisions[Int(lhs.revision)]
    let right = revisions[Int(rhs.revision)]
    guard left.location == right.location, left.bytes == right.bytes else { return false }
    return tables.haveEqualValues(lhs.revision, rhs.revision)
  }

  package func belongs(
    _ payload: Handle, key: EntityKey, in predicate: QueryPredicate
  ) -> MatchResult {
    if predicate.isAsShown {
      return shown.match(of: payload.revision, in: predicate.list)
    }
    guard tables.matches(payload.revision, key.type, predicate) else {
      return .notMember
    }
    if predicate.after != Revision.noObject {
      let cursor = Handle(
        object: revisions[Int(predicate.after)].object, revision: predicate.after)
      guard
        precedes(cursor, key: objects[Int(cursor.object)], payload, key: key, in: predicate)
      else { return .notMember }
    }
    return .member
  }

  package func precedes(
    _ lhs: Handle, key lhsKey: EntityKey, _ rhs: Handle, key rhsKey: EntityKey,
    in predicate: QueryPredicate
  ) -> Bool {
    if predicate.isAsShown {
      // An entity that is not listed is about to leave, whatever its position.
      let before = shown.place(of: lhs.revision, in: predicate.list) ?? .max
      let after = shown.place(of: rhs.revision, in: predicate.list) ?? .max
      if before != after { return before < after }
      return lhsKey < rhsKey
    }
    return tables.precedes(lhs.revision, rhs.revision, predicate) ?? (lhsKey < rhsKey)
  }

  /// Returns whether a change of state may change an object's lists, or its position in one.
  func mayMove(from former: UInt32, to state: UInt32) -> Bool {
    tables.mayMove(from: former, to: state)
  }

  package func location(of payload: Handle) -> UniqueID? {
    idOfLocation(revisions[Int(payload.revision)].location)
  }
}

/// Reads and tests the fields of a state.
extension SimulationSchema.Tables {
  /// Returns a field as a word with the same order.
  @inline(__always)
  private func word(_ slot: Int, _ revision: Int) -> UInt64 {
    values[Int(valueStarts[revision]) + slot]
  }

  /// Returns whether a state of a type is in a query, ignoring the cursor.
  func matches(_ revision: UInt32, _ type: ResourceType, _ predicate: QueryPredicate) -> Bool {
    let form = forms.forms[Int(predicate.form)]
    guard form.lists(type), holds(form.test, Int(revision), predicate) else { return false }
    guard form.rest.first < form.rest.end else { return true }
    return hold(form.rest, Int(revision), predicate)
  }

  private func hold(
    _ range: FieldTest.Range, _ revision: Int, _ predicate: QueryPredicate?
  ) -> Bool {
    for index in Int(range.first)..<Int(range.end)
    where !holds(forms.tests[index], revision, predicate) {
      return false
    }
    return true
  }

  @inline(__always)
  private func holds(_ test: FieldTest, _ revision: Int, _ predicate: QueryPredicate?) -> Bool {
    switch test {
    case .all: return true
    case .isSubject:
      let subject = predicate?.subject ?? Revision.noObject
      return revisions[revision].object == subject && subject != Revision.noObject
    case .refers(let slot):
      let subject = predicate?.subject ?? Revision.noObject
      return word(slot, revision) == UInt64(subject) && subject != Revision.noObject
    case .includes(let slot):
      guard let subject = predicate?.subject else { return false }
      for index in LabelRange(word: word(slot, revision)).indices where labels[index] == subject {
        return true
      }
      return false
    case .begins(let slot):
      guard let predicate else { return false }
      let name = word(slot, revision)
      return predicate.firstName <= name && name < predicate.endName
    case .isSet(let slot, let isSet): return (word(slot, revision) != 0) == isSet
    case .compares(let slot, let comparison, let constant):
      let number = OrderedWord.number(word(slot, revision))
      switch comparison {
      case .equal: return number == constant
      case .unequal: return number != constant
      case .atMost: return number <= constant
      case .atLeast: return number >= constant
      case .less: return number < constant
      case .greater: return number > constant
      }
    }
  }

  /// Returns whether one state precedes another; `nil` if their keys decide.
  @inline(__always)
  func precedes(_ lhs: UInt32, _ rhs: UInt32, _ predicate: QueryPredicate) -> Bool? {
    let form = forms.forms[Int(predicate.form)]
    guard let first = form.first else { return nil }
    return precedes(lhs, rhs, first.slot, isDescending: first.isDescending)
      ?? form.second.flatMap {
        precedes(lhs, rhs, $0.slot, isDescending: $0.isDescending)
      }
  }

  @inline(__always)
  private func precedes(
    _ lhs: UInt32, _ rhs: UInt32, _ slot: Int, isDescending: Bool
  ) -> Bool? {
    let (left, right) = (word(slot, Int(lhs)), word(slot, Int(rhs)))
    return left == right ? nil : isDescending ? left > right : left < right
  }

  func forEachScope(of state: UInt32, type: ResourceType, _ body: (QueryScope) -> Void) {
    let type = Int(type.rawValue)
    guard (1..<forms.firstListing.count).contains(type) else { return }
    let revision = Int(state)
    for index in forms.firstListing[type - 1]..<forms.firstListing[type] {
      let listing = forms.listings[index]
      guard hold(listing.tests, revision, nil) else { continue }
      switch listing.form {
      case .whole: body(QueryScope(kind: listing.kind))
      case .itself:
        body(QueryScope(kind: listing.kind, id: objects[Int(revisions[revision].object)].id))
      case .reference(let slot):
        let object = UInt32(truncatingIfNeeded: word(slot, revision))
        guard object != Revision.noObject else { continue }
        body(QueryScope(kind: listing.kind, id: objects[Int(object)].id))
      case .references(let slot, let first, let end):
        for label in LabelRange(word: word(slot, revision)).indices {
          let key = objects[Int(labels[label])]
          for group in Int(first)..<Int(end)
          where forms.groups[group].subject == key.type.rawValue {
            guard hold(forms.groups[group].tests, revision, nil) else { continue }
            body(QueryScope(kind: forms.groups[group].kind, id: key.id))
          }
        }
      }
    }
  }

  /// Returns whether two states of a type have equal fields.
  func haveEqualValues(_ lhs: UInt32, _ rhs: UInt32) -> Bool {
    let type = objects[Int(revisions[Int(lhs)].object)].type
    guard type == objects[Int(revisions[Int(rhs)].object)].type else { return false }
    return model.types[Int(type.rawValue) - 1].fields.allSatisfy { areEqual($0, lhs, rhs) }
  }

  /// Returns whether two states of an object differ in a field that determines its lists, or only a log has
  /// its lists.
  func mayMove(from former: UInt32, to state: UInt32) -> Bool {
    let (old, new) = (revisions[Int(former)], revisions[Int(state)])
    if old.location != new.location { return true }
    let type = Int(objects[Int(new.object)].type.rawValue) - 1
    let shapes = model.shapes.filter { $0.types.contains(type) }
    if shapes.contains(where: \.isAsShown) { return true }
    return model.types[type].fields.contains { field in
      !areEqual(field, former, state) && shapes.contains { $0.dependsOn(slot: field.slot) }
    }
  }

  private func areEqual(_ field: ModelField, _ lhs: UInt32, _ rhs: UInt32) -> Bool {
    let (left, right) = (word(field.slot, Int(lhs)), word(field.slot, Int(rhs)))
    if left == right { return true }
    guard case .many = field.content else { return false }
    return labels[LabelRange(word: left).indices].elementsEqual(
      labels[LabelRange(word: right).indices])
  }

  // MARK: Summaries

  private func type(of handle: Handle) -> EntityType {
    model.types[Int(objects[Int(handle.object)].type.rawValue) - 1]
  }

  func bytesOfSummary(of handle: Handle, whole: Int) -> Int {
    type(of: handle).summary?.bytes(ofWhole: whole) ?? whole
  }

  /// Returns whether two states of an object have equal summaries.
  func haveEqualSummaries(_ lhs: Handle, _ rhs: Handle) -> Bool {
    let type = type(of: lhs)
    guard lhs.object == rhs.object, let summary = type.summary else { return false }
    return summary.fields.allSatisfy { areEqual(type.fields[$0], lhs.revision, rhs.revision) }
  }
}
