package import CacheModel
package import NormalizedCache
import Workloads

/// What the cache under test knows of the synthetic library: the catalog, read through handles.
///
/// Membership and order are written here for the cache, and once more in ``SimulatedServer`` for the
/// truth; the two share no code, so a fault in one shows as a divergence.
package struct SimulationSchema: CacheSchema {
  private let tables: Tables

  /// What the schema looks things up in.
  ///
  /// One reference, so that a copy of the schema, which the store
  /// makes for every call, costs one count and not one for each table.
  private final class Tables: Sendable {
    let objects: [EntityKey]
    let revisions: [Revision]
    let labels: [UInt32]
    /// For each object, the one location of everything that it ever holds as a directory; `noObject`
    /// where there is none, or more than one.
    let confinedTo: [UInt32]
    /// The members and the order of queries of which only a log tells them.
    let shown: ShownLists

    init(_ workload: Workload, _ states: RecordedStates) {
      let catalog = workload.catalog
      objects = catalog.objects
      revisions = catalog.revisions
      labels = catalog.labels
      confinedTo = SimulationSchema.confinements(in: catalog)
      shown = ShownLists(of: workload, states)
    }
  }

  init(_ workload: Workload, _ states: RecordedStates) {
    tables = Tables(workload, states)
  }

  var objects: [EntityKey] { tables.objects }
  var revisions: [Revision] { tables.revisions }
  private var labels: [UInt32] { tables.labels }
  private var confinedTo: [UInt32] { tables.confinedTo }
  private var shown: ShownLists { tables.shown }

  private static func confinements(in catalog: Catalog) -> [UInt32] {
    var locations = [UInt32](repeating: Revision.noObject, count: catalog.objects.count)
    var isMixed = [Bool](repeating: false, count: catalog.objects.count)
    var isKnown = isMixed
    for revision in catalog.revisions where revision.parent != Revision.noObject {
      let directory = Int(revision.parent)
      if !isKnown[directory] {
        isKnown[directory] = true
        locations[directory] = revision.location
      } else if locations[directory] != revision.location {
        isMixed[directory] = true
      }
    }
    for index in locations.indices where isMixed[index] { locations[index] = Revision.noObject }
    return locations
  }

  package func plan(for query: QueryKey) -> QueryPlan<QueryPredicate> {
    guard let spec = QueryInput.decode(query) else {
      preconditionFailure("a query key that this schema did not make")
    }
    if spec.order == .asShown { return planAsShown(spec) }
    var location: UniqueID?
    if spec.kind == .directory, spec.subject < UInt64(objects.count) {
      location = idOfLocation(confinedTo[Int(spec.subject)])
    }
    return QueryPlan(
      predicate: QueryPredicate(spec), scope: scope(of: spec), limit: Int(spec.limit),
      resourceTypes: Self.resourceTypes(of: spec.kind), location: location,
      isCacheable: spec.isCacheable)
  }

  /// A query whose members only the log tells stands in a scope of its own, and may list whatever it
  /// shows.
  private func planAsShown(_ spec: QuerySpec) -> QueryPlan<QueryPredicate> {
    var predicate = QueryPredicate(spec)
    predicate.list = shown.list(of: spec)
    let usual = Self.resourceTypes(of: spec.kind)
    let others = shown.types(in: predicate.list).filter { !usual.contains($0) }
    let location = spec.kind == .directory ? shown.location(of: predicate.list) : Revision.noObject
    return QueryPlan(
      predicate: predicate, scope: ShownLists.scope(of: predicate.list), limit: Int(spec.limit),
      resourceTypes: usual + others, location: idOfLocation(location),
      isCacheable: spec.isCacheable)
  }

  private func idOfLocation(_ location: UInt32) -> UniqueID? {
    location == Revision.noObject ? nil : objects[Int(location)].id
  }

  private func scope(of spec: QuerySpec) -> QueryScope {
    switch spec.kind {
    case .directory, .album, .tag:
      let id =
        spec.subject < UInt64(objects.count)
        ? objects[Int(spec.subject)].id : UniqueID(high: .max, low: spec.subject)
      return QueryScope(kind: spec.kind.rawValue, id: id)
    case .recents, .media, .albumList, .tagList, .search:
      return QueryScope(kind: spec.kind.rawValue)
    }
  }

  private static func resourceTypes(of kind: QueryKind) -> [ResourceType] {
    switch kind {
    case .directory: [EntityKind.file.resourceType, EntityKind.directory.resourceType]
    case .recents, .media, .album, .tag, .search: [EntityKind.file.resourceType]
    case .albumList: [EntityKind.album.resourceType]
    case .tagList: [EntityKind.tag.resourceType]
    }
  }

  package func forEachScope(
    of payload: Handle, key: EntityKey, _ body: (QueryScope) -> Void
  ) {
    let revision = revisions[Int(payload.revision)]
    shown.forEachList(of: payload.revision) { body(ShownLists.scope(of: $0)) }
    switch EntityKind(rawValue: key.type.rawValue) {
    case .file:
      bodyForParent(of: revision, body)
      body(QueryScope(kind: QueryKind.recents.rawValue))
      if revision.isMedia { body(QueryScope(kind: QueryKind.media.rawValue)) }
      body(QueryScope(kind: QueryKind.search.rawValue))
      let first = Int(revision.labelStart)
      for index in first..<first + Int(revision.labelCount) {
        let label = objects[Int(labels[index])]
        let isAlbum = label.type == EntityKind.album.resourceType
        let kind = isAlbum ? QueryKind.album : .tag
        body(QueryScope(kind: kind.rawValue, id: label.id))
      }
    case .directory: bodyForParent(of: revision, body)
    case .album: body(QueryScope(kind: QueryKind.albumList.rawValue))
    case .tag: body(QueryScope(kind: QueryKind.tagList.rawValue))
    case .location, nil: break
    }
  }

  private func bodyForParent(of revision: Revision, _ body: (QueryScope) -> Void) {
    guard revision.parent != Revision.noObject else { return }
    body(
      QueryScope(kind: QueryKind.directory.rawValue, id: objects[Int(revision.parent)].id))
  }

  package func weight(of payload: Handle) -> Int {
    Int(revisions[Int(payload.revision)].bytes)
  }

  package func areEqual(_ lhs: Handle, _ rhs: Handle) -> Bool {
    if lhs.revision == rhs.revision { return true }
    let left = revisions[Int(lhs.revision)]
    let right = revisions[Int(rhs.revision)]
    guard
      left.parent == right.parent, left.location == right.location, left.name == right.name,
      left.modified == right.modified, left.isMedia == right.isMedia, left.bytes == right.bytes,
      left.labelCount == right.labelCount
    else { return false }
    for offset in 0..<Int(left.labelCount)
    where labels[Int(left.labelStart) + offset] != labels[Int(right.labelStart) + offset] {
      return false
    }
    return true
  }

  package func belongs(
    _ payload: Handle, key: EntityKey, in predicate: QueryPredicate
  ) -> Belonging {
    if case .asShown = predicate.order {
      return shown.place(of: payload.revision, in: predicate.list) == nil ? .notMember : .member
    }
    let revision = revisions[Int(payload.revision)]
    // Matched, since `==` of what has a raw value compares through a table of witnesses.
    let belongs =
      switch (EntityKind(rawValue: key.type.rawValue), predicate.kind) {
      case (.album, .albumList), (.tag, .tagList), (.file, .recents): true
      case (.file, .directory), (.directory, .directory): revision.parent == predicate.subject
      case (.file, .media): revision.isMedia
      case (.file, .album), (.file, .tag): carries(revision, label: predicate.subject)
      case (.file, .search): predicate.names.contains(revision.name)
      default: false
      }
    return belongs ? .member : .notMember
  }

  private func carries(_ revision: Revision, label: UInt32) -> Bool {
    let first = Int(revision.labelStart)
    for index in first..<first + Int(revision.labelCount) where labels[index] == label {
      return true
    }
    return false
  }

  package func precedes(
    _ lhs: Handle, key lhsKey: EntityKey, _ rhs: Handle, key rhsKey: EntityKey,
    in predicate: QueryPredicate
  ) -> Bool {
    let left = revisions[Int(lhs.revision)]
    let right = revisions[Int(rhs.revision)]
    switch predicate.order {
    case .asShown:
      // What is listed nowhere is about to leave, wherever it stands.
      let before = shown.place(of: lhs.revision, in: predicate.list) ?? .max
      let after = shown.place(of: rhs.revision, in: predicate.list) ?? .max
      if before != after { return before < after }
    case .modifiedDescending:
      if left.modified != right.modified { return left.modified > right.modified }
    case .name:
      if left.name != right.name { return left.name < right.name }
    }
    return lhsKey < rhsKey
  }

  package func location(of payload: Handle) -> UniqueID? {
    idOfLocation(revisions[Int(payload.revision)].location)
  }
}

/// A query's input, parsed.
package struct QueryPredicate: Sendable {
  var kind: QueryKind
  var order: ListOrder
  /// Of a query `as-shown`: its list in ``ShownLists``.
  var list = ShownLists.none
  /// The directory, album or tag; `noObject` where the kind has none, or the input names none.
  var subject: UInt32
  /// The names that a search lists.
  var firstName: UInt64
  var endName: UInt64

  var names: Range<UInt64> { Range(uncheckedBounds: (firstName, endName)) }

  init(_ spec: QuerySpec) {
    kind = spec.kind
    order = spec.order ?? Self.ownOrder(of: spec.kind)
    let names = spec.kind == .search ? spec.nameRange : 0..<0
    firstName = names.lowerBound
    endName = names.upperBound
    subject = UInt32(exactly: spec.subject) ?? Revision.noObject
  }

  private static func ownOrder(of kind: QueryKind) -> ListOrder {
    switch kind {
    case .recents, .media: .modifiedDescending
    case .directory, .album, .tag, .albumList, .tagList, .search: .name
    }
  }
}
