public import CacheModel

/// Why an answer of the server is not taken: it is not one to what was asked.
///
/// It counts as a failed fetch. Nothing of it is kept, and everybody who waits for it gets this error.
public enum ResponseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A query's answer lists an entity of a type that its plan does not name.
  case unplannedType(EntityKey, row: Int, query: QueryKey, planned: [ResourceType])
  /// An answer has more rows than the query's limit, or more than one entity where one was asked for.
  case tooManyRows(Int, limit: Int, FetchTarget)
  /// Another entity than was asked for.
  case otherEntity(EntityKey, asked: EntityKey)
  /// A summary of an entity where the whole was asked for.
  case summaryOnly(EntityKey, FetchTarget)
  /// "Not modified" to a request that set no condition.
  case notModifiedUnasked(FetchTarget)

  @inlinable public var description: String {
    switch self {
    case .unplannedType(let key, let row, let query, let planned):
      "the answer to \(Self.name(.query(query))) lists in row \(row) the entity \(key.id) of type "
        + "\(key.type.rawValue), its plan names \(planned.map(\.rawValue)); name every type that the "
        + "query lists in QueryPlan.resourceTypes, or correct the server"
    case .tooManyRows(let count, let limit, let target):
      "the answer to \(Self.name(target)) has \(count) rows, at most \(limit) were asked for; have the "
        + "server keep the limit, or correct QueryPlan.limit"
    case .otherEntity(let key, let asked):
      "the answer to \(Self.name(.entity(asked))) is the entity \(key.id) of type "
        + "\(key.type.rawValue); have the source answer with the entity that was asked for, or none"
    case .summaryOnly(let key, let target):
      "the answer to \(Self.name(target)) has only a summary of the entity \(key.id) of type "
        + "\(key.type.rawValue); have the server answer with the whole, or set "
        + "QueryPlan.showsSummaries"
    case .notModifiedUnasked(let target):
      "the answer to \(Self.name(target)) is \"not modified\", though the request set no condition; "
        + "answer so only where FetchRequest.unlessChangedSince is given"
    }
  }

  @usableFromInline static func name(_ target: FetchTarget) -> String {
    switch target {
    case .query(let key):
      "a query of method \(key.method.rawValue) in library \(key.library.rawValue), "
        + "\(key.input.count) bytes of input"
    case .entity(let key): "a fetch of entity \(key.id) of type \(key.type.rawValue)"
    }
  }
}

extension CacheStore {
  /// What is wrong with an answer, the first fault in the order of its rows; O(rows).
  @inlinable func fault(
    of response: FetchResponse<Payload>, to asked: Fetch
  ) -> ResponseError? {
    if response.isNotModified {
      return asked.condition == nil ? .notModifiedUnasked(asked.target) : nil
    }
    switch asked.target {
    case .entity(let key):
      if response.entities.count > 1 {
        return .tooManyRows(response.entities.count, limit: 1, asked.target)
      }
      guard let only = response.entities.first else { return nil }
      if only.key != key { return .otherEntity(only.key, asked: key) }
      return Schema.hasSummaries && schema.isSummary(only.payload)
        ? .summaryOnly(key, asked.target) : nil
    case .query(let key):
      let plan = queries.index(of: key).map { queries[$0].plan } ?? schema.plan(for: key)
      if let limit = plan.limit, response.entities.count > limit {
        return .tooManyRows(response.entities.count, limit: limit, asked.target)
      }
      let row = response.entities.firstIndex { !plan.resourceTypes.contains($0.key.type) }
      if let row {
        return .unplannedType(
          response.entities[row].key, row: row, query: key, planned: plan.resourceTypes)
      }
      guard Schema.hasSummaries, !plan.showsSummaries else { return nil }
      return response.entities.first { schema.isSummary($0.payload) }.map {
        .summaryOnly($0.key, asked.target)
      }
    }
  }
}
