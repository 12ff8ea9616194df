/// When each request's entity is asked for again.
package enum NextUses {
  /// What stands for an entity that is not asked for again.
  package static let never = UInt32.max

  /// The index of the next request for the same entity, per request.
  ///
  /// - Parameters:
  ///   - ids: the requests, each an entity numbered from 0.
  ///   - distinct: above every id.
  /// - Returns: one index per request; ``never`` for the last of an entity.
  /// - Complexity: O(requests + distinct); four bytes per request.
  package static func of(_ ids: borrowing Span<UInt32>, distinct: Int) -> [UInt32] {
    precondition(ids.count < Int(never), "\(ids.count) requests are more than can be numbered")
    let upcoming = Flat(repeating: never, count: distinct)
    var next = [UInt32](repeating: never, count: ids.count)
    for index in ids.indices.reversed() {
      let id = Int(ids[index])
      precondition(id < distinct, "the id \(id) is not below \(distinct)")
      next[index] = upcoming[id]
      upcoming[id] = UInt32(truncatingIfNeeded: index)
    }
    return next
  }
}
