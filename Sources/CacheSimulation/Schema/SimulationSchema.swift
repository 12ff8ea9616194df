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
    /// The bytes of each state, close together: the store weighs every row that it takes.
    let bytes: [Int32]
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
    /// The fields by which lists are ordered, each by state: of two rows nothing else is compared.
    let columns: [UInt64]
    /// By slot: where its column begins; −1 for what orders no list.
    let columnStarts: [Int]
    /// `nil`: all scopes are named, whether a query stands in them or not.
    let asked: AskedScopes?

    init(_ workload: Workload, onlyAsked: Bool) {
      let catalog = workload.catalog
      model = workload.model
      objects = catalog.objects
      revisions = catalog.revisions
      bytes = catalog.revisions.map(\.bytes)
      labels = catalog.labels
      values = catalog.values
      valueStarts = catalog.valueStarts
      confinedTo = SimulationSchema.confinements(in: catalog, model)
      shown = ShownLists(of: workload)
      forms = QueryForms(of: workload.model)
      (columns, columnStarts) = SimulationSchema.columns(of: catalog, workload.model)
      asked = onlyAsked ? AskedScopes(of: workload) : nil
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

  /// - Parameters:
  ///   - workload: its model and its catalog.
  ///   - onlyAsked: whether an entity's scopes without any query of the workload are left out.
  package init(of workload: Workload, onlyAsked: Bool = false) {
    tables = Tables(workload, onlyAsked: onlyAsked)
  }

  var objects: [EntityKey] { tables.objects }
  var revisions: [Revision] { tables.revisions }
  private var confinedTo: [[UInt32]] { tables.confinedTo }
  private var shown: ShownLists { tables.shown }

  private static func columns(
    of catalog: Catalog, _ model: DataModel
  ) -> (columns: [UInt64], starts: [Int]) {
    let width = model.types.indices.map { model.width(ofType: $0) }.max() ?? 0
    var columns: [UInt64] = []
    var starts = [Int](repeating: -1, count: width)
    let orders = model.shapes.flatMap { $0.order.map(\.member.slot) }
    for slot in 0..<width where orders.contains(slot) {
      starts[slot] = columns.count
      for start in catalog.valueStarts {
        let place = Int(start) + slot
        // A type that has fewer fields is in no list that is ordered by it.
        columns.append(place < catalog.values.count ? catalog.values[place] : 0)
      }
    }
    return (columns, starts)
  }

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
    let whole = Int(tables.bytes[Int(payload.revision)])
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
