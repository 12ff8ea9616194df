public import CacheModel
public import DequeModule

/// Why queries that are no longer cached are not, for a bounded number of them, oldest forgotten
/// first.
@usableFromInline struct DepartedQueries {
  @usableFromInline var causes: [QueryKey: ReadOutcome] = [:]
  @usableFromInline var order: Deque<QueryKey> = []
  @usableFromInline let limit: Int

  @inlinable init(limit: Int) {
    self.limit = limit
  }

  @inlinable mutating func note(_ key: QueryKey, cause: ReadOutcome) {
    if causes.updateValue(cause, forKey: key) == nil {
      order.append(key)
      if order.count > limit, let oldest = order.popFirst() { causes[oldest] = nil }
    }
  }

  @inlinable func cause(of key: QueryKey) -> ReadOutcome { causes[key] ?? .missCold }
}
